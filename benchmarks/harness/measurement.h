// What sam-bench measures: one execution of a program, and a session of many with the machine they ran on.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace samcl::bench {

// Upload, kernel and download are the sums of the program's own profiling events; merge, and what samcl
// uploads only when a kernel needs it, come from samcl's report. Rest is what is left of the total: host
// time, and waiting.
enum Phase : size_t { kUpload, kKernel, kDownload, kMerge, kRest, kPhases };
inline constexpr std::array<const char*, kPhases> kPhaseNames = {"upload", "kernel", "download", "merge", "rest"};

enum class Outcome {
  pass,
  fail,     // the program found its result wrong
  error,    // it gave up, or printed no result
  crash,    // a signal ended it
  timeout,  // it was killed at the time limit
};
inline constexpr std::array<const char*, 5> kOutcomeNames = {"PASS", "FAIL", "ERROR", "CRASH", "TIMEOUT"};

// Where a program runs: bare is without samcl, on one device.
inline constexpr unsigned kBare = 0;

// One execution. Times in ms and bytes are those of one job: medians over the run's jobs, save merge, bytes
// and what is uploaded on demand, which are means over all jobs with those of the warm-up.
struct Execution {
  std::string program;
  std::string size;          // as the program names it
  uint64_t parameter = 0;    // what a figure varies
  unsigned devices = kBare;  // that it was given
  unsigned round = 0;
  Outcome outcome = Outcome::error;
  std::string detail;    // why it is no PASS
  std::string checksum;  // of the result
  double total_ms = 0;   // from the job's release to its result in host memory
  std::array<double, kPhases> phases_ms{};
  double uploaded_bytes = 0, downloaded_bytes = 0;  // over the links, by samcl
  unsigned devices_used = 0;                        // the most a kernel ran on; 0 if bare
  std::string why_not_more;                         // the reason, if fewer than given
};

struct DeviceFacts {
  std::string name, platform, driver;
  uint64_t units = 0, memory_bytes = 0;
};

struct Machine {
  std::string date, commit, kernel, processor;
  uint64_t processors = 0;
  std::vector<DeviceFacts> devices;
  std::map<std::string, std::string> environment;  // variables that change what is measured
};

struct Session {
  std::string command;  // "run", "compare", "figure 3", "figure 5"
  std::map<std::string, std::string> options;
  Machine machine;
  std::vector<Execution> runs;  // in the order they were made
};

}  // namespace samcl::bench
