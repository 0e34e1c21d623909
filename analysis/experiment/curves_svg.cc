#include <algorithm>

#include "analysis/experiment/chart.h"
#include "analysis/experiment/results.h"

namespace samcl::analysis {

std::string curves_svg(const Figure& figure, const Tallies& tallies) {
  Chart chart{figure.title, name(figure.axis), figure.points, {}};
  for (size_t p = 0; p < figure.policies.size(); ++p) {
    Curve& curve = chart.curves.emplace_back();
    curve.name = name(figure.policies[p]);
    for (size_t n = 0; n < tallies.size(); ++n) {
      const auto sets = static_cast<double>(std::max<int64_t>(1, tallies[n].sets));
      curve.points.emplace_back(figure.points[n], static_cast<double>(tallies[n].schedulable[p]) / sets);
    }
  }
  return charts_svg({chart});
}

}  // namespace samcl::analysis
