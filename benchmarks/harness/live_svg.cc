#include <algorithm>
#include <map>

#include "benchmarks/harness/drawing.h"
#include "benchmarks/harness/live.h"

namespace samcl::bench {
namespace {

constexpr double kLeft = 70, kTop = 58, kWidth = 620, kHeight = 150, kGap = 46, kLegend = 210;
constexpr double kHighest = 2.5;  // responses, in parts of the deadline; longer ones lie on the upper edge

class LiveDrawing {
 public:
  explicit LiveDrawing(const LiveSession& session) : session_(session) {
    for (const LiveRow& row : session.rows) {
      if (panels_.empty() || panels_.back() != title(row)) panels_.push_back(title(row));
      colours_.emplace(row.task, analysis::svg_colour(colours_.size()));
      seconds_ = std::max(seconds_, row.period_ms * static_cast<double>(row.responses_ms.size()) / 1000);
    }
  }

  std::string draw() {
    svg_.text(kLeft, 24, session_.experiment + ": response times in parts of the deadline");
    double top = kTop;
    for (const std::string& name : panels_) {
      panel(name, top);
      top += kHeight + kGap;
    }
    svg_.text(kLeft + kWidth / 2, top - kGap + 40, "release, s", kMiddle);
    legend();
    return svg_.finish(kLeft + kWidth + kLegend, top + 10);
  }

 private:
  double x(double seconds) const { return kLeft + kWidth * (seconds_ > 0 ? seconds / seconds_ : 0); }
  static double y(double top, double share) { return top + kHeight * (1 - std::min(share, kHighest) / kHighest); }

  static std::string title(const LiveRow& row) {
    return row.beside == 0 ? row.policy : row.policy + ", beside " + std::to_string(row.beside);
  }

  void panel(const std::string& name, double top) {
    svg_.text(kLeft, top - 8, name);
    for (const double share : {0.0, 0.5, 1.0, 1.5, 2.0, 2.5}) {
      svg_.line(kLeft, y(top, share), kLeft + kWidth, y(top, share), share == 1 ? stroke("#222222", 1.5) : kGrid);
      svg_.text(kLeft - 8, y(top, share) + 4, short_number(share), kEnd);
    }
    const double step = tidy_step(std::max(seconds_, 0.01), 10);
    for (double second = 0; second <= seconds_ * (1 + 1e-9); second += step) {
      svg_.line(x(second), top + kHeight, x(second), top + kHeight + 4, kFrame);
      svg_.text(x(second), top + kHeight + 18, short_number(second), kMiddle);
    }
    for (const LiveRow& row : session_.rows)
      if (title(row) == name) task(row, top);
  }

  void task(const LiveRow& row, double top) {
    const std::string& colour = colours_.at(row.task);
    if (row.bound_ms) {
      const double at = y(top, *row.bound_ms / row.period_ms);
      svg_.line(kLeft, at, kLeft + kWidth, at, stroke(colour, 1.5) + " stroke-dasharray=\"6 3\"");
    }
    for (size_t job = 0; job < row.responses_ms.size(); ++job) {
      const double release = static_cast<double>(job) * row.period_ms / 1000;
      svg_.circle(x(release), y(top, row.responses_ms[job] / row.period_ms), 2, fill(colour),
                  row.task + ", job " + std::to_string(job) + ": " + short_number(row.responses_ms[job]) + " ms of " +
                      short_number(row.period_ms));
    }
  }

  void legend() {
    const double left = kLeft + kWidth + 16;
    double row = kTop + 10;
    for (const auto& [task, colour] : colours_) {
      svg_.circle(left + 10, row - 4, 3, fill(colour));
      svg_.text(left + 26, row, task);
      row += 20;
    }
    svg_.line(left, row - 4, left + 20, row - 4, stroke("#555555", 1.5) + " stroke-dasharray=\"6 3\"");
    svg_.text(left + 26, row, "bound");
    svg_.line(left, row + 16, left + 20, row + 16, stroke("#222222", 1.5));
    svg_.text(left + 26, row + 20, "deadline");
  }

  const LiveSession& session_;
  std::vector<std::string> panels_;
  std::map<std::string, std::string> colours_;
  double seconds_ = 0;
  analysis::Svg svg_;
};

}  // namespace

std::string live_svg(const LiveSession& session) { return LiveDrawing(session).draw(); }

}  // namespace samcl::bench
