#!/usr/bin/env python3
"""Runs programs on servers of a cluster on this machine: on one of its devices without samcl, and on all under sam-run.
What the server's device computes without PoCL's remote driver is right, too: that driver misplaces rows of host memory.

usage: on_cluster.py --sam-run PATH --sam-cluster PATH --pocl DIR [options] -- PROGRAM ARGUMENTS
With --lose, only under sam-run. Exit code 0: the same exit code and the same standard output, or with --lose the program
ended by itself and failed; 77: there is no PoCL with a remote driver in DIR.
"""

import argparse
import contextlib
import json
import os
import pathlib
import random
import re
import secrets
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
    parser.add_argument("--devices", type=int, default=1, help="of each server")
    parser.add_argument("--tunnelled", action="store_true", help="as if the servers did not reach each other")
    parser.add_argument("--port", type=int, default=17700)
    parser.add_argument("--ignore", default="$^", help="regular expression: output lines that may differ")
    parser.add_argument("--lose", type=float, help="end a server so many seconds after the program's begin: it must fail")
    parser.add_argument("--survive", type=whole_numbers, metavar="KERNELS,...",
                        help="run the program once for each number, or 'any' (1 to 40), and end a server when that has run so many kernels; it must go on, print the same, and say so")
    parser.add_argument("--managed", action="store_true", help="each server under a manager of its own")
    parser.add_argument("command", nargs="+")
    return parser.parse_args()


def whole_numbers(text):
    """'any' is one at random: small ones are as likely as large ones. SAMCL_SEED repeats what was drawn."""
    seed = int(os.environ.get("SAMCL_SEED", secrets.randbelow(2**32)))
    drawn = random.Random(seed)
    if "any" in text:
        print(f"SAMCL_SEED={seed}", flush=True)
    return [round(40 ** drawn.random()) if word == "any" else int(word) for word in text.split(",")]


def run(command, environment):
    return subprocess.run(command, env=environment, capture_output=True, text=True, errors="replace", stdin=subprocess.DEVNULL,
                          timeout=600)


def kill_server(file, server):
    os.kill(int(re.findall(r" pid (\d+)", pathlib.Path(file).read_text())[server]), signal.SIGKILL)


def fails_without_server(command, file, options):
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    time.sleep(options.lose)
    early = process.poll() is not None
    kill_server(file, -1)
    try:
        said = process.communicate(timeout=30)[0]
    except subprocess.TimeoutExpired:
        process.kill()
        said = "it did not end\n" + process.communicate()[0]
    print("ended before its server did" if early else f"exit code {process.returncode}", said, sep="\n")
    return not early and process.returncode > 0


def wait_for_kernels(process, trace, device, kernels):
    """Until the trace of a running process tells of so many on that device; False: it ended before."""
    ran, begin = f'"activity":"kernel","device":{device}', time.monotonic()
    while process.poll() is None:
        if trace.exists() and trace.read_text(errors="replace").count(ran) >= kernels:
            return True
        if time.monotonic() - begin > 60:
            raise RuntimeError(f"device {device} has not run {kernels} kernels in a minute")
        time.sleep(0.002)
    return False


def goes_on_without_server(command, file, options, kernels, server, expected):
    """That server is lost when it has run so many kernels. What is printed must be that of `expected`, which ran undisturbed."""
    trace, report = pathlib.Path(file + ".trace"), pathlib.Path(file + ".report")
    at = command.index("--")
    command = [*command[:at], "--trace", str(trace), f"--report={report}", *command[at:]]
    with tempfile.TemporaryFile("w+") as output, tempfile.TemporaryFile("w+") as errors:
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=output, stderr=errors, text=True)
        in_time = wait_for_kernels(process, trace, server, kernels)
        kill_server(file, server)
        try:
            process.wait(timeout=120)
            ended = "ended"
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            ended = "did not end"
        output.seek(0), errors.seek(0)
        done = subprocess.CompletedProcess(command, process.returncode, output.read(), errors.read())
    same = lines(done, options.ignore) == lines(expected, options.ignore)
    told = "is lost; the job goes on" in done.stderr
    again = sum(kernel["repeated_parts"] for kernel in json.loads(report.read_text())["kernels"]) if report.exists() else "no"
    print(f"server {server} ended after {kernels} kernels{'' if in_time else ', when the program had ended'}; the program {ended} with",
          f"{done.returncode}, {'the same' if same else 'other'} output, {again} parts again", flush=True)
    if in_time and same and told:
        return True
    print("expected:", expected.stdout[-2000:], "found:", done.stdout[-2000:], done.stderr[-4000:], sep="\n")
    return False


def lines(done, ignore):
    """What must be the same; patterns print times within a line."""
    said = re.sub(r'"\w+_ms":\[[^]]*\]', "", done.stdout)
    return [f"exit code {done.returncode}", *(line for line in said.splitlines() if not re.search(ignore, line))]


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


@contextlib.contextmanager
def servers(options, environment):
    """Gives the cluster's file; the servers end with the block."""
    managed = start_managers(options) if options.managed else []
    with tempfile.TemporaryDirectory() as folder:
        file = os.path.join(folder, "cluster")
        cluster = [options.sam_cluster, "--file", file]
        subprocess.run([*cluster, "up", "--local", str(options.servers), "--pocl", options.pocl, "--port", str(options.port), *managed],
                       env=dict(environment, POCL_DEVICES=" ".join(["basic"] * options.devices)), check=True)
        if options.tunnelled:
            pathlib.Path(file).write_text("tunnelled\n" + pathlib.Path(file).read_text())
        try:
            yield file
        finally:
            subprocess.run([*cluster, "down"], check=True)


def main():
    options = arguments()
    if not (pathlib.Path(options.pocl) / "bin/pocld").exists():
        print(f"skipped: there is no PoCL with a remote driver in {options.pocl}; tools/cluster/build-pocl-remote.sh builds it")
        return SKIPPED
    basic = dict(os.environ, POCL_DEVICES="basic")
    if options.survive:
        expected, right = run(options.command, basic), True
        for number, kernels in enumerate(options.survive):
            with servers(options, basic) as file:
                under_samcl = [options.sam_run, "--cluster", file, "--manager", "off", "--survive", "--", *options.command]
                right &= goes_on_without_server(under_samcl, file, options, kernels, number % options.servers, expected)
        return 0 if right else 1
    with servers(options, basic) as file:
        under_samcl = [options.sam_run, "--cluster", file, "--manager", "off", "--", *options.command]
        if options.lose:
            return 0 if fails_without_server(under_samcl, file, options) else 1
        without = run(options.command, first_device(file))
        alone = run(options.command, basic)
        under = run(under_samcl, os.environ)
    expected, without_network, found = (lines(done, options.ignore) for done in (without, alone, under))
    if found not in (expected, without_network):
        print("without samcl:", *expected, "under sam-run:", *found, under.stderr[-4000:], sep="\n")
        return 1
    if found != expected:
        print("other than without samcl, but as on the server's device without PoCL's remote driver")
    print(f"{len(found)} lines the same on {options.servers} servers")
    return 0


sys.exit(main())
