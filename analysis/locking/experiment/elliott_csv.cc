#include <cstdio>

#include "analysis/locking/experiment/elliott_results.h"

namespace samcl::analysis::locking {
namespace {

std::string number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%g", value);
  return text;
}

std::string describe(const Scenario& scenario) {
  return std::string(kUtilisations[scenario.utilisation].name) + "," + kPeriods[scenario.period].name + "," +
         kGpuUse[scenario.gpu_use].name + "," + std::to_string(10 * scenario.share) + "-" +
         std::to_string(10 * scenario.share + 10) + "," + std::to_string(scenario.cpu_count());
}

}  // namespace

std::string format_csv(const Histograms& all) {
  std::string csv =
      "task_utilisation,period,gpu_use,gpu_tasks_percent,cpus,speed_up,utilisation_per_cpu_up_to";
  for (size_t c = 0; c < kCounted; ++c) csv += std::string(",") + name(static_cast<Counted>(c));
  csv += "\n";
  for (size_t point = 0; point < all.size(); ++point)
    for (size_t n = 0; n < kAxes; ++n)
      for (size_t bin = 0; bin < axis(n).classes; ++bin) {
        if (all[point].at(n, bin, Counted::sets) == 0) continue;
        const bool open = n > 0 && bin + 1 == axis(n).classes;
        csv += describe(scenario(point)) + "," + std::to_string(axis(n).speed_up) + "," +
               (open ? "inf" : number(axis(n).width * static_cast<double>(bin + 1)));
        for (size_t c = 0; c < kCounted; ++c)
          csv += "," + std::to_string(all[point].at(n, bin, static_cast<Counted>(c)));
        csv += "\n";
      }
  return csv;
}

}  // namespace samcl::analysis::locking
