#!/usr/bin/env python3
"""Runs a command, and once more if it was ended by PoCL 3.1's own assertion on its cache of loaded kernels: seen once in seven
runs of two unlike devices that compile the same kernels at the same time, with PoCL's cache empty. It says so; whatever
else ends the command is its result.

  past_pocls_assertion.py COMMAND...
"""

import subprocess
import sys

ASSERTION = "pocl_release_dlhandle_cache: Assertion"


def run(command):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace")
    print(done.stdout, end="", flush=True)
    return done.returncode, ASSERTION in done.stdout


if len(sys.argv) < 2:
    sys.exit(__doc__)
code, is_pocls = run(sys.argv[1:])
if code != 0 and is_pocls:
    print("PoCL's assertion ended it: once more", flush=True)
    code, _ = run(sys.argv[1:])
sys.exit(0 if code == 0 else 1)
