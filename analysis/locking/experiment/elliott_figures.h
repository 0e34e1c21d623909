// Elliott & Anderson's Figures 6 to 13, inset by inset.
//
//   6   4 CPUs, 20 to 30 % of the tasks use the GPU          10  12 CPUs, 10 to 20 %, heavy tasks
//   7   4 CPUs, 30 to 40 %, heavy tasks                      11  4 CPUs, all shares
//   8   8 CPUs, 10 to 20 %                                   12  8 CPUs, all shares
//   9   12 CPUs, above 0 to 10 %                             13  12 CPUs, all shares
//
// In 6 to 10 the insets are rows of light, medium and heavy tasks by columns of 25, 50 and 75 % GPU use, and
// have a curve per method and speed-up. In 11 to 13 inset (a) is SRM and (b) the container method, with a
// curve per share: medium tasks, 75 % and a speed-up of 16, which the text says of 11(a) and which fits what
// it says of 13(b). The captions name no range of periods: all three are added up unless one is chosen.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/experiment/chart.h"
#include "analysis/locking/experiment/histogram.h"

namespace samcl::analysis::locking {

// By scenario, in their order; empty where none was counted.
using Histograms = std::vector<Histogram>;

inline constexpr int kFirstFigure = 6, kLastFigure = 13;

// What one of the curves shows.
struct FigureCurve {
  std::string name;
  Scenario scenario;  // any period
  size_t axis = 0;
  Counted method = Counted::sets;
};

struct Inset {
  char letter = 'a';
  std::string title;
  std::vector<FigureCurve> curves;
};

struct ElliottFigure {
  int number = 0;
  std::string title;
  int cpus = 0;
  std::vector<Inset> insets;
};

ElliottFigure elliott_figure(int number);  // kFirstFigure..kLastFigure

// The scenarios that the figure's curves count, of one range of periods or of all; ascending.
std::vector<size_t> scenarios_of(const ElliottFigure& figure, std::optional<size_t> period = {});

// The scenario's counts with those of the other ranges of periods.
Histogram over_periods(Scenario scenario, const Histograms& all);

// A chart per inset.
std::vector<Chart> charts(const ElliottFigure& figure, const Histograms& all);

}  // namespace samcl::analysis::locking
