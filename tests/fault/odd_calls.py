#!/usr/bin/env python3
"""Whether calls with odd arguments are answered under samcl as the bare driver answers them.

odd_calls makes one odd call after another and says what each returned; a call that ends it, or does not return, is noted, and the
program is started again behind it; so does wrong_handles. Where the bare driver survives a call samcl must, too, and say the same, but
for the calls in DIFFERENT, each with its reason. Calls that end the bare driver may do anything.
"""

import argparse
import os
import re
import select
import shutil
import subprocess
import sys
import tempfile

LIMIT_S = 20  # without a word

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


def lines_of(process):
    """What it says, until it ends or has said nothing for so long that it never will."""
    while select.select([process.stdout], [], [], LIMIT_S)[0]:
        if not (line := process.stdout.readline()):
            return
        yield line.rstrip()
    process.kill()


def answers(program, environment):
    """What each call returned, by its name; "ends" and the signal where it ended the program, or its own where we did."""
    said, begin = {}, 0
    while True:
        name = None
        # Unbuffered, as select() sees nothing of what lies in a buffer.
        with subprocess.Popen([*program, str(begin)], env=environment, stdout=subprocess.PIPE, bufsize=0) as process:
            for line in lines_of(process):
                if match := re.fullmatch(r"(\d+) (\S+)(?: = (.*))?", line.decode()):
                    begin, name, answer = int(match[1]) + 1, match[2], match[3]
                    said[name] = answer
        if process.returncode == 0:
            return said
        if name is None:
            sys.exit(f"{program[0]} ended with {process.returncode} before its call {begin}")
        if said[name] is None:
            said[name] = f"ends with {process.returncode}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--library", required=True)
    parser.add_argument("--translator", required=True)
    parser.add_argument("--direct", action="store_true", help="one device, whose own objects the program holds")
    parser.add_argument("program", nargs="+", help="and its options")
    chosen = parser.parse_args()
    bare = {name: value for name, value in os.environ.items()
            if not name.startswith("SAMCL_") and name not in ("LD_PRELOAD", "OPENCL_LAYERS")}
    bare["POCL_DEVICES"] = "basic" if chosen.direct else "basic basic"
    cache = tempfile.mkdtemp(prefix="odd_calls.")
    shim = {**bare, "LD_PRELOAD": chosen.library, "SAMCL_MANAGER": "off", "SAMCL_CACHE_DIR": cache,
            "SAMCL_DIRECT": "on" if chosen.direct else "auto", "SAMCL_TRANSLATOR": chosen.translator}
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
