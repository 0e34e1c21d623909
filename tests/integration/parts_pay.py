#!/usr/bin/env python3
"""Which launches run in parts where samcl itself decides, in two processes that share one cache.

usage: parts_pay.py PROGRAMS LIBRARY TRANSLATOR
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile

PROGRAMS, LIBRARY, TRANSLATOR = (pathlib.Path(word) for word in sys.argv[1:4])


def launches(cache, program, *options):
    """How many launches there were of the program's kernels, and how many of them in parts."""
    report = cache / "report.json"
    environment = {**os.environ, "POCL_DEVICES": "basic basic", "LD_PRELOAD": str(LIBRARY), "SAMCL_MANAGER": "off",
                   "SAMCL_SPLIT": "auto", "SAMCL_CACHE_DIR": str(cache / "translations"),
                   "SAMCL_TRANSLATOR": str(TRANSLATOR), "SAMCL_REPORT": str(report)}
    ran = subprocess.run([PROGRAMS / program, *options], env=environment, capture_output=True, text=True)
    if ran.returncode != 0:
        sys.exit(f"{program} failed\n{ran.stdout}{ran.stderr}")
    kernels = json.loads(report.read_text())["kernels"]
    return sum(kernel["launches"] for kernel in kernels), sum(kernel["split_launches"] for kernel in kernels)


def check(what, found, expected):
    if found != expected:
        sys.exit(f"{what}: (launches, split) are {found}, expected {expected}")


with tempfile.TemporaryDirectory() as folder:
    cache = pathlib.Path(folder)
    # Launches of a second and more each, whose parts take a fraction of that to build.
    long = ("MatrixMultiplication", "--rows", "1024", "--columns", "1024", "--inner", "512", "--warmup", "0",
            "--iterations", "3")
    check("the first launch is measured, all others split", launches(cache, *long), (3, 2))
    check("what was measured is remembered", launches(cache, *long), (3, 3))
    # Launches that all together take less than building their parts.
    check("parts that do not pay are not built", launches(cache, "MatrixMultiplication", "--small")[1], 0)
