#!/usr/bin/env python3
"""Compares patterns of data flow, or the benchmark programs (--programs), bare and under samcl, in pairs: in each round
every one runs once without samcl and once with it, or in several ways with it. Needs nothing but Python.

  compare.py --bare "POCL_DEVICES=basic" --samcl "POCL_DEVICES=basic basic" --preload build/release/bin/libsamcl.so
  compare.py --bare "" --samcl "SAMCL_CACHE_DIR=/tmp/empty" --preload .../libsamcl.so        # on a machine with GPUs
  compare.py --programs build/release/bin/programs --preload .../libsamcl.so VectorAdd "KNearest --points 65536"
  compare.py --preload .../libsamcl.so --samcl "" --samcl "SAMCL_GPUS=1;SAMCL_DIRECT=off" --samcl "SAMCL_MANAGER=required"
  compare.py --samcl-by "build/release/bin/sam-run --manager embedded --"                   # under a manager

A setting is NAME=VALUE; several in one argument are told apart by ';'. Ratios are samcl's time by bare's, of the
kernel phase (--phase kernel) or of the whole job: "settled" of the median job after the first, "first" of the first
job of a process. Below 1 samcl is faster. Exit code 0: every run passed and gave bare's checksum; 1: not.
"""

import argparse
import json
import math
import os
import shlex
import statistics
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
PROGRAM = os.path.join(HERE, "..", "..", "build", "release", "bin", "programs", "patterns")


def settings(text):
    made = {}
    for part in filter(None, (part.strip() for part in text.split(";"))):
        name, equals, value = part.partition("=")
        if not equals:
            raise argparse.ArgumentTypeError(f"'{part}' is not NAME=VALUE")
        made[name] = value
    return made


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("patterns", nargs="*", help="which; default: all")
    parser.add_argument("--programs", metavar="DIR", help="the benchmark programs in DIR instead, whole jobs")
    parser.add_argument("--program", default=PROGRAM, help="path of `patterns` (default: the release build's)")
    parser.add_argument("--bare", type=settings, default={}, help="settings without samcl, e.g. POCL_DEVICES=basic")
    parser.add_argument("--samcl", type=settings, action="append",
                        help="settings under samcl, e.g. SAMCL_MANAGER=off; several times: several ways, each by bare's time")
    how = parser.add_mutually_exclusive_group(required=True)
    how.add_argument("--preload", help="path of libsamcl.so")
    how.add_argument("--samcl-by", metavar="COMMAND", type=shlex.split, default=[],
                     help="what runs programs under samcl, instead of --preload")
    parser.add_argument("--by", metavar="COMMAND", type=shlex.split, default=[],
                        help="what runs all of them, e.g. 'chrt -f 5' beside other work")
    parser.add_argument("--size", default="usual", choices=["small", "usual", "large"])
    parser.add_argument("--jobs", type=int, default=5, help="jobs of a process, the first included (default 5)")
    parser.add_argument("--rounds", type=int, default=3, help="default 3")
    parser.add_argument("--phase", default="kernel", choices=["kernel", "whole"], help="default kernel")
    parser.add_argument("--limit", type=float, default=600, help="seconds after which a run has hung (default 600)")
    parser.add_argument("--json", metavar="FILE", help="keep every run and the table here")
    options = parser.parse_args()
    if options.jobs < 2 or options.rounds < 1:
        parser.error("at least 2 jobs (a first and a following one) and 1 round")
    for path in filter(None, (options.programs or options.program, options.preload)):
        if not os.path.exists(path):
            parser.error(f"there is no {path}")
    options.samcl = options.samcl or [{}]
    options.preload = options.preload and os.path.abspath(options.preload)
    if options.programs:
        sources = os.path.join(HERE, "..", "programs")
        known = sorted(name[:-3] for name in os.listdir(sources) if name.endswith(".cc") and name != "LaunchOverhead.cc")
        options.phase = "whole"
    else:
        known = subprocess.run([options.program, "list"], capture_output=True, text=True, check=True).stdout.split()
    for name in options.patterns:
        if name.split()[:1] not in [[each] for each in known]:
            parser.error(f"there is no '{name}'; there are: {' '.join(known)}")
    options.patterns = options.patterns or known
    return options


def run(options, name, by, changes, under_samcl):
    """The program's line as a dictionary; its verdict is CRASH, HUNG or FAIL where there is none. What a benchmark program
    computed under samcl is only compared with what bare's run verified."""
    command = [options.program, name, "--size", options.size, "--jobs", str(options.jobs)]
    if options.programs:
        program, *own = name.split()
        command = [os.path.join(options.programs, program), *own, "--warmup", "0", "--iterations", str(options.jobs), "--json"]
        command += (["--small"] if options.size == "small" else []) + (["--unverified"] if under_samcl else [])
    try:
        done = subprocess.run(options.by + by + command, env=dict(os.environ, **changes), capture_output=True, text=True, timeout=options.limit)
    except subprocess.TimeoutExpired:
        return {"verdict": "HUNG"}
    lines = [line for line in done.stdout.splitlines() if line.startswith("{")]
    if not lines:
        return {"verdict": "CRASH", "exit_code": done.returncode, "stderr": done.stderr[-2000:]}
    outcome = json.loads(lines[-1])
    if options.programs:
        outcome.update(verdict="PASS" if outcome["passed"] else "FAIL", whole_ms=outcome["totals_ms"])
    if done.returncode != 0 and outcome["verdict"] == "PASS":
        outcome["verdict"] = "CRASH"  # at the end
    return outcome


def times(outcomes, phase):
    """Medians over the rounds: first job, following jobs; ms."""
    per_run = [outcome[f"{phase}_ms"] for outcome in outcomes]
    return (statistics.median(run[0] for run in per_run),
            statistics.median(statistics.median(run[1:]) for run in per_run))


def row(name, runs, phase):
    """Times of one program: bare's and, by bare's, those of every way; or only what is wrong."""
    every = [outcome for way in runs for outcome in way]
    made = {"name": name, "verdict": next((o["verdict"] for o in every if o["verdict"] != "PASS"), "PASS")}
    if any("checksum" not in outcome for outcome in every):
        return made
    if len({outcome["checksum"] for outcome in every}) > 1:
        made["verdict"] = "DIFFERS"
    (made["bare_first_ms"], made["bare_ms"]), *under = (times(way, phase) for way in runs)
    made["first"] = [first / made["bare_first_ms"] for first, _ in under]
    made["settled"] = [settled / made["bare_ms"] for _, settled in under]
    return made


def geometric_mean(values):
    return math.exp(statistics.fmean(map(math.log, values))) if values else float("nan")


def ratios(values):
    return "".join(f"{value:>7.2f}" for value in values)


def show(made, width):
    if "settled" not in made:
        return f"{made['name']:<{width}}  {made['verdict']}"
    return (f"{made['name']:<{width}}{made['bare_first_ms']:>10.2f}{ratios(made['first'])}"
            f"{made['bare_ms']:>12.2f}{ratios(made['settled'])}  {made['verdict']}")


def main():
    options = arguments()
    preload = {"LD_PRELOAD": options.preload} if options.preload else {}
    ways = [([], options.bare)] + [(options.samcl_by, dict(each, **preload)) for each in options.samcl]
    outcomes = {name: [[] for _ in ways] for name in options.patterns}
    width = max(21, *map(len, options.patterns))
    for number in range(options.rounds):
        for name in options.patterns:
            # In every second round the other way round, so that what is slow for a while is slow for all.
            for at in range(len(ways)) if number % 2 == 0 else reversed(range(len(ways))):
                by, changes = ways[at]
                outcomes[name][at].append(run(options, name, by, changes, at > 0))
            last = row(name, [[way[-1]] for way in outcomes[name]], options.phase)
            print(f"round {number + 1} of {options.rounds}  {show(last, width)}", file=sys.stderr)
    rows = [row(name, found, options.phase) for name, found in outcomes.items()]
    print(f"{options.phase} phase, medians of {options.rounds} rounds; bare in ms, the others by bare")
    for at, each in enumerate(options.samcl, 1):
        print(f"{at}: {'; '.join(f'{name}={value}' for name, value in each.items()) or 'as it is'}")
    numbers = "".join(f"{at:>7}" for at in range(1, len(ways)))
    print(f"{'':<{width}}{'first job:':>10}{'':>{len(numbers)}}{'following:':>12}")
    print(f"{'':<{width}}{'bare':>10}{numbers}{'bare':>12}{numbers}  result")
    for made in rows:
        print(show(made, width))
    timed = [made for made in rows if "settled" in made]
    means = {key: [geometric_mean(values) for values in zip(*(made[key] for made in timed))] for key in ("first", "settled")}
    print(f"{'geometric mean':<{width}}{'':>10}{ratios(means['first'])}{'':>12}{ratios(means['settled'])}")
    if options.json:
        with open(options.json, "w") as file:
            json.dump({"phase": options.phase, "size": options.size, "bare": options.bare, "samcl": options.samcl,
                       "table": rows, "geometric_means": means, "runs": outcomes}, file, indent=1)
    sys.exit(0 if all(made["verdict"] == "PASS" for made in rows) else 1)


if __name__ == "__main__":
    main()
