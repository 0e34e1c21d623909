#!/usr/bin/env bash
# Configures and builds a preset and says how far it is: one line that changes on a terminal, else a line for each tenth.
# What the build prints is shown if it fails, its last lines; it lies whole in build/PRESET/build.log.
#
# usage: tools/build.sh PRESET [TARGET...]      (default: all targets)
set -euo pipefail
cd "$(dirname "$0")/.."
presets=$(cmake --list-presets | sed -n 's/^ *"\([^"]*\)".*/\1/p' | paste -sd' ')
preset=${1-}
[[ -n $preset && " $presets " == *" $preset "* ]] ||
  { echo "usage: tools/build.sh PRESET [TARGET...]; presets: $presets" >&2; exit 2; }
shift
mkdir -p "build/$preset"
log=build/$preset/build.log

failed() {
  tail -n 60 "$log"
  echo "samcl: the $preset build failed; its last lines are above, all are in $log" >&2
  exit 1
}

echo "samcl: configuring ($preset)"
cmake --preset "$preset" >"$log" 2>&1 || failed
arguments=(--preset "$preset" --parallel "$(nproc)")
[ $# -eq 0 ] || arguments+=(--target "$@")
on_terminal=
[ -t 1 ] && on_terminal=1
# Ninja's lines begin with [done/all].
cmake --build "${arguments[@]}" 2>&1 | tee -a "$log" | awk -v name="$preset" -v on_terminal="$on_terminal" '
  match($0, /^\[[0-9]+\/[0-9]+\]/) {
    split(substr($0, 2, RLENGTH - 2), step, "/")
    tenth = int(10 * step[1] / step[2])
    if (step[1] == 0) next
    if (on_terminal) {
      printf "\rsamcl: building (%s): %d of %d steps ", name, step[1], step[2]
    } else if (tenth > shown) {
      printf "samcl: building (%s): %d of %d steps\n", name, step[1], step[2]
    }
    if (tenth > shown) shown = tenth
    fflush()
  }
  END { if (on_terminal && step[1] > 0) printf "\n" }' || failed
