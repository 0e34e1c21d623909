#!/usr/bin/env python3
"""Each case of opencl_cases in a process of its own, bare and under samcl in several ways: which cases end otherwise.

For a machine with GPUs, where a case that hangs or ends the process must not keep the others from running. A way is
NAME or NAME:VARIABLE=VALUE;VARIABLE=VALUE...; `bare` runs without samcl, all others with it. A case counts as a finding
if it passes bare and not in one of the ways; what fails bare is the driver's (driver_faults/). On a machine with one
GPU, OPENCL_LAYERS=.../libtwin_devices.so shows it twice."""
import argparse
import concurrent.futures
import json
import os
import subprocess
import sys
import time


def names_of_cases(program):
    suite, names = "", []
    listed = subprocess.run([program, "--gtest_list_tests"], capture_output=True, text=True, check=True).stdout
    for line in listed.splitlines():
        line = line.split("#")[0].rstrip()
        if line.endswith(".") and not line.startswith(" "):
            suite = line
        elif line.startswith("  "):
            names.append(suite + line.strip())
    return names


def parse_way(text):
    name, _, variables = text.partition(":")
    return name, dict(each.split("=", 1) for each in variables.split(";") if each)


def play(arguments, way, case):
    name, variables = way
    environment = {**os.environ, **variables}
    if name != "bare":
        environment["LD_PRELOAD"] = arguments.preload
        environment.setdefault("SAMCL_MANAGER", "off")
    command = [arguments.program, "--gtest_brief=1", "--gtest_filter=" + case]
    began = time.monotonic()
    try:
        run = subprocess.run(command, env=environment, capture_output=True, text=True, errors="replace",
                             timeout=arguments.limit)
        output = run.stdout + run.stderr
        verdict = {0: "passed", 1: "failed"}.get(run.returncode, f"exit {run.returncode}")
        if verdict == "passed" and "[  PASSED  ] 1 test." not in output:
            verdict = "skipped" if "SKIPPED" in output else "not run"
    except subprocess.TimeoutExpired as late:
        output = b"".join(each for each in (late.stdout, late.stderr) if each).decode(errors="replace")
        verdict = "no end"
    return {"case": case, "way": name, "verdict": verdict, "seconds": round(time.monotonic() - began, 2),
            "output": "" if verdict in ("passed", "skipped") else output}


def keep(results, path):
    if path:
        with open(path, "w", encoding="utf-8") as file:
            json.dump(results, file)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", required=True, help="opencl_cases")
    parser.add_argument("--preload", required=True, help="libsamcl.so")
    parser.add_argument("--ways", nargs="+", default=["bare", "samcl"], metavar="WAY")
    parser.add_argument("--cases", nargs="*", help="default: all")
    parser.add_argument("--limit", type=float, default=60, help="seconds for a case (default: 60)")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="cases at once (default: as many as cores)")
    parser.add_argument("--json", help="write all verdicts to this file, also while it runs")
    arguments = parser.parse_args()
    ways = [parse_way(each) for each in arguments.ways]
    known = names_of_cases(arguments.program)
    cases = arguments.cases or known
    if unknown := [each for each in cases if each not in known]:
        parser.error(f"no such case: {unknown[0]} (--gtest_list_tests of {arguments.program} lists them)")
    results = {}
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        plays = [(way, case) for case in cases for way in ways]
        for result in pool.map(lambda each: play(arguments, *each), plays):
            results.setdefault(result["case"], {})[result["way"]] = result
            if sys.stderr.isatty():
                print(f"\r{len(results)} of {len(cases)}", end="", file=sys.stderr)
            if len(results) % 20 == 0:
                keep(results, arguments.json)
    keep(results, arguments.json)
    findings = 0
    for case, by_way in results.items():
        verdicts = {way: result["verdict"] for way, result in by_way.items()}
        if all(each in ("passed", "skipped") for each in verdicts.values()):
            continue
        is_drivers = verdicts.get("bare", "passed") not in ("passed", "skipped")
        findings += not is_drivers
        print(f"{case}: " + ", ".join(f"{way} {verdict}" for way, verdict in verdicts.items()) +
              (" (the driver's own)" if is_drivers else ""))
    print(f"{len(results)} cases in {len(ways)} ways: {findings} findings")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
