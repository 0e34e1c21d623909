#!/usr/bin/env python3
"""When the GPUs beside the first one are opened: what the driver takes for that is for programs that gain by it. One
that cannot be opened is of no use, and the program does with the first.

usage: opened_devices.py PROGRAMS LIBRARY TRANSLATOR TIMED_DEVICE
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile

PROGRAMS, LIBRARY, TRANSLATOR, TIMED_DEVICE = (pathlib.Path(word) for word in sys.argv[1:5])
SHORT, LONG = "item=1", "item=10000"  # a launch of some us, or of some ms


def opened(cache, items, jobs):
    """How many real contexts a process makes, of two GPUs whose kernels take a known time and compute nothing."""
    environment = {**os.environ, "LD_PRELOAD": str(LIBRARY), "SAMCL_MANAGER": "off", "SAMCL_SPLIT": "auto",
                   "SAMCL_TRANSPORT": "staged", "SAMCL_CACHE_DIR": cache, "SAMCL_TRANSLATOR": str(TRANSLATOR),
                   "OPENCL_LAYERS": str(TIMED_DEVICE), "TIMED_DEVICE": f"told {items}", "POCL_DEVICES": "pthread pthread"}
    ran = subprocess.run([PROGRAMS / "patterns", "--jobs", str(jobs), "gemm"], env=environment,
                         capture_output=True, text=True)
    told = re.search(r"(\d+) contexts", ran.stderr)
    if ran.returncode != 0 or not told:
        sys.exit(f"patterns failed\n{ran.stdout}{ran.stderr}")
    return int(told[1])


def check(what, found, expected):
    print(f"{what}: {found}")
    if found != expected:
        sys.exit(f"not so, expected {expected}")


def until_it_is_known(cache):
    """On a busy machine a short process may end before it has told the next one what it found."""
    count = next((number for number in range(60) if opened(cache, SHORT, 3) == 1), "no")
    print(f"launches are too short: {count} processes open two")


with tempfile.TemporaryDirectory() as cache:
    check("of a program that nobody knows", opened(cache, SHORT, 3), 2)
    until_it_is_known(cache)
    check("of one whose launches were too short for parts", opened(cache, SHORT, 3), 1)
    check("of the same when its launches are long", opened(cache, LONG, 20), 2)
    check("of one whose launches were long", opened(cache, LONG, 3), 2)
    check("where the driver makes no second one", opened(cache, f"{LONG} contexts=1", 20), 2)
    until_it_is_known(cache)
    check("it is forgotten when they are short again and again", opened(cache, SHORT, 3), 1)
print("PASS")
