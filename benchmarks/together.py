#!/usr/bin/env python3
"""Runs benchmark programs at the same time, bare and under samcl: what each job takes beside the others, by what it takes
bare and alone. Needs nothing but Python.

  together.py --programs build/release/bin/programs --bare "CUDA_VISIBLE_DEVICES=0" \\
      --samcl-by "build/release/bin/sam-run --manager off --" --samcl-by "build/release/bin/sam-run --manager embedded --" \\
      VectorAdd,VectorAdd "FDTD3d,KNearest --queries 4096,Tridiagonal"

Programs of one argument run together, told apart by ','. Each runs as many jobs as take it --seconds bare and alone; jobs
of the middle count, in which all are at work. What runs programs under samcl runs a shell that begins all of them, so
that they share an embedded manager. Exit code 0: every program gave bare's checksum; 1: not.
"""

import argparse
import json
import os
import shlex
import statistics
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "patterns"))
from compare import settings  # noqa: E402


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sets", nargs="+", metavar="PROGRAM,PROGRAM...", help="what runs at the same time")
    parser.add_argument("--programs", metavar="DIR", required=True, help="where the benchmark programs are")
    parser.add_argument("--bare", type=settings, default={}, help="settings of all ways, e.g. CUDA_VISIBLE_DEVICES=0")
    parser.add_argument("--samcl-by", metavar="COMMAND", type=shlex.split, action="append", default=[],
                        help="what runs programs under samcl; several times: several ways")
    parser.add_argument("--seconds", type=float, default=2, help="of each program, bare and alone (default 2)")
    parser.add_argument("--limit", type=float, default=300, help="seconds after which a run has hung (default 300)")
    options = parser.parse_args()
    options.sets = [[name.strip() for name in each.split(",")] for each in options.sets]
    for name in {name for each in options.sets for name in each}:
        path = os.path.join(options.programs, name.split()[0]) if name else options.programs
        if not os.path.isfile(path):
            parser.error(f"there is no program {path}")
    return options


def command(options, name, jobs):
    program, *own = shlex.split(name)
    return [os.path.join(options.programs, program), *own, "--warmup", "0", "--unverified", "--iterations", str(jobs), "--json"]


def run(options, by, commands):
    """What each of them told, None where it did not; and how many seconds all took."""
    with tempfile.TemporaryDirectory() as folder:
        told = [os.path.join(folder, str(i)) for i in range(len(commands))]
        script = " & ".join(f"{shlex.join(each)} > {shlex.quote(path)}" for each, path in zip(commands, told)) + " & wait"
        began = time.monotonic()
        try:
            subprocess.run(by + ["sh", "-c", script], env=dict(os.environ, **options.bare, SAMCL_CACHE_DIR=options.cache),
                           stderr=subprocess.DEVNULL, timeout=options.limit, check=False)
        except subprocess.TimeoutExpired:
            return [None] * len(commands), options.limit
        took = time.monotonic() - began
        outcomes = []
        for path in told:
            lines = [line for line in open(path, encoding="utf-8") if line.startswith("{")]
            outcomes.append(json.loads(lines[-1]) if lines else None)
        return outcomes, took


def middle(outcome):
    """ms of the jobs in which the others are at work."""
    jobs = outcome["totals_ms"]
    return jobs[len(jobs) // 5:max(len(jobs) // 5 + 1, 3 * len(jobs) // 5)]


def alone(options, name):
    """How many jobs it runs; what one takes bare and alone, ms; their checksum."""
    (probe,), _ = run(options, [], [command(options, name, 6)])
    if not probe:
        sys.exit(f"{name} does not run bare")
    jobs = max(6, int(1000 * options.seconds / statistics.median(probe["totals_ms"][1:])))
    (outcome,), _ = run(options, [], [command(options, name, jobs)])
    return jobs, statistics.median(middle(outcome)), outcome["checksum"]


def cell(outcome, takes, checksum):
    if not outcome:
        return f"{'no result':>14}"
    jobs = sorted(middle(outcome))
    wrong = "" if outcome["checksum"] == checksum else " DIFFERS"
    return f"{statistics.median(jobs) / takes:>7.2f}{jobs[int(len(jobs) * 0.99)] / takes:>7.2f}{wrong}"


def main():
    options = arguments()
    known, all_right = {}, True
    ways = [("bare", [])] + [(" ".join(each), each) for each in options.samcl_by]
    width = max(len(title) for title, _ in ways)
    with tempfile.TemporaryDirectory() as options.cache:
        for names in options.sets:
            for name in names:
                if name not in known:
                    known[name] = alone(options, name)
            print(", ".join(f"{name} ({known[name][1]:.2f} ms alone)" for name in names))
            print(f"  {'':<{width}}" + "".join(f"{'median':>7}{'p99':>7}" for _ in names) + "   all, s")
            for title, by in ways:
                outcomes, took = run(options, by, [command(options, name, known[name][0]) for name in names])
                all_right &= all(each and each["checksum"] == known[name][2] for each, name in zip(outcomes, names))
                row = "".join(cell(each, *known[name][1:]) for each, name in zip(outcomes, names))
                print(f"  {title:<{width}}{row}{took:>9.1f}", flush=True)
    return 0 if all_right else 1


if __name__ == "__main__":
    sys.exit(main())
