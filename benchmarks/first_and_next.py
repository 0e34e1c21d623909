#!/usr/bin/env python3
"""Programs that run once: bare, in the first process under samcl with an empty cache, and in the next ones, which know what
the first has found out. Each program is run in its own folder and prints the time that counts, in seconds.

  first_and_next.py --preload build/release/bin/libsamcl.so --read-back build/release/tests/libread_back.so \\
      polybench/*.EXTRALARGE

Every program prints a line that --time finds (PolyBench-ACC: "GPU Time in seconds:" and a number). With --read-back,
which records what programs read from buffers (tests/real/read_back.cc), the bytes must be bare's. Exit code 0: every
run ended well and read the same; 1: not. Needs nothing but Python.
"""

import argparse
import hashlib
import math
import os
import re
import statistics
import subprocess
import sys
import tempfile


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("programs", nargs="+", metavar="PROGRAM")
    parser.add_argument("--preload", required=True, help="libsamcl.so")
    parser.add_argument("--read-back", help="libread_back.so")
    parser.add_argument("--time", default=r"GPU Time in seconds:\s*([0-9.]+)", metavar="REGEX",
                        help="what finds the time in what a program prints, in its first group (default: %(default)s)")
    parser.add_argument("--bare", type=int, default=2, metavar="N", help="processes without samcl (default: %(default)s)")
    parser.add_argument("--next", type=int, default=2, metavar="N",
                        help="processes after the first; the fastest counts (default: %(default)s)")
    parser.add_argument("--timeout", type=float, default=60, metavar="S", help="of a process (default: %(default)s)")
    return parser.parse_args()


def run(options, program, recording, settings, libraries):
    """The time that it prints, s, and what it has read; or None and what is wrong."""
    environment = {**os.environ, **settings, "READ_BACK": recording,
                   "LD_PRELOAD": ":".join(os.path.abspath(each) for each in libraries if each)}
    if os.path.exists(recording):
        os.unlink(recording)
    try:
        done = subprocess.run([os.path.abspath(program)], cwd=os.path.dirname(os.path.abspath(program)), env=environment,
                              capture_output=True, text=True, timeout=options.timeout)
    except subprocess.TimeoutExpired:
        return None, f"took more than {options.timeout:g} s"
    found = re.search(options.time, done.stdout)
    if done.returncode != 0 or not found:
        return None, f"ended with {done.returncode}" if done.returncode != 0 else "printed no time"
    try:
        with open(recording, "rb") as file:
            return float(found.group(1)), hashlib.sha256(file.read()).hexdigest()
    except OSError:
        return float(found.group(1)), ""


def main():
    options = arguments()
    ratios, failed = [], False
    print(f"{'ms':<24}{'bare':>10}{'first':>10}{'next':>10}{'first/bare':>12}{'next/bare':>11}")
    for program in options.programs:
        with tempfile.TemporaryDirectory() as folder:
            recording = os.path.join(folder, "read")
            under_samcl = {"SAMCL_CACHE_DIR": os.path.join(folder, "cache")}
            bare = [run(options, program, recording, {}, [options.read_back]) for _ in range(options.bare)]
            samcl = [run(options, program, recording, under_samcl, [options.read_back, options.preload])
                     for _ in range(1 + options.next)]
        name = os.path.basename(program)
        wrong = [said for time, said in bare + samcl if time is None]
        if wrong or len({read for _, read in bare + samcl}) > 1:
            failed = True
            print(f"{name:<24}{wrong[0] if wrong else 'READS OTHER BYTES'}", flush=True)
            continue
        alone = min(time for time, _ in bare)
        first, later = samcl[0][0], min(time for time, _ in samcl[1:])
        ratios.append((first / alone, later / alone))
        print(f"{name:<24}{alone * 1e3:>10.2f}{first * 1e3:>10.2f}{later * 1e3:>10.2f}{first / alone:>12.2f}{later / alone:>11.2f}",
              flush=True)
    if ratios:
        means = [math.exp(statistics.fmean(math.log(ratio[which]) for ratio in ratios)) for which in (0, 1)]
        print(f"{'geometric mean':<54}{means[0]:>12.2f}{means[1]:>11.2f}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
