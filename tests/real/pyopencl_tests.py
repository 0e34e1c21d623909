#!/usr/bin/python3
"""Runs one of PyOpenCL's own tests, or an example, with the same random numbers each time, and prints what each test gave.

usage: pyopencl_tests.py FILE [OPTIONS of pytest]    e.g. test_array.py, demo.py

FILE is one of Debian's python-pyopencl-doc, which is taken from the archive's package. Needs python3-pyopencl and
python3-pytest. Exit code: the file's own.
"""

import os
import pathlib
import runpy
import subprocess
import sys

import numpy
import pytest

PACKAGE = "python-pyopencl-doc"
# Kernels are asked for anew each time, and nothing is asked of a person.
os.environ.update(PYOPENCL_NO_CACHE="1", PYOPENCL_CTX="0", PYTHONDONTWRITEBYTECODE="1")
sys.dont_write_bytecode = True


def begin_random():
    numpy.random.seed(1)
    numpy.random.default_rng = lambda seed=1, made=numpy.random.Generator: made(numpy.random.PCG64(seed))


class Plugin:
    """Each test begins with the same numbers, and says what it gave in a line of its own."""

    def pytest_runtest_setup(self, item):
        begin_random()

    def pytest_runtest_logreport(self, report):
        if report.when == "call" or not report.passed:
            print(f"{report.location[2].partition('[')[0]} {report.outcome}", flush=True)


def examples():
    """The folder of the package's examples; it is unpacked here once."""
    folder = pathlib.Path(f"{PACKAGE}/usr/share/doc/{PACKAGE}/examples")
    if not folder.exists():
        subprocess.run(["apt-get", "download", "-qq", PACKAGE], check=True, stderr=subprocess.DEVNULL)
        subprocess.run(["dpkg", "-x", str(next(pathlib.Path(".").glob(f"{PACKAGE}_*.deb"))), PACKAGE], check=True)
    return folder


def main():
    if len(sys.argv) < 2:
        sys.exit("pyopencl_tests.py: expected one of PyOpenCL's files, such as test_array.py")
    file = examples() / sys.argv[1]
    if not file.exists():
        sys.exit(f"pyopencl_tests.py: {PACKAGE} has no {sys.argv[1]}")
    if file.name.startswith("test_"):
        sys.exit(pytest.main(["-p", "no:cacheprovider", "-p", "no:terminal", str(file), *sys.argv[2:]], plugins=[Plugin()]))
    begin_random()
    sys.argv = [str(file), *sys.argv[2:]]
    sys.path.insert(0, str(file.parent))
    os.chdir(file.parent)
    runpy.run_path(file.name, run_name="__main__")


if __name__ == "__main__":
    main()
