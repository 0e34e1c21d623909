#!/usr/bin/env python3
"""Pieces of launches whose local size the program left open have one local size: PoCL compiles for each.

usage: local_sizes_of_pieces.py SAM_RUN
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile

# Of lengths that a driver would give local sizes of their own, and long enough to be cut into slices.
PROGRAM = """
import numpy, pyopencl as cl
context = cl.create_some_context(interactive=False)
queue = cl.CommandQueue(context)
kernel = cl.Program(context, '''kernel void work(global float* x) {
  float v = x[get_global_id(0)];
  for (int i = 0; i < 400; ++i) v = v * 0.5f + 1.0f;
  x[get_global_id(0)] = v;
}''').build().work
for items in (512 * 301, 512 * 407, 512 * 1000):
    buffer = cl.Buffer(context, cl.mem_flags.READ_WRITE, 4 * items)
    cl.enqueue_fill_buffer(queue, buffer, numpy.float32(0), 0, 4 * items)
    for _ in range(6):
        kernel(queue, (items,), None, buffer)
    read = numpy.empty(items, numpy.float32)
    cl.enqueue_copy(queue, read, buffer)
    assert (abs(read - 2) < 1e-5).all()
"""


def main():
    with tempfile.TemporaryDirectory() as folder:
        environment = dict(os.environ, POCL_CACHE_DIR=folder, POCL_DEVICES="pthread pthread", SAMCL_SPLIT="always", SAMCL_DIRECT="off",
                           PYOPENCL_NO_CACHE="1")
        subprocess.run([sys.argv[1], "--manager", "embedded", "--", "/usr/bin/python3", "-c", PROGRAM], env=environment, check=True)
        # PoCL's cache has a folder for each variant, LOCAL SIZES and more in its name.
        sizes = {found.group() for each in pathlib.Path(folder).rglob("*.so") if (found := re.match(r"\d+-\d+-\d+", each.parent.name))}
    print("local sizes:", *sorted(sizes))
    return sizes != {"512-1-1"}


if __name__ == "__main__":
    sys.exit(main())
