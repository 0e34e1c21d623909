#include <algorithm>

#include "analysis/makespan/drawing.h"

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

}  // namespace samcl::analysis::makespan
