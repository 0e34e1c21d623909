#!/usr/bin/env bash
# Says which C++ files are not as clang-format 19 writes them; --fix rewrites them.
# usage: tools/check-format.sh [--fix] [FILE...]    all files without FILE
set -euo pipefail
cd "$(dirname "$0")/.."

how=(--dry-run --Werror)
if [ "${1:-}" = --fix ]; then
  how=(-i)
  shift
fi
format=${CLANG_FORMAT:-clang-format-19}
command -v "$format" >/dev/null ||
  { echo "check-format: $format is not installed (tools/install-dependencies.sh brings it; CLANG_FORMAT names another)" >&2; exit 2; }
if [ $# -gt 0 ]; then
  printf '%s\0' "$@"
else
  find . -name build -prune -o -type f \( -name '*.h' -o -name '*.cc' -o -name '*.c' \) -print0
fi | xargs -0 -r -P "$(nproc)" -n 50 "$format" --style=file "${how[@]}" ||
  { echo "check-format: the lines above differ from .clang-format; tools/check-format.sh --fix mends them" >&2; exit 1; }
