#!/usr/bin/env python3
"""Measures what priorities are worth on a cluster: how long jobs of an urgent program take on two servers of this machine, each
under a manager of its own as if they stood on two machines, alone and beside a program that keeps both busy. Needs PoCL's
remote driver (tools/cluster).

    benchmarks/cluster_priorities.py

Both multiply matrices, the urgent one small ones (--urgent), the other one larger ones (--lazy) without end. Ways: as tasks of
the same weight; of the same priority, where each kernel of the other one ends first; the urgent one of a higher one; and
without managers. Times are of whole jobs, ms. Threads get no real-time priorities unless --real-time says so.
Exit code 0; 77: there is no PoCL with its remote driver.
"""

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

from cluster import parser_for

TASKS = ("urgent", "lazy")


def arguments():
    parser = parser_for(__doc__)
    parser.add_argument("--port", type=int, default=19700)
    parser.add_argument("--urgent", default="256", help="rows and columns of the urgent program's matrices")
    parser.add_argument("--lazy", default="512", help="of the other one's")
    parser.add_argument("--jobs", default="16", help="of the urgent program, each way")
    parser.add_argument("--real-time", action="store_true", help="the manager may give threads real-time priorities")
    return parser.parse_args()


class Cluster:
    """Two managers and, for each program, a server under each of them."""

    def __init__(self, options, folder):
        self.options, self.folder = options, folder
        self.before = [] if options.real_time else ["setpriv", "--bounding-set=-sys_nice", "--inh-caps=-sys_nice"]
        self.environment = dict(os.environ, POCL_DEVICES="basic", SAMCL_SPLIT="always", SAMCL_CACHE_DIR=f"{folder}/cache")
        self.instances = [f"cluster-priorities-{os.getpid()}-{machine}" for machine in "ab"]
        self.managers, self.port = [], options.port

    def __enter__(self):
        for instance in self.instances:
            ready, tell = os.pipe()
            self.managers.append(subprocess.Popen(
                [*self.before, self.options.bin / "sam-managerd", "--foreground", "--instance", instance, "--exit-with", str(os.getpid()),
                 "--ready-fd", str(tell)], env=self.environment, pass_fds=[tell], stderr=subprocess.DEVNULL))
            os.close(tell)
            if not os.read(ready, 1):
                sys.exit("a manager did not start")
            os.close(ready)
        return self

    def __exit__(self, *_):
        self.down()
        for manager in self.managers:
            manager.terminate()
            manager.wait()

    def register(self, task, *words):
        for instance in self.instances:
            self.run("sam-ctl", "--instance", instance, "register", task, *words)

    def up(self, managed):
        for task in TASKS:
            words = ["--managed", "--task", task, "--instance", ",".join(self.instances)] if managed else []
            self.run("sam-cluster", "--file", f"{self.folder}/{task}", "up", "--local", "2", "--pocl", self.options.pocl, "--port",
                     str(self.port), *words)
            self.port += 50

    def down(self):
        for task in TASKS:
            if os.path.exists(f"{self.folder}/{task}"):
                self.run("sam-cluster", "--file", f"{self.folder}/{task}", "down")

    def run(self, command, *words):
        subprocess.run([*self.before, self.options.bin / command, *words], env=self.environment, check=True, stdout=subprocess.DEVNULL)

    def start(self, task, size, jobs):
        return subprocess.Popen(
            [*self.before, self.options.bin / "sam-run", "--cluster", f"{self.folder}/{task}", "--",
             self.options.bin / "programs/MatrixMultiplication", "--rows", size, "--columns", size, "--inner", size, "--iterations", jobs,
             "--unverified", "--json"], env=self.environment, stdout=subprocess.PIPE, text=True)

    def measure(self, way):
        printed = self.start("urgent", self.options.urgent, self.options.jobs).communicate(timeout=600)[0]
        times = json.loads(next(line for line in printed.splitlines() if line.startswith("{")))["totals_ms"]
        print(f"{way:<30}{statistics.median(times):10.1f}{min(times):10.1f}{max(times):10.1f}", flush=True)

    def measure_beside(self, way):
        lazy = self.start("lazy", self.options.lazy, "1000000")
        time.sleep(3)  # its program is built, and the other one's at most once
        if lazy.poll() is not None:
            sys.exit("the other program ended")
        self.measure(way)
        lazy.terminate()
        lazy.wait()
        lazy.stdout.close()


def main():
    options = arguments()
    if not os.path.exists(f"{options.pocl}/bin/pocld"):
        print(f"there is no PoCL with a remote driver in {options.pocl}; tools/cluster/build-pocl-remote.sh builds it")
        return 77
    with tempfile.TemporaryDirectory() as folder, Cluster(options, folder) as cluster:
        print(f"{'jobs of the urgent program':<30}{'median ms':>10}{'least':>10}{'most':>10}")
        for task in TASKS:
            cluster.register(task, "--weight", "1")
        cluster.up(managed=True)
        cluster.measure("alone")
        cluster.measure_beside("same weights")
        for task in TASKS:
            cluster.register(task, "--priority", "10", "--period", "10s")
        cluster.measure_beside("same priorities")
        cluster.register("urgent", "--priority", "20", "--period", "10s")
        cluster.measure_beside("a higher priority")
        cluster.down()
        cluster.up(managed=False)
        cluster.measure_beside("no managers")
    return 0


if __name__ == "__main__":
    sys.exit(main())
