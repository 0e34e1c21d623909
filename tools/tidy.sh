#!/usr/bin/env bash
# Runs clang-tidy 19 (.clang-tidy says on what it looks) over sources of a build that is configured and built.
#
# usage: tools/tidy.sh [--build DIR] [--all | --pure [--recent N] | --since COMMIT | FILE...]
#   --since COMMIT  the sources that differ from it, and those of headers that do; default: HEAD, so what is not committed
#   --pure          what has no I/O and no OpenCL: plans, engine, directories, merging, scheduler, footprints
#   --recent N      of these only what has changed in the last N commits; all where the clone does not go back so far
#   --all           all of base, contract, libsamcl, sam-manager, analysis, tools, as in the others but for tests
#   --build DIR     default: build/release
# exit code: 0: nothing found; 1: what was found is printed; 2: it could not run
set -euo pipefail
cd "$(dirname "$0")/.."

refuse() {
  echo "tidy: $1" >&2
  exit 2
}

build=build/release
since=HEAD
recent=
files=()
roots=()
all=(base contract libsamcl sam-manager analysis tools)
pure=(contract libsamcl/plan libsamcl/engine libsamcl/coherence libsamcl/merge sam-manager/scheduler)
while [ $# -gt 0 ]; do
  case $1 in
    --build) build=${2:?tidy: --build needs a folder}; shift ;;
    --since) since=${2:?tidy: --since needs a commit}; shift ;;
    --recent) recent=${2:?tidy: --recent needs a number}; shift ;;
    --pure) roots=("${pure[@]}") ;;
    --all) roots=("${all[@]}") ;;
    -*) refuse "there is no option $1; see the head of $0" ;;
    *) files+=("$1") ;;
  esac
  shift
done

tidy=${CLANG_TIDY:-clang-tidy-19}
command -v "$tidy" >/dev/null || refuse "$tidy is not installed (tools/install-dependencies.sh brings it; CLANG_TIDY names another)"
[ -f "$build/compile_commands.json" ] || refuse "$build is no configured build: cmake --preset release makes build/release"
git rev-parse --quiet --verify "$since^{commit}" >/dev/null || refuse "there is no commit \"$since\""

changed() {
  git diff --name-only --diff-filter=d "$@" | grep -E '\.(cc|h)$' | sed 's/\.h$/.cc/' | grep -v '_test\.cc$' | sort -u
}
if [ -n "$recent" ] && since=$(git rev-parse --quiet --verify "HEAD~$recent^{commit}"); then
  mapfile -t files < <(changed "$since" -- "${roots[@]}")
elif [ ${#roots[@]} -gt 0 ]; then
  mapfile -t files < <(git ls-files -- "${roots[@]}" | grep '\.cc$' | grep -v '_test\.cc$')
elif [ ${#files[@]} -eq 0 ]; then
  mapfile -t files < <(changed "$since" -- "${all[@]}")
fi

# As GCC is called for each source alone, without what only it understands: clang reads no header that GCC precompiled.
# What is generated lies in the build.
commands=$(mktemp -d)
trap 'rm -rf "$commands"' EXIT
cmake --preset release -B "$commands/apart" -D SAMCL_UNITY=OFF >"$commands/log" 2>&1 ||
  { tail "$commands/log" >&2; refuse "the sources could not be configured one by one, see above"; }
sed -E "s#$commands/apart#$(realpath "$build")#g; s/-Winvalid-pch -include [^ ]+//; s/-fpch-preprocess//; s/ -Werror / -Wno-unknown-warning-option /" \
  "$commands/apart/compile_commands.json" >"$commands/compile_commands.json"

# What this build does not compile (other systems' files, headers alone) can't be looked at.
known=()
for file in "${files[@]}"; do
  if grep -qF "\"file\": \"$PWD/$file\"" "$commands/compile_commands.json"; then known+=("$file"); fi
done
[ ${#known[@]} -gt 0 ] || { echo "tidy: no source to look at"; exit 0; }

look() {
  "$tidy" -p "$commands" --quiet --warnings-as-errors='*' "$1" 2>/dev/null && result=ok || result=FOUND
  echo "tidy: $result $1" >&2
  [ $result = ok ]
}
export -f look
export tidy commands
printf '%s\0' "${known[@]}" | xargs -0 -P "${TIDY_JOBS:-$(nproc)}" -I{} bash -c 'look "$1"' look {} || exit 1
