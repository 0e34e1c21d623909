#include <algorithm>
#include <cmath>

#include "benchmarks/harness/drawing.h"
#include "benchmarks/harness/show.h"

namespace samcl::bench {
namespace {

constexpr double kLeft = 56, kTop = 64, kHeight = 300, kBar = 20, kBarGap = 3, kGroupGap = 26, kBelow = 150;

// What is left over is grey.
std::string colour(size_t phase) { return phase == kRest ? "#cccccc" : analysis::svg_colour(phase); }

// The rows of one program and size, and what its bars are parts of.
struct Group {
  std::vector<const Row*> rows;
  double whole_ms = 0;
};

std::vector<Group> groups_of(const std::vector<Row>& rows) {
  std::vector<Group> groups;
  for (const Row& row : rows) {
    const Row* first = groups.empty() ? nullptr : groups.back().rows.front();
    if (!first || first->program != row.program || first->parameter != row.parameter) groups.emplace_back();
    groups.back().rows.push_back(&row);
  }
  for (Group& group : groups) {
    std::stable_partition(group.rows.begin(), group.rows.end(), [](const Row* row) { return row->devices == kBare; });
    for (const Row* row : group.rows) {
      if (group.whole_ms == 0) group.whole_ms = row->total_ms.median;
    }
  }
  return groups;
}

double sum(const Row& row) {
  double total = 0;
  for (const double ms : row.phases_ms) total += ms;
  return std::max(total, row.total_ms.median);
}

double width_of(const Group& group) { return static_cast<double>(group.rows.size()) * (kBar + kBarGap) - kBarGap; }

class Bars {
 public:
  explicit Bars(const std::vector<Row>& rows) : groups_(groups_of(rows)) {
    for (const Group& group : groups_) {
      for (const Row* row : group.rows) {
        if (group.whole_ms > 0) highest_ = std::max(highest_, sum(*row) / group.whole_ms);
      }
    }
    // One that is many times slower must not flatten all others.
    highest_ = std::min(highest_, kMost);
  }

  std::string draw() {
    legend();
    axis();
    double x = kLeft + kGroupGap / 2;
    for (const Group& group : groups_) {
      for (size_t i = 0; i < group.rows.size(); ++i)
        bar(*group.rows[i], group.whole_ms, x + static_cast<double>(i) * (kBar + kBarGap));
      const double middle = x + width_of(group) / 2, below = kTop + kHeight + 32;
      svg_.text(middle, below, group.rows.front()->program, turned(middle, below, -40, "end"));
      x += width_of(group) + kGroupGap;
    }
    return svg_.finish(width(), kTop + kHeight + kBelow);
  }

 private:
  static constexpr double kMost = 3;

  double width() const {
    double width = kLeft + kGroupGap;
    for (const Group& group : groups_) width += width_of(group) + kGroupGap;
    return std::max(width, 560.0);
  }
  double y(double share) const { return kTop + kHeight * (1 - std::min(share, highest_) / highest_); }

  void legend() {
    svg_.text(kLeft, 22, "A job's time, in parts of the first bar's; below: devices, b is without samcl");
    double x = kLeft;
    for (size_t p = 0; p < kPhases; ++p) {
      svg_.rect(x, 33, 12, 12, fill(colour(p)));
      svg_.text(x + 17, 43, kPhaseNames[p]);
      x += 84;
    }
  }

  void axis() {
    const double step = tidy_step(highest_, 6);
    for (double share = 0; share <= highest_ * (1 + 1e-9); share += step) {
      svg_.line(kLeft, y(share), width(), y(share), share == 0 ? kFrame : kGrid);
      svg_.text(kLeft - 8, y(share) + 4, short_number(share), kEnd);
    }
    svg_.line(kLeft, y(1), width(), y(1), stroke("#999999"));
  }

  void bar(const Row& row, double whole_ms, double x) {
    svg_.text(x + kBar / 2, kTop + kHeight + 15, row.devices == kBare ? "b" : std::to_string(row.devices), kMiddle);
    if (row.total_ms.count == 0 || whole_ms <= 0) {
      const double middle = x + kBar / 2 + 4, low = kTop + kHeight - 4;
      svg_.text(middle, low, kOutcomeNames[static_cast<size_t>(row.outcome)], turned(middle, low, -90, "start"));
      return;
    }
    double from = 0;
    for (size_t p = 0; p < kPhases; ++p) {
      const double to = from + row.phases_ms[p] / whole_ms;
      if (y(from) > y(to))
        svg_.rect(x, y(to), kBar, y(from) - y(to), fill(colour(p)),
                  row.program + ", " + variant_name(row.devices) + ": " + kPhaseNames[p] + " " +
                      short_number(row.phases_ms[p]) + " ms");
      from = to;
    }
    const double total = row.total_ms.median / whole_ms;
    if (from > total * 1.01) svg_.line(x - 1, y(total), x + kBar + 1, y(total), stroke("#222222", 2));
    if (std::max(from, total) > highest_) svg_.text(x + kBar / 2, kTop - 6, short_number(total), kMiddle);
    if (row.outcome != Outcome::pass || row.same_result == false)
      svg_.text(x + kBar / 2, y(std::max(from, total)) - 4, "!", kMiddle);
  }

  std::vector<Group> groups_;
  double highest_ = 1;
  analysis::Svg svg_;
};

}  // namespace

std::string bars_svg(const std::vector<Row>& rows) { return Bars(rows).draw(); }

}  // namespace samcl::bench
