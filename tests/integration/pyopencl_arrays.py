"""What pyopencl's own kernels compute: element by element, reductions, scans, sorting, random numbers."""

import hashlib
import warnings

import numpy
import pyopencl
import pyopencl.array
from pyopencl.algorithm import RadixSort, copy_if
from pyopencl.clrandom import PhiloxGenerator
from pyopencl.elementwise import ElementwiseKernel
from pyopencl.reduction import ReductionKernel
from pyopencl.scan import ExclusiveScanKernel, InclusiveScanKernel

warnings.simplefilter("ignore")
context = pyopencl.create_some_context(interactive=False)
queue = pyopencl.CommandQueue(context)
random = numpy.random.default_rng(1)


def show(name, array):
    values = array.get() if hasattr(array, "get") else array
    print(f"{name:16}{hashlib.sha256(numpy.ascontiguousarray(values).tobytes()).hexdigest()[:24]}")


a = pyopencl.array.to_device(queue, random.random(50021).astype(numpy.float32))
b = pyopencl.array.to_device(queue, random.random(50021).astype(numpy.float32))
i = pyopencl.array.to_device(queue, random.integers(0, 100, 50021).astype(numpy.int32))

show("add", a + b)
show("axpby", 2 * a - 3 * b)
show("power", a**2)
show("arange", pyopencl.array.arange(queue, 1000, dtype=numpy.int32))
show("take", pyopencl.array.take(a, i[:1000]))
show("if_positive", pyopencl.array.if_positive(a - b, a, b))
show("max", pyopencl.array.max(a))
show("sum", pyopencl.array.sum(i))

numbered = pyopencl.array.empty_like(a)
ElementwiseKernel(context, "float *x, float *y, float *z", "z[i] = x[i] * y[i] + i")(a, b, numbered)
show("elementwise", numbered)

dot = ReductionKernel(context, numpy.float32, neutral="0", reduce_expr="a+b", map_expr="x[i]*y[i]",
                      arguments="__global float *x, __global float *y")
show("dot", dot(a, b))

scanned = i.copy()
InclusiveScanKernel(context, numpy.int32, "a+b", neutral="0")(scanned)
show("inclusive scan", scanned)
print("right" if (scanned.get() == numpy.cumsum(i.get())).all() else "WRONG")
scanned = i.copy()
ExclusiveScanKernel(context, numpy.int32, "a+b", neutral="0")(scanned)
show("exclusive scan", scanned)

selected, count, _ = copy_if(i, "ary[i] > 50")
show("copy_if", selected.get()[: int(count.get())])
(ordered,), _ = RadixSort(context, "int *ary", key_expr="ary[i]", sort_arg_names=["ary"])(i, key_bits=8)
show("radix sort", ordered)
print("right" if (ordered.get() == numpy.sort(i.get())).all() else "WRONG")

show("random", PhiloxGenerator(context, seed=5).uniform(queue, 1000, numpy.float32))
