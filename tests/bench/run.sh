#!/usr/bin/env bash
# Builds what is measured and measures it beside the peers that are on the PATH. Words are handed on to bench.py:
#   tests/bench/run.sh --reps 5
#   tests/bench/run.sh --only moves-2,games-2
# Higher priority for all managers alike, where the user may: nice -n -15 tests/bench/run.sh
set -euo pipefail
cd "$(dirname "$0")/../.."
export PATH="$PATH:/usr/games"

for tool in cargo python3; do
  command -v "$tool" >/dev/null || { echo "SKIP: no $tool here"; exit 0; }
done
cargo build --release --locked --quiet -p rookery -p rookery-tests --bin rookery --bin null_engine
exec python3 tests/bench/bench.py --rookery target/release/rookery --engine target/release/null_engine "$@"
