#include "tools/sam-top/view.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <map>

#include "base/json_text.h"
#include "base/visible.h"

namespace samcl::top {

using nlohmann::json;

namespace {

std::string without_end(std::string text) {
  text.erase(text.find_last_not_of(' ') + 1);
  return text;
}

bool begins_character(char byte) { return (static_cast<unsigned char>(byte) & 0xc0) != 0x80; }

// Of UTF-8; each is taken to be one column wide.
size_t characters(const std::string& text) {
  return static_cast<size_t>(std::count_if(text.begin(), text.end(), begins_character));
}

std::string cut(const std::string& text, size_t width) {
  if (characters(text) <= width) return text;
  size_t end = 0;
  for (size_t count = 0; count < width - 1; ++count) do
      ++end;
    while (!begins_character(text[end]));
  return text.substr(0, end) + "~";
}

std::string left(const std::string& text, size_t width) {
  const std::string cell = cut(text, width);
  return cell + std::string(width - characters(cell) + 1, ' ');
}

std::string right(const std::string& text, size_t width) {
  const std::string cell = cut(text, width);
  return std::string(width - characters(cell), ' ') + cell + " ";
}

std::string executable(const json& program) {
  const std::string path = program.at("executable");
  return visible(path.substr(path.rfind('/') + 1));
}

std::string shown_name(const json& program) {
  const std::string task = program.at("task");
  return task.empty() ? "(" + executable(program) + ")" : task;
}

std::string bytes_or_dash(const json& bytes) { return bytes.is_null() || bytes == 0 ? "-" : short_bytes(bytes); }

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

constexpr size_t kLeastName = 11, kMostName = 32;
constexpr size_t kPid = 7, kPriority = 4, kGpus = 3, kJobs = 5, kTime = 6, kLate = 4, kSlices = 6, kMemory = 5;
constexpr size_t kBesideName = 69;

// The names have what room the numbers leave.
size_t name_width(size_t width) { return std::clamp(width - std::min(width, kBesideName), kLeastName, kMostName); }

Row make_row(const json& program, size_t width) {
  Row row{program.at("pid"), program.at("task"), program.at("priority"), program.at("misses") != 0, {}};
  row.text =
      left(shown_name(program), name_width(width)) + right(std::to_string(row.pid), kPid) +
      right(std::to_string(row.priority), kPriority) +
      right(program.at("gpus") == 0 ? "all" : json_text(program.at("gpus")), kGpus) +
      right(short_count(program.at("jobs")), kJobs) + right(time_or_dash(program.at("p50_ns")), kTime) +
      right(time_or_dash(program.at("p99_ns")), kTime) + right(time_or_dash(program.at("longest_response_ns")), kTime) +
      right(time_or_dash(program.at("bound_ns")), kTime) + right(short_count(program.at("misses")), kLate) +
      right(short_count(program.at("gpu_leases")), kSlices) + right(bytes_or_dash(program.at("memory_bytes")), kMemory);
  row.text = cut(without_end(row.text), width);
  return row;
}

std::string columns(size_t width) {
  return cut(without_end(left("TASK", name_width(width)) + right("PROCESS", kPid) + right("PRIO", kPriority) +
                         right("GPU", kGpus) + right("JOBS", kJobs) + right("HALF", kTime) + right("99%", kTime) +
                         right("MAX", kTime) + right("BOUND", kTime) + right("LATE", kLate) + right("SLICES", kSlices) +
                         right("MEM", kMemory)),
             width);
}

std::string who(const json& program) {
  if (program.is_null()) return "-";
  const std::string task = program.at("task");
  return task.empty() ? json_text(program.at("pid")) : task;
}

std::vector<std::string> device_lines(const json& status, size_t width) {
  std::vector<std::string> lines;
  if (status.at("resources").empty()) return lines;
  std::map<std::string, std::string> memory;  // reserved, of what there is, by device
  for (const json& device : status.at("memory"))
    memory[device.at("device")] = bytes_or_dash(device.at("reserved_bytes")) + "/" + bytes_or_dash(device.at("bytes"));
  lines.push_back(
      cut(left("DEVICE", 20) + left("USE", 4) + left("HELD BY", 14) + left("FOR", 6) + left("RESERVED", 11) + "WAITING",
          width));
  for (const json& resource : status.at("resources")) {
    std::string waiting;
    for (const json& waiter : resource.at("waiting")) waiting += (waiting.empty() ? "" : ", ") + who(waiter);
    const json& holder = resource.at("holder");
    const uint64_t held = holder.is_null() ? 0 : holder.at("held_ns_at_least").get<uint64_t>();
    const bool is_gpu = resource.at("kind") == "gpu";
    lines.push_back(cut(left(resource.at("device"), 20) + left(resource.at("kind"), 4) + left(who(holder), 14) +
                            left(held < 1'000'000'000 ? "-" : short_time(held), 6) +
                            left(is_gpu ? memory[resource.at("device")] : "", 11) + (waiting.empty() ? "-" : waiting),
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

std::string short_count(uint64_t count) {
  if (count < 100'000) return std::to_string(count);
  static constexpr std::array<char, 4> kUnits = {'k', 'M', 'G', 'T'};
  size_t unit = 0;
  for (count /= 1000; count >= 1000 && unit + 1 < kUnits.size(); ++unit) count /= 1000;
  return std::to_string(count) + kUnits[unit];
}

std::string short_bytes(uint64_t bytes) {
  static constexpr std::array<char, 6> kUnits = {'B', 'K', 'M', 'G', 'T', 'P'};
  double value = static_cast<double>(bytes);
  size_t unit = 0;
  while (value >= 999.5 && unit + 1 < kUnits.size()) value /= 1024, ++unit;
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), value < 9.95 && unit > 0 ? "%.1f%c" : "%.0f%c", value, kUnits[unit]);
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
