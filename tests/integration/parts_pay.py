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

# A kernel that PoCL compiles, in its first launch, for much longer than it runs.
SLOW_TO_COMPILE = """
import numpy, pyopencl as cl
context = cl.create_some_context(interactive=False)
queue = cl.CommandQueue(context)
steps = "".join(f"v = v * {i}.5f + sin(v) * pow(v, {i}.25f);" for i in range(40))
kernel = cl.Program(context, "kernel void work(global float* x) { float v = x[get_global_id(0)];"
                    + steps + "x[get_global_id(0)] = v; }").build().work
x = cl.Buffer(context, cl.mem_flags.READ_WRITE, 4096)
cl.enqueue_fill_buffer(queue, x, numpy.float32(1), 0, 4096)
for _ in range(6):
    kernel(queue, (1024,), (64,), x)
queue.finish()
"""

PROGRAMS, LIBRARY, TRANSLATOR = (pathlib.Path(word) for word in sys.argv[1:4])


def launches(cache, program, *options, **settings):
    """How many launches there were of the program's kernels; how many of them in parts, and of a time known before."""
    report = cache / "report.json"
    environment = {**os.environ, "POCL_DEVICES": "basic basic", "LD_PRELOAD": str(LIBRARY), "SAMCL_MANAGER": "off",
                   "SAMCL_SPLIT": "auto", "SAMCL_CACHE_DIR": str(cache / "translations"),
                   "SAMCL_TRANSLATOR": str(TRANSLATOR), "SAMCL_REPORT": str(report), **settings}
    ran = subprocess.run([PROGRAMS / program, *options], env=environment, capture_output=True, text=True)
    if ran.returncode != 0:
        sys.exit(f"{program} failed\n{ran.stdout}{ran.stderr}")
    kernels = json.loads(report.read_text())["kernels"]
    return (sum(kernel[count] for kernel in kernels) for count in ("launches", "split_launches", "predicted_launches"))


def check(what, is_so, **found):
    if not is_so:
        sys.exit(f"not so: {what}. Found: {found}")


with tempfile.TemporaryDirectory() as folder:
    cache = pathlib.Path(folder)
    # Launches whose parts take about as long to build as one of them; how many run whole meanwhile is the machine's.
    long = ("MatrixMultiplication", "--rows", "1024", "--columns", "1024", "--inner", "512", "--warmup", "0",
            "--iterations", "8")
    total, split, known = launches(cache, *long)
    check("the first launch is whole, and the last ones are split", total == 8 and 0 < split < 8, split=split)
    check("all but the first are of a known time", known == 7, known=known)
    total, split, known = launches(cache, *long)
    check("what was measured is remembered", known == 8, known=known)
    check("launches whose parts pay are split", 0 < split, split=split)
    # Launches that all together take less than building their parts.
    total, split, known = launches(cache, "MatrixMultiplication", "--small")
    check("parts that do not pay are not built", total > 0 and split == 0, split=split)
    # The first process finds the driver's cache empty.
    for process in range(3):
        total, split, known = launches(cache, "/usr/bin/python3", "-c", SLOW_TO_COMPILE,
                                       POCL_CACHE_DIR=str(cache / "pocl"), PYOPENCL_NO_CACHE="1")
        check("what the driver compiles is not taken for what a launch takes", total == 6 and split == 0, split=split, process=process)
