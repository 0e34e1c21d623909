#!/usr/bin/env python3
"""Runs random kernels without samcl on one device, then under it on several: the same bytes everywhere.

usage: same_bytes.py --random-kernels PATH --library PATH [--seed N] [--kernels N] [--devices 1,2,3,4]
                     [--driver basic|pthread]

A kernel that the bare driver cannot run (PoCL's compiler aborts on some) is left out, and counted.
"""

import argparse
import os
import secrets
import subprocess
import sys

MOST_DRIVER_FAULTS = 0.05  # of the kernels: with more, too little would be compared


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--random-kernels", required=True)
    parser.add_argument("--library", required=True, help="libsamcl.so")
    parser.add_argument("--seed", type=int, default=secrets.randbelow(10**6), help="default: a new one")
    parser.add_argument("--kernels", type=int, default=200)
    parser.add_argument("--devices", default="1,2,3,4")
    parser.add_argument("--driver", default="basic", help="PoCL's: basic (default) or pthread, whose launches are issued ahead")
    return parser.parse_args()


def outputs(options, environment, skip=frozenset()):
    """Index of each kernel -> the line it printed, and the indices whose run failed. After one that ended the
    process the rest goes on in a new one."""
    lines, failed, first = {}, {}, 0
    while first < options.kernels:
        end = min([index for index in skip if index >= first], default=options.kernels)
        if first < end:
            command = [options.random_kernels, "--seed", options.seed, "--first", first, "--kernels", end]
            done = subprocess.run(list(map(str, command)), env=environment, capture_output=True, text=True)
            printed = [line for line in done.stdout.splitlines() if line.split()[:1] and line.split()[0].isdigit()]
            lines.update((int(line.split()[0]), line) for line in printed)
            reached = first + len(printed)
            if done.returncode != 0:
                failed[reached] = f"exit code {done.returncode}: {done.stderr[-400:].strip()}"
                end = reached
        first = end + 1
    return lines, failed


def main():
    options = arguments()
    print(f"seed {options.seed}", flush=True)
    bare = dict(os.environ, POCL_DEVICES=options.driver)
    expected, faults = outputs(options, bare)
    for index, what in faults.items():
        print(f"kernel {index}: the bare driver fails ({what.splitlines()[-1] if what else what})")
    if len(faults) > MOST_DRIVER_FAULTS * options.kernels:
        sys.exit(f"the bare driver fails on {len(faults)} of {options.kernels} kernels")
    wrong = 0
    for count in map(int, options.devices.split(",")):
        under = dict(os.environ, POCL_DEVICES=" ".join([options.driver] * count), LD_PRELOAD=options.library,
                     SAMCL_MANAGER="off", SAMCL_DIRECT="off", SAMCL_SPLIT="always")
        found, failed = outputs(options, under, frozenset(faults))
        differing = [index for index in expected if found.get(index) != expected[index]]
        wrong += len(differing)
        print(f"{count} devices: {len(expected) - len(differing)} of {len(expected)} the same", flush=True)
        for index in differing:
            print(f"  without: {expected[index]}\n  under:   {found.get(index) or failed.get(index, 'nothing')}")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
