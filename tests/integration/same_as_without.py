#!/usr/bin/env python3
"""Runs a program without samcl and under sam-run, and compares what it prints.

usage: same_as_without.py --sam-run PATH [options] -- PROGRAM ARGUMENTS
Exit code 0: the same exit code and the same standard output, and what the options ask for.
"""

import argparse
import difflib
import json
import os
import re
import subprocess
import sys
import tempfile


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sam-run", required=True)
    parser.add_argument("--devices", type=int, nargs="+", default=[2],
                        help="numbers of PoCL devices, for one run under sam-run each; without it one device")
    parser.add_argument("--driver", default="basic", help="PoCL's kind of device")
    parser.add_argument("--mix", nargs="+", help="PoCL's kinds of device, joined by --mix; the first alone without samcl")
    parser.add_argument("--others", type=int, default=0, help="devices of other drivers than PoCL, which are joined, too")
    parser.add_argument("--exact", action="store_true", help="with --mix: as --mix=exact")
    parser.add_argument("--ignore", default=None, help="regular expression: output lines that may differ")
    parser.add_argument("--expect", default=None, help="regular expression that the output must contain")
    parser.add_argument("--expect-split", action="store_true",
                        help="once more with SAMCL_SPLIT=always: then a kernel must have run on all devices")
    parser.add_argument("--expect-apart", action="store_true",
                        help="a self-test must have found other bytes on a device")
    parser.add_argument("command", nargs="+")
    return parser.parse_args()


def run(command, devices, **changes):
    environment = dict(os.environ, POCL_DEVICES=" ".join(devices), **changes)
    return subprocess.run(command, env=environment, capture_output=True, text=True, errors="replace",
                          stdin=subprocess.DEVNULL)


def comparable(output, ignore):
    return [line for line in output.splitlines() if not (ignore and re.search(ignore, line))]


def compare(options, without, kinds, always=False):
    """always: launches are split also where samcl finds that one device is faster."""
    devices = len(kinds) + options.others
    with tempfile.TemporaryDirectory() as folder:
        report = os.path.join(folder, "report.json")
        mix = ["--mix=exact" if options.exact else "--mix"] if options.mix else []
        under = run([options.sam_run, "--manager", "off", *mix, f"--report={report}", "--", *options.command], kinds,
                    **({"SAMCL_SPLIT": "always"} if always else {}))
        kernels = json.load(open(report))["kernels"] if os.path.exists(report) else []
    failures = []
    if without.returncode != under.returncode:
        failures.append(f"exit code {under.returncode} under sam-run, {without.returncode} without")
    expected, found = (comparable(done.stdout, options.ignore) for done in (without, under))
    if expected != found:
        failures.append("\n".join(difflib.unified_diff(expected, found, "without", "under sam-run", lineterm="", n=1)))
    if options.expect and not re.search(options.expect, under.stdout):
        failures.append(f"the output has no {options.expect!r}:\n{under.stdout}")
    split = [kernel["name"] for kernel in kernels if kernel["devices"] == devices]
    if always and not split:
        failures.append("no kernel was split:\n" + "\n".join(f"{k['name']}: {k['why_not_more']}" for k in kernels))
    if options.expect_apart and not any(kernel["other_bytes_on"] for kernel in kernels):
        failures.append("no self-test found other bytes")
    if failures:
        sys.exit("\n".join([f"on {devices} devices:", *failures, under.stderr[-4000:]]))
    print(f"{len(found)} lines the same; on {devices} devices: {' '.join(split) or 'nothing'}")


def main():
    options = arguments()
    joined = [options.mix] if options.mix else [[options.driver] * devices for devices in options.devices]
    without = run(options.command, joined[0][:1])
    for kinds in joined:
        compare(options, without, kinds)
        if options.expect_split:
            compare(options, without, kinds, always=True)


if __name__ == "__main__":
    main()
