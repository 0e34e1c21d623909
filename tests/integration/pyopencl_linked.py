#!/usr/bin/env python3
"""A program compiled in pieces and linked, as pyopencl does it: headers, objects, a library, its binary."""

import numpy
import pyopencl as cl

context = cl.create_some_context(interactive=False)
queue = cl.CommandQueue(context)

HEADER = "int place(int scale);\nstruct pair { int first, second; };\n"
LIBRARY = """#include "place.h"
static int times(int a, int b) { return a * b; }
int place(int scale) { return times((int)get_group_id(0), scale) + (int)get_num_groups(0); }
"""
MAIN = """#include "place.h"
static float times(float a, float b) { return a * b; }
__kernel void scatter(__global struct pair* out, __global const float* in, int n) {
  int i = get_global_id(0);
  if (i >= n) return;
  out[i].first = place(10);
  out[i].second = (int)times(in[i], FACTOR);
}
"""
header = cl.Program(context, HEADER)


def compiled(source, options=""):
    return cl.Program(context, source).compile(options, headers=[("place.h", header)])


library = cl.link_program(context, [compiled(LIBRARY)], "-create-library")
count = 100_003
numbers = numpy.arange(count, dtype=numpy.float32)
for factor in 2, 3:
    program = cl.link_program(context, [compiled(MAIN, f"-DFACTOR={factor}.0f"), library])
    flags = cl.mem_flags
    source = cl.Buffer(context, flags.READ_ONLY | flags.COPY_HOST_PTR, hostbuf=numbers)
    pairs = numpy.zeros((count, 2), dtype=numpy.int32)
    target = cl.Buffer(context, flags.WRITE_ONLY, pairs.nbytes)
    kernel = cl.Kernel(program, "scatter")
    kernel.set_args(target, source, numpy.int32(count))
    cl.enqueue_nd_range_kernel(queue, kernel, ((count + 63) // 64 * 64,), (64,))
    cl.enqueue_copy(queue, pairs, target)
    print(factor, kernel.num_args, pairs.sum(axis=0, dtype=numpy.int64), pairs[::9973].tolist())
