#include "analysis/makespan/drawing.h"

#include <algorithm>

#include "analysis/draw/svg.h"

namespace samcl::analysis::makespan {
namespace {

std::string padded(std::string text, size_t width) {
  text.resize(std::max(width, text.size()), ' ');
  return text;
}

// One line per warp, then one per unit, each as long as the schedule.
std::vector<std::string> lines_of(const Kernel& kernel, int warps, const Schedule& schedule, size_t slots) {
  const auto count = static_cast<size_t>(warps);
  std::vector<std::string> lines(count + kernel.units.size(), std::string(slots, ' '));
  std::vector<size_t> ready(count, 0);
  std::vector<std::vector<int>> taken(kernel.units.size(), std::vector<int>(slots, 0));
  for (const Issue& issue : schedule) {
    const auto slot = static_cast<size_t>(issue.slot), warp = static_cast<size_t>(issue.warp);
    const Instruction& instruction = kernel.instructions[issue.instruction];
    std::string& line = lines[warp];
    std::fill(line.begin() + static_cast<long>(ready[warp]), line.begin() + static_cast<long>(slot), '.');
    line[slot] = kernel.units[instruction.unit].letter;
    ready[warp] = slot + static_cast<size_t>(instruction.latency);
    std::fill(line.begin() + static_cast<long>(slot) + 1, line.begin() + static_cast<long>(ready[warp]), '-');
    ++taken[instruction.unit][slot];
  }
  for (size_t unit = 0; unit < kernel.units.size(); ++unit)
    for (size_t slot = 0; slot < slots; ++slot) {
      const int n = taken[unit][slot];
      lines[count + unit][slot] = n == 0 ? '.' : n > 9 ? '+' : static_cast<char>('0' + n);
    }
  return lines;
}

constexpr double kLeft = 76, kTop = 48, kCell = 16;

std::string fill(size_t colour, double opacity = 1) {
  return "fill=\"" + std::string(svg_colour(colour)) + "\" fill-opacity=\"" + std::to_string(opacity) + "\"";
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

std::string schedule_text(const Kernel& kernel, int warps, const Schedule& schedule, int columns) {
  size_t slots = 0;
  for (const Issue& issue : schedule)
    slots = std::max(slots, static_cast<size_t>(issue.slot + kernel.instructions[issue.instruction].latency));
  const auto lines = lines_of(kernel, warps, schedule, slots);
  const size_t name = std::to_string(warps).size() + 5, width = static_cast<size_t>(columns);
  std::string text;
  for (size_t begin = 0; begin < slots; begin += width) {
    text += padded("slot", name) + " " + std::to_string(begin) + "\n";
    for (size_t n = 0; n < lines.size(); ++n) {
      const bool warp = n < static_cast<size_t>(warps);
      const std::string what = warp ? "warp " + std::to_string(n + 1)
                                    : std::string("unit ") + kernel.units[n - static_cast<size_t>(warps)].letter;
      std::string line = padded(what, name) + " " + lines[n].substr(begin, width);
      line.erase(line.find_last_not_of(' ') + 1);
      text += line + "\n";
    }
    if (begin + width < slots) text += "\n";
  }
  return text;
}

Result<std::string> schedule_svg(const Kernel& kernel, int warps, const Schedule& schedule, const std::string& title) {
  constexpr size_t kMostIssues = 20'000;
  constexpr Slots kMostSlots = 2'000;
  Slots slots = 0;
  for (const Issue& issue : schedule)
    slots = std::max(slots, issue.slot + kernel.instructions[issue.instruction].latency);
  if (schedule.size() > kMostIssues || slots > kMostSlots)
    return fail("the schedule has " + std::to_string(schedule.size()) + " instructions in " + std::to_string(slots) +
                " slots, a drawing at most " + std::to_string(kMostIssues) + " in " + std::to_string(kMostSlots));
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
      svg.rect(x(issue.slot), y(issue.warp) + 4, kCell * instruction.latency, kCell - 8, fill(instruction.unit, 0.3));
    svg.rect(x(issue.slot) + 0.5, y(issue.warp) + 1, kCell - 1, kCell - 2, fill(instruction.unit),
             "warp " + std::to_string(issue.warp + 1) + ", instruction " + std::to_string(issue.instruction + 1) +
                 " (" + letter + "), slot " + std::to_string(issue.slot));
    svg.text(x(issue.slot) + kCell / 2, y(issue.warp) + 12, letter,
             "text-anchor=\"middle\" font-size=\"10\" fill=\"#ffffff\"");
  }
  draw_legend(svg, kernel, bottom + 12);
  return svg.finish(std::max(x(slots) + 24, 620.0), bottom + 40);
}

std::vector<Chart> convergence_charts(const Convergence& convergence, const std::string& title) {
  const WorstCase& worst = convergence.worst;
  const auto most = convergence.points.empty() ? 1.0 : static_cast<double>(convergence.points.back().warps);
  Chart slots{title, "warps y for which T(y) is known", {}, {{"ceil(W/y) T(y)", {}}, {"least so far", {}}}};
  Chart times{title + ": CPU time of T(y)", slots.axis, {}, {{"T(y), exact", {}}}};
  slots.measure = "slots";
  times.measure = "seconds";
  slots.top = times.top = 0;
  for (Slots tick = 0; static_cast<double>(tick) <= most; tick += round_step(static_cast<Slots>(most)))
    slots.ticks.push_back(static_cast<double>(tick));
  times.ticks = slots.ticks;
  const auto add = [&](size_t curve, double warps, Slots value) {
    slots.curves[curve].points.emplace_back(warps, value);
    slots.top = std::max(slots.top, static_cast<double>(value));
  };
  const auto across = [&](const std::string& words, Slots value) {
    slots.curves.push_back({words + ": " + std::to_string(value), {}});
    for (const double end : {0.0, most}) add(slots.curves.size() - 1, end, value);
  };
  for (const ConvergencePoint& point : convergence.points) {
    add(0, point.warps, point.estimate);
    add(1, point.warps, point.least);
    times.curves[0].points.emplace_back(point.warps, point.seconds);
    times.top = std::max(times.top, point.seconds);
  }
  across("pessimistic bound", convergence.published);
  across(worst.exact() ? "exact T(W)" : "attained", worst.attained);
  if (!worst.exact()) across("proven bound", worst.bound);
  Slots low = std::min(worst.attained, convergence.published);
  for (const ConvergencePoint& point : convergence.points) low = std::min(low, point.least);
  slots.bottom = static_cast<double>(low) * 0.98;
  return times.top > 0 ? std::vector{slots, times} : std::vector{slots};
}

}  // namespace samcl::analysis::makespan
