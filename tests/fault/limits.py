#!/usr/bin/env python3
"""Programs under limits of the system (processes, descriptors, memory) end under samcl as without it, or with an OpenCL
error: never by a signal that they do not get without it, and in time.
"""

import argparse
import os
import resource
import shutil
import subprocess
import sys
import tempfile

LIMIT_S = 60
NOBODY = 65534
MEGABYTE = 1 << 20

# Limit, values. A process by itself counts as one.
LIMITS = [(resource.RLIMIT_NPROC, "processes", [1, 2, 3, 5]),
          (resource.RLIMIT_NOFILE, "descriptors", [6, 10, 16, 24]),
          (resource.RLIMIT_AS, "bytes of memory", [400 * MEGABYTE, 600 * MEGABYTE, 1000 * MEGABYTE])]


def run(command, environment, limit, value):
    def restrict():
        resource.setrlimit(limit, (value, value))
        if limit == resource.RLIMIT_NPROC and os.getuid() == 0:
            os.setgroups([])
            os.setgid(NOBODY)
            os.setuid(NOBODY)  # the limit does not hold for root

    try:
        done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                              timeout=LIMIT_S, preexec_fn=restrict)
    except subprocess.TimeoutExpired:
        return "no end", ""
    return done.returncode, done.stdout + done.stderr


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--library", required=True)
    parser.add_argument("--translator", required=True)
    parser.add_argument("program", nargs="+", metavar="PROGRAM")
    chosen, rest = parser.parse_known_args()
    command = chosen.program + rest
    folder = tempfile.mkdtemp(prefix="limits.")
    os.chmod(folder, 0o777)
    bare = {name: value for name, value in os.environ.items()
            if not name.startswith("SAMCL_") and name not in ("LD_PRELOAD", "OPENCL_LAYERS")}
    bare |= {"POCL_DEVICES": "basic basic", "POCL_CACHE_DIR": folder, "HOME": folder}
    shim = {**bare, "LD_PRELOAD": chosen.library, "SAMCL_MANAGER": "off", "SAMCL_SPLIT": "always",
            "SAMCL_CACHE_DIR": os.path.join(folder, "cache"), "SAMCL_TRANSLATOR": chosen.translator}
    failures = 0
    try:
        # Its translation is in the cache from now on, or no kernel would be built for several devices under the limits.
        for environment in bare, shim:
            run(command, environment, resource.RLIMIT_NPROC, resource.getrlimit(resource.RLIMIT_NPROC)[1])
        for limit, name, values in LIMITS:
            for value in values:
                expected, _ = run(command, bare, limit, value)
                status, said = run(command, shim, limit, value)
                good = status == expected or (status == 1 and "CL_" in said)
                print(f"{'ok  ' if good else 'BAD '} {value} {name}: {status}, without samcl {expected}")
                if not good:
                    failures += 1
                    print(said[-2000:])
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return failures > 0


if __name__ == "__main__":
    sys.exit(main())
