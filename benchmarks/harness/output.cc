#include "benchmarks/harness/output.h"

#include <algorithm>
#include <cstring>
#include <nlohmann/json.hpp>

#include "base/json_text.h"
#include "tools/process/last_line.h"

namespace samcl::bench {
namespace {

using nlohmann::json;

void read_times(const json& median, Execution& run) {
  run.phases_ms[kUpload] = median.at("upload").at("device_ms");
  run.phases_ms[kKernel] = median.at("kernel").at("device_ms");
  run.phases_ms[kDownload] = median.at("download").at("device_ms");
  run.total_ms = median.at("total").at("host_ms");
}

// Devices work at the same time: a sum over them is shared out.
double ms_per_job(const json& kernel, const char* field, double jobs) {
  const double devices = std::max(1.0, kernel.at("devices").get<double>());
  return kernel.at(field).get<double>() * 1e-6 / devices / jobs;
}

void read_report(const json& report, unsigned jobs, Execution& run) {
  const double count = std::max(1u, jobs);
  for (const json& kernel : report.at("kernels")) {
    run.phases_ms[kUpload] += ms_per_job(kernel, "upload_ns", count);
    run.phases_ms[kMerge] += ms_per_job(kernel, "merge_ns", count);
    run.devices_used = std::max(run.devices_used, kernel.at("devices").get<unsigned>());
    if (run.why_not_more.empty()) run.why_not_more = kernel.at("why_not_more");
  }
  // The kernels' events end when their outputs have been merged.
  run.phases_ms[kKernel] = std::max(0.0, run.phases_ms[kKernel] - run.phases_ms[kMerge]);
  if (run.devices_used >= run.devices) run.why_not_more.clear();
  for (const json& device : report.at("devices")) {
    run.uploaded_bytes += device.at("uploaded_bytes").get<double>() / count;
    run.downloaded_bytes += device.at("downloaded_bytes").get<double>() / count;
  }
}

Execution ended(Execution run, Outcome outcome, std::string detail) {
  run.outcome = outcome;
  run.detail = std::move(detail);
  return run;
}

std::string said(const process::Ending& ending) {
  const std::string last = process::last_line(ending.err);
  return last.empty() ? "it said nothing" : last;
}

}  // namespace

Execution read_output(Execution run, const process::Ending& ending, const std::string& report, unsigned jobs) {
  if (ending.timed_out) return ended(std::move(run), Outcome::timeout, "killed after its time limit");
  if (ending.signal) {
    return ended(std::move(run), Outcome::crash,
                 "signal " + std::to_string(ending.signal) + " (" + strsignal(ending.signal) + ")");
  }
  const json line = process::last_json_line(ending.out);
  if (line.is_discarded()) {
    return ended(std::move(run), Outcome::error,
                 "exit code " + std::to_string(ending.exit_code) + ", no result: " + said(ending));
  }
  try {
    run.size = line.at("size");
    run.checksum = line.at("checksum");
    read_times(line.at("median"), run);
    if (!line.at("passed").get<bool>()) return ended(std::move(run), Outcome::fail, line.value("wrong", ""));
    if (!report.empty()) read_report(read_json(report), jobs, run);
  } catch (const json::exception& error) {
    return ended(std::move(run), Outcome::error, std::string("its result cannot be read: ") + error.what());
  }
  if (ending.exit_code != 0) {
    return ended(std::move(run), Outcome::error, "PASS, but exit code " + std::to_string(ending.exit_code));
  }
  double known = 0;
  for (size_t p = 0; p < kRest; ++p) known += run.phases_ms[p];
  run.phases_ms[kRest] = std::max(0.0, run.total_ms - known);
  run.outcome = Outcome::pass;
  return run;
}

}  // namespace samcl::bench
