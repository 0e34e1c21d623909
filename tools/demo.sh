#!/usr/bin/env bash
# Installs what is missing, builds, and shows what samcl does, on two devices that PoCL makes of the CPU: one
# program on both of them, then three periodic tasks under a manager. Quick to start again.
#
# usage: tools/demo.sh
set -euo pipefail
cd "$(dirname "$0")/.."

tools/install-dependencies.sh

tools/build.sh release samcl sam-run sam-translate sam-managerd sam-ctl MatrixMultiplication Filter KNearest

export POCL_DEVICES="basic basic"  # each computes on one core
bin=$PWD/build/release/bin
python3 tools/demo/one_program.py "$bin"
"$bin/sam-run" --manager embedded -- python3 tools/demo/three_tasks.py "$bin"
cat <<'END'

What to look at next
  README.md                     installing, using, the limits
  build/release/bin/sam-run --report -- YOUR_PROGRAM
                                the same with a program of yours (unset POCL_DEVICES for the real GPUs)
  tools/test.sh                 all tests
END
