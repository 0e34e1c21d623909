#!/usr/bin/env python3
"""Whether programs end under samcl as they end without it.

Each WAY of process_end, and library_closed, runs on the bare driver, under the library alone on one and on two
devices, and under a private daemon. Each time it must end with the same status (a signal is a status too) and
say the same, within the time limit, and leave nothing: no process, no shared memory, no message queue.
"""

import argparse
import collections
import ctypes
import ctypes.util
import glob
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import uuid

# To end, and for what a program leaves to be gone after that. The embedded daemon looks for its program's end.
LIMIT_S = 20
GRACE_S = 5
MARK = "SAMCL_TEST_MARK"

End = collections.namedtuple("End", "status said left seconds")


def marked(mark):
    """The processes that carry the mark in their environment, by id and name."""
    found = {}
    for entry in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{entry}/environ", "rb") as environment:
                if f"{MARK}={mark}".encode() not in environment.read().split(b"\0"):
                    continue
            with open(f"/proc/{entry}/stat") as stat:
                text = stat.read()
            if text[text.rindex(")") + 2] != "Z":
                found[int(entry)] = text[text.index("(") + 1:text.rindex(")")]
        except OSError:
            continue  # gone, or not ours
    return found


system = ctypes.CDLL(ctypes.util.find_library("c"), use_errno=True)


def queue_exists(name):
    descriptor = system.mq_open(name.encode(), os.O_RDONLY)
    if descriptor >= 0:
        os.close(descriptor)
    return descriptor >= 0


def names_of(pid):
    """What the private daemon of that process has in the system's name spaces."""
    queues = [f"/samcl.run.{pid}.requests", f"/samcl.run.{pid}.reply.{pid}"]
    return glob.glob(f"/dev/shm/*samcl.run.{pid}.*") + list(filter(queue_exists, queues))


def remove_names_of(pid):
    """What a daemon that had to be killed could not do."""
    for name in names_of(pid):
        if name.startswith("/dev/shm/"):
            os.unlink(name)
        else:
            system.mq_unlink(name.encode())


def wait_until_nothing(look, seconds):
    """Nothing twice: who forks and ends while /proc is read is not seen, nor is what it left."""
    deadline = time.monotonic() + seconds
    nothing = 0
    while nothing < 2:
        left = look()
        nothing = 0 if left else nothing + 1
        if left and time.monotonic() >= deadline:
            return left
        if nothing < 2:
            time.sleep(0.05)
    return []


def run(command, environment):
    mark = uuid.uuid4().hex
    begin = time.monotonic()
    with tempfile.TemporaryFile("w+") as said:
        program = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=said, stderr=subprocess.STDOUT,
                                   env={**environment, MARK: mark}, start_new_session=True)
        try:
            status = program.wait(LIMIT_S)
        except subprocess.TimeoutExpired:
            status = "no end"
        seconds = time.monotonic() - begin
        left = [] if status != "no end" else ["itself"]
        left += wait_until_nothing(lambda: list(marked(mark).values()), 0 if left else GRACE_S)
        program.kill()  # its main thread may be gone while others keep it alive
        for pid in marked(mark):
            os.kill(pid, signal.SIGKILL)
        program.wait()
        left += wait_until_nothing(lambda: names_of(program.pid), GRACE_S)
        remove_names_of(program.pid)
        said.seek(0)
        return End(status, said.read(), left, seconds)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sam-run", required=True)
    parser.add_argument("--library", required=True)
    parser.add_argument("--translator", required=True)
    parser.add_argument("--without", nargs="*", default=[], help="settings that are left out")
    parser.add_argument("--times", type=int, default=1, help="how often each")
    parser.add_argument("command", nargs="+", help="PROGRAM WAY[,WAY...]")
    chosen = parser.parse_args()
    program, ways = chosen.command[0], chosen.command[1].split(",")

    bare = {name: value for name, value in os.environ.items()
            if not name.startswith("SAMCL_") and name not in ("LD_PRELOAD", "OPENCL_LAYERS")}
    cache = tempfile.mkdtemp(prefix="same_end.")
    shim = {**bare, "SAMCL_CACHE_DIR": cache, "SAMCL_TRANSLATOR": chosen.translator, "SAMCL_SPLIT": "always",
            "SAMCL_DIRECT": "off"}
    alone = {**shim, "LD_PRELOAD": chosen.library, "SAMCL_MANAGER": "off"}
    embedded = [chosen.sam_run, "--manager", "embedded", "--"]
    settings = {"on 1 device": ([], alone, 1), "on 2 devices": ([], alone, 2),
                "on 2 managed devices": (embedded, shim, 2)}

    failures = 0
    try:
        for way in ways:
            expected = run([program, way], {**bare, "POCL_DEVICES": "basic basic"})
            for name, (before, environment, devices) in settings.items():
                if name in chosen.without:
                    continue
                for _ in range(chosen.times):
                    end = run([*before, program, way],
                              {**environment, "POCL_DEVICES": " ".join(["basic"] * devices)})
                    good = (end.status, end.said) == (expected.status, expected.said) and not end.left
                    print(f"{'ok  ' if good else 'BAD '} {way} {name}: {end.status} after {end.seconds:.1f} s")
                    if not good:
                        failures += 1
                        print(f"  without samcl: {expected.status}, said {expected.said!r}\n"
                              f"  with it: said {end.said!r}, left {end.left}")
    finally:
        shutil.rmtree(cache, ignore_errors=True)
    return failures > 0


if __name__ == "__main__":
    sys.exit(main())
