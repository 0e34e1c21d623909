#!/usr/bin/python3
"""Pipelines that Halide compiles to OpenCL kernels and runs at once: tiles with and without local memory, a table, a product, and a stencil
whose steps are pipelines of their own. Prints a hash of what each gives.

usage: halide_pipelines.py
Needs python3-halide.
"""

import hashlib

import halide as hl
import numpy

WIDTH, HEIGHT, SIDE, STEPS = 512, 640, 256, 20
x, y, xo, yo, xi, yi = (hl.Var(name) for name in ("x", "y", "xo", "yo", "xi", "yi"))
target = hl.get_jit_target_from_environment().with_feature(hl.TargetFeature.OpenCL)
random = numpy.random.default_rng(1)


def on_device(function):
    function.gpu_tile(x, y, xo, yo, xi, yi, 16, 16)
    return function


def show(name, function, size):
    made = function.realize(size, target)
    made.copy_to_host()
    print(name, hashlib.md5(numpy.array(made).tobytes()).hexdigest(), flush=True)


def blurred(image, at_tiles):
    """Rows, then columns; at_tiles: the rows of each tile are in its local memory."""
    wide, rows, both = hl.Func(), hl.Func(), hl.Func()
    edged = hl.BoundaryConditions.repeat_edge(image)
    wide[x, y] = hl.cast(hl.UInt(16), edged[x, y])
    rows[x, y] = (wide[x - 1, y] + wide[x, y] + wide[x + 1, y]) / 3
    both[x, y] = (rows[x, y - 1] + rows[x, y] + rows[x, y + 1]) / 3
    on_device(both)
    if at_tiles:
        rows.compute_at(both, xo).gpu_threads(x, y)
    else:
        on_device(rows).compute_root()
    return both


def equalized(image):
    """A histogram by the host; the table made of it and its use on the device."""
    counts, table, result = hl.Func(), hl.Func(), hl.Func()
    all_of = hl.RDom([(0, WIDTH), (0, HEIGHT)])
    counts[x] = 0
    counts[hl.cast(hl.Int(32), image[all_of.x, all_of.y])] += 1
    counts.compute_root()
    table[x] = hl.cast(hl.UInt(8), hl.clamp(counts[x] * 3 / 32, 0, 255))
    table.compute_root().gpu_tile(x, xo, xi, 64)
    result[x, y] = table[hl.cast(hl.Int(32), image[x, y])]
    return on_device(result)


def product(a, b):
    result, k = hl.Func(), hl.RDom([(0, SIDE)])
    result[x, y] = 0.0
    result[x, y] += a[k.x, y] * b[x, k.x]
    on_device(result)
    on_device(result.update())
    return result


def step(grid):
    next_one, edged = hl.Func(), hl.BoundaryConditions.repeat_edge(grid)
    next_one[x, y] = 0.25 * (edged[x - 1, y] + edged[x + 1, y] + edged[x, y - 1] + edged[x, y + 1])
    return on_device(next_one)


image = hl.Buffer(random.integers(0, 255, (HEIGHT, WIDTH), dtype=numpy.uint8).T)
matrices = [hl.Buffer(random.standard_normal((SIDE, SIDE), dtype=numpy.float32)) for _ in range(2)]
show("blur", blurred(image, False), [WIDTH, HEIGHT])
show("blur by tiles", blurred(image, True), [WIDTH, HEIGHT])
show("equalize", equalized(image), [WIDTH, HEIGHT])
show("product", product(*matrices), [SIDE, SIDE])
grid = matrices[0]
for _ in range(STEPS):
    grid = step(grid).realize([SIDE, SIDE], target)  # stays on the device
show("stencil", step(grid), [SIDE, SIDE])
