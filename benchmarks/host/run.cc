#include "benchmarks/host/run.h"

#include <CLI/CLI.hpp>
#include <cinttypes>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "base/json_text.h"
#include "benchmarks/host/jobs.h"
#include "benchmarks/host/statistics.h"

namespace bench {
namespace {

struct Options {
  unsigned platform = 0;
  unsigned device = 0;
  uint64_t seed = 1;
  size_t warmup = 0;
  size_t iterations = 0;
  double period_ms = 0;    // 0: back to back
  double deadline_ms = 0;  // 0: the period
  size_t jobs = 20;
  bool json = false;
  bool unverified = false;
  std::optional<size_t> flip;  // byte of the result to damage before it is verified
};

const CLI::Validator kAboveZero(
    [](std::string& text) {
      double value = 0;
      if (CLI::detail::lexical_cast(text, value) && value > 0 && value <= 1e9) return std::string();
      return "expected a number above 0, at most 1e9, not '" + text + "'";
    },
    "POSITIVE");

void add_options(CLI::App& app, Sizes& sizes, Options& options) {
  app.add_option("--platform", options.platform, "Index of the OpenCL platform")->capture_default_str();
  app.add_option("--device", options.device, "Index of the device in the platform's list")->capture_default_str();
  app.add_option("--seed", options.seed, "Seed of the input")->capture_default_str();
  sizes.add("--warmup", options.warmup, {.usual = 2, .small = 1, .least = 0, .most = 1'000'000},
            "Jobs before the measured ones");
  auto* iterations = sizes.add("--iterations", options.iterations,
                               {.usual = 10, .small = 2, .least = 1, .most = 1'000'000}, "Measured jobs, back to back");
  auto* period = app.add_option("--period", options.period_ms, "Release one job every so many ms")
                     ->check(kAboveZero)
                     ->excludes(iterations);
  app.add_option("--deadline", options.deadline_ms, "Deadline in ms after the release (default: the period)")
      ->check(kAboveZero)
      ->needs(period);
  app.add_option("--jobs", options.jobs, "Periodic jobs")->capture_default_str()->check(kAboveZero)->needs(period);
  app.add_flag("--json", options.json, "One more line at the end: everything as JSON");
  auto* unverified =
      app.add_flag("--unverified", options.unverified,
                   "Leave out the plain computation: for checksums that a verified run's are compared with");
  app.add_option("--flip-byte", options.flip,
                 "Damage this byte of the result before it is verified: shows that the check can fail")
      ->excludes(unverified);
}

constexpr std::array kPhaseNames = {"upload", "kernel", "download", "total"};

double median(const std::vector<JobTimes>& jobs, std::array<double, kPhases> JobTimes::* clock, Phase phase) {
  std::vector<double> values;
  for (const JobTimes& job : jobs) values.push_back((job.*clock)[phase]);
  return summarize(std::move(values)).median;
}

void print_times(const JobLog& log) {
  std::printf("median of %zu jobs, ms    device      host\n", log.jobs.size());
  for (int phase = 0; phase < kPhases; ++phase)
    std::printf("  %-18s %11.3f %9.3f\n", kPhaseNames[phase], median(log.jobs, &JobTimes::device, Phase(phase)),
                median(log.jobs, &JobTimes::host, Phase(phase)));
}

void print_responses(const JobLog& log, double period, double deadline) {
  const Summary r = summarize(log.responses);
  std::printf("response times, ms: min %.3f  median %.3f  95%% %.3f  max %.3f\n", r.min, r.median, r.p95, r.max);
  std::printf("period %.3f ms, deadline %.3f ms: %zu of %zu jobs missed it\n", period, deadline, log.misses, r.count);
}

nlohmann::ordered_json to_json(const JobLog& log) {
  nlohmann::ordered_json times;
  for (int phase = 0; phase < kPhases; ++phase)
    times[kPhaseNames[phase]] = {{"device_ms", median(log.jobs, &JobTimes::device, Phase(phase))},
                                 {"host_ms", median(log.jobs, &JobTimes::host, Phase(phase))}};
  return times;
}

nlohmann::ordered_json responses_to_json(const JobLog& log, double period, double deadline) {
  const Summary r = summarize(log.responses);
  return {{"period_ms", period},   {"deadline_ms", deadline}, {"misses", log.misses}, {"min_ms", r.min},
          {"median_ms", r.median}, {"p95_ms", r.p95},         {"max_ms", r.max},      {"responses_ms", log.responses}};
}

// The host's time of each job, ms: the first one is what a program that runs once takes.
nlohmann::ordered_json totals_to_json(const JobLog& log) {
  nlohmann::ordered_json totals = nlohmann::ordered_json::array();
  for (const JobTimes& job : log.jobs) totals.push_back(job.host[kTotal]);
  return totals;
}

std::string hex(uint64_t value) {
  char text[19];
  std::snprintf(text, sizeof text, "0x%016" PRIx64, value);
  return text;
}

// Why the results are wrong; empty: they are right.
std::string judge(Workload& workload, const JobLog& log, bool unverified) {
  if (log.first_changed)
    return "job " + std::to_string(*log.first_changed) + " computed another result than the first from the same input";
  return unverified ? "" : workload.verify();
}

bool run_with(Workload& workload, const Options& options) {
  const auto begin = Clock::now();
  const Session session = Session::open(options.platform, options.device);
  std::printf("%s %s on %s (%s), seed %" PRIu64 "\n", workload.name(), workload.size().c_str(),
              session.device_name.c_str(), session.platform_name.c_str(), options.seed);
  workload.set_up(session, options.seed);
  const double once_ms = Milliseconds(Clock::now() - begin).count();

  const bool periodic = options.period_ms > 0;
  const double deadline = options.deadline_ms > 0 ? options.deadline_ms : options.period_ms;
  const JobLog log = periodic ? run_periodic(workload, options.warmup, options.jobs, Milliseconds(options.period_ms),
                                             Milliseconds(deadline))
                              : run_back_to_back(workload, options.warmup, options.iterations);
  if (options.flip) {
    if (*options.flip >= workload.result().size())
      throw std::runtime_error("--flip-byte: the result has " + std::to_string(workload.result().size()) + " bytes");
    workload.result()[*options.flip] ^= std::byte{0x80};
  }
  const std::string wrong = judge(workload, log, options.unverified);

  print_times(log);
  if (periodic) print_responses(log, options.period_ms, deadline);
  if (!wrong.empty()) std::printf("wrong: %s\n", wrong.c_str());
  std::printf("checksum %s\n%s\n", hex(log.checksum).c_str(),
              !wrong.empty()       ? "FAIL"
              : options.unverified ? "UNVERIFIED"
                                   : "PASS");
  if (options.json) {
    nlohmann::ordered_json line = {
        {"program", workload.name()},
        {"size", workload.size()},
        {"seed", options.seed},
        {"platform", session.platform_name},
        {"device", session.device_name},
        {"passed", wrong.empty()},
        {"verified", !options.unverified},
        {"checksum", hex(log.checksum)},
        {"jobs", log.jobs.size()},
        {"compared", log.compared},
        {"median", to_json(log)},
        {"totals_ms", totals_to_json(log)},
        {"once", {{"build_ms", session.build_ms}, {"set_up_ms", once_ms - session.build_ms}}}};
    if (!wrong.empty()) line["wrong"] = wrong;
    if (periodic) line["periodic"] = responses_to_json(log, options.period_ms, deadline);
    std::printf("%s\n", samcl::json_text(line).c_str());
  }
  return wrong.empty();
}

}  // namespace

int run(Workload& workload, int argc, char** argv) {
  CLI::App app(std::string(workload.name()) + ": an OpenCL program that checks its own result");
  Options options;
  Sizes sizes(app);
  add_options(app, sizes, options);
  workload.add_sizes(sizes);
  if (const std::optional<int> exit_code = sizes.parse(argc, argv)) return *exit_code;
  try {
    return run_with(workload, options) ? 0 : 1;
  } catch (const std::invalid_argument& error) {
    std::fflush(stdout);
    std::fprintf(stderr, "%s: %s\n", workload.name(), error.what());
    return 2;
  } catch (const std::exception& error) {
    std::fflush(stdout);
    std::fprintf(stderr, "%s: %s\n", workload.name(), error.what());
    std::printf("FAIL\n");
    return 1;
  }
}

}  // namespace bench
