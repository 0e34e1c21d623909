#!/usr/bin/env python3
"""Checks that includes between the rooms of this repository run one way only.

A room is a folder. ROOMS below names each with the rooms whose headers its files may include; a new arrow is either wrong
or to be entered there, in sight of all; no room may reach itself. Tests and what only they use may include anything.

  arrows.py             exit code 0: all is as it should be; 1: it is not, and what is wrong is printed
  arrows.py --print     the arrows as they are
"""

import argparse
import collections
import os
import re
import sys

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")

# Bottom first.
ROOMS = {
    "base": [],
    "contract": [],
    "contract/footprint": ["base", "contract"],
    "kernel-translator/client": ["base", "contract"],
    "kernel-translator/ir": ["contract", "contract/footprint"],
    "kernel-translator/read": ["base", "contract", "kernel-translator/client", "kernel-translator/ir"],
    "kernel-translator/rewrite": ["kernel-translator/read"],
    "kernel-translator/judge": ["kernel-translator/ir", "kernel-translator/read"],
    "kernel-translator/footprint": ["contract/footprint", "kernel-translator/ir", "kernel-translator/read"],
    "kernel-translator/instructions": ["base", "kernel-translator/ir", "kernel-translator/read"],
    "kernel-translator": ["base", "contract", "contract/footprint", "kernel-translator/client", "kernel-translator/footprint",
                          "kernel-translator/instructions", "kernel-translator/judge", "kernel-translator/read",
                          "kernel-translator/rewrite"],
    "kernel-translator/check": ["base", "contract/footprint", "kernel-translator", "kernel-translator/client"],
    "kernel-translator/survey": ["base", "contract/footprint", "kernel-translator", "kernel-translator/client"],
    "analysis/model": ["base"],
    "analysis/simd": [],
    "analysis/generator": ["analysis/model"],
    "analysis/dag": ["analysis/csv", "analysis/json", "analysis/model", "base"],
    "analysis/dbf": ["analysis/generator", "analysis/model", "analysis/simd"],
    "analysis/rta": ["analysis/model", "analysis/simd"],
    "analysis/modes": ["analysis/generator", "analysis/model", "analysis/rta"],
    "analysis/sim": ["analysis/model", "analysis/rta"],
    "analysis/locking": ["analysis/model", "base"],
    "analysis/json": ["analysis/dbf", "analysis/locking", "analysis/model", "analysis/rta", "base"],
    "analysis/draw": ["analysis/sim", "base"],
    "analysis/experiment": ["analysis/generator", "analysis/json", "analysis/model", "analysis/modes", "base"],
    "analysis/locking/experiment": ["analysis/experiment", "analysis/generator", "analysis/locking", "analysis/model"],
    "analysis/makespan": ["analysis/draw", "analysis/experiment", "base"],
    "analysis/access": ["analysis/experiment", "analysis/generator", "analysis/json", "analysis/locking", "analysis/model", "analysis/rta"],
    "analysis/exchange": ["analysis/csv", "analysis/locking", "analysis/model", "base"],
    "analysis/csv": ["analysis/json", "analysis/model", "analysis/rta", "base"],
    "sam-manager/protocol": ["base"],
    "sam-manager/registry": ["base", "sam-manager/protocol"],
    "sam-manager/scheduler": ["analysis/locking", "sam-manager/protocol"],
    "sam-manager/planning": ["analysis/json", "analysis/locking", "analysis/model", "analysis/modes", "analysis/rta", "base",
                             "sam-manager/registry", "sam-manager/scheduler"],
    "sam-manager/daemon": ["analysis/model", "base", "sam-manager/planning", "sam-manager/protocol",
                           "sam-manager/registry", "sam-manager/scheduler"],
    "libsamcl/driver": ["base", "kernel-translator/client"],
    "libsamcl/lease": ["base", "sam-manager/protocol"],
    "libsamcl/threads": ["base"],
    "libsamcl/settings": ["libsamcl/driver"],
    "libsamcl/coherence": ["base"],
    "libsamcl/cost": ["base", "contract"],
    "libsamcl/engine": ["base"],
    "libsamcl/observe": ["base", "libsamcl/engine", "libsamcl/settings"],
    "libsamcl/transfer": ["base", "libsamcl/driver"],
    "libsamcl/device": ["base", "contract", "libsamcl/coherence", "libsamcl/cost", "libsamcl/driver",
                        "libsamcl/engine", "libsamcl/lease", "libsamcl/observe", "libsamcl/settings",
                        "libsamcl/threads", "libsamcl/transfer"],
    "libsamcl/memory": ["base", "libsamcl/coherence", "libsamcl/device", "libsamcl/driver", "libsamcl/engine",
                        "libsamcl/observe"],
    "libsamcl/backend": ["base", "libsamcl/device", "libsamcl/driver", "libsamcl/engine", "libsamcl/memory",
                         "libsamcl/observe", "libsamcl/threads", "libsamcl/transfer"],
    "libsamcl/merge": ["contract", "libsamcl/device", "libsamcl/memory", "libsamcl/observe"],
    "libsamcl/objects": ["base", "libsamcl/backend", "libsamcl/coherence", "libsamcl/cost", "libsamcl/device",
                         "libsamcl/driver", "libsamcl/engine", "libsamcl/lease", "libsamcl/memory",
                         "libsamcl/observe", "libsamcl/settings", "libsamcl/threads", "libsamcl/transfer"],
    "libsamcl/program": ["base", "contract", "contract/footprint", "kernel-translator/client", "libsamcl/cost",
                         "libsamcl/device", "libsamcl/driver", "libsamcl/objects", "libsamcl/observe",
                         "libsamcl/settings", "libsamcl/threads"],
    "libsamcl/plan": ["base", "contract", "contract/footprint", "libsamcl/cost", "libsamcl/driver",
                      "libsamcl/memory", "libsamcl/objects", "libsamcl/observe", "libsamcl/program",
                      "libsamcl/settings"],
    "libsamcl/commands": ["base", "contract", "libsamcl/backend", "libsamcl/coherence", "libsamcl/cost",
                          "libsamcl/device", "libsamcl/driver", "libsamcl/merge", "libsamcl/objects",
                          "libsamcl/observe", "libsamcl/plan", "libsamcl/program", "libsamcl/settings"],
    "libsamcl/api": ["base", "libsamcl/commands", "libsamcl/device", "libsamcl/driver", "libsamcl/objects", "libsamcl/observe", "libsamcl/plan",
                     "libsamcl/program", "libsamcl/settings", "libsamcl/threads", "libsamcl/transfer"],
}

# Rooms above all of these: programs.
PROGRAMS = ["analysis/cli", "analysis/python", "benchmarks", "tools"]

INCLUDE = re.compile(r'#include "([^"]+)"')


def is_test(path):
    return path.endswith("_test.cc") or "/testing/" in path or "/tests/" in path


def room_of(path):
    folder = os.path.dirname(path)
    while folder and folder not in ROOMS and folder not in PROGRAMS:
        folder = os.path.dirname(folder)
    return folder


def sources():
    for top in sorted({room.split("/")[0] for room in [*ROOMS, *PROGRAMS]}):
        for folder, _, names in os.walk(os.path.join(ROOT, top)):
            for name in sorted(names):
                if name.endswith((".cc", ".h")):
                    yield os.path.relpath(os.path.join(folder, name), ROOT)


def found_arrows():
    """(from, to) -> 'file includes file' lines."""
    arrows = collections.defaultdict(list)
    for path in sources():
        if is_test(path):
            continue
        with open(os.path.join(ROOT, path), encoding="utf-8") as lines:
            for line in lines:
                include = INCLUDE.match(line)
                target = room_of(include[1]) if include else ""
                if target and target != room_of(path):
                    arrows[room_of(path), target].append(f"{path} includes {include[1]}")
    return arrows


def in_circles(arrows):
    """Rooms that reach themselves by these arrows."""
    def reached(room, seen):
        for source, target in arrows:
            if source == room and target not in seen:
                seen.add(target)
                reached(target, seen)
        return seen
    return {room for room in ROOMS if room in reached(room, set())}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--print", action="store_true", help="show the arrows as they are")
    options = parser.parse_args()
    arrows = found_arrows()
    if options.print:
        for room in [*ROOMS, *PROGRAMS]:
            print(f"{room:27} -> {', '.join(sorted(to for source, to in arrows if source == room))}")
        return 0
    wrong = [f"{source} -> {to} is not declared: {why[0]}" for (source, to), why in sorted(arrows.items())
             if source not in PROGRAMS and to not in ROOMS[source]]
    wrong += [f"{source} -> {to}: rooms do not include programs: {why[0]}" for (source, to), why in sorted(arrows.items())
              if source not in PROGRAMS and to in PROGRAMS]
    wrong += [f"{room} -> {to} is declared, and nothing includes it any more" for room, targets in ROOMS.items()
              for to in targets if (room, to) not in arrows]
    declared = [(room, to) for room, targets in ROOMS.items() for to in targets]
    wrong += [f"{room} is declared to reach itself" for room in sorted(in_circles(declared))]
    print("\n".join(wrong) if wrong else f"{len(arrows)} arrows between {len(ROOMS)} rooms: none runs the wrong way")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
