#!/usr/bin/env bash
# From a fresh Debian with a Rust toolchain to a first match: installs two engines, builds, plays.
set -euo pipefail
cd "$(dirname "$0")/.."
. deploy/packages.sh

command -v cargo >/dev/null || { echo "no Rust toolchain: install one of at least 1.95 first" >&2; exit 1; }
apt_needs "${BUILD_PACKAGES[@]}" stockfish ethereal-chess
export PATH="$PATH:/usr/games" # where Debian has them; root's PATH leaves it out
cargo build --release --locked -p rookery # cargo knows where it builds to; what follows starts at once

exec cargo run --release --locked --quiet -p rookery -- run deploy/examples/quickstart.toml "$@"
