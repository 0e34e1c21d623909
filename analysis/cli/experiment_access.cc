// sam-analyze experiment access: OUT.csv and OUT.json.
#include <iostream>

#include "analysis/access/experiment/shares.h"
#include "analysis/cli/experiment.h"
#include "analysis/cli/subcommand.h"
#include "analysis/model/number_text.h"
#include "base/text_table.h"

namespace samcl::analysis::cli {
int run_access(const ExperimentOptions& options) {
  const access::Shares shares(options.sets.value_or(1000), options.seed);
  const auto sums = need(count(shares, options.counting));
  if (!sums) return kGood;
  const auto written =
      write_results(options.counting.out, shares.heading(), access::format_csv(*sums), {access::chart(*sums)});
  forget(options.counting);
  std::vector<std::vector<std::string>> rows = {{"SCHEDULABLE, %, OF UTILISATION"}};
  for (const double utilisation : access::Shares::utilisations()) rows[0].push_back(decimal(utilisation, 1));
  const std::vector<std::string> names = access::way_names();
  for (size_t way = 0; way < names.size(); ++way) {
    rows.push_back({names[way]});
    for (const Counts& counts : *sums)
      rows.back().push_back(decimal(100 * static_cast<double>(counts[1 + way]) / static_cast<double>(counts[0]), 1));
  }
  std::cout << "Ways to share a GPU, over the utilisation of each of four CPUs; " << (*sums)[0][0]
            << " sets each, seed " << options.seed << "\n\n"
            << table(rows) << "\n"
            << written;
  return kGood;
}

}  // namespace samcl::analysis::cli
