#include "benchmarks/harness/campaign.h"

#include <set>

#include "benchmarks/harness/comparison.h"

namespace samcl::bench {

std::vector<Execution> measure(const Campaign& campaign, const Announce& announce, const Execute& execute) {
  std::vector<Execution> runs;
  size_t number = 0;
  for (const Item& item : campaign.items) {
    std::set<unsigned> given_up;
    for (unsigned round = 0; round < campaign.repeat; ++round) {
      for (const unsigned devices : order_in_round(campaign.devices, round)) {
        const size_t mine = number++;
        if (given_up.contains(devices)) continue;
        Execution run;
        run.program = item.program.name;
        run.parameter = item.parameter;
        run.devices = devices;
        run.round = round;
        announce(mine, item, run);
        runs.push_back(execute(item, std::move(run)));
        const Outcome outcome = runs.back().outcome;
        if (outcome != Outcome::pass && outcome != Outcome::fail) given_up.insert(devices);
      }
    }
  }
  return runs;
}

}  // namespace samcl::bench
