#!/usr/bin/python3
"""What light or neutrons scattered by particles look like, by sasmodels' kernels: a checksum of each curve and image.

usage: sasmodels_curves.py MODEL...    e.g. sphere cylinder

Needs python3-sasmodels, python3-pyopencl.
"""

import hashlib
import os
import sys
import warnings

import numpy

os.environ.update(PYOPENCL_NO_CACHE="1", PYOPENCL_CTX="0")  # kernels are built anew, and nothing is asked of a person
warnings.simplefilter("ignore")

from sasmodels.core import load_model
from sasmodels.data import empty_data1D, empty_data2D
from sasmodels.direct_model import DirectModel

CURVE, IMAGE = empty_data1D(numpy.logspace(-3, -0.5, 200)), empty_data2D(numpy.linspace(-0.1, 0.1, 48))
# Particles of one size, of several sizes, and of several directions.
MEASUREMENTS = {
    "one size": (CURVE, {}),
    "sizes": (CURVE, {"radius_pd": 0.1, "radius_pd_n": 20, "length_pd": 0.1, "length_pd_n": 10}),
    "directions": (IMAGE, {"theta": 30, "phi": 20, "theta_pd": 10, "theta_pd_n": 5}),
}

for name in sys.argv[1:]:
    for precision in "single", "double":
        model = load_model(name, dtype=precision, platform="ocl")
        for measurement, (data, parameters) in MEASUREMENTS.items():
            known = {key: value for key, value in parameters.items() if key.split("_pd")[0] in model.info.parameters.defaults}
            curve = numpy.ascontiguousarray(DirectModel(data, model)(**known))
            print(name, precision, measurement, hashlib.md5(curve).hexdigest())
