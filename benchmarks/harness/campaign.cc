#include "benchmarks/harness/campaign.h"

#include <set>

#include "benchmarks/harness/comparison.h"

namespace samcl::bench {

std::vector<Execution> measure(const Campaign& campaign, const Conduct& conduct) {
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
        conduct.announce(mine, item, run);
        run = conduct.execute(item, std::move(run));
        if (conduct.stopped()) return runs;
        if (run.outcome != Outcome::pass && run.outcome != Outcome::fail) given_up.insert(devices);
        runs.push_back(std::move(run));
      }
    }
    conduct.item_done(runs);
  }
  return runs;
}

}  // namespace samcl::bench
