#!/usr/bin/env python3
"""Real programs from their public sources: fetches them at named commits, builds them, and runs each without samcl and under
it on several devices. Their output must be the same, but for times. Writes the table README.md beside this file.

usage: real_programs.py [--source DIR] [--work DIR] [--only REGEX] [--table FILE]
Needs git, a C++ compiler, Boost's headers, and a release build of samcl. No part of ctest. Exit code 1: something differs.
"""

import argparse
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]

# Where sources come from: the commit, and a name for it in commands, as {Name}.
SOURCES = {
    "BabelStream": ("https://github.com/UoB-HPC/BabelStream", "57637d572532fc028b6c0964944f1afc27ff5436"),
    "compute": ("https://github.com/boostorg/compute", "cf7907574d6159cd43e6cf687a7b656278c61dd0"),
}

# Tests of Boost.Compute that look at results; the others look at host types only, or take minutes of PoCL's compiler.
BOOST_TESTS = "accumulate count exclusive_scan gather merge partition radix_sort reduce scatter sort transform unique"

BOOST = "g++ -std=c++17 -O1 -w -DCL_TARGET_OPENCL_VERSION=120 -DBOOST_TEST_MODULE=one -include boost/test/included/unit_test.hpp"

# Name, source, how it is built ({out}: the program), how it is run, and which lines of output are times.
PROGRAMS = [
    ("BabelStream", "BabelStream",
     "g++ -std=c++17 -O2 -w -DOCL -I{source}/src -I{source}/src/ocl {source}/src/main.cpp {source}/src/ocl/OCLStream.cpp -o {out} -lOpenCL",
     "{out} -s 100352 -n 5", r"^(Copy|Mul|Add|Triad|Dot|Init|Read) "),
    *((f"Boost.Compute test_{name}", "compute",
       f"{BOOST} -I{{source}}/include -I{{source}}/test {{source}}/test/test_{name}.cpp -o {{out}} -lOpenCL -lpthread", "{out}", "")
      for name in BOOST_TESTS.split()),
]


def fail(text):
    sys.exit(f"real_programs.py: {text}")


def source(options, name):
    url, commit = SOURCES[name]
    if options.source:
        folder = options.source / name
        return folder if folder.is_dir() else fail(f"{options.source} has no {name}")
    folder = options.work / "sources" / name
    if not folder.is_dir():
        for command in (["init", "-q", folder], ["-C", folder, "fetch", "-q", "--depth", "1", url, commit],
                        ["-C", folder, "checkout", "-q", "FETCH_HEAD"]):
            if subprocess.run(["git", *command]).returncode:
                fail(f"{url} cannot be fetched; --source takes a folder that has {name}")
    return folder


def compare(program, run, ignore, driver):
    """The last line that the comparison says, and whether all was the same."""
    done = subprocess.run(
        [ROOT / "tests/integration/same_as_without.py", "--sam-run", ROOT / "build/release/bin/sam-run", "--driver", driver,
         "--devices", "2", "3", *(["--ignore", ignore] if ignore else []), "--", *run.format(out=program).split()],
        capture_output=True, text=True)
    lines = (done.stdout if done.returncode == 0 else done.stderr).strip().splitlines()
    return done.returncode == 0, lines


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--source", type=pathlib.Path, help=f"a folder that has {', '.join(SOURCES)} already")
    parser.add_argument("--work", type=pathlib.Path, default=ROOT / "build/real")
    parser.add_argument("--only", default="", help="regular expression: the programs to run")
    parser.add_argument("--driver", nargs="+", default=["basic", "pthread"], help="PoCL's kinds of device")
    parser.add_argument("--table", type=pathlib.Path, help="write the table to this file")
    options = parser.parse_args()
    options.work.mkdir(parents=True, exist_ok=True)
    rows, bad = [], 0
    for name, where, build, run, ignore in PROGRAMS:
        if not re.search(options.only, name):
            continue
        program = options.work.resolve() / re.sub(r"\W+", "_", name)
        if not program.exists():
            built = subprocess.run(build.format(source=source(options, where).resolve(), out=program).split(), capture_output=True, text=True)
            if built.returncode:
                print(built.stderr[-2000:], file=sys.stderr)
                fail(f"{name} cannot be built")
        cells = []
        for driver in options.driver:
            same, lines = compare(program, run, ignore, driver)
            bad += not same
            cells.append(re.sub(r"^\d+ lines the same; on (\d) devices: ", r"in parts on \1: ", lines[-1])[:120] if same else "**differs**")
            print(f"{'same' if same else 'BAD '} {name}, {driver}: {' | '.join(lines[-8:])}", flush=True)
        rows.append(f"| {name} | " + " | ".join(cells) + " |")
    if options.table:
        head = ("# Real programs, without samcl and under it\n\nMade by `tests/real/real_programs.py --table tests/real/README.md`, which names the "
                "commits. Each ran on one PoCL device without\nsamcl and on two and three under it; \"in parts\" names kernels that ran on all "
                "devices, where samcl found that this\npays. Programs that ctest runs by itself (hashcat, clinfo, ffmpeg, ViennaCL, clFFT, "
                "pyopencl) are in tests/integration.\n\n")
        options.table.write_text(head + "| program | " + " | ".join(options.driver) + " |\n|---|" + "---|" * len(options.driver) + "\n" + "\n".join(rows) + "\n")
    return bad > 0


if __name__ == "__main__":
    sys.exit(main())
