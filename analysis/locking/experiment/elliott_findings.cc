#include <algorithm>
#include <cstdio>
#include <functional>

#include "analysis/locking/experiment/elliott_results.h"
#include "analysis/locking/experiment/groups.h"

namespace samcl::analysis::locking {
namespace {

std::string percent(double share) {
  char text[32];
  std::snprintf(text, sizeof text, "%.2f%%", 100 * share);
  return text;
}

std::vector<double> shares(const Histograms& groups, Counted counted) {
  std::vector<double> values;
  for (const Histogram& group : groups) values.push_back(group.share(counted));
  return values;
}

std::string list(const std::vector<double>& values) {
  std::string text;
  for (const double value : values) text += (text.empty() ? "" : ", ") + percent(value);
  return text;
}

bool falls(const std::vector<double>& values) {
  return std::is_sorted(values.begin(), values.end(), std::greater<>());
}

double spread(const std::vector<double>& values) {
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  return *most - *least;
}

// Sets whose effective utilisation is above the number of CPUs: how many, and how many of them are
// schedulable.
std::pair<int64_t, int64_t> beyond_the_cpus(const Histogram& all, size_t n) {
  std::pair<int64_t, int64_t> count = {0, 0};
  for (size_t bin = 0; bin < axis(n).classes; ++bin) {
    if (axis(n).width * (static_cast<double>(bin) + 0.5) < 1) continue;
    count.first += all.at(n, bin, Counted::sets);
    count.second += all.at(n, bin, Counted::either);
  }
  return count;
}

Finding methods_compared(const Histograms& all) {
  int ahead = 0, behind = 0;
  for (const Histogram& histogram : all) {
    const int64_t shared = histogram.total(Counted::shared_resource),
                  contained = histogram.total(Counted::containers);
    ahead += contained > shared ? 1 : 0;
    behind += contained < shared ? 1 : 0;
  }
  return {"The container method is ahead of SRM in most scenarios", 2 * ahead > static_cast<int>(all.size()),
          std::to_string(ahead) + " of " + std::to_string(all.size()) + "; SRM is ahead in " +
              std::to_string(behind)};
}

Finding speed_up_pays(const Histogram& everything) {
  Finding finding{"Sets that the CPUs alone could not carry are schedulable with the GPU", true, ""};
  for (size_t n = 1; n < kAxes; ++n) {
    const auto [sets, schedulable] = beyond_the_cpus(everything, n);
    finding.holds = finding.holds && schedulable > 0;
    finding.numbers +=
        (n == 1 ? "" : ", ") + std::string("x") + std::to_string(axis(n).speed_up) + ": " +
        (sets == 0 ? "none" : percent(static_cast<double>(schedulable) / static_cast<double>(sets)));
  }
  return finding;
}

}  // namespace

std::vector<Finding> findings(const Histograms& all) {
  const Histogram everything = sum(all);
  const auto share = [&](Counted counted) { return everything.share(counted); };
  const double fmlp_long = share(Counted::fmlp_long), shared = share(Counted::shared_resource),
               contained = share(Counted::containers), both = share(Counted::both);
  const Histograms tenths = by(&Scenario::share, kShares, all), cpus = by(&Scenario::cpus, kCpus.size(), all),
                   sizes = by(&Scenario::utilisation, kUtilisations.size(), all),
                   use = by(&Scenario::gpu_use, kGpuUse.size(), all),
                   periods = by(&Scenario::period, kPeriods.size(), all);
  const auto shared_tenths = shares(tenths, Counted::shared_resource),
             contained_tenths = shares(tenths, Counted::containers);
  const auto shared_use = shares(use, Counted::shared_resource),
             contained_use = shares(use, Counted::containers);
  const auto sizes_shared = shares(sizes, Counted::shared_resource);
  const auto cpus_contained = shares(cpus, Counted::containers);
  std::vector<Finding> all_findings;
  const int64_t by_omlp = everything.total(Counted::shared_resource) - everything.total(Counted::fmlp_long);
  all_findings.push_back({"The OMLP makes sets schedulable that FMLP-Long does not", by_omlp > 0,
                          std::to_string(by_omlp) + " of " + std::to_string(everything.total(Counted::sets)) +
                              " sets; FMLP-Long " + percent(fmlp_long) + " of them"});
  all_findings.push_back({"The container method makes more sets schedulable than SRM", contained > shared,
                          percent(contained) + " and " + percent(shared) + " of all sets"});
  all_findings.push_back(methods_compared(all));
  all_findings.push_back({"Neither method makes the other needless", shared > both && contained > both,
                          percent(shared - both) + " by SRM alone, " + percent(contained - both) +
                              " by containers alone, " + percent(both) + " by both"});
  all_findings.push_back({"Each tenth of the tasks that uses the GPU more costs both methods sets",
                          falls(shared_tenths) && falls(contained_tenths),
                          "SRM " + list(shared_tenths) + "; containers " + list(contained_tenths)});
  all_findings.push_back({"SRM gains by fewer and larger tasks: light, medium, heavy",
                          std::is_sorted(sizes_shared.begin(), sizes_shared.end()), list(sizes_shared)});
  all_findings.push_back(
      {"SRM loses by more GPU time within a task: little, half, most", falls(shared_use), list(shared_use)});
  all_findings.push_back({"How a task's time is split matters to containers by less than 1 %",
                          spread(contained_use) < 0.01, list(contained_use)});
  all_findings.push_back({"One container gains little from more CPUs: it falls from 4 to 8 to 12",
                          falls(cpus_contained),
                          list(cpus_contained) + "; SRM " + list(shares(cpus, Counted::shared_resource)) +
                              "; periods: SRM " + list(shares(periods, Counted::shared_resource))});
  all_findings.push_back(speed_up_pays(everything));
  return all_findings;
}

}  // namespace samcl::analysis::locking
