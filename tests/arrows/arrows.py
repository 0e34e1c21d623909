#!/usr/bin/env python3
"""Checks that includes between the rooms of this repository run one way only.

A room is a folder. ROOMS below names each with the rooms whose headers its files may include; a new arrow is either wrong
or to be entered there, in sight of all. Rooms that stand in one line of CIRCLES still include each other and count as
one; that list may only get shorter. Tests and what only they use may include anything.

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
    "kernel-translator": ["base", "contract/footprint", "kernel-translator/client"],
    "kernel-translator/check": ["base", "contract/footprint", "kernel-translator", "kernel-translator/client"],
    "kernel-translator/survey": ["contract/footprint", "kernel-translator", "kernel-translator/client"],
    "analysis/model": [],
    "analysis/simd": [],
    "analysis/generator": ["analysis/model"],
    "analysis/dbf": ["analysis/generator", "analysis/model", "analysis/simd"],
    "analysis/rta": ["analysis/model", "analysis/simd"],
    "analysis/modes": ["analysis/generator", "analysis/model", "analysis/rta"],
    "analysis/sim": ["analysis/model", "analysis/rta"],
    "analysis/locking": ["analysis/experiment", "analysis/generator", "analysis/model"],
    "analysis/json": ["analysis/dbf", "analysis/locking", "analysis/model", "analysis/rta"],
    "analysis/draw": ["analysis/dbf", "analysis/json", "analysis/sim"],
    "analysis/experiment": ["analysis/draw", "analysis/generator", "analysis/json", "analysis/modes"],
    "analysis/makespan": ["analysis/draw", "analysis/experiment", "analysis/model"],
    "analysis/access": ["analysis/experiment", "analysis/generator", "analysis/model", "analysis/rta"],
    "analysis/exchange": ["analysis/locking", "analysis/model"],
    "analysis/csv": ["analysis/json", "analysis/model"],
    "sam-manager/protocol": ["base"],
    "sam-manager/registry": ["base", "sam-manager/protocol"],
    "sam-manager/scheduler": ["sam-manager/protocol"],
    "sam-manager/planning": ["analysis/json", "analysis/locking", "analysis/model", "analysis/modes", "analysis/rta", "base",
                             "sam-manager/registry", "sam-manager/scheduler"],
    "sam-manager/daemon": ["analysis/json", "analysis/model", "base", "sam-manager/planning", "sam-manager/protocol",
                           "sam-manager/registry", "sam-manager/scheduler"],
    "libsamcl/driver": ["base", "kernel-translator/client"],
    "libsamcl/lease": ["base", "sam-manager/protocol"],
    "libsamcl/cost": [],
    "libsamcl/engine": ["base"],
    "libsamcl/observe": ["base", "libsamcl/engine"],
    "libsamcl/coherence": ["base", "libsamcl/driver", "libsamcl/engine"],
    "libsamcl/merge": ["contract", "libsamcl/coherence"],
    "libsamcl/transfer": ["base", "libsamcl/driver"],
    "libsamcl/plan": ["base", "contract", "contract/footprint", "libsamcl/coherence", "libsamcl/cost", "libsamcl/driver",
                      "libsamcl/engine"],
    "libsamcl/device": ["base", "contract", "libsamcl/coherence", "libsamcl/cost", "libsamcl/driver", "libsamcl/engine", "libsamcl/lease",
                        "libsamcl/transfer"],
    "libsamcl/runtime": ["base", "contract", "contract/footprint", "kernel-translator/client", "libsamcl/coherence",
                         "libsamcl/cost", "libsamcl/device", "libsamcl/driver", "libsamcl/engine", "libsamcl/lease",
                         "libsamcl/merge", "libsamcl/observe", "libsamcl/plan", "libsamcl/transfer"],
    "libsamcl/api": ["base", "libsamcl/driver", "libsamcl/plan", "libsamcl/runtime"],
}

# Rooms above all of these: programs.
PROGRAMS = ["analysis/cli", "analysis/python", "benchmarks", "tools"]

CIRCLES = [
    {"libsamcl/coherence", "libsamcl/device", "libsamcl/merge", "libsamcl/plan", "libsamcl/runtime", "libsamcl/transfer"},
    {"analysis/draw", "analysis/experiment", "analysis/json", "analysis/locking"},
]

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


def same_circle(one, other):
    return any(one in circle and other in circle for circle in CIRCLES)


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
            print(f"{room:26} -> {', '.join(sorted(to for source, to in arrows if source == room))}")
        return 0
    wrong = [f"{source} -> {to} is not declared: {why[0]}" for (source, to), why in sorted(arrows.items())
             if source not in PROGRAMS and to not in ROOMS[source] and not same_circle(source, to)]
    wrong += [f"{source} -> {to}: rooms do not include programs: {why[0]}" for (source, to), why in sorted(arrows.items())
              if source not in PROGRAMS and to in PROGRAMS]
    wrong += [f"{room} -> {to} is declared, and nothing includes it any more" for room, targets in ROOMS.items()
              for to in targets if (room, to) not in arrows]
    declared = [(room, to) for room, targets in ROOMS.items() for to in targets if not same_circle(room, to)]
    wrong += [f"{room} is declared to reach itself" for room in sorted(in_circles(declared))]
    left = in_circles([arrow for arrow in arrows if same_circle(*arrow)])
    wrong += [f"{room} is in no circle any more: take it out of CIRCLES" for room in sorted(set().union(*CIRCLES) - left)]
    print("\n".join(wrong) if wrong else f"{len(arrows)} arrows between {len(ROOMS)} rooms: none runs the wrong way")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
