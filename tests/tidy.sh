#!/usr/bin/env bash
# What no compiler checks, on the files that git knows: the rooms of the house, the crates' manifests, stray paths, scripts.
set -euo pipefail
cd "$(dirname "$0")/.."

bad=0
complain() { echo "tidy: $*" >&2; bad=1; }

# A room more is a decision: write it down in ARCHITECTURE.md, and here.
rooms=' .ci .gitignore ARCHITECTURE.md CHANGELOG.md CONTRIBUTING.md Cargo.lock Cargo.toml LICENSE README.md cli clippy.toml
  coordinator deny.toml deploy game helm proto rustfmt.toml tests tournament worker '
while read -r entry; do
  [[ " ${rooms//$'\n'/ } " == *" $entry "* ]] || complain "$entry: not a room of this house"
done < <(git ls-files --cached --others --exclude-standard | cut -d/ -f1 | sort -u)

mapfile -t files < <(git ls-files --cached --others --exclude-standard | while read -r f; do [ -f "$f" ] && echo "$f"; done)

# Paths of a machine that somebody worked on.
if printf '%s\0' "${files[@]}" | xargs -0 grep -nIE '(^|[^A-Za-z0-9._~/-])/(root|wor[k]|Users|home/[a-z])[/ ]' -- ; then
  complain "a path of some machine"
fi

# Versions and lints are said once, in the workspace.
for manifest in */Cargo.toml; do
  awk '/^\[lints\]/ { on = 1; next } /^\[/ { on = 0 } on && /^workspace = true/ { found = 1 } END { exit !found }' "$manifest" ||
    complain "$manifest: no [lints] workspace = true"
  awk '/^\[/ { on = /dependencies\]/ } on && /^[a-z]/ && !/workspace = true/ { print FILENAME ": " $0; found = 1 } END { exit found }' "$manifest" ||
    complain "$manifest: a version of its own"
  grep -q '^rust-version.workspace = true' "$manifest" || complain "$manifest: not the workspace's rust-version"
done

for file in "${files[@]}"; do
  case "$file" in
    *.sh | .ci/run) bash -n "$file" || complain "$file: not a script" ;;
  esac
  if [ "$(wc -c <"$file")" -gt 1000000 ]; then complain "$file: larger than 1 MB"; fi
done
if printf '%s\0' "${files[@]}" | xargs -0 grep -nIE '^(<<<<<<<|>>>>>>>) ' -- ; then complain "a conflict left behind"; fi

exit $bad
