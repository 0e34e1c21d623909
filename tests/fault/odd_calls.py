#!/usr/bin/env python3
"""Whether calls with odd arguments are answered under samcl as the bare driver answers them.

odd_calls makes one odd call after another and says what each returned; a call that ends it is noted, and the program is
started again behind it; so does wrong_handles. Where the bare driver survives a call samcl must, too, and say the same, but for the calls in
DIFFERENT, each with its reason. Calls that end the bare driver may do anything.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile

LIMIT_S = 120

# What may differ, and why.
DIFFERENT = {
    # PoCL takes images for buffers.
    "image_info:of_a_buffer",
    # Two things are wrong with it; which is said first is no matter.
    "link:user_data_alone",
    # Fields of a description that do not concern the kind of image are not looked at: PoCL looks at some.
    "image:2d_slice_pitch", "image:2d_slice_pitch_memory", "image:2d_depth_and_layers",
    # PoCL alone takes a list without a count, and one of no events, and in launches alone.
    "launch:list_without_count", "clEnqueueNDRangeKernel.wait_list:null", "clEnqueueTask.wait_list:null",
    # An old function with the new one's error: PoCL has one function for both.
    "clEnqueueWaitForEvents.list:null",
}


def answers(program, environment):
    """What each call returned, by its name; "ends" and the signal where it ended the program."""
    said, begin = {}, 0
    while True:
        done = subprocess.run([*program, str(begin)], env=environment, capture_output=True, text=True, timeout=LIMIT_S)
        name = None
        for line in done.stdout.splitlines():
            if match := re.fullmatch(r"(\d+) (\S+)(?: = (.*))?", line):
                begin, name, answer = int(match[1]) + 1, match[2], match[3]
                said[name] = answer
        if done.returncode == 0:
            return said
        if name is None:
            sys.exit(f"{program[0]} ended with {done.returncode} before its call {begin}:\n{done.stderr}")
        if said[name] is None:
            said[name] = f"ends with {done.returncode}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--library", required=True)
    parser.add_argument("--translator", required=True)
    parser.add_argument("program", nargs="+", help="and its options")
    chosen = parser.parse_args()
    bare = {name: value for name, value in os.environ.items()
            if not name.startswith("SAMCL_") and name not in ("LD_PRELOAD", "OPENCL_LAYERS")}
    bare["POCL_DEVICES"] = "basic basic"
    cache = tempfile.mkdtemp(prefix="odd_calls.")
    shim = {**bare, "LD_PRELOAD": chosen.library, "SAMCL_MANAGER": "off", "SAMCL_CACHE_DIR": cache,
            "SAMCL_TRANSLATOR": chosen.translator}
    try:
        expected, got = answers(chosen.program, bare), answers(chosen.program, shim)
    finally:
        shutil.rmtree(cache, ignore_errors=True)
    survived = {name for name, answer in expected.items() if not answer.startswith("ends")}
    failures = [name for name in expected if name in survived and got.get(name) != expected[name]]
    known = [name for name in failures if name in DIFFERENT]
    for name in failures:
        if name not in known:
            print(f"BAD  {name}: {got.get(name)}, without samcl {expected[name]}")
    print(f"{len(expected)} calls, {len(expected) - len(survived)} of them end the bare driver, {len(known)} differ as known")
    return len(failures) > len(known)


if __name__ == "__main__":
    sys.exit(main())
