#!/usr/bin/env python3
"""Which launches are given to the driver as one: those of loops, once that was found to be worth it, in later processes from
the start, and none where it is turned off.

usage: gathered.py PROGRAMS LIBRARY TRANSLATOR
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile

PROGRAMS, LIBRARY, TRANSLATOR = (pathlib.Path(word) for word in sys.argv[1:4])


def gathered(cache, loops, **settings):
    """How many launches joined one before them, of so many loops."""
    report = pathlib.Path(cache, "report.json")
    environment = {**os.environ, "LD_PRELOAD": str(LIBRARY), "SAMCL_MANAGER": "off", "SAMCL_CACHE_DIR": cache, "SAMCL_DIRECT": "off",
                   "SAMCL_SUBMISSION": "thread", "SAMCL_REPORT": str(report), "SAMCL_TRANSLATOR": str(TRANSLATOR),
                   "POCL_DEVICES": "pthread", **settings}
    ran = subprocess.run([PROGRAMS / "launch_loops", "--count", "1", "--loops", str(loops)], env=environment,
                         capture_output=True, text=True)
    if ran.returncode != 0:
        sys.exit(f"{settings}: launch_loops failed\n{ran.stdout}{ran.stderr}")
    kernels = json.loads(report.read_text())["kernels"]
    count = sum(kernel["gathered_launches"] for kernel in kernels)
    print(f"{loops} loops, {settings}: {count} of {sum(kernel['launches'] for kernel in kernels)} launches joined others")
    return count


with tempfile.TemporaryDirectory() as cache:
    if gathered(cache, 60, SAMCL_GATHERING="off") != 0:
        sys.exit("launches were gathered though that is off")
    # This one finds it out, and may end before the driver has compiled what it takes.
    gathered(cache, 60)
    # The variants are there soon after the program is built, however few launches come.
    if max(gathered(cache, 400) for _ in range(5)) == 0:
        sys.exit("no launch was gathered by a process that knows")
with tempfile.TemporaryDirectory() as cache:
    if gathered(cache, 60, SAMCL_GATHERING="always") == 0:
        sys.exit("no launch was gathered where all are to be")
print("PASS")
