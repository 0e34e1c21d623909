#!/usr/bin/env python3
"""Compares a halo stencil and a matrix product on servers of this machine, joined, with one of their devices alone. In each
round every way runs once; all must print the same checksum. Needs PoCL's remote driver (tools/cluster).

    benchmarks/cluster.py                         # two servers, each of one core
    benchmarks/cluster.py --client-link 100       # as if what passes through this machine shared a link of 100 MB/s
    benchmarks/cluster.py --devices 2             # of each server

Ways: alone is one server's device without samcl; through: under samcl, bytes between devices pass through this machine
(SAMCL_TRANSPORT=staged); within: devices of one server exchange them there (one-server; with --devices); direct: servers do so,
too (one-context); auto: as samcl chooses by what it measures here.
Times are of a step of the stencil (4096 x 4096 floats, from the first launch of a job to the end of its last), and of the
whole product (--inner 768: three matrices of 768 x 768 floats), of the fastest job after the first one of a process, since
what else the machine does only adds to it; ratios are to alone, below 1 is faster. The client's link is a relay of this script: the servers' own connections do not pass it.
Exit code 0: all gave the same; 77: there is no PoCL with its remote driver.
"""

import argparse
import asyncio
import json
import math
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import threading

WAYS = {"alone": None, "through": "staged", "within": "one-server", "direct": "one-context", "auto": "auto"}


def parser_for(description):
    """What every script about servers asks for: where our programs are, and PoCL."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    here = pathlib.Path(__file__).resolve().parent
    parser.add_argument("--bin", type=pathlib.Path, default=here.parent / "build/release/bin", help="default: the release build's")
    parser.add_argument("--pocl", default=str(pathlib.Path.home() / ".local/share/samcl/pocl"), help="where PoCL with its remote driver is")
    return parser


def arguments():
    parser = parser_for(__doc__)
    parser.add_argument("--servers", type=int, default=2)
    parser.add_argument("--devices", type=int, default=1, help="of each server")
    parser.add_argument("--port", type=int, default=18700)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--jobs", type=int, default=4, help="of each run, the first included")
    parser.add_argument("--inner", type=int, default=768, help="rows and columns of the matrices")
    parser.add_argument("--small", action="store_true", help="a small stencil, too: to try this script")
    parser.add_argument("--client-link", type=float, metavar="MB/S", help="default: this machine's own loopback")
    options = parser.parse_args()
    if options.servers < 2 or options.devices < 1 or options.rounds < 1 or options.jobs < 2 or (options.client_link or 1) <= 0:
        parser.error("at least 2 servers, 1 device, 1 round, 2 jobs, and a link with a rate")
    return options


class Link:
    """Relays connections, all those of one direction together at a rate."""

    def __init__(self, megabytes_per_second):
        self.rate = megabytes_per_second * 1e6
        self.loop = asyncio.new_event_loop()
        self.busy_until = {"up": 0.0, "down": 0.0}
        threading.Thread(target=self.loop.run_forever, daemon=True).start()

    async def copy(self, reader, writer, direction):
        try:
            while data := await reader.read(1 << 16):
                now = self.loop.time()
                self.busy_until[direction] = max(now, self.busy_until[direction]) + len(data) / self.rate
                await asyncio.sleep(self.busy_until[direction] - now)
                writer.write(data)
                await writer.drain()
        except OSError:
            pass
        writer.close()

    def relay(self, port, to):
        async def accept(reader, writer):
            other_reader, other_writer = await asyncio.open_connection("127.0.0.1", to)
            await asyncio.gather(self.copy(reader, other_writer, "up"), self.copy(other_reader, writer, "down"))

        asyncio.run_coroutine_threadsafe(asyncio.start_server(accept, "127.0.0.1", port), self.loop).result()


def behind(link, text):
    """The cluster's file, its servers behind the link."""
    for address, port in re.findall(r"server (\S+):(\d+)", text):
        relayed = int(port) + 5
        for offset in range(2):
            link.relay(relayed + offset, int(port) + offset)
        text = text.replace(f"{address}:{port}", f"{address}:{relayed}")
    return text


def stencil(options):
    command = ["patterns", "jacobi2d", "--size", "small" if options.small else "usual", "--jobs", str(options.jobs)]
    return command, lambda said: min(said["kernel_ms"][1:]) / said["steps"]


def product(options):
    size = str(options.inner)
    command = ["MatrixMultiplication", "--rows", size, "--columns", size, "--inner", size, "--warmup", "1",
               "--iterations", str(options.jobs - 1), "--json"]
    return command, lambda said: min(said["totals_ms"])


def run(way, words, file, options):
    command = [str(options.bin / "programs" / words[0]), *words[1:]]
    cluster = file.read_text().split()
    environment = dict(os.environ, OCL_ICD_VENDORS=cluster[cluster.index("vendors") + 1], POCL_DEVICES="remote",
                       POCL_REMOTE0_PARAMETERS=cluster[cluster.index("server") + 1] + "/0")
    if WAYS[way]:
        environment = dict(os.environ, SAMCL_TRANSPORT=WAYS[way])
        command = [str(options.bin / "sam-run"), "--cluster", str(file), "--manager", "off", "--", *command]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=1200)
    if done.returncode != 0:
        sys.exit(f"{words[0]} {way}: exit code {done.returncode}\n{done.stdout}{done.stderr}")
    return json.loads(done.stdout.splitlines()[-1])


def main():
    options = arguments()
    if not os.access(pathlib.Path(options.pocl) / "bin/pocld", os.X_OK):
        print(f"there is no PoCL with a remote driver in {options.pocl}; tools/cluster/build-pocl-remote.sh builds it")
        return 77
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "cluster"
        cluster = [str(options.bin / "sam-cluster"), "--file", str(file)]
        subprocess.run([*cluster, "up", "--local", str(options.servers), "--pocl", options.pocl, "--port", str(options.port)],
                       env=dict(os.environ, POCL_DEVICES=" ".join(["basic"] * options.devices)), check=True, stdout=subprocess.DEVNULL)
        try:
            reached = file
            if options.client_link:
                reached = file.with_name("behind")
                reached.write_text(behind(Link(options.client_link), file.read_text()))
            ways = [way for way in WAYS if way != "within" or options.devices > 1]
            print("ms, and ratio to alone".ljust(28), *(way.rjust(16) for way in ways))
            for case in (stencil, product):
                command, time_of = case(options)
                fastest, sums = dict.fromkeys(ways, math.inf), set()
                for _ in range(options.rounds):
                    for way in ways:
                        said = run(way, command, reached, options)
                        fastest[way] = min(fastest[way], time_of(said))
                        sums.add(said["checksum"])
                if len(sums) != 1:
                    sys.exit(f"{case.__name__}: checksums differ: {sums}")
                print(case.__name__.ljust(28),
                      *(f"{ms:.2f} ({ms / fastest['alone']:.2f})".rjust(16) for ms in fastest.values()), flush=True)
        finally:
            subprocess.run([*cluster, "down"], check=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
