#!/bin/sh
# Runs two command lines and compares what they print on standard output.
# usage: same_output.sh 'FIRST COMMAND' 'SECOND COMMAND'
# Exit code 0: both succeeded and printed the same; 1: not, and the differing lines are shown.
[ $# -eq 2 ] || { echo "usage: same_output.sh 'FIRST COMMAND' 'SECOND COMMAND'" >&2; exit 2; }
folder=$(mktemp -d) || exit 2
trap 'rm -rf "$folder"' EXIT
for i in 1 2; do
  sh -c "$1" >"$folder/$i" 2>"$folder/$i.errors"
  code=$?
  if [ $code -ne 0 ]; then
    echo "exit code $code: $1"
    tail -5 "$folder/$i" "$folder/$i.errors"
    exit 1
  fi
  shift
done
[ -s "$folder/1" ] || { echo "nothing was printed"; exit 1; }
if ! diff "$folder/1" "$folder/2" >"$folder/difference"; then
  head -40 "$folder/difference"
  exit 1
fi
tail -1 "$folder/1"
