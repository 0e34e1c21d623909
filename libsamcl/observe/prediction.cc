#include "libsamcl/observe/prediction.h"

#include <algorithm>
#include <cstdio>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/clock.h"
#include "base/json_text.h"
#include "libsamcl/observe/report.h"
#include "libsamcl/settings/config.h"

namespace samcl::prediction {
namespace {

struct Process {
  std::mutex mutex;
  std::optional<Totals> totals;
};
Process& process() {
  static Process* const all = new Process;
  return *all;
}

double in_ms(uint64_t ns) { return static_cast<double>(ns) / 1e6; }

std::string row(const char* format, auto... values) {
  std::string text(256, '\0');
  text.resize(static_cast<size_t>(std::snprintf(text.data(), text.size(), format, values...)));
  return text;
}

}  // namespace

std::optional<double> OnMachine::split_speed_up() const {
  if (split_ns == 0) return std::nullopt;
  return static_cast<double>(split_alone_ns) / static_cast<double>(split_ns);
}

uint64_t Totals::other_ns() const {
  const uint64_t known = kernel_ns + transfer_ns + predicting_ns;
  return wall_ns > known ? wall_ns - known : 0;
}

uint64_t Totals::total_ns(const OnMachine& machine) const {
  return other_ns() + machine.computing_ns + machine.moving_ns;
}

std::string table(const Totals& totals) {
  std::string text = "\nsamcl: what if " + totals.machines + "\n" +
                     row("%8s %10s %14s %12s %12s %12s %9s %9s %9s %6s\n", "devices", "split", "computing ms",
                         "moving ms", "other ms", "total ms", "speed-up", "of split", "not built", "parts");
  if (totals.launches == 0) return text + "no kernel was launched: there is nothing to predict\n";
  const double alone = in_ms(totals.total_ns(totals.on[0]));
  bool any_is_unbuilt = false;
  for (const OnMachine& machine : totals.on) {
    const double total = in_ms(totals.total_ns(machine));
    const std::optional<double> of_split = machine.split_speed_up();
    text += row("%8u %10llu %14.2f %12.2f %12.2f %12.2f %9.2f %9s %9llu %6u\n", machine.devices,
                static_cast<unsigned long long>(machine.split_launches), in_ms(machine.computing_ns),
                in_ms(machine.moving_ns), in_ms(totals.other_ns()), total, total > 0 ? alone / total : 1.0,
                of_split ? row("%.2f", *of_split).c_str() : "-",
                static_cast<unsigned long long>(machine.unbuilt_launches), machine.most_parts);
    any_is_unbuilt |= machine.unbuilt_launches > 0;
  }
  if (any_is_unbuilt)
    text +=
        "not built: launches that ran whole before it was worth it to build their parts for so many devices; in a "
        "longer run, or where parts are built at once, more are split\n";
  return text + row("predicted from %llu launches on one device, which computed %.2f ms; the program took %.2f ms\n",
                    static_cast<unsigned long long>(totals.launches), in_ms(totals.kernel_ns), in_ms(totals.wall_ns));
}

std::string json(const Totals& totals) {
  nlohmann::ordered_json json{{"format", "samcl-what-if 1"},
                              {"machines", totals.machines},
                              {"launches", totals.launches},
                              {"wall_ns", totals.wall_ns},
                              {"kernel_ns", totals.kernel_ns},
                              {"transfer_ns", totals.transfer_ns},
                              {"predicting_ns", totals.predicting_ns},
                              {"other_ns", totals.other_ns()},
                              {"predicted", nlohmann::ordered_json::array()}};
  for (const OnMachine& machine : totals.on) {
    json["predicted"].push_back({{"devices", machine.devices},
                                 {"split_launches", machine.split_launches},
                                 {"computing_ns", machine.computing_ns},
                                 {"moving_ns", machine.moving_ns},
                                 {"unbuilt_launches", machine.unbuilt_launches},
                                 {"split_alone_ns", machine.split_alone_ns},
                                 {"split_ns", machine.split_ns},
                                 {"most_parts", machine.most_parts},
                                 {"total_ns", totals.total_ns(machine)}});
  }
  return json_text(json, 2) + "\n";
}

void begin(const std::string& machines, const std::vector<unsigned>& devices) {
  std::lock_guard lock(process().mutex);
  Totals totals;
  totals.machines = machines;
  for (const unsigned count : devices) totals.on.push_back({.devices = count});
  process().totals = std::move(totals);
}

void launched(uint64_t kernel_ns) {
  std::lock_guard lock(process().mutex);
  ++process().totals->launches;
  process().totals->kernel_ns += kernel_ns;
}

void predicted(uint64_t ns) {
  std::lock_guard lock(process().mutex);
  process().totals->predicting_ns += ns;
}

void add(size_t machine, const OnMachine& more) {
  std::lock_guard lock(process().mutex);
  OnMachine& on = process().totals->on[machine];
  on.split_launches += more.split_launches;
  on.computing_ns += more.computing_ns;
  on.moving_ns += more.moving_ns;
  on.unbuilt_launches += more.unbuilt_launches;
  on.split_alone_ns += more.split_alone_ns;
  on.split_ns += more.split_ns;
  on.most_parts = std::max(on.most_parts, more.most_parts);
}

void write() {
  std::lock_guard lock(process().mutex);
  if (!process().totals) return;
  Totals& totals = *process().totals;
  totals.wall_ns = report::wall_ns();
  totals.transfer_ns = report::transfer_ns();
  const std::string& to = Config::get().what_if_to;
  if (to.empty()) {
    std::fputs(table(totals).c_str(), stderr);
    return;
  }
  const std::string text = json(totals);
  std::FILE* const file = std::fopen(to.c_str(), "we");
  bool is_written = file && std::fwrite(text.data(), 1, text.size(), file) == text.size();
  if (file) is_written &= std::fclose(file) == 0;
  if (!is_written) warn("the prediction could not be written to " + to);
}

}  // namespace samcl::prediction
