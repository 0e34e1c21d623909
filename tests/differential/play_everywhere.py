#!/usr/bin/env python3
"""Plays random sequences of host commands on 1 to 4 of PoCL's devices, managed and not, over every transport, in many processes.

usage: play_everywhere.py --host-sequences PATH --bin DIR [options]

Each way to play has seeds of its own. Failures are shown as host_sequences shows them, with the seed and the steps; those of
--shrink with the shortest steps that fail alike. Exit code 0: all that were played passed; 1: not; 2: wrong use.
"""

import argparse
import concurrent.futures
import json
import os
import pathlib
import re
import secrets
import subprocess
import sys
import time

# Name -> PoCL's kind of device, how many, and what samcl is told besides. layer: under the driver's loader, in the folder of
# sam-run.
WAYS = {
    **{f"{driver} {count}": (driver, count, {}) for driver in ("basic", "pthread") for count in (1, 2, 3, 4)},
    "staged basic 2": ("basic", 2, {"SAMCL_TRANSPORT": "staged"}),
    "staged pthread 3": ("pthread", 3, {"SAMCL_TRANSPORT": "staged"}),
    "peer basic 3": ("basic", 3, {"SAMCL_TRANSPORT": "peer"}),
    "peer pthread 2": ("pthread", 2, {"SAMCL_TRANSPORT": "peer"}),
    "ordered pthread 2": ("pthread", 2, {"SAMCL_TRANSPORT": "peer", "SAMCL_ORDERING": "device"}),
    "windows pthread 2": ("pthread", 2, {"SAMCL_TRANSPORT": "windows"}),
    "ordered windows pthread 2": ("pthread", 2, {"SAMCL_TRANSPORT": "windows", "SAMCL_ORDERING": "device"}),
    "one-context pthread 3": ("pthread", 3, {"SAMCL_TRANSPORT": "one-context"}),
    "submitted pthread 2": ("pthread", 2, {"SAMCL_SUBMISSION": "thread"}),
    "submitted ordered pthread 2": ("pthread", 2, {"SAMCL_TRANSPORT": "peer", "SAMCL_ORDERING": "device",
                                                   "SAMCL_SUBMISSION": "thread"}),
    "strands pthread 1": ("pthread", 1, {"SAMCL_STRANDS": "always"}),
    "strands pthread 2": ("pthread", 2, {"SAMCL_STRANDS": "always"}),
    "strands staged pthread 2": ("pthread", 2, {"SAMCL_STRANDS": "always", "SAMCL_TRANSPORT": "staged"}),
    "strands ordered pthread 2": ("pthread", 2, {"SAMCL_STRANDS": "always", "SAMCL_TRANSPORT": "peer", "SAMCL_ORDERING": "device"}),
    "managed basic 2": ("basic", 2, {"manager": "embedded"}),
    "managed pthread 2": ("pthread", 2, {"manager": "embedded"}),
    "managed pthread 4": ("pthread", 4, {"manager": "embedded"}),
    "managed staged pthread 3": ("pthread", 3, {"manager": "embedded", "SAMCL_TRANSPORT": "staged"}),
    "managed ordered pthread 2": ("pthread", 2, {"manager": "embedded", "SAMCL_TRANSPORT": "peer", "SAMCL_ORDERING": "device"}),
    "managed ordered windows pthread 2": ("pthread", 2, {"manager": "embedded", "SAMCL_TRANSPORT": "windows",
                                                         "SAMCL_ORDERING": "device"}),
    # Where the driver reads what it is to write before what comes before has ended.
    **{f"early {name}": ("pthread", 2, {**told, "layer": "reads_early"}) for name, told in {
        "staged": {"SAMCL_TRANSPORT": "staged"},
        "peer": {"SAMCL_TRANSPORT": "peer"},
        "ordered": {"SAMCL_TRANSPORT": "peer", "SAMCL_ORDERING": "device"},
        "ordered windows": {"SAMCL_TRANSPORT": "windows", "SAMCL_ORDERING": "device"},
        "submitted ordered": {"SAMCL_TRANSPORT": "peer", "SAMCL_ORDERING": "device", "SAMCL_SUBMISSION": "thread"},
        "managed ordered": {"manager": "embedded", "SAMCL_TRANSPORT": "peer", "SAMCL_ORDERING": "device"},
        "whole staged": {"SAMCL_TRANSPORT": "staged", "SAMCL_SPLIT": "auto"},
    }.items()},
    # Where samcl decides what is split: launches that are not follow each other.
    **{f"whole {name}": (driver, count, {**told, "SAMCL_SPLIT": "auto"}) for name, (driver, count, told) in {
        "pthread 1": ("pthread", 1, {}),
        "pthread 2": ("pthread", 2, {}),
        "staged pthread 2": ("pthread", 2, {"SAMCL_TRANSPORT": "staged"}),
        "windows pthread 3": ("pthread", 3, {"SAMCL_TRANSPORT": "windows"}),
        "submitted pthread 2": ("pthread", 2, {"SAMCL_SUBMISSION": "thread"}),
        "submitted staged pthread 2": ("pthread", 2, {"SAMCL_SUBMISSION": "thread", "SAMCL_TRANSPORT": "staged"}),
        "gathered pthread 1": ("pthread", 1, {"SAMCL_SUBMISSION": "thread", "SAMCL_GATHERING": "always"}),
        "gathered staged pthread 2": ("pthread", 2, {"SAMCL_SUBMISSION": "thread", "SAMCL_GATHERING": "always",
                                                     "SAMCL_TRANSPORT": "staged"}),
        "strands pthread 2": ("pthread", 2, {"SAMCL_STRANDS": "always"}),
        "strands staged pthread 2": ("pthread", 2, {"SAMCL_STRANDS": "always", "SAMCL_TRANSPORT": "staged"}),
        "strands submitted staged pthread 2": ("pthread", 2, {"SAMCL_STRANDS": "always", "SAMCL_SUBMISSION": "thread",
                                                              "SAMCL_TRANSPORT": "staged"}),
        "managed pthread 2": ("pthread", 2, {"manager": "embedded"}),
        "managed staged pthread 2": ("pthread", 2, {"manager": "embedded", "SAMCL_TRANSPORT": "staged"}),
        "managed strands pthread 2": ("pthread", 2, {"manager": "embedded", "SAMCL_STRANDS": "always"}),
        "managed strands staged pthread 2": ("pthread", 2, {"manager": "embedded", "SAMCL_STRANDS": "always",
                                                            "SAMCL_TRANSPORT": "staged"}),
    }.items()},
}
AT_A_TIME = 20  # sequences in one process: as many as host_sequences plays in one context


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--host-sequences", required=True, type=pathlib.Path)
    parser.add_argument("--bin", required=True, type=pathlib.Path, help="where sam-run is")
    parser.add_argument("--ways", nargs="+", choices=list(WAYS), default=list(WAYS), metavar="WAY", help="; ".join(WAYS))
    parser.add_argument("--count", type=int, default=600, help="sequences in each way (default 600)")
    parser.add_argument("--steps", type=int, default=40, help="about how many each (default 40)")
    parser.add_argument("--seed", type=int, default=secrets.randbelow(10**9), help="default: a new one")
    parser.add_argument("--processes", type=int, default=os.cpu_count(), help="at a time (default: one for each core)")
    parser.add_argument("--minutes", type=float, default=float("inf"), help="begin nothing after so many minutes")
    parser.add_argument("--shrink", action="store_true", help="make what fails as short as possible")
    parser.add_argument("--results", type=pathlib.Path, help="write what was played and what failed to this file, as JSON")
    return parser.parse_args()


def play(options, way, first, count):
    """The numbers of the seeds that failed, and what was printed."""
    driver, devices, told = WAYS[way]
    environment = {**os.environ, "SAMCL_SPLIT": "always", "SAMCL_DIRECT": "off",
                   **{name: value for name, value in told.items() if name.isupper()}}
    if "layer" in told:
        environment["OPENCL_LAYERS"] = str(options.bin.resolve() / f"lib{told['layer']}.so")
    command = [options.bin / "sam-run", "--manager", told.get("manager", "off"), "--", options.host_sequences, "--driver", driver,
               "--devices", devices, "--seed", first, "--count", count, "--steps", options.steps, "--keep-going",
               "--no-sub-buffer-rects", *(["--shrink"] if options.shrink else [])]
    # sam-run asks the devices it finds before the program chooses them.
    environment["POCL_DEVICES"] = " ".join([driver] * devices)
    done = subprocess.run(list(map(str, command)), env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, errors="replace")
    failed = sorted({int(seed) for seed in re.findall(r"^FAIL seed (\d+):", done.stdout, re.MULTILINE)})
    if done.returncode != 0 and not failed:  # it could not be played at all
        failed = [first]
    return failed, done.stdout


def main():
    options = arguments()
    print(f"seed {options.seed}", flush=True)
    begin = time.monotonic()
    results = {way: {"played": 0, "failed": [], "output": []} for way in options.ways}

    def task(way, first, count):
        if time.monotonic() - begin > options.minutes * 60:
            return
        failed, output = play(options, way, first, count)
        of_way = results[way]
        of_way["played"] += count
        if failed:
            of_way["failed"] += failed
            of_way["output"].append(output[:20000])
            print(f"FAIL {way}, seeds {failed}\n{output}", flush=True)

    # All ways advance alike, so that what is cut off has played some of each.
    chunks = [(way, options.seed + index * options.count + done, min(AT_A_TIME, options.count - done))
              for done in range(0, options.count, AT_A_TIME) for index, way in enumerate(options.ways)]
    with concurrent.futures.ThreadPoolExecutor(options.processes) as pool:
        for future in [pool.submit(task, *chunk) for chunk in chunks]:
            future.result()
    for way, of_way in results.items():
        print(f"{way}: {of_way['played']} played, {len(of_way['failed'])} failed")
    played, failed = (sum(of(each) for each in results.values()) for of in (lambda each: each["played"], lambda each: len(each["failed"])))
    print(f"{played} sequences, {failed} failed, {time.monotonic() - begin:.0f} s")
    if options.results:
        options.results.write_text(json.dumps({"seed": options.seed, "steps": options.steps, "ways": results}, indent=1))
    return 1 if failed or not played else 0


if __name__ == "__main__":
    sys.exit(main())
