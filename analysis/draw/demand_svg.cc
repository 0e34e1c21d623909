#include <algorithm>

#include "analysis/draw/demand_drawing.h"
#include "analysis/draw/svg.h"
#include "analysis/json/time_text.h"

namespace samcl::analysis {
namespace {

constexpr double kLeft = 90, kTop = 44, kWidth = 720, kHeight = 420;
// More steps would not be seen apart.
constexpr Time kMostSteps = 4000;

class Plot {
 public:
  Plot(Time end, Time most) : end_(end), most_(most) {
    svg_.text(8, 20, "Demand bounds over the length of an interval", "font-size=\"14\"");
    for (Time t = 0; t <= end; t += round_step(end)) {
      svg_.line(x(t), y(0), x(t), y(most_), "stroke=\"#eeeeee\"");
      svg_.text(x(t), y(0) + 18, format_time(t), "text-anchor=\"middle\" fill=\"#555555\"");
    }
    for (Time demand = 0; demand <= most_; demand += round_step(most_)) {
      svg_.line(x(0), y(demand), x(end), y(demand), "stroke=\"#eeeeee\"");
      svg_.text(x(0) - 8, y(demand) + 4, format_time(demand), "text-anchor=\"end\" fill=\"#555555\"");
    }
    const Time corner = std::min(end, most_);
    svg_.line(x(0), y(0), x(corner), y(corner), "stroke=\"#555555\" stroke-dasharray=\"5 3\"");
    name("available", "stroke=\"#555555\" stroke-dasharray=\"5 3\"");
  }

  template <typename Demand, typename Next>
  void steps(const std::string& label, const std::string& style, Demand demand, Next next) {
    std::vector<std::pair<double, double>> points = {{x(0), y(0)}};
    Time before = 0;
    for (Time t = next(0); t <= end_; t = next(t + end_ / kMostSteps)) {
      const Time now = demand(t);
      if (now == before) continue;
      points.emplace_back(x(t), y(before));
      points.emplace_back(x(t), y(now));
      before = now;
    }
    points.emplace_back(x(end_), y(demand(end_)));
    svg_.polyline(points, style);
    name(label, style);
  }

  void mark(Time t, Time demand) {
    svg_.line(x(t), y(0), x(t), y(most_), "stroke=\"#d00000\" stroke-dasharray=\"2 3\"");
    svg_.circle(x(t), y(demand), 4, "fill=\"#d00000\"", "within " + format_time(t) + ": " + format_time(demand));
  }

  std::string finish() const { return svg_.finish(kLeft + kWidth + 190, kTop + kHeight + 40); }

 private:
  double x(Time t) const { return kLeft + kWidth * static_cast<double>(t) / static_cast<double>(end_); }
  double y(Time demand) const {
    return kTop + kHeight * (1 - static_cast<double>(demand) / static_cast<double>(most_));
  }
  void name(const std::string& label, const std::string& style) {
    const double row = kTop + 10 + 20 * static_cast<double>(names_++);
    svg_.line(kLeft + kWidth + 16, row - 4, kLeft + kWidth + 40, row - 4, style);
    svg_.text(kLeft + kWidth + 46, row, label);
  }

  Svg svg_;
  const Time end_, most_;
  int names_ = 0;
};

}  // namespace

std::string demand_svg(const dbf::TaskDemands& set, Time end, std::optional<Time> marked) {
  const auto total = [&](Time t) { return dbf::total_demand(set.bounds, t); };
  const auto next_of_all = [&](Time t) { return dbf::next_change(set.bounds, t); };
  Plot plot(end, std::max(end, total(end)));
  for (size_t n = 0; n < set.tasks.size() && set.tasks.size() > 1; ++n) {
    const dbf::DemandBound& bound = set.bounds[n];
    plot.steps(
        set.tasks[n].name, "stroke=\"" + std::string(svg_colour(n)) + "\"", [&](Time t) { return bound.at(t); },
        [&](Time t) { return bound.change_after(t); });
  }
  plot.steps(set.tasks.size() > 1 ? "all tasks" : set.tasks[0].name, "stroke=\"#222222\" stroke-width=\"2\"", total,
             next_of_all);
  if (marked && *marked <= end) plot.mark(*marked, total(*marked));
  return plot.finish();
}

}  // namespace samcl::analysis
