#!/usr/bin/env python3
"""What sam-run predicts of a program on machines that are not there: a matrix product, whose launches fall into parts of
one size, and the same bytes as ever.

usage: what_if.py PROGRAMS SAM_RUN
"""

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

PROGRAMS, SAM_RUN = (pathlib.Path(word) for word in sys.argv[1:3])
COMMAND = [PROGRAMS / "MatrixMultiplication", "--rows", "256", "--columns", "256", "--inner", "256", "--iterations", "100"]


def run(*command, folder):
    environment = {**os.environ, "POCL_DEVICES": "basic basic", "SAMCL_CACHE_DIR": str(pathlib.Path(folder) / "cache")}
    ran = subprocess.run(command, env=environment, capture_output=True, text=True)
    if ran.returncode != 0:
        sys.exit(f"{command} failed\n{ran.stdout}{ran.stderr}")
    return ran


def check(what, is_so, found):
    if not is_so:
        sys.exit(f"not so: {what}. Found: {found}")


with tempfile.TemporaryDirectory() as folder:
    file = pathlib.Path(folder) / "what_if.json"
    bare = run(*COMMAND, folder=folder)
    machines = "devices=2,3,link=1000GB/s,latency=1ns,start=1ns"
    run(SAM_RUN, "--what-if", machines, "--json", file, "--", *COMMAND, folder=folder)
    found = json.loads(file.read_text())
    check("it names its format and machines", (found["format"], found["machines"]) == ("samcl-what-if 1", machines), found)
    one, two, three = found["predicted"]
    check("one device is what ran", (one["devices"], one["split_launches"]) == (1, 0) and
          one["computing_ns"] == found["kernel_ns"] > 0, found)
    # Parts are built once the kernel has taken as long as that does: a part of what it takes here.
    split = [two["split_launches"], three["split_launches"]]
    check("launches are split when parts are built", found["launches"] > max(split) and min(split) > 0, found)
    check("several devices compute less each", one["computing_ns"] > max(two["computing_ns"], three["computing_ns"]), found)
    check("no more is saved than there is", three["computing_ns"] >= found["kernel_ns"] / 3, found)
    # A link that carries next to nothing.
    slow = run(SAM_RUN, "--what-if", "devices=2,link=1MB/s,latency=1s", "--", *COMMAND, folder=folder)
    row = re.search(r"^ +2 +\d+ +[\d.]+ +([\d.]+) ", slow.stderr, re.M)
    check("moving takes longer over a slow link", row and float(row[1]) * 1e6 > 100 * two["moving_ns"], slow.stderr)
    sums = [re.search(r"checksum (\w+)", ran.stdout)[1] for ran in (bare, slow)]
    check("the bytes are the same", sums[0] == sums[1], sums)
