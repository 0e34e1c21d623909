#include <algorithm>

#include "analysis/draw/svg.h"
#include "analysis/makespan/drawing.h"

namespace samcl::analysis::makespan {
namespace {

constexpr double kLeft = 76, kTop = 48, kCell = 16;

std::string fill(size_t colour, double opacity = 1) {
  return "fill=\"" + std::string(svg_colour(colour)) + "\" fill-opacity=\"" + std::to_string(opacity) + "\"";
}

// A multiple of 1, 2 or 5 times a power of ten, so that `span` has at most ten steps.
Slots round_step(Slots span) {
  Slots step = 1;
  while (span > 10 * step) {
    if (span <= 20 * step) return 2 * step;
    if (span <= 50 * step) return 5 * step;
    step *= 10;
  }
  return step;
}

void draw_legend(Svg& svg, const Kernel& kernel, double y) {
  double x = kLeft;
  for (size_t unit = 0; unit < kernel.units.size(); ++unit, x += 150) {
    svg.rect(x, y, 12, 12, fill(unit));
    const int capacity = kernel.units[unit].capacity;
    svg.text(x + 18, y + 10,
             std::string(1, kernel.units[unit].letter) + ": " + std::to_string(capacity) +
                 (capacity == 1 ? " warp" : " warps") + " per slot");
  }
}

}  // namespace

Result<std::string> schedule_svg(const Kernel& kernel, int warps, const Schedule& schedule,
                                 const std::string& title) {
  constexpr size_t kMostIssues = 20'000;
  constexpr Slots kMostSlots = 2'000;
  Slots slots = 0;
  for (const Issue& issue : schedule)
    slots = std::max(slots, issue.slot + kernel.instructions[issue.instruction].latency);
  if (schedule.size() > kMostIssues || slots > kMostSlots)
    return fail("the schedule has " + std::to_string(schedule.size()) + " instructions in " +
                std::to_string(slots) + " slots, a drawing at most " + std::to_string(kMostIssues) + " in " +
                std::to_string(kMostSlots));
  Svg svg;
  svg.text(8, 20, title, "font-size=\"14\"");
  const auto x = [](Slots slot) { return kLeft + static_cast<double>(slot) * kCell; };
  const auto y = [](int row) { return kTop + row * kCell; };
  const double bottom = y(warps);
  for (Slots slot = 0; slot <= slots; slot += round_step(slots)) {
    svg.line(x(slot), kTop - 4, x(slot), bottom, "stroke=\"#dddddd\"");
    svg.text(x(slot), kTop - 8, std::to_string(slot), "text-anchor=\"middle\" fill=\"#555555\"");
  }
  for (int warp = 0; warp < warps; ++warp) {
    svg.text(8, y(warp) + 12, "warp " + std::to_string(warp + 1), "font-size=\"11\"");
    svg.line(kLeft, y(warp + 1), x(slots), y(warp + 1), "stroke=\"#eeeeee\"");
  }
  for (const Issue& issue : schedule) {
    const Instruction& instruction = kernel.instructions[issue.instruction];
    const std::string letter(1, kernel.units[instruction.unit].letter);
    if (instruction.latency > 1)
      svg.rect(x(issue.slot), y(issue.warp) + 4, kCell * instruction.latency, kCell - 8,
               fill(instruction.unit, 0.3));
    svg.rect(x(issue.slot) + 0.5, y(issue.warp) + 1, kCell - 1, kCell - 2, fill(instruction.unit),
             "warp " + std::to_string(issue.warp + 1) + ", instruction " +
                 std::to_string(issue.instruction + 1) + " (" + letter + "), slot " +
                 std::to_string(issue.slot));
    svg.text(x(issue.slot) + kCell / 2, y(issue.warp) + 12, letter,
             "text-anchor=\"middle\" font-size=\"10\" fill=\"#ffffff\"");
  }
  draw_legend(svg, kernel, bottom + 12);
  return svg.finish(std::max(x(slots) + 24, 620.0), bottom + 40);
}

std::string convergence_svg(const Convergence& convergence, const std::string& title) {
  constexpr double kWidth = 620, kHeight = 320, kLegend = 230;
  constexpr double kLeftOfPlot = 64;
  const WorstCase& worst = convergence.worst;
  Slots low = worst.attained, high = std::max(convergence.published, worst.bound);
  for (const ConvergencePoint& point : convergence.points) {
    low = std::min(low, point.least);
    high = std::max(high, point.estimate);
  }
  const Slots step = round_step(std::max<Slots>(1, high - low));
  low = std::max<Slots>(0, (low / step - 1) * step);
  high = (high / step + 1) * step;
  const int most = convergence.points.empty() ? 1 : convergence.points.back().warps;
  const auto x = [&](double warps) { return kLeftOfPlot + warps / (most + 1) * kWidth; };
  const auto y = [&](Slots slots) {
    return kTop + kHeight * (1 - static_cast<double>(slots - low) / static_cast<double>(high - low));
  };
  Svg svg;
  svg.text(8, 20, title, "font-size=\"14\"");
  for (Slots slots = low; slots <= high; slots += step) {
    svg.line(kLeftOfPlot, y(slots), kLeftOfPlot + kWidth, y(slots), "stroke=\"#e4e4e4\"");
    svg.text(kLeftOfPlot - 8, y(slots) + 4, std::to_string(slots), "text-anchor=\"end\"");
  }
  for (Slots warps = 0; warps <= most; warps += round_step(most)) {
    svg.line(x(static_cast<double>(warps)), y(low), x(static_cast<double>(warps)), y(low) + 5,
             "stroke=\"#555555\"");
    svg.text(x(static_cast<double>(warps)), y(low) + 20, std::to_string(warps), "text-anchor=\"middle\"");
  }
  svg.line(kLeftOfPlot, y(low), kLeftOfPlot + kWidth, y(low), "stroke=\"#555555\"");
  svg.line(kLeftOfPlot, y(low), kLeftOfPlot, y(high), "stroke=\"#555555\"");
  svg.text(kLeftOfPlot + kWidth / 2, y(low) + 42, "warps y for which T(y) is known",
           "text-anchor=\"middle\"");
  double legend = kTop + 12;
  const auto describe = [&](const std::string& words, const std::string& style) {
    svg.line(kLeftOfPlot + kWidth + 12, legend - 4, kLeftOfPlot + kWidth + 36, legend - 4, style);
    svg.text(kLeftOfPlot + kWidth + 42, legend, words);
    legend += 20;
  };
  const auto across = [&](Slots slots, const std::string& words, const std::string& style) {
    svg.line(kLeftOfPlot, y(slots), kLeftOfPlot + kWidth, y(slots), style);
    describe(words + ": " + std::to_string(slots), style);
  };
  across(convergence.published, "pessimistic bound",
         "stroke=\"#999999\" stroke-width=\"1.5\" stroke-dasharray=\"6 3\"");
  const std::string blue = svg_colour(0);
  std::vector<std::pair<double, double>> steps;
  for (const ConvergencePoint& point : convergence.points) {
    if (!steps.empty()) steps.emplace_back(x(point.warps), steps.back().second);
    steps.emplace_back(x(point.warps), y(point.least));
  }
  svg.polyline(steps, "stroke=\"" + blue + "\" stroke-width=\"1.5\"");
  describe("least estimate so far", "stroke=\"" + blue + "\" stroke-width=\"1.5\"");
  for (const ConvergencePoint& point : convergence.points)
    svg.circle(x(point.warps), y(point.estimate), 2.5, "fill=\"" + std::string(svg_colour(1)) + "\"",
               "y = " + std::to_string(point.warps) + ": T(y) = " + std::to_string(point.makespan) +
                   ", estimate " + std::to_string(point.estimate));
  describe("ceil(W/y) T(y), the points",
           "stroke=\"" + std::string(svg_colour(1)) + "\" stroke-width=\"3\" stroke-dasharray=\"3 5\"");
  if (worst.exact()) {
    across(worst.attained, "exact T(W)", "stroke=\"#009e73\" stroke-width=\"1.5\"");
  } else {
    across(worst.bound, "proven bound", "stroke=\"#d55e00\" stroke-width=\"1.5\"");
    across(worst.attained, "attained", "stroke=\"#009e73\" stroke-width=\"1.5\"");
  }
  return svg.finish(kLeftOfPlot + kWidth + kLegend, kTop + kHeight + 56);
}

}  // namespace samcl::analysis::makespan
