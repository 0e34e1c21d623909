#!/usr/bin/env python3
"""Where a program's launches run that come from several command queues: on a device of their own while the queues are at
work at the same time, with the results that one device gives.

usage: many_queues.py PROGRAMS LIBRARY TRANSLATOR TIMED_DEVICE
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile

PROGRAMS, LIBRARY, TRANSLATOR, TIMED_DEVICE = (pathlib.Path(word) for word in sys.argv[1:5])
# Two GPUs whose kernels take 0.1 ms and compute nothing.
TIMED = {"OPENCL_LAYERS": str(TIMED_DEVICE), "TIMED_DEVICE": "item=100", "SAMCL_TRANSPORT": "staged"}
LARGE = ("--cells", "1048576", "--rounds", "1", "--iterations", "40", "--unverified")
RIGHT = ("--cells", "3000", "--rounds", "3", "--steps", "60", "--iterations", "10")


def run(folder, settings, *options):
    """What devices were given in the end: bytes by device."""
    report = pathlib.Path(folder, "report.json")
    environment = {**os.environ, "LD_PRELOAD": str(LIBRARY), "SAMCL_MANAGER": "off", "SAMCL_CACHE_DIR": folder, "SAMCL_DIRECT": "off",
                   "SAMCL_REPORT": str(report), "SAMCL_TRANSLATOR": str(TRANSLATOR), "POCL_DEVICES": "pthread pthread", **settings}
    ran = subprocess.run([PROGRAMS / "ManyQueues", "--warmup", "0", *options], env=environment, capture_output=True, text=True)
    # Where kernels compute nothing, a device keeps the bytes that it had: a queue that moves in the middle of a job finds others.
    computes_nothing = "TIMED_DEVICE" in settings
    if ran.returncode != 0 and not (computes_nothing and "computed another result" in ran.stdout):
        sys.exit(f"{settings}: ManyQueues {' '.join(options)} failed\n{ran.stdout}{ran.stderr}")
    devices = {device["index"]: device["uploaded_bytes"] for device in json.loads(report.read_text())["devices"]}
    print(f"{' '.join(options)} {settings}: {devices} bytes uploaded")
    return devices


with tempfile.TemporaryDirectory() as cache:
    # By measured times, which other work on this machine changes: it may take another process.
    for threads in ("0", "1"):
        if all(run(cache, TIMED, *LARGE, "--threads", threads).get(1, 0) == 0 for _ in range(3)):
            sys.exit("no queue was given the other device")
    if run(cache, {**TIMED, "SAMCL_STRANDS": "off"}, *LARGE).get(1, 0) != 0:
        sys.exit("the other device was used without strands")
    if run(cache, TIMED, *LARGE, "--queues", "1").get(1, 0) != 0:
        sys.exit("the other device was used for one queue")
    for settings in ({}, {"SAMCL_STRANDS": "always"}, {"SAMCL_TRANSPORT": "staged"}, {"SAMCL_TRANSPORT": "peer"},
                     {"SAMCL_TRANSPORT": "staged", "SAMCL_STRANDS": "always", "SAMCL_SUBMISSION": "thread"}):
        for threads in ("0", "1"):
            run(cache, settings, *RIGHT, "--threads", threads)
print("PASS")
