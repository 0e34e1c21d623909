#!/usr/bin/env python3
"""Plays each subtest of Khronos' conformance tests in a process of its own, with samcl and without, and compares.

usage: compare.py --programs DIR --bin DIR --results DIR [options] SUITE...   (tools/conformance.sh calls it)

Verdicts of a subtest that passes on the bare driver, in each way to run it under samcl:
  same    it passes, too
  hollow  it passes or skips, but says of more than before that it is not supported
  wrong   it fails, ends by a signal, or does not end in time
What fails, skips or does not end on the bare driver says nothing of samcl. What was played is kept in DIR/SUITE.json with the
commit that was played, and only what is not there is played: an interrupted run goes on, --again plays all anew under samcl.
A table that was there before keeps the rows of suites of which nothing is kept. Exit code 1: something is wrong or hollow.
"""

import argparse
import collections
import concurrent.futures
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time

# Each way to run under samcl: the kind of device, how many, and which manager grants them. The bare driver is asked once for
# each kind: they offer different things. PoCL's kinds are made as many as wanted, GPUs are those that the driver shows.
WAYS = {"1": ("basic", 1, "off"), "2": ("basic", 2, "off"), "3": ("basic", 3, "off"), "managed": ("pthread", 2, "embedded"),
        "GPUs": ("GPU", 0, "off"), "managed GPUs": ("GPU", 0, "embedded")}
# The ways of one table, and what they are.
DRIVERS = {"PoCL 3.1": ("1", "2", "3", "managed"), "GPUs": ("GPUs", "managed GPUs")}
DEVICES = {"PoCL 3.1": "1, 2 and 3 are devices of kind basic, managed two of kind pthread: where all is the same, a way has as many as "
                       "pass bare on its kind.\nA row of a commit \"and before\" is of several runs: each cell of the one that played "
                       "most, and what passes bare on either kind.\n",
           "GPUs": "All GPUs of a machine as one device; bare is the first of them.\n"}
BAD = ("wrong", "hollow")
# Suites of one test of hours, which takes the numbers of its first part and of how many: how many there are, and in one piece.
IN_PIECES = {"conversions": (1045, 11)}
LEFT_OUT = re.compile(r"skip|not support|unsupported|does not (?:have|support)|no tests? (?:was|were) run", re.IGNORECASE)
# What tells runs of one test apart: addresses, numbers, names of devices.
VARIES = re.compile(r"0x[0-9a-f]+|\d+|basic|pthread", re.IGNORECASE)


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--programs", required=True, type=pathlib.Path, help="where the suites were built")
    parser.add_argument("--bin", required=True, type=pathlib.Path, help="where sam-run is")
    parser.add_argument("--results", required=True, type=pathlib.Path, help="what was played is kept here")
    parser.add_argument("--table", type=pathlib.Path, help="write the table of all kept results to this file")
    parser.add_argument("--on", default="PoCL 3.1", choices=list(DRIVERS), help="which driver's ways to play, and whose table it is; "
                        "GPUs: all that the driver shows, bare the first (default PoCL 3.1)")
    parser.add_argument("--driver", help="what the table calls it, e.g. 'two H200, driver 580.159'")
    parser.add_argument("--ways", nargs="+", choices=list(WAYS), help="not all of that driver's")
    parser.add_argument("--only", default="", help="regular expression: the subtests to play")
    parser.add_argument("--limit", type=float, default=120, help="seconds for each subtest without samcl (default 120); "
                        "under samcl four times what it took, and 30 s")
    parser.add_argument("--processes", type=int, default=1, help="subtests at a time (default 1)")
    parser.add_argument("--minutes", type=float, default=float("inf"), help="begin no subtest after so many minutes")
    parser.add_argument("--again", action="store_true", help="play also what was played under samcl before")
    parser.add_argument("suites", nargs="*", metavar="SUITE")
    options = parser.parse_intermixed_args()
    options.columns = DRIVERS[options.on]
    options.ways = options.ways or options.columns
    return options


def program_of(programs, suite):
    found = [path for path in programs.rglob(f"test_{suite}") if path.is_file() and os.access(path, os.X_OK)]
    if len(found) != 1:
        sys.exit(f"compare.py: {programs} has {len(found)} programs test_{suite}, expected one")
    return found[0].resolve()


def subtests(program, suite):
    """What its program is called with for each of the suite's subtests."""
    if suite in IN_PIECES:
        parts, at_once = IN_PIECES[suite]
        return [f"{first} {at_once}" for first in range(0, parts, at_once)]
    listed = subprocess.run([program, "--list"], capture_output=True, text=True, cwd=program.parent)
    return [line.strip() for line in listed.stdout.splitlines() if line.startswith("\t")]


def bare_of(way):
    return f"bare {WAYS[way][0]}"


def play(options, program, suite, subtest, devices, manager, limit_s):
    """One run, bare without a manager: verdict, seconds, what it left out, the end of its output, how many kernels ran in parts."""
    with tempfile.TemporaryDirectory() as folder:
        verdicts, report = pathlib.Path(folder, "verdicts"), pathlib.Path(folder, "report")
        environment = dict(os.environ, CL_CONFORMANCE_RESULTS_FILENAME=str(verdicts), CL_WIMPY_MODE="1", SAMCL_SPLIT="always",
                           SAMCL_DIRECT="off")
        if devices:
            environment["POCL_DEVICES"] = " ".join(devices)
        shim = manager and [options.bin.resolve() / "sam-run", "--manager", manager, f"--report={report}", "--"] or []
        begin = time.monotonic()
        # A session of its own, so that all of it can be ended.
        with subprocess.Popen([*shim, program, *subtest.split()], env=environment, cwd=program.parent, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True) as process:
            try:
                output, in_time = process.communicate(timeout=limit_s)[0], True
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                output, in_time = process.communicate()[0], False
        text = output.decode(errors="replace")
        if not in_time:
            verdict = "no end"
        elif process.returncode < 0 or process.returncode >= 128:
            verdict = "signal"
        elif verdicts.exists():
            told = json.loads(verdicts.read_text())["results"]
            verdict = told.get(subtest, told.get(suite, "fail") if suite in IN_PIECES else "fail")
        else:
            verdict = "fail"
        kernels = json.loads(report.read_text())["kernels"] if report.exists() else []
        return {"verdict": verdict, "seconds": round(time.monotonic() - begin, 1),
                "left_out": sorted({VARIES.sub("#", line.strip()) for line in text.splitlines() if LEFT_OUT.search(line)}),
                "split": sum(kernel["devices"] > 1 for kernel in kernels),
                "output": text[-1500:] if verdict not in ("pass", "skip") else ""}


def judge(runs, way):
    """The verdict of the run in that way; None where there is none."""
    bare, run = runs.get(bare_of(way)), runs.get(way)
    if not bare or not run or bare["verdict"] != "pass":
        return None
    if run["verdict"] == "skip" or (run["verdict"] == "pass" and not set(run["left_out"]) <= set(bare["left_out"])):
        return "hollow"
    return "same" if run["verdict"] == "pass" else "wrong"


class Suite:
    """What was played of a suite, kept in a file."""

    def __init__(self, options, name):
        self.options, self.name = options, name
        self.program, self.kept = program_of(options.programs, name), options.results / f"{name}.json"
        self.results = json.loads(self.kept.read_text()) if self.kept.exists() else {}
        self.commit = subprocess.run(["git", "rev-parse", "--short=8", "HEAD"], capture_output=True, text=True).stdout.strip()
        self.writes = threading.Lock()

    def keep(self, subtest, name, run):
        with self.writes:
            self.results.setdefault(subtest, {})[name] = run | {"commit": self.commit}
            self.kept.write_text(json.dumps(self.results, indent=1))

    def subtests(self):
        return [name for name in subtests(self.program, self.name) if re.search(self.options.only, name)]

    def play_subtest(self, subtest, deadline):
        """In all ways asked for, and on the bare driver where it was not yet."""
        options, runs = self.options, self.results.get(subtest, {})
        for way in options.ways:
            kind, count, manager = WAYS[way]
            steps = [(bare_of(way), [kind] * min(count, 1), None), (way, [kind] * count, manager)]
            for name, devices, granted_by in steps:
                if time.monotonic() > deadline:
                    return
                bare = runs.get(bare_of(way))
                if (name in runs and not (options.again and name == way)) or (name == way and bare["verdict"] != "pass"):
                    continue
                limit_s = options.limit if name != way else 30 + 4 * bare["seconds"]
                self.keep(subtest, name, play(options, self.program, self.name, subtest, devices, granted_by, limit_s))
                runs = self.results[subtest]
                if name == way and (found := judge(runs, way)) in BAD:
                    new = sorted(set(runs[way]["left_out"]) - set(bare["left_out"]))
                    print("\n".join([f"{found.upper()} {self.name} {subtest}, way {way}: {runs[way]['verdict']}",
                                     *("  " + line for line in (runs[way]["output"].splitlines()[-8:] or new))]), flush=True)


def table_before(path, columns):
    """Of a table written earlier with these ways: the row of each suite, and its findings."""
    rows, findings = {}, collections.defaultdict(list)
    for line in path.read_text().splitlines() if path and path.exists() else []:
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if line.startswith("| ") and len(cells) == len(columns) + 5 and cells[0] != "suite":
            rows[cells[0]] = cells
        elif found := re.match(r"- (\S+) .*: (?:wrong|hollow) ", line):
            findings[found.group(1)].append(line)
    return rows, findings


def kinds_of(columns):
    return list(dict.fromkeys(WAYS[way][0] for way in columns))


def row_of(suite, listed, results, columns):
    """The suite's cells, and its findings."""
    findings = []
    played = len(results)
    kinds = [sum(runs.get(f"bare {kind}", {}).get("verdict") == "pass" for runs in results.values()) for kind in kinds_of(columns)]
    cells = [suite, str(listed) if played == listed else f"{played} of {listed}", ", ".join(map(str, kinds))]
    for way in columns:
        verdicts = {name: judge(runs, way) for name, runs in results.items()}
        count = collections.Counter(verdicts.values())
        left = sum(runs.get(bare_of(way), {}).get("verdict") == "pass" and way not in runs for runs in results.values())
        cells.append(f"{count['same']}, {count['hollow']}, {count['wrong']}" + (f" and {left} not played" if left else "")
                     if any(verdicts.values()) else "")
        for name, verdict in verdicts.items():
            if verdict in BAD:
                findings.append(f"- {suite} {name}, {way}: {verdict} ({results[name][way]['verdict']})")
    split = sum(any(runs.get(way, {}).get("split") for way in columns) for runs in results.values())
    commits = sorted({runs[way]["commit"] for runs in results.values() for way in columns if way in runs})
    return [*cells, str(split), " ".join(commits)], findings


def table(options):
    """All kept results as Markdown, and what is wrong or hollow; of other suites what a table that is there says."""
    columns = options.columns
    rows, findings = table_before(options.table, columns)
    for kept in options.results.glob("*.json"):
        listed = len(subtests(program_of(options.programs, kept.stem), kept.stem))
        rows[kept.stem], findings[kept.stem] = row_of(kept.stem, listed, json.loads(kept.read_text()), columns)
    lines = [f"| suite | subtests | pass bare: {', '.join(kinds_of(columns))} | " + " | ".join(f"{way}: same, hollow, wrong" for way in columns)
             + " | in parts | commit |", "|---|---|---|" + "---|" * (len(columns) + 2)]
    lines += ["| " + " | ".join(rows[suite]) + " |" for suite in sorted(rows)]
    return "\n".join(lines), [line for suite in sorted(findings) for line in findings[suite]]


def main():
    options = arguments()
    options.results.mkdir(parents=True, exist_ok=True)
    deadline = time.monotonic() + options.minutes * 60
    with concurrent.futures.ThreadPoolExecutor(options.processes) as pool:
        for played in [pool.submit(suite.play_subtest, subtest, deadline)
                       for suite in (Suite(options, name) for name in options.suites) for subtest in suite.subtests()]:
            played.result()
    rows, findings = table(options)
    text = "\n".join([rows, "", "Wrong or hollow:" if findings else "Nothing is wrong or hollow.", *findings, ""])
    print(text)
    if options.table:
        head = ("Made by tools/conformance.sh; `--help` of compare.py beside this file says what the words mean. Wimpy mode, all launches "
                "in parts that can be.\n" + DEVICES[options.on] +
                "Where a run was cut off, rows say how many were not played, but for older ones: those have fewer. \"in parts\": subtests "
                "with a kernel on several devices. \"commit\": of samcl.\n\n")
        options.table.write_text(f"# Khronos' conformance tests on {options.driver or options.on}, with samcl and without\n\n" + head + text)
    return bool(findings)


if __name__ == "__main__":
    sys.exit(main())
