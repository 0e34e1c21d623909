// sam-profile: runs a program in every mode under samcl and makes a task for the analysis of what it did.
#include <CLI/CLI.hpp>
#include <filesystem>
#include <iostream>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <thread>

#include "base/duration.h"
#include "base/executable.h"
#include "base/files.h"
#include "base/json_text.h"
#include "tools/process/child.h"
#include "tools/sam-profile/busy_links.h"
#include "tools/sam-profile/jobs.h"
#include "tools/sam-profile/profile.h"
#include "tools/sam-profile/show.h"
#include "tools/sam-run/device_list.h"

namespace samcl::profile {
namespace {

namespace fs = std::filesystem;

struct Options {
  std::vector<unsigned> modes;
  std::optional<size_t> jobs;
  size_t warmup = 1;
  double limit_s = 600;
  std::string period, deadline, out, devices;
  std::string manager = "embedded";
  TaskParameters task;
  bool as_json = false;
  bool busy_links = false;
  bool realtime = false;
  bool rehearse = false;
  unsigned devices_in_all = 0;  // of `devices`
  unsigned idle_links = 0;      // of devices that are not among these
  std::vector<std::string> program;
};

std::map<std::string, std::string> reasons_in(const std::string& report) {
  std::map<std::string, std::string> reasons;
  const nlohmann::json json = try_read_json(report);
  if (!json.is_object() || !json.contains("kernels")) return reasons;
  for (const auto& kernel : json.at("kernels")) {
    const std::string why = kernel.value("why_not_more", "");
    if (!why.empty()) reasons[kernel.value("name", "?")] = why;
  }
  return reasons;
}

// What samcl has to say, such as that no manager could be used; the program's own words are not shown.
void pass_on_warnings(const std::string& err) {
  std::istringstream lines(err);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("samcl: ") || line.starts_with("sam-run: ")) std::cerr << line << "\n";
  }
}

std::string ending_in_words(const process::Ending& ending) {
  if (ending.timed_out) return "was killed after its time limit (--timeout)";
  if (ending.signal) return "was ended by signal " + std::to_string(ending.signal);
  return "ended with exit code " + std::to_string(ending.exit_code);
}

// Runs the program once on so many GPUs. It is always split: a mode is a promise, and so it is under the
// manager.
Result<Measurement> measure(const Options& options, unsigned gpus) {
  const TemporaryFolder folder;
  const fs::path own = own_folder();
  auto devices = options.busy_links ? share_devices(options.devices, options.devices_in_all, gpus)
                                    : Result<DeviceShares>({options.devices, {}});
  if (!devices) return tl::unexpected(devices.error());
  std::vector<std::vector<std::string>> beside;
  for (const std::string& device : devices->left) {
    beside.push_back({own / "sam-run", "--devices", device, "--manager", "off", "--"});
    beside.back().insert(beside.back().end(), options.program.begin(), options.program.end());
  }
  std::vector<std::string> words = {own / "sam-run", "--gpus",        std::to_string(gpus),
                                    "--manager",     options.manager, "--report=" + folder.file("report")};
  if (!devices->used.empty()) words.insert(words.end(), {"--devices", devices->used});
  words.emplace_back("--");
  words.insert(words.end(), options.program.begin(), options.program.end());
  std::cerr << "sam-profile: " << options.program.front() << " on " << gpus << (gpus == 1 ? " GPU" : " GPUs")
            << (beside.empty() ? "" : ", and " + std::to_string(beside.size()) + " beside it") << "\n";
  std::map<std::string, std::string> environment = {{"SAMCL_SPLIT", "always"}, {"SAMCL_DIRECT", "off"}};
  // If it fails, so will the run that is measured, and that is told.
  if (options.rehearse) process::run(words, environment, options.limit_s, options.realtime);
  environment["SAMCL_TRACE"] = folder.file("trace");
  const BusyLinks busy(beside, options.limit_s);
  const auto ending = process::run(words, environment, options.limit_s, options.realtime);
  if (!ending) return tl::unexpected(ending.error());
  if (const std::string failure = busy.failure(); !failure.empty())
    return fail("--busy-links: a copy of the program on another device " + failure);
  if (ending->timed_out || ending->signal || ending->exit_code != 0)
    return fail("the program " + ending_in_words(*ending) + " on " + std::to_string(gpus) + " GPUs\n" + ending->out +
                ending->err);
  pass_on_warnings(ending->err);
  const std::string text = read_file(folder.file("trace")).value_or("");
  if (text.empty())
    return fail("the program used no OpenCL that samcl could see, or ended without exit()\n" + ending->err);
  const auto trace = parse_trace(text);
  if (!trace) return fail("the trace cannot be read: " + trace.error().message);
  return Measurement{gpus,
                     split_into_jobs(*trace, options.jobs),
                     trace->managed,
                     trace->dropped,
                     reasons_in(read_file(folder.file("report")).value_or("")),
                     static_cast<unsigned>(beside.size()),
                     ending->realtime};
}

Result<std::optional<Time>> time_option(const char* option, const std::string& text) {
  if (text.empty()) return std::optional<Time>();
  const auto time = parse_duration(text);
  if (!time) return fail(std::string(option) + ": " + time.error().message);
  return std::optional<Time>(*time);
}

Result<void> complete(Options& options) {
  if (options.program.empty()) return fail("no program given; usage: sam-profile [OPTIONS] -- PROGRAM [ARGUMENTS]");
  if (options.task.name.empty()) options.task.name = fs::path(options.program.front()).filename();
  if (options.out.empty()) options.out = options.task.name;
  const auto period = time_option("--period", options.period);
  if (!period) return tl::unexpected(period.error());
  const auto deadline = time_option("--deadline", options.deadline);
  if (!deadline) return tl::unexpected(deadline.error());
  options.task.period = *period;
  options.task.deadline = *deadline;
  options.task.cpus = static_cast<int>(std::clamp(std::thread::hardware_concurrency(), 1u, 64u));
  if (options.modes.empty() || options.busy_links) {
    const auto count = run::count_devices(options.devices);
    if (!count) return tl::unexpected(Error{"--devices: " + count.error().message});
    options.devices_in_all = *count;
    if (options.busy_links && !options.devices.empty()) {
      const auto all = run::count_devices("");
      if (!all) return tl::unexpected(all.error());
      options.idle_links = *all - std::min(*all, *count);
    }
    if (options.modes.empty())
      for (unsigned mode = 1; mode <= *count; ++mode) options.modes.push_back(mode);
  }
  const std::set<unsigned> once(options.modes.begin(), options.modes.end());
  options.modes.assign(once.begin(), once.end());
  if (options.busy_links && options.task.links != analysis::kIdleLinks)
    return fail("--busy-links times transfers while other links are at work: no --link-factor comes on top");
  if (options.busy_links && options.idle_links == 0) options.task.links = analysis::kBusyLinks;
  return {};
}

std::string register_command(const analysis::Task& task, const std::string& file) {
  return "sam-ctl register " + task.name + " --priority " +
         (task.priority ? std::to_string(*task.priority) : std::string("P")) + " --profile " + file;
}

Result<void> run(Options& options) {
  if (auto good = complete(options); !good) return good;
  std::vector<Measurement> measurements;
  for (const unsigned gpus : options.modes) {
    auto measured = measure(options, gpus);
    if (!measured) return tl::unexpected(measured.error());
    measurements.push_back(std::move(*measured));
  }
  const auto profile = make_profile(measurements, options.warmup);
  if (!profile) return tl::unexpected(profile.error());
  const auto task = make_task(*profile, options.task);
  if (!task) return tl::unexpected(task.error());
  const unsigned margin = options.task.margin_percent;
  const std::string json = profile_json(*profile, *task, margin);
  if (auto good = write_file(options.out + ".task.json", analysis::format_task_set(*task)); !good) return good;
  if (auto good = write_file(options.out + ".profile.json", json); !good) return good;
  if (options.as_json) {
    std::cout << json;
    return {};
  }
  std::cout << profile_text(*profile, *task, margin) << "\nWritten: " << options.out << ".task.json (for sam-analyze), "
            << options.out << ".profile.json (all that was measured)\n"
            << register_command(task->set.tasks.front(), options.out + ".task.json") << "\n";
  if (!options.task.period)
    std::cout << "The period is twice the longest job and no more than a start: give --period.\n";
  return {};
}

int main_with(int argc, char** argv) {
  Options options;
  int own = 1;
  while (own < argc && std::string(argv[own]) != "--") ++own;
  if (own < argc) options.program.assign(argv + own + 1, argv + argc);

  CLI::App app(
      "sam-profile runs a program on 1, 2, ... GPUs and makes a task for sam-analyze and sam-ctl of what it "
      "did:\n"
      "the CPU, PCI and GPU stages of a job, and how long each takes in every mode.\n\n"
      "usage: sam-profile [OPTIONS] -- PROGRAM [ARGUMENTS]");
  app.set_version_flag("--version", "sam-profile " SAMCL_VERSION);
  app.footer(
      "The program should run some dozens of jobs, each with the same work, on an otherwise idle machine. It "
      "may mark\n"
      "them (include samcl/samcl.h); else they are told apart by the commands that come again and again, or "
      "by pauses.\n\n"
      "examples:\n"
      "  sam-profile -- ./vision --frames 100\n"
      "  sam-profile --modes 1,2,4 --period 40ms --deadline 35ms --name vision -- ./vision --frames 100\n"
      "  sam-analyze rta vision.task.json\n\n"
      "Exit code: 0 done; 2 wrong use, or the program failed.");
  app.add_option("--modes", options.modes, "Numbers of GPUs, such as 1,2,4; default: 1 to all there are")
      ->delimiter(',')
      ->check(CLI::Range(1, 64));
  app.add_option("--jobs", options.jobs, "How many jobs the program runs, if it does not mark them and you know it")
      ->check(CLI::Range(1, 1000000));
  app.add_option("--warmup", options.warmup, "First jobs to leave out: they build kernels and touch memory")
      ->capture_default_str()
      ->check(CLI::Range(0, 1000000));
  app.add_option("--margin", options.task.margin_percent, "Per cent that are added to the longest time seen")
      ->capture_default_str()
      ->check(CLI::Range(0, 1000));
  app.add_option("--name", options.task.name, "Of the task; default: the program's file name");
  app.add_option("--period", options.period, "Of the task, such as 40ms; default: twice the longest job");
  app.add_option("--deadline", options.deadline, "Relative to the release; default: the period");
  app.add_option("--priority", options.task.priority, "Larger is more urgent");
  app.add_option("--devices", options.devices, "As for sam-run: which devices, in which order");
  app.add_option("--manager", options.manager,
                 "As for sam-run. With one, kernels are cut in slices and transfers in chunks, as they will be later")
      ->capture_default_str()
      ->check(CLI::IsMember({"embedded", "auto", "required", "off"}));
  app.add_flag(
      "--busy-links", options.busy_links,
      "Run a copy of the program on each device that is left, so that the other links are at work, too; without "
      "it\nor --link-factor the manager guarantees nothing where there are several links");
  app.add_flag(
      "--realtime", options.realtime,
      "With the least real-time priority for all of the program's threads, where the system allows it: as tasks "
      "run under the manager,\nwithout waiting for whatever else computes. A program that never rests keeps its CPUs "
      "until --timeout");
  app.add_flag(
      "--rehearse", options.rehearse,
      "Run the program once before in each mode, unmeasured: what drivers and samcl build for the kernels' parts and "
      "keep on disk\nis there then, and no job's time has it");
  app.add_option(
         "--link-factor", options.task.links,
         "Per cent, from 100, of their time alone that transfers were measured to take while other links are at "
         "work,\nsuch as 135: their times are multiplied by it")
      ->check(CLI::Range(analysis::kBusyLinks, analysis::kMaxLinks));
  app.add_option("--timeout", options.limit_s, "Seconds after which the program is killed")
      ->capture_default_str()
      ->check(CLI::PositiveNumber);
  app.add_option("--out", options.out, "Begin of the files' names; default: the task's name")->option_text("NAME");
  app.add_flag("--json", options.as_json, "Print the profile as JSON");
  try {
    app.parse(own, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  if (const auto done = run(options); !done) {
    std::cerr << "sam-profile: " << done.error().message << "\n";
    return 2;
  }
  return 0;
}

}  // namespace
}  // namespace samcl::profile

int main(int argc, char** argv) {
  try {
    return samcl::profile::main_with(argc, argv);
  } catch (const std::exception& error) {
    std::cerr << "sam-profile: " << error.what() << "\n";
    return 2;
  }
}
