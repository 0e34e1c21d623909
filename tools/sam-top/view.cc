#include "tools/sam-top/view.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <map>

namespace samcl::top {

using nlohmann::json;

namespace {

std::string without_end(std::string text) {
  text.erase(text.find_last_not_of(' ') + 1);
  return text;
}

std::string cut(const std::string& text, size_t width) {
  return text.size() <= width ? text : text.substr(0, width - 1) + "~";
}

std::string left(const std::string& text, size_t width) {
  std::string cell = cut(text, width);
  cell.resize(width, ' ');
  return cell + " ";
}

std::string right(const std::string& text, size_t width) {
  const std::string cell = cut(text, width);
  return std::string(width - cell.size(), ' ') + cell + " ";
}

std::string executable(const json& program) {
  const std::string path = program.at("executable");
  return path.substr(path.rfind('/') + 1);
}

std::string shown_name(const json& program) {
  const std::string task = program.at("task");
  return task.empty() ? "(" + executable(program) + ")" : task;
}

std::string time_or_dash(const json& ns) { return ns.is_null() || ns == 0 ? "-" : short_time(ns); }

bool is_shown(const json& program, const std::string& filter) {
  return program.at("task").get_ref<const std::string&>().find(filter) != std::string::npos ||
         program.at("executable").get_ref<const std::string&>().find(filter) != std::string::npos;
}

int64_t weight(const json& program, Order order) {
  switch (order) {
    case Order::priority: return program.at("priority");
    case Order::misses: return program.at("misses");
    case Order::slowest: return program.at("p99_ns");
    case Order::jobs: return program.at("jobs");
  }
  return 0;
}

constexpr size_t kName = 16, kPid = 7, kPriority = 4, kCount = 6, kTime = 7;

Row make_row(const json& program, size_t width) {
  Row row{program.at("pid"), program.at("task"), program.at("priority"), program.at("misses") != 0, {}};
  row.text = left(shown_name(program), kName) + right(std::to_string(row.pid), kPid) +
             right(std::to_string(row.priority), kPriority) +
             right(program.at("gpus") == 0 ? "all" : program.at("gpus").dump(), kPriority) +
             right(program.at("jobs").dump(), kCount) + right(time_or_dash(program.at("p50_ns")), kTime) +
             right(time_or_dash(program.at("p99_ns")), kTime) +
             right(time_or_dash(program.at("longest_response_ns")), kTime) +
             right(time_or_dash(program.at("bound_ns")), kTime) + right(program.at("misses").dump(), kCount);
  row.text = cut(without_end(row.text), width);
  return row;
}

std::string columns(size_t width) {
  return cut(without_end(left("TASK", kName) + right("PROCESS", kPid) + right("PRIO", kPriority) +
                         right("GPUS", kPriority) + right("JOBS", kCount) + right("HALF", kTime) + right("99%", kTime) +
                         right("LONGEST", kTime) + right("BOUND", kTime) + right("LATE", kCount)),
             width);
}

std::string who(const json& program) {
  if (program.is_null()) return "-";
  const std::string task = program.at("task");
  return task.empty() ? program.at("pid").dump() : task;
}

std::vector<std::string> device_lines(const json& status, size_t width) {
  std::vector<std::string> lines;
  if (status.at("resources").empty()) return lines;
  lines.push_back(cut(left("DEVICE", 24) + left("USE", 5) + left("HELD BY", 16) + left("FOR", 8) + "WAITING", width));
  for (const json& resource : status.at("resources")) {
    std::string waiting;
    for (const json& waiter : resource.at("waiting")) waiting += (waiting.empty() ? "" : ", ") + who(waiter);
    const json& holder = resource.at("holder");
    const uint64_t held = holder.is_null() ? 0 : holder.at("held_ns_at_least").get<uint64_t>();
    lines.push_back(cut(left(resource.at("device"), 24) + left(resource.at("kind"), 5) + left(who(holder), 16) +
                            left(held < 1'000'000'000 ? "-" : short_time(held), 8) + (waiting.empty() ? "-" : waiting),
                        width));
  }
  return lines;
}

}  // namespace

Order next(Order order) { return static_cast<Order>((static_cast<int>(order) + 1) % 4); }

const char* name(Order order) {
  static constexpr std::array<const char*, 4> kNames = {"priority", "misses", "99 %", "jobs"};
  return kNames[static_cast<size_t>(order)];
}

std::string short_time(uint64_t ns) {
  static constexpr std::array<const char*, 4> kUnits = {"ns", "us", "ms", "s"};
  double value = static_cast<double>(ns);
  size_t unit = 0;
  while (value >= 999.5 && unit + 1 < kUnits.size()) value /= 1000, ++unit;
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(),
                value < 9.995 && unit > 0   ? "%.2f%s"
                : value < 99.95 && unit > 0 ? "%.1f%s"
                                            : "%.0f%s",
                value, kUnits[unit]);
  return text.data();
}

View make_view(const json& status, const Choices& choices, size_t width) {
  View view;
  std::vector<const json*> programs;
  for (const json& program : status.at("programs"))
    if (is_shown(program, choices.filter)) programs.push_back(&program);
  std::stable_sort(programs.begin(), programs.end(),
                   [&](const json* a, const json* b) { return weight(*a, choices.order) > weight(*b, choices.order); });
  for (const json* program : programs) view.programs.push_back(make_row(*program, width));
  view.head = cut("sam-managerd \"" + status.at("instance").get<std::string>() +
                      "\": " + std::to_string(status.at("programs").size()) + " programs, by " + name(choices.order) +
                      (choices.filter.empty() ? "" : ", with \"" + choices.filter + "\""),
                  width);
  view.columns = columns(width);
  view.devices = device_lines(status, width);
  return view;
}

}  // namespace samcl::top
