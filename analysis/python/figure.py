"""Which share of random sets each way to share a GPU makes schedulable, as GCAPS' Fig. 8 (b) has it: in ten lines."""

import json

import matplotlib.pyplot as plot
import samcl_analysis as samcl

points, seeds = (0.2, 0.3, 0.4, 0.5, 0.6), range(1_000_000, 1_000_100)
found = [[samcl.ways(samcl.access_set(utilisation, seed)) for seed in seeds] for utilisation in points]
shares = {way: [sum(good[way] for good in sets) / len(sets) for sets in found] for way in found[0][0]}
print(json.dumps(samcl.record(f"share of schedulable sets over the utilisation {points}", seeds[0], shares), indent=1))
for way, mark in zip(shares, "osv^<>DdpPX*hH8+x|_1234"):
    plot.plot(points, shares[way], marker=mark, fillstyle="none", label=way)
plot.legend(title="schedulable, over each CPU's utilisation", bbox_to_anchor=(1, 1)).figure.savefig("shares.svg", bbox_inches="tight")
