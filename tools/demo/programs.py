"""Runs the benchmark programs, bare or under sam-run, and reads the JSON line they end with."""

import json
import pathlib
import subprocess
import sys


class Failed(Exception):
    """A program did not do what it should have; the text says which and what it printed."""


def command(bin_folder, program, arguments, sam_run=None):
    """The command line of a program; with sam_run, a list of sam-run's options, under sam-run."""
    bin_folder = pathlib.Path(bin_folder)
    before = [] if sam_run is None else [str(bin_folder / "sam-run"), *sam_run, "--"]
    return [*before, str(bin_folder / "programs" / program), *map(str, arguments), "--json"]


def result(program, exit_code, out, err):
    """The program's JSON, if it passed its own check."""
    lines = out.strip().splitlines()
    try:
        answer = json.loads(lines[-1])
    except (IndexError, ValueError):
        answer = {}
    if exit_code != 0 or not answer.get("passed"):
        raise Failed(f"{program} failed with exit code {exit_code}:\n{out}{err}")
    return answer


def run(bin_folder, program, arguments, sam_run=None):
    """Runs a program to its end: (its JSON, what it and samcl wrote to stderr)."""
    done = subprocess.run(command(bin_folder, program, arguments, sam_run), capture_output=True, text=True)
    return result(program, done.returncode, done.stdout, done.stderr), done.stderr


def median_ms(answer):
    """Time of one job as the host sees it, from its release to its result."""
    return answer["median"]["total"]["host_ms"]


def main(body):
    """Calls body(bin folder); failures are told without a traceback."""
    if len(sys.argv) != 2:
        sys.exit(f"usage: {sys.argv[0]} BIN_FOLDER")
    try:
        body(sys.argv[1])
    except Failed as failure:
        sys.exit(f"samcl demo: {failure}")
