#include "libsamcl/observe/report.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/clock.h"
#include "base/json_text.h"
#include "libsamcl/settings/config.h"

namespace samcl {

void KernelRecord::set_reason(std::string_view why_not_more) {
  std::lock_guard lock(mutex_);
  if (reason_ != why_not_more) reason_ = why_not_more;
}

std::string KernelRecord::reason() const {
  std::lock_guard lock(mutex_);
  return reason_;
}

void KernelRecord::set_apart(const std::string& device) {
  std::lock_guard lock(mutex_);
  apart_.insert(device);
}

std::set<std::string> KernelRecord::apart() const {
  std::lock_guard lock(mutex_);
  return apart_;
}

namespace report {
namespace {

struct Records {
  std::mutex mutex;
  std::map<std::string, std::unique_ptr<KernelRecord>> kernels;
  std::array<Traffic, kMaxDevices> devices;
  uint64_t start = now_ns();
};

Records& records() {
  static Records* const records = new Records;
  return *records;
}

double ms(uint64_t ns) { return static_cast<double>(ns) / 1e6; }
double mib(uint64_t bytes) { return static_cast<double>(bytes) / (1 << 20); }

nlohmann::ordered_json as_json(const Traffic& traffic) {
  return {{"uploaded_bytes", traffic.uploaded_bytes.load()},
          {"downloaded_bytes", traffic.downloaded_bytes.load()},
          {"copied_bytes", traffic.copied_bytes.load()},
          {"upload_ns", traffic.upload_ns.load()},
          {"download_ns", traffic.download_ns.load()}};
}

bool used(const Traffic& traffic) {
  return traffic.uploaded_bytes + traffic.downloaded_bytes + traffic.copied_bytes > 0;
}

nlohmann::ordered_json as_json(const Records& all) {
  nlohmann::ordered_json json{
      {"format", "samcl-report 1"}, {"program", program_invocation_short_name}, {"wall_ns", wall_ns()}};
  json["kernels"] = nlohmann::ordered_json::array();
  for (const auto& [name, record] : all.kernels) {
    nlohmann::ordered_json entry{{"name", name},
                                 {"launches", record->launches.load()},
                                 {"split_launches", record->split_launches.load()},
                                 {"gathered_launches", record->gathered_launches.load()},
                                 {"launches_beside", record->launches_beside.load()},
                                 {"devices", record->devices.load()},
                                 {"slices", record->slices.load()},
                                 {"why_not_more", record->reason()},
                                 {"launch_ns", record->launch_ns.load()},
                                 {"merge_ns", record->merge_ns.load()},
                                 {"predicted_launches", record->predicted_launches.load()},
                                 {"predicted_ns", record->predicted_ns.load()},
                                 {"took_ns", record->took_ns.load()},
                                 {"self_tests", record->self_tests.load()},
                                 {"self_test_ns", record->self_test_ns.load()},
                                 {"other_bytes_on", record->apart()},
                                 {"repeated_parts", record->repeated_parts.load()},
                                 {"taken_over_groups", record->taken_over_groups.load()}};
    entry.update(as_json(record->traffic));
    json["kernels"].push_back(std::move(entry));
  }
  json["devices"] = nlohmann::ordered_json::array();
  for (size_t index = 0; index < all.devices.size(); ++index) {
    if (!used(all.devices[index])) continue;
    nlohmann::ordered_json entry{{"index", index}};
    entry.update(as_json(all.devices[index]));
    json["devices"].push_back(std::move(entry));
  }
  json["evicted_bytes"] = eviction_traffic().downloaded_bytes.load();
  return json;
}

void print_table(const Records& all) {
  std::fprintf(stderr, "\nsamcl: what ran where\n%-28s %8s %8s %7s %10s %10s %10s %10s  %s\n", "kernel", "launches",
               "split", "devices", "upload ms", "launch ms", "downl. ms", "merge ms", "why not more");
  for (const auto& [name, record] : all.kernels) {
    std::fprintf(stderr, "%-28.28s %8llu %8llu %7u %10.2f %10.2f %10.2f %10.2f  %s\n", name.c_str(),
                 static_cast<unsigned long long>(record->launches),
                 static_cast<unsigned long long>(record->split_launches), record->devices.load(),
                 ms(record->traffic.upload_ns), ms(record->launch_ns), ms(record->traffic.download_ns),
                 ms(record->merge_ns), record->reason().c_str());
  }
  const auto tell = [&](std::atomic<uint64_t> KernelRecord::* count, const char* of_what) {
    for (const auto& [name, record] : all.kernels) {
      const uint64_t launches = (record.get()->*count).load();
      if (launches > 0)
        std::fprintf(stderr, "%-28.28s %8llu launches %s\n", name.c_str(), static_cast<unsigned long long>(launches),
                     of_what);
    }
  };
  tell(&KernelRecord::gathered_launches, "were given to the driver together with one before them");
  tell(&KernelRecord::launches_beside, "could run beside others of their queue");
  for (const auto& [name, record] : all.kernels) {
    if (record->self_tests == 0) continue;
    const std::set<std::string> apart = record->apart();
    std::string found = apart.empty() ? "the same bytes on all devices" : "other bytes on";
    for (const std::string& device : apart) found += " " + device;
    std::fprintf(stderr, "%-28.28s self-tests: %llu, in %.2f ms; %s\n", name.c_str(),
                 static_cast<unsigned long long>(record->self_tests), ms(record->self_test_ns), found.c_str());
  }
  std::fprintf(stderr, "%-28s %14s %14s\n", "device", "uploaded MiB", "downl. MiB");
  for (size_t index = 0; index < all.devices.size(); ++index) {
    const Traffic& traffic = all.devices[index];
    if (used(traffic)) {
      std::fprintf(stderr, "%-28zu %14.2f %14.2f\n", index, mib(traffic.uploaded_bytes), mib(traffic.downloaded_bytes));
    }
  }
  std::fprintf(stderr, "whole program: %.1f ms; times are sums over devices\n", ms(wall_ns()));
}

}  // namespace

bool wanted() { return !Config::get().report.empty(); }

KernelRecord& kernel(const std::string& name) {
  std::lock_guard lock(records().mutex);
  auto& record = records().kernels[name];
  if (!record) record = std::make_unique<KernelRecord>();
  return *record;
}

Traffic& device(unsigned index) { return records().devices[std::min<size_t>(index, kMaxDevices - 1)]; }

uint64_t wall_ns() { return now_ns() - records().start; }

uint64_t transfer_ns() {
  uint64_t sum = 0;
  for (const Traffic& traffic : records().devices) sum += traffic.upload_ns + traffic.download_ns;
  return sum;
}

void write() {
  if (!wanted()) return;
  Records& all = records();
  std::lock_guard lock(all.mutex);
  const std::string& to = Config::get().report;
  if (to == "-") return print_table(all);
  // A process that used no kernel, such as the shell that started the program, does not write over its report.
  std::FILE* file = std::fopen(to.c_str(), all.kernels.empty() ? "wxe" : "we");
  if (!file && errno == EEXIST) return;
  const std::string text = json_text(as_json(all), 2) + "\n";
  if (!file || std::fwrite(text.data(), 1, text.size(), file) != text.size()) {
    warn("the report could not be written to " + to);
  }
  if (file) std::fclose(file);
}

}  // namespace report
}  // namespace samcl
