#!/usr/bin/env python3
"""What is wrong with the settings, or with what they name, is said once; the program does what it did without us.

PROGRAM must verify its own results. Each case gives it another environment, and what it must say on stderr.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile

LIMIT_S = 60
NO_SPLIT = "samcl: a program runs on one device: "


class Cases:
    def __init__(self, program, library, translator):
        self.program, self.failures = program, 0
        self.folder = tempfile.mkdtemp(prefix="bad_settings.")
        self.bare = {name: value for name, value in os.environ.items()
                     if not name.startswith("SAMCL_") and name not in ("LD_PRELOAD", "OPENCL_LAYERS")}
        self.bare["POCL_DEVICES"] = "basic basic"
        self.shim = {**self.bare, "LD_PRELOAD": library, "SAMCL_MANAGER": "off", "SAMCL_CACHE_DIR": self.path("cache"),
                     "SAMCL_TRANSLATOR": translator}

    def path(self, name):
        return os.path.join(self.folder, name)

    def script(self, name, text):
        with open(self.path(name), "w") as file:
            file.write("#!/bin/sh\n" + text + "\n")
        os.chmod(self.path(name), 0o755)
        return self.path(name)

    def run(self, environment):
        try:
            done = subprocess.run(self.program, env=environment, capture_output=True, text=True, timeout=LIMIT_S)
        except subprocess.TimeoutExpired:
            return "no end", [], ""
        checksum = [line for line in done.stdout.splitlines() if line.startswith(("checksum", "PASS", "FAIL"))]
        return done.returncode, checksum, done.stderr

    def check(self, name, warnings, changes, without=None):
        """warnings: parts of lines of stderr, one each; without: changes to the run without samcl."""
        expected = self.run({**self.bare, **(without or {})})
        status, said, complaints = self.run({**self.shim, **changes})
        ours = [line for line in complaints.splitlines() if line.startswith("samcl:")]
        good = (status, said) == expected[:2] and len(ours) == len(warnings) and \
            all(any(warning in line for line in ours) for warning in warnings)
        print(f"{'ok  ' if good else 'BAD '} {name}")
        if not good:
            self.failures += 1
            print(f"  without samcl: {expected}\n  with it: {status} {said}\n  it complained: {complaints}")


def check_translators(cases):
    cases.check("missing translator", [NO_SPLIT + "the translator /nonexistent can't be run"],
                {"SAMCL_TRANSLATOR": "/nonexistent"})
    for name, text, warning in [
            ("crashes", "kill -SEGV $$", "the translator crashed (signal 11)"),
            ("fails", "echo 'p.cl:1:1: error: no' >&2; exit 1", "p.cl:1:1: error: no"),
            ("prints garbage", "echo garbage {{{", "answer can't be read"),
            ("prints nothing it should", "echo '{}'", "answer can't be read"),
            ("prints without end", "exec yes", "longer than"),
            ("reads nothing", "exec <&-; echo '[]'", "answer can't be read")]:
        cases.check("translator " + name, [warning],
                    {"SAMCL_TRANSLATOR": cases.script(name.replace(" ", "_"), text)})


def check_caches(cases):
    cases.check("no settings but good ones", [], {"SAMCL_SPLIT": "always"})
    kept = os.listdir(cases.path("cache"))
    if not kept:
        cases.failures += 1
        print("BAD  nothing was kept")
    for name in kept:
        with open(cases.path("cache/" + name), "wb") as file:
            file.write(os.urandom(10_000))
    cases.check("cache of garbage", [], {"SAMCL_SPLIT": "always"})
    with open(cases.path("plain"), "w"):
        pass
    cases.check("cache that is a file", [], {"SAMCL_CACHE_DIR": cases.path("plain")})
    cases.check("cache that cannot be made", [], {"SAMCL_CACHE_DIR": "/proc/nowhere/cache"})


def check_variables(cases):
    cases.check("nonsense", ["SAMCL_GPUS=-1 ", "SAMCL_SPLIT=y ", "SAMCL_SPLIT_PRINTF=w ", "SAMCL_MANAGER=z ", "SAMCL_DIRECT=q ",
                             "SAMCL_TRANSPORT=p ", "SAMCL_SUBMISSION=o ", "SAMCL_STRANDS=n ", "SAMCL_GATHERING=m ",
                             "report could not be written to /nonexistent/report"],
                {"SAMCL_GPUS": "-1", "SAMCL_SPLIT": "y", "SAMCL_SPLIT_PRINTF": "w", "SAMCL_MANAGER": "z", "SAMCL_DIRECT": "q",
                 "SAMCL_TRANSPORT": "p", "SAMCL_SUBMISSION": "o", "SAMCL_STRANDS": "n", "SAMCL_GATHERING": "m",
                 "SAMCL_REPORT": "/nonexistent/report", "SAMCL_INSTANCE": "nobody"})
    cases.check("more GPUs than there are", [], {"SAMCL_GPUS": "99"})
    cases.check("unknown device", ["no device '9'"], {"SAMCL_DEVICES": "9"})
    cases.check("devices that are no list", ["SAMCL_DEVICES is ignored"], {"SAMCL_DEVICES": ",,;"})
    cases.check("instance that is no name", [], {"SAMCL_INSTANCE": "../../etc", "SAMCL_MANAGER": "auto"})


def check_no_opencl(cases):
    nowhere = {"OCL_ICD_VENDORS": "/nonexistent"}
    cases.check("no driver", [], nowhere, without=nowhere)
    cases.check("OpenCL that is none", ["SAMCL_OPENCL=/etc/passwd is not an OpenCL loader"],
                {"SAMCL_OPENCL": "/etc/passwd"}, without=nowhere)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--library", required=True)
    parser.add_argument("--translator", required=True)
    parser.add_argument("program", nargs="+", metavar="PROGRAM")
    chosen, rest = parser.parse_known_args()
    cases = Cases(chosen.program + rest, chosen.library, chosen.translator)
    try:
        for check in (check_translators, check_caches, check_variables, check_no_opencl):
            check(cases)
    finally:
        shutil.rmtree(cases.folder, ignore_errors=True)
    return cases.failures > 0


if __name__ == "__main__":
    sys.exit(main())
