#!/usr/bin/env python3
"""Real programs from their public sources (programs.toml beside this file): fetches and builds them, and runs each without samcl
and under it in several ways. What they print, but for times, and all bytes that they read back from the device must be
the same. --table writes README.md beside this file.

usage: real_programs.py [options]                       the programs of the list
       real_programs.py [options] -- PROGRAM ARGUMENTS  another one, in this folder
       real_programs.py --times 5 ...                   what their whole processes take, instead

On a machine with GPUs, --gpus: each program on the first one without samcl, and under it on all of them (NVIDIA's: others are
not hidden from it); the table is GPUs.md. pack.py beside this file takes programs that were built to such a machine.

Times: each program in turn without samcl on one of PoCL's basic devices and under it on two, as it decides itself and with all
that earlier runs left on disk; the medians of so many rounds, and of all programs of 0.3 s and more. "kernels": how long devices
computed, together; half of it is the most that a second device can save. On GPUs those of the list's [large] runs, first with
nothing on disk: the whole process, and its commands, from the first one's call to the last one's end, but for builds.

Needs git, compilers, what the programs need (packages: see programs.toml), and a release build of samcl. No part of ctest.
Exit code 1: something differs.
"""

import argparse
import collections
import concurrent.futures
import json
import os
import pathlib
import re
import resource
import signal
import statistics
import subprocess
import sys
import tempfile
import time
import tomllib
import typing

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]

# How a program runs under samcl: PoCL's kind of device, how many, and samcl's settings. All that may be split is, whether it
# pays or not, but in the first way and the last.
POCL_WAYS = {
    "default": ("basic", 2, {}),
    "3": ("basic", 3, {"SAMCL_SPLIT": "always"}),
    "staged": ("pthread", 2, {"SAMCL_SPLIT": "always", "SAMCL_TRANSPORT": "staged"}),
    "peer": ("pthread", 2, {"SAMCL_SPLIT": "always", "SAMCL_TRANSPORT": "peer"}),
    "managed": ("pthread", 2, {"SAMCL_SPLIT": "always", "SAMCL_MANAGER": "embedded"}),
    "managed default": ("pthread", 2, {"SAMCL_MANAGER": "embedded", "SAMCL_TRANSPORT": "staged"}),
}
# Likewise on all GPUs.
GPU = "GPU"
GPU_WAYS = {
    "default": (GPU, 0, {}),
    "always": (GPU, 0, {"SAMCL_SPLIT": "always"}),
    "windows": (GPU, 0, {"SAMCL_SPLIT": "always", "SAMCL_TRANSPORT": "windows"}),
    "staged": (GPU, 0, {"SAMCL_SPLIT": "always", "SAMCL_TRANSPORT": "staged"}),
    "managed": (GPU, 0, {"SAMCL_SPLIT": "always", "SAMCL_MANAGER": "embedded"}),
}
# Lines that look like times and rates, and what else is another one in each run.
TIMES = r"time|second|\b[num]?s\b|elapsed|throughput|bandwidth|[GM]B/s|flop|\bfps\b|took|speed|0x[0-9a-f]{6,}|device|platform|driver"


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--source", type=pathlib.Path, help="a folder that has the sources, by their names in programs.toml")
    parser.add_argument("--work", type=pathlib.Path, default=ROOT / "build/real", help="where sources are built (default: build/real)")
    parser.add_argument("--build", type=lambda name: pathlib.Path(name).resolve(), default=ROOT / "build/release",
                        help="the build of samcl (default: build/release)")
    parser.add_argument("--only", default="", help="regular expression: the programs to run")
    parser.add_argument("--ways", nargs="+", help="some of the ways in the table: " + " ".join([*POCL_WAYS, *GPU_WAYS]))
    parser.add_argument("--gpus", action="store_true", help="on this machine's GPUs instead of PoCL's devices")
    parser.add_argument("--processes", type=int, default=1, help="programs compared at the same time (default 1)")
    parser.add_argument("--ignore", default="", help="of PROGRAM: regular expression, lines of output that may differ")
    parser.add_argument("--limit", type=float, default=120, help="seconds for a run without samcl (default 120); under it ten times what "
                        "that took, and 300 s")
    parser.add_argument("--table", type=pathlib.Path, help="write the table to this file; rows of programs that were not run stay")
    parser.add_argument("--times", type=int, default=0, metavar="ROUNDS", help="measure instead of comparing")
    parser.add_argument("command", nargs="*", help="a program of one's own instead of the list")
    options = parser.parse_args()
    options.all_ways = GPU_WAYS if options.gpus else POCL_WAYS
    options.ways = options.ways or list(options.all_ways)
    for way in options.ways:
        if way not in options.all_ways:
            parser.error(f"there is no way '{way}'; there are: {' '.join(options.all_ways)}")
    return options


def devices_of(kind, devices, under_samcl):
    """The environment's part that tells which devices there are."""
    if kind != GPU:
        return {"KIND": "cpu", "POCL_DEVICES": " ".join([kind] * devices)}
    first = os.environ.get("CUDA_VISIBLE_DEVICES", "0").split(",")[0]
    return {"KIND": "gpu"} | ({} if under_samcl else {"CUDA_VISIBLE_DEVICES": first})


def fail(text):
    sys.exit(f"real_programs.py: {text}")


def programs():
    """Each program of the list once, with its words put in."""
    listed = tomllib.loads((HERE / "programs.toml").read_text())
    for program in listed["programs"]:
        for each in program.get("runs") or program.get("each", [""]):
            words = each.split()

            def put_in(text):
                for i, word in enumerate(words):
                    text = text.replace(f"{{{i}}}", word)
                return text

            made = {key: put_in(value) for key, value in program.items() if isinstance(value, str)}
            made["name"] += f" {words[0]}" if words else ""
            made["run"] = program["runs"][each] if "runs" in program else made["run"]
            made["run"] = made["run"].replace("{here}", str(HERE))
            made["where"] = listed["sources"].get(program.get("of"))
            made["large"] = listed["large"].get(made["name"], "").replace("{here}", str(HERE))
            yield made


def source(options, program):
    """The folder of a program's source, in which it may be built; a folder of its own for one that is installed."""
    if not program["where"]:
        folder = options.work.resolve() / re.sub(r"\W+", "_", program["name"])
        folder.mkdir(parents=True, exist_ok=True)
        return folder
    url, commit = program["where"]
    folder = options.work.resolve() / program["of"]
    if folder.is_dir():
        return folder
    if options.source:
        if not (options.source / program["of"]).is_dir():
            fail(f"{options.source} has no {program['of']}")
        commands = [["cp", "-r", options.source.resolve() / program["of"], folder]]
    else:
        commands = [["git", "clone", "-q", url, folder], ["git", "-C", folder, "checkout", "-q", commit]]
    for command in commands:
        if subprocess.run(command).returncode:
            fail(f"{url} cannot be fetched; --source takes a folder that has {program['of']}")
    return folder


def stamp(work, program):
    """The file that tells that it was built."""
    return work.resolve() / "built" / re.sub(r"\W+", "_", program["name"])


def build(options, program):
    """The folder in which the program runs; None, and the compiler's words are printed, if it cannot be built."""
    root = source(options, program)
    folder = root / program.get("folder", "")
    built = stamp(options.work, program)
    if not built.exists():
        flags = f"-w -DCL_TARGET_OPENCL_VERSION=300 -include {HERE}/any_device.h"
        script = program.get("build", ":").replace("{flags}", flags).replace("{here}", str(HERE)).replace("{root}", str(root))
        done = subprocess.run(["sh", "-ec", script], cwd=folder if folder.is_dir() else root, capture_output=True, text=True,
                              errors="replace")
        if done.returncode:
            print(f"NOT BUILT {program['name']}\n{done.stdout[-300:]}{done.stderr[-1500:]}", flush=True)
            return None
        built.parent.mkdir(parents=True, exist_ok=True)
        built.touch()
    return folder


class Run:
    """One run of a program: its exit code, output, and what it read back."""

    def __init__(self, options, command, folder, kind, devices, limit, zeros, settings=None):
        with tempfile.TemporaryDirectory() as place:
            read_back, report = os.path.join(place, "read_back"), os.path.join(place, "report.json")
            recorder = options.build / "tests/libread_back.so"
            environment = dict(os.environ, **devices_of(kind, devices, settings is not None), READ_BACK=read_back)
            start = []
            if zeros:
                environment.update(READ_BACK_ZEROS="1", MALLOC_PERTURB_="85")  # of the host, too
            if settings is not None:
                settings = dict(settings)
                start = [str(options.build / "bin/sam-run"), "--manager", settings.pop("SAMCL_MANAGER", "off"), f"--report={report}", "--"]
                environment.update(settings, SAMCL_DIRECT="off")
            # The recorder comes first, before what sam-run preloads.
            script = f'export LD_PRELOAD="{recorder}${{LD_PRELOAD:+:$LD_PRELOAD}}"; {command}'
            begin = os.times().elapsed
            process = subprocess.Popen([*start, "sh", "-c", script], cwd=folder, env=environment, stdin=subprocess.DEVNULL,
                                       stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True)
            try:
                output, errors = process.communicate(timeout=limit)
                self.code, self.output, self.errors = process.returncode, output.decode(errors="replace"), errors.decode(errors="replace")
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)  # the program, too, not its shell alone
                process.communicate()
                self.code, self.output, self.errors = f"none in {limit:.0f} s", "", ""
            self.seconds = os.times().elapsed - begin
            self.read_back = open(read_back).read().splitlines() if os.path.exists(read_back) else []
            self.kernels = json.load(open(report))["kernels"] if os.path.exists(report) else []

    def bytes(self):
        return sum(int(re.search(r"(\d+) [^\d]*\S+$", line).group(1)) for line in self.read_back if re.search(r"(\d+) [^\d]*\S+$", line))


class Expected:
    """What a program does without samcl: two runs of it, or more. Where they differ, nothing is compared."""

    def __init__(self, options, command, folder, kind, ignore, zeros):
        self.run = lambda: Run(options, command, folder, kind, 1, options.limit, zeros)
        first, again = self.run(), self.run()
        self.code, self.seconds, self.reads = first.code, first.seconds, first.read_back
        self.ignore = ignore
        self.lines = self.comparable(first.output)
        self.varies = ""
        if isinstance(first.code, str):
            self.varies = f"exit code {first.code}"
        else:
            self.steady_lines, self.steady_reads = [True] * len(self.lines), [True] * len(self.reads)
            self.learn(again)

    def learn(self, again):
        """What is not the same in another run without samcl is not compared."""
        lines = self.comparable(again.output)
        if again.code != self.code:
            self.varies = f"exit codes {self.code} and {again.code}"
            return
        if len(lines) != len(self.lines) or len(again.read_back) != len(self.reads):
            self.varies = "more or fewer lines, or bytes read back, in two runs"
            return
        self.steady_lines = [steady and pair[0] == pair[1] for steady, pair in zip(self.steady_lines, zip(self.lines, lines))]
        self.steady_reads = [steady and pair[0] == pair[1] for steady, pair in zip(self.steady_reads, zip(self.reads, again.read_back))]
        if self.reads and not any(self.steady_reads):
            self.varies = "all bytes read back are others in each run"

    def comparable(self, text):
        """Lines; without fractions, most of which are times, where the bytes that were read back tell more."""
        lines = [line for line in text.splitlines()
                 if not re.search(TIMES, line, re.IGNORECASE) and not (self.ignore and re.search(self.ignore, line))]
        return [re.sub(r"\s*\d+\.\d+(e[-+]?\d+)?", " #", line) for line in lines] if self.reads else lines

    def differences(self, under):
        """What differs, in words; empty: nothing."""
        found = []
        if self.code != under.code:
            found.append(f"exit code {under.code}, without samcl {self.code}; {under.errors[-600:]}")
        lines = self.comparable(under.output)
        other = [pair for pair, steady in zip(zip(lines, self.lines), self.steady_lines) if steady and pair[0] != pair[1]]
        if len(lines) != len(self.lines):
            found.append(f"output of {len(lines)} lines, without samcl {len(self.lines)}")
        elif other:
            found.append(f"output: '{other[0][0]}', without samcl '{other[0][1]}'")
        other = [i for i, pair in enumerate(zip(self.reads, under.read_back)) if self.steady_reads[i] and pair[0] != pair[1]]
        # Threads of the program may read in any order.
        as_set = all(self.steady_reads) and collections.Counter(self.reads) == collections.Counter(under.read_back)
        # What asks dlsym for OpenCL is seen under samcl only, and its output has to tell all.
        if self.reads and (len(self.reads) != len(under.read_back) or (other and not as_set)):
            found.append(f"bytes read back: {len(under.read_back)} reads, without samcl {len(self.reads)}; first difference: {other[:1] or 'more or fewer'}")
        return found


def play(options, name, command, folder, ignore, zeros=False, host_memory=False):
    """The cells of the program's row, and whether all was the same."""
    without, cells, good, reads, ran = {}, [], True, "0", False
    for way in options.ways:
        kind, devices, settings = options.all_ways[way]
        if host_memory and kind != GPU and "SAMCL_TRANSPORT" in settings:
            cells.append("-")
            continue
        if kind not in without:
            without[kind] = Expected(options, command, folder, kind, ignore, zeros)
        expected = without[kind]
        if not expected.varies:
            under = Run(options, command, folder, kind, devices, max(300, 10 * expected.seconds), zeros, settings)
            found = expected.differences(under)
            for _ in range(2):
                if found and not expected.varies:  # threads that add in any order may have done so in the same one twice
                    expected.learn(expected.run())
                    found = expected.differences(under)
        if expected.varies:
            cells.append("varies")
            ran = True
            print(f"----  {name}, {way}: without samcl {expected.varies}", flush=True)
            continue
        ran |= bool(under.kernels)
        split = sorted(kernel["name"] for kernel in under.kernels if kernel["devices"] > 1)
        steady = sum(expected.steady_reads)
        reads = str(steady) if steady == len(expected.reads) else f"{steady} of {len(expected.reads)}"
        cells.append("**differs**" if found else f"{len(split)} of {len(under.kernels)}")
        good &= not found
        if found:
            print(f"DIFF  {name}, {way}: {'; '.join(found)}", flush=True)
            continue
        print(f"same  {name}, {way}: {reads} reads, {under.bytes()} bytes, exit code {under.code}, {expected.seconds:.1f} -> {under.seconds:.1f} s; "
              f"in parts: {' '.join(split) or 'nothing'}", flush=True)
        if way in ("3", "always"):
            for kernel in under.kernels:
                if kernel["launches"] and kernel["devices"] < 2:
                    print(f"        {kernel['name']}: {kernel.get('why_not_more')}", flush=True)
    if not ran:
        print(f"NOTHING RAN  {name}", flush=True)
        return None, False
    return [reads, *cells], good


SHORTEST_S = 0.3  # what is shorter is not in the medians of ratios


class Times(typing.NamedTuple):
    """Seconds of a process; of several that a command starts all but `wall` and `processor` are the last one's."""
    wall: float
    processor: float
    builds: float
    commands: float  # from the first one's call to the last one's end, without builds
    calls: float  # those that enqueue or wait
    kernels: float  # under samcl, of all devices together
    functions: dict  # name: (calls, seconds, the longest one's)


def time_once(options, command, folder, zeros, under_samcl, cache=None):
    """The Times of a run; None if it fails."""
    with tempfile.TemporaryDirectory() as place:
        calls, report = pathlib.Path(place, "calls"), pathlib.Path(place, "report.json")
        environment = dict(os.environ, CALL_SECONDS=str(calls))
        # Opening OpenCL takes the longer the more GPUs there are: without samcl, too, a program sees all and takes the first.
        if not options.gpus:
            environment |= devices_of("basic", 2 if under_samcl else 1, under_samcl)
        if cache:
            environment["SAMCL_CACHE_DIR"] = cache
        if zeros:
            environment["MALLOC_PERTURB_"] = "85"
        start = [str(options.build / "bin/sam-run"), "--manager", "off", f"--report={report}", "--"] if under_samcl else []
        script = f'export LD_PRELOAD="{options.build}/tests/libcall_seconds.so${{LD_PRELOAD:+:$LD_PRELOAD}}"; {command}'
        used, begin = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
        done = subprocess.run([*start, "sh", "-c", script], cwd=folder, env=environment, stdin=subprocess.DEVNULL,
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        wall, now = time.monotonic() - begin, resource.getrusage(resource.RUSAGE_CHILDREN)
        if done.returncode:
            return None
        kernels = json.loads(report.read_text())["kernels"] if report.exists() else []
        if under_samcl and options.gpus:
            for kernel in kernels:
                print(f"        {kernel['name']}: {kernel['launches']} launches, {kernel['took_ns'] * 1e-6:.2f} ms, {kernel['devices']} devices; "
                      f"{kernel.get('why_not_more')}", flush=True)
        head, *lines = calls.read_text().splitlines() if calls.exists() else ["0 0"]
        functions = {name: (kind, int(count), float(seconds), float(longest)) for name, kind, count, seconds, longest in map(str.split, lines)}
        return Times(wall, now.ru_utime + now.ru_stime - used.ru_utime - used.ru_stime, *map(float, head.split()),
                     sum(seconds for kind, _, seconds, _ in functions.values() if kind == "command"),
                     sum(kernel["took_ns"] for kernel in kernels) * 1e-9,
                     {name: found[1:] for name, found in functions.items()})


def middle(runs):
    """Medians; of the functions those of the last run."""
    return Times(*map(statistics.median, zip(*(run[:-1] for run in runs))), runs[-1].functions)


def print_slower(bare, under):
    """The functions that take longest beside what they take without samcl."""
    none = (0, 0.0, 0.0)
    slower = sorted(under.functions, key=lambda name: bare.functions.get(name, none)[1] - under.functions[name][1])
    for name in slower[:3]:
        (count, seconds, longest), (own, own_seconds, own_longest) = under.functions[name], bare.functions.get(name, none)
        if seconds - own_seconds > 0.001:
            print(f"        {name}: {own} calls, {own_seconds * 1e3:.2f} ms, longest {own_longest * 1e3:.2f} -> "
                  f"{count} calls, {seconds * 1e3:.2f} ms, longest {longest * 1e3:.2f}", flush=True)


def measure(options, name, command, folder, zeros=False):
    """(without samcl, its first process under it, later ones), medians; None, and it is said, if it fails. On GPUs nothing is on disk
    for the first one."""
    runs = {False: [], True: []}
    with tempfile.TemporaryDirectory() as cache:
        for under_samcl in [False, True, True, *[False, True] * options.times]:  # the first three warm up
            runs[under_samcl].append(time_once(options, command, folder, zeros, under_samcl, cache if options.gpus else None))
            if runs[under_samcl][-1] is None:
                print(f"----  {name}: fails{' under samcl' if under_samcl else ''}", flush=True)
                return None
    bare, under = (middle(runs[way][-options.times:]) for way in (False, True))
    first = runs[True][0]
    if options.gpus:
        print(f"{name}: wall {bare.wall:.3f} -> {first.wall:.3f}, {under.wall:.3f} s, in builds {bare.builds:.3f} -> {first.builds:.3f}, {under.builds:.3f} s, "
              f"commands {bare.commands:.4f} -> {first.commands:.4f}, {under.commands:.4f} s, calls {bare.calls:.4f} -> {first.calls:.4f}, {under.calls:.4f} s, "
              f"CPU {bare.processor:.2f} -> {first.processor:.2f}, {under.processor:.2f} s",
              flush=True)
        print_slower(bare, under)
    else:
        print(f"{name}: wall {bare.wall:.3f} -> {under.wall:.3f} s, in builds {bare.builds:.3f} -> {under.builds:.3f} s, "
              f"CPU {bare.processor:.3f} -> {under.processor:.3f} s, kernels {under.kernels:.3f} s", flush=True)
    return bare, first, under


def print_medians(measured):
    long = [(bare, under) for bare, _, under in measured if bare.wall >= SHORTEST_S]
    print(f"CPU added to {len(measured)} processes, median: "
          f"{statistics.median(under.processor - bare.processor for bare, _, under in measured) * 1e3:.0f} ms")
    if long:
        print(f"wall, {len(long)} of {SHORTEST_S} s and more, median: {statistics.median(u.wall / b.wall for b, u in long):.2f} of without samcl, "
              f"{statistics.median((u.wall - u.builds) / (b.wall - b.builds) for b, u in long):.2f} but for builds "
              f"({statistics.median(1 - u.kernels / 2 / (b.wall - b.builds) for b, u in long):.2f} if kernels took half and all else as long)")


def print_means(measured):
    for what in ("wall", "commands", "calls"):
        first, later = (statistics.geometric_mean(getattr(times[i], what) / getattr(times[0], what) for times in measured) for i in (1, 2))
        print(f"{what} of {len(measured)} programs by that without samcl, geometric mean: first process {first:.2f}, later ones {later:.2f}")


HEAD = """# Real programs{where}, without samcl and under it

Made by `tests/real/real_programs.py {options}`; `programs.toml` names the sources and their commits.
Each program ran on one {device} without samcl, and under it on {several}:
what it printed, but for times, and every byte that it read back was the same where numbers stand: how many of its kernels ran
in parts on several devices. "reads" counts what was compared ("a of b": the others are not the same in two runs without
samcl); 0: the program reads nothing back, or asks dlsym for OpenCL, and what it printed tells all. "varies": two runs without
samcl have nothing in common to compare. "-": the program cannot run so.

"""


def write_table(path, ways, rows, gpus):
    """Rows that the file has of other programs stay; empty where it has a way not yet."""
    kept, head = {}, []
    if path.exists():
        for line in path.read_text().splitlines():
            cells = [cell.strip() for cell in line.strip("|").split("|")]
            if line.startswith("| program |"):
                head = cells
            elif line.startswith("|") and len(cells) == len(head) and cells[0] != "---":
                row = dict(zip(head, cells))
                kept[row["program"]] = [row["reads"], *(row.get(way, "") for way in ways)]
    kept.update(rows)
    order = [program["name"] for program in programs()]
    lines = ["| program | reads | " + " | ".join(ways) + " |", "|---|" + "---|" * (len(ways) + 1)]
    lines += [f"| {name} | " + " | ".join(kept[name]) + " |" for name in order if name in kept]
    words = {"where": " on GPUs", "options": "--gpus --table tests/real/GPUs.md", "device": "GPU",
             "several": "several (or on one that the layer twin_devices shows twice)"} if gpus else {
        "where": "", "options": "--table tests/real/README.md", "device": "PoCL device", "several": "several"}
    path.write_text(HEAD.format(**words) + "\n".join(lines) + "\n")


def main():
    options = arguments()
    if options.table and options.ways != list(options.all_ways):
        fail("a table has all ways: leave --ways out")
    if options.command and options.times:
        measured = measure(options, options.command[0], " ".join(options.command), ".")
        return not measured
    if options.command:
        _, good = play(options, options.command[0], " ".join(options.command), ".", options.ignore)
        return not good
    options.work.mkdir(parents=True, exist_ok=True)
    rows, bad, measured, built = {}, [], [], []
    for program in programs():
        if not re.search(options.only, program["name"]) or (options.gpus and options.times and not program["large"]):
            continue
        folder = build(options, program)
        if folder is None:
            bad.append(program["name"])
        elif options.times:
            command = program["large" if options.gpus else "run"]
            measured += filter(None, [measure(options, program["name"], command, folder, "zeros" in program)])
        else:
            built.append((program, folder))
    if options.times:
        return not measured or (print_means if options.gpus else print_medians)(measured)

    def play_it(one):
        program, folder = one
        return program["name"], *play(options, program["name"], program["run"], folder, program.get("ignore"), "zeros" in program,
                                      "host_memory" in program)

    with concurrent.futures.ThreadPoolExecutor(options.processes) as pool:
        for name, row, good in pool.map(play_it, built):
            if row:
                rows[name] = row
            if not good:
                bad.append(name)
            if options.table:
                write_table(options.table, options.ways, rows, options.gpus)
    print(f"{len(rows)} programs; {len(bad)} differ or do not run" + (": " + ", ".join(bad) if bad else ""))
    return bool(bad)


if __name__ == "__main__":
    sys.exit(main())
