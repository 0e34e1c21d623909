#!/usr/bin/env python3
"""What a process finds out of where its memory is needed, and what the next one of the same program does with it.

usage: placed.py PROGRAMS LIBRARY TRANSLATOR TIMED_DEVICE
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile

PROGRAMS, LIBRARY, TRANSLATOR, TIMED_DEVICE = (pathlib.Path(word) for word in sys.argv[1:5])
# On devices whose kernels take a known time, and compute nothing.
TIMED = {"OPENCL_LAYERS": str(TIMED_DEVICE), "TIMED_DEVICE": "item=20000", "POCL_DEVICES": "pthread pthread"}
GEMM = ("patterns", "--jobs", "1", "gemm")


def run(cache, settings, program, *options):
    """How many launches there were, how many of them in parts, bytes that moved for them, and what the program printed."""
    report = cache / "report.json"
    environment = {**os.environ, "LD_PRELOAD": str(LIBRARY), "SAMCL_MANAGER": "off", "SAMCL_SPLIT": "auto",
                   "SAMCL_TRANSPORT": "staged", "SAMCL_CACHE_DIR": str(cache / "kept"),
                   "SAMCL_TRANSLATOR": str(TRANSLATOR), "SAMCL_REPORT": str(report), **settings}
    ran = subprocess.run([PROGRAMS / program, *options], env=environment, capture_output=True, text=True)
    if ran.returncode != 0:
        sys.exit(f"{program} failed\n{ran.stdout}{ran.stderr}")
    kernels = json.loads(report.read_text())["kernels"]
    total, split, up, down = (sum(kernel[count] for kernel in kernels)
                              for count in ("launches", "split_launches", "uploaded_bytes", "downloaded_bytes"))
    return total, split, up + down, ran.stdout


def check(what, is_so, **found):
    if not is_so:
        sys.exit(f"not so: {what}. Found: {found}")


def kept(cache):
    return [file for file in (cache / "kept").rglob("*") if file.is_file() and b"placements of" in file.read_bytes()]


with tempfile.TemporaryDirectory() as folder:
    cache = pathlib.Path(folder)
    total, split, moved, _ = run(cache, TIMED, *GEMM)
    check("nobody can know that the only launch would be faster in parts", (total, split) == (1, 0), split=split)
    for process in ("second", "third"):
        total, split, moved, _ = run(cache, TIMED, *GEMM)
        check(f"the {process} process has its bytes where parts need them", (total, split, moved) == (1, 1, 0), split=split,
              moved=moved)
    total, split, moved, _ = run(cache, TIMED, *GEMM, "--seed", "2")
    check("with other arguments it is another program", (split, moved) != (1, 0), split=split, moved=moved)
    total, split, moved, _ = run(cache, {**TIMED, "SAMCL_GPUS": "1"}, *GEMM)
    check("where one device is to be used nothing goes to others", (split, moved) == (0, 0), split=split, moved=moved)
    files = kept(cache)
    check("what is kept does not tell the arguments",
          len(files) == 2 and not any(b"--seed" in file.read_bytes() for file in files), files=files)
    for file in files:
        file.write_bytes(file.read_bytes().replace(b'"devices":3', b'"devices":9'))
    total, split, moved, _ = run(cache, TIMED, *GEMM)
    check("what makes no sense is found out again", (split, moved) != (1, 0), split=split, moved=moved)
    total, split, moved, _ = run(cache, TIMED, *GEMM)
    check("and helps the next one", (split, moved) == (1, 0), split=split, moved=moved)

with tempfile.TemporaryDirectory() as folder:
    cache = pathlib.Path(folder)
    product = ("MatrixMultiplication", "--rows", "512", "--columns", "512", "--inner", "512", "--warmup", "0",
               "--iterations", "1")
    found = [run(cache, {"POCL_DEVICES": "basic basic"}, *product) for _ in range(3)]
    check("results stay right", all("PASS" in printed for *_, printed in found), found=found)
    print("launches in parts on PoCL, by process:", [split for _, split, *_ in found])
print("PASS")
