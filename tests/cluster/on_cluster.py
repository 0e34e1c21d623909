#!/usr/bin/env python3
"""Runs programs on servers of a cluster on this machine: on one of its devices without samcl, and on all under sam-run.
What the server's device computes without PoCL's remote driver is right, too: that driver misplaces rows of host memory.

usage: on_cluster.py --sam-run PATH --sam-cluster PATH --pocl DIR [options] -- PROGRAM ARGUMENTS
With --lose, only under sam-run. Exit code 0: the same exit code and the same standard output, or with --lose the program
ended by itself and failed (with --survive: went on and said so); 77: there is no PoCL with a remote driver in DIR.
"""

import argparse
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time

SKIPPED = 77


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sam-run", required=True)
    parser.add_argument("--sam-cluster", required=True)
    parser.add_argument("--pocl", required=True, help="where PoCL with its remote driver is installed")
    parser.add_argument("--servers", type=int, default=2)
    parser.add_argument("--port", type=int, default=17700)
    parser.add_argument("--ignore", default="$^", help="regular expression: output lines that may differ")
    parser.add_argument("--lose", type=float, help="end a server so many seconds after the program's begin: it must fail")
    parser.add_argument("--survive", action="store_true", help="with --lose: so long after that server has been used; it must go on, print the same, and say so")
    parser.add_argument("--first", action="store_true", help="with --lose: the first server, not the last")
    parser.add_argument("--managed", action="store_true", help="each server under a manager of its own")
    parser.add_argument("command", nargs="+")
    return parser.parse_args()


def run(command, environment):
    return subprocess.run(command, env=environment, capture_output=True, text=True, errors="replace", stdin=subprocess.DEVNULL,
                          timeout=600)


def kill_server(file, options):
    pids = re.findall(r" pid (\d+)", pathlib.Path(file).read_text())
    os.kill(int(pids[0 if options.first else -1]), signal.SIGKILL)


def fails_without_server(command, file, options):
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    time.sleep(options.lose)
    early = process.poll() is not None
    kill_server(file, options)
    try:
        said = process.communicate(timeout=30)[0]
    except subprocess.TimeoutExpired:
        process.kill()
        said = "it did not end\n" + process.communicate()[0]
    print("ended before its server did" if early else f"exit code {process.returncode}", said, sep="\n")
    return not early and process.returncode > 0


def goes_on_without_server(command, file, options, expected):
    """A server is lost so long after it has first been used. What is printed must be that of `expected`, which ran
    undisturbed."""
    trace = pathlib.Path(file + ".trace")
    command = [*command[:command.index("--")], "--trace", str(trace), *command[command.index("--"):]]
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    used = f'"activity":"kernel","device":{0 if options.first else options.servers - 1}'
    while process.poll() is None and not (trace.exists() and used in trace.read_text(errors="replace")):
        time.sleep(0.1)
    time.sleep(options.lose)
    early = process.poll() is not None
    kill_server(file, options)
    try:
        said, warned = process.communicate(timeout=120)
    except subprocess.TimeoutExpired:
        process.kill()
        said, warned = process.communicate()
        warned += "it did not end\n"
    done = subprocess.CompletedProcess(command, process.returncode, said, warned)
    same = lines(done, options.ignore) == lines(expected, options.ignore)
    print("ended before its server did" if early else f"exit code {process.returncode}", said, warned, sep="\n")
    return not early and same and "is lost; the job goes on" in warned


def lines(done, ignore):
    return [f"exit code {done.returncode}", *(line for line in done.stdout.splitlines() if not re.search(ignore, line))]


def first_device(file):
    words = pathlib.Path(file).read_text().split()
    return dict(os.environ, OCL_ICD_VENDORS=words[words.index("vendors") + 1], POCL_DEVICES="remote",
                POCL_REMOTE0_PARAMETERS=words[words.index("server") + 1] + "/0")


def start_managers(options):
    """One for each server, which ends with us. Returns what sam-cluster is told of them."""
    instances = [f"cluster.{os.getpid()}.{number}" for number in range(options.servers)]
    for instance in instances:
        daemon = os.path.join(os.path.dirname(options.sam_run), "sam-managerd")
        process = subprocess.Popen([daemon, "--foreground", "--instance", instance, "--exit-with", str(os.getpid()), "--ready-fd", "1"],
                                   stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        if not process.stdout.readline():
            raise RuntimeError("a manager does not start")
    return ["--managed", "--instance", ",".join(instances), "--sam-run", options.sam_run]


def main():
    options = arguments()
    if not (pathlib.Path(options.pocl) / "bin/pocld").exists():
        print(f"skipped: there is no PoCL with a remote driver in {options.pocl}; tools/cluster/build-pocl-remote.sh builds it")
        return SKIPPED
    with tempfile.TemporaryDirectory() as folder:
        file = os.path.join(folder, "cluster")
        cluster = [options.sam_cluster, "--file", file]
        basic = dict(os.environ, POCL_DEVICES="basic")
        managed = start_managers(options) if options.managed else []
        subprocess.run([*cluster, "up", "--local", str(options.servers), "--pocl", options.pocl, "--port", str(options.port), *managed],
                       env=basic, check=True)
        survive = ["--survive"] if options.survive else []
        under_samcl = [options.sam_run, "--cluster", file, "--manager", "off", *survive, "--", *options.command]
        try:
            if options.lose and options.survive:
                return 0 if goes_on_without_server(under_samcl, file, options, run(options.command, basic)) else 1
            if options.lose:
                return 0 if fails_without_server(under_samcl, file, options) else 1
            without = run(options.command, first_device(file))
            alone = run(options.command, basic)
            under = run(under_samcl, os.environ)
        finally:
            subprocess.run([*cluster, "down"], check=True)
    expected, without_network, found = (lines(done, options.ignore) for done in (without, alone, under))
    if found not in (expected, without_network):
        print("without samcl:", *expected, "under sam-run:", *found, under.stderr[-4000:], sep="\n")
        return 1
    if found != expected:
        print("other than without samcl, but as on the server's device without PoCL's remote driver")
    print(f"{len(found)} lines the same on {options.servers} servers")
    return 0


sys.exit(main())
