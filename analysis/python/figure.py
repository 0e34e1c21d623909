"""How many random sets each way to share a GPU makes schedulable: `sam-analyze experiment access` in ten lines."""

import itertools
import json
import sys

import samcl_analysis as samcl

SETS, SEED = int(sys.argv[1]) if len(sys.argv) > 1 else 100, 1
shares = {}
for utilisation in (0.2, 0.3, 0.4, 0.5, 0.6):
    for n in range(SETS):
        for way, good in samcl.ways(samcl.access_set(utilisation, SEED * 1_000_000 + n)).items():
            shares.setdefault(way, {}).setdefault(utilisation, []).append(good)
result = {way: {u: sum(good) / SETS for u, good in by.items()} for way, by in shares.items()}
print(json.dumps(samcl.record(f"ways to share a GPU, {SETS} sets at each point", SEED, result), indent=1))
if len(sys.argv) > 2:  # a file for the picture
    import matplotlib.pyplot as plot

    for (way, by), mark in zip(result.items(), itertools.cycle("osv^<>DdpPX*h+x")):
        plot.plot(list(by), list(by.values()), marker=mark, fillstyle="none", label=way)
    plot.xlabel("utilisation of each CPU"), plot.ylabel("share of schedulable sets")
    plot.legend(loc="upper left", bbox_to_anchor=(1, 1), fontsize="small")
    plot.savefig(sys.argv[2], bbox_inches="tight")
