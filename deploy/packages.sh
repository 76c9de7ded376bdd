# Installs packages that are missing; sourced by deploy/quickstart.sh and tests/run.sh.
# As root, or with sudo; without either it says what to install by hand.

as_root() {
  if [ "$(id -u)" = 0 ]; then "$@"; elif command -v sudo >/dev/null; then sudo "$@"; else
    echo "missing packages, and neither root nor sudo: run as root: $*" >&2
    return 1
  fi
}

# apt_needs PACKAGE...: installs those that are not installed.
apt_needs() {
  local missing=() package
  for package in "$@"; do
    dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'install ok installed' || missing+=("$package")
  done
  [ ${#missing[@]} -gt 0 ] || return 0
  command -v apt-get >/dev/null || { echo "not a Debian: install by hand: ${missing[*]}" >&2; return 1; }
  echo "installing: ${missing[*]}"
  as_root apt-get update -qq
  as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
}

# What the build needs besides a Rust toolchain.
BUILD_PACKAGES=(build-essential protobuf-compiler libprotobuf-dev)
