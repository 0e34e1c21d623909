#!/usr/bin/env bash
# Builds all fuzz targets (tests/fuzz) by Clang's libFuzzer and runs each for a while, two at a time, over the kept corpora.
# What ends a target is left in build/fuzz/fuzz, with the target's name before it; put into tests/fuzz/corpus it is tried
# again by every build's tests. Inputs that are new stay in build/fuzz/fuzz/found-NAME, for the next run.
#
# usage: tools/fuzz.sh [SECONDS [NAME...]], e.g. tools/fuzz.sh 600 requests config; 60 s and all targets otherwise
set -euo pipefail
cd "$(dirname "$0")/.."
seconds=${1:-60}
[[ $seconds =~ ^[1-9][0-9]*$ ]] || { echo "fuzz.sh: expected a number of seconds, not \"$seconds\"" >&2; exit 2; }
shift || true
tools/install-dependencies.sh
cmake --preset fuzz >/dev/null
if [ $# -gt 0 ]; then targets=("${@/#/fuzz_}"); else targets=(fuzz); fi
cmake --build --preset fuzz --parallel "$(nproc)" --target "${targets[@]}"
chosen=$(IFS='|' && echo "${*:-.*}")
SAMCL_FUZZ_SECONDS=$seconds ctest --test-dir build/fuzz --parallel "$(nproc)" -R "^fuzz\.($chosen)$" --output-on-failure --no-tests=error
