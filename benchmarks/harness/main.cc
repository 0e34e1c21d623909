// sam-bench: runs the benchmark programs with and without samcl and shows the difference.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <set>

#include "base/executable.h"
#include "base/files.h"
#include "base/json_text.h"
#include "base/one_of.h"
#include "benchmarks/harness/campaign.h"
#include "benchmarks/harness/execution.h"
#include "benchmarks/harness/figure.h"
#include "benchmarks/harness/live_run.h"
#include "benchmarks/harness/machine.h"
#include "benchmarks/harness/session_json.h"
#include "benchmarks/harness/show.h"
#include "benchmarks/harness/urgent.h"
#include "tools/process/child.h"

namespace samcl::bench {
namespace {

namespace fs = std::filesystem;

constexpr int kGood = 0, kNotAllPassed = 1, kBadInput = 2;
constexpr double kMachineLimitS = 60;

volatile std::sig_atomic_t interrupted = 0;

struct Options {
  std::string folder;  // of the programs
  std::vector<std::string> names;
  std::vector<unsigned> devices = {1, 2};
  unsigned repeat = 5;
  std::vector<uint64_t> sizes;
  int figure = 0;
  std::string experiment;
  LiveSettings live;
  UrgentSettings urgent;
  std::string program = "VectorAdd";  // of urgent
  std::string file;
  std::string out;
  bool as_json = false;
  Settings settings;
};

Result<Machine> machine_seen_by_another_process() {
  const auto ending = process::run({(own_folder() / "sam-bench").string(), "machine", "--json"}, {}, kMachineLimitS);
  if (!ending) return tl::unexpected(ending.error());
  return machine_from(ending->out);
}

std::string joined(const auto& values) {
  std::string text;
  for (const auto& value : values) {
    if (!text.empty()) text += " ";
    if constexpr (std::is_arithmetic_v<std::decay_t<decltype(value)>>)
      text += std::to_string(value);
    else
      text += value;
  }
  return text;
}

// The chart of a session: bars, or the figure's curves.
std::string drawing(const Session& session, const std::vector<Row>& rows) {
  if (const auto figure = figure_of(session)) return figure_svg(*figure, rows);
  return bars_svg(rows);
}

void announce(size_t number, const Campaign& campaign, const Item& item, const Execution& run) {
  const std::string size = item.parameter ? " " + std::to_string(item.parameter) : "";
  std::fprintf(stderr, "[%zu/%zu] %s%s, %s, round %u\n", number + 1, campaign.executions(), item.program.name.c_str(),
               size.c_str(), variant_name(run.devices).c_str(), run.round + 1);
}

// NAME.json and NAME.svg, if there is a name.
Result<void> keep(const Session& session, const std::string& name) {
  if (name.empty()) return {};
  if (auto good = write_file(name + ".json", format_session(session)); !good) return good;
  return write_file(name + ".svg", drawing(session, summarize(session.runs)));
}

Result<Session> begin_session(const std::string& command, const Campaign& campaign, const Settings& settings) {
  const auto machine = machine_seen_by_another_process();
  if (!machine) return fail("the machine's devices cannot be listed: " + machine.error().message);
  Session session;
  session.command = command;
  session.machine = *machine;
  session.options = {{"repeat", std::to_string(campaign.repeat)}, {"warmup", std::to_string(settings.warmup)},
                     {"jobs", std::to_string(settings.jobs)},     {"devices", joined(campaign.devices)},
                     {"small", settings.small ? "yes" : "no"},    {"arguments", joined(settings.arguments)}};
  return session;
}

Execution execute_item(const Item& item, Execution run, Settings settings) {
  settings.arguments.insert(settings.arguments.end(), item.arguments.begin(), item.arguments.end());
  run = execute(item.program, std::move(run), settings);
  if (run.outcome != Outcome::pass)
    std::fprintf(stderr, "    %s: %s\n", kOutcomeNames[static_cast<size_t>(run.outcome)], run.detail.c_str());
  return run;
}

int show(const Session& session, const Options& options, const std::string& written) {
  const std::vector<Row> rows = summarize(session.runs);
  if (options.as_json) {
    std::cout << rows_json(session, rows);
  } else {
    std::cout << machine_text(session.machine) << "\n" << rows_text(rows);
    if (!written.empty()) std::cout << "\nWritten: " << written << "\n";
  }
  return all_good(rows) && !interrupted ? kGood : kNotAllPassed;
}

// Ctrl-C ends a session early; the executions before it are shown and kept.
Result<int> conduct_session(const std::string& command, const Campaign& campaign, const Options& options) {
  auto session = begin_session(command, campaign, options.settings);
  if (!session) return tl::unexpected(session.error());
  Result<void> kept;
  Conduct conduct;
  conduct.execute = [&](const Item& item, Execution run) {
    return execute_item(item, std::move(run), options.settings);
  };
  conduct.announce = [&](size_t number, const Item& item, const Execution& run) {
    announce(number, campaign, item, run);
  };
  conduct.item_done = [&](const std::vector<Execution>& runs) {
    session->runs = runs;
    kept = keep(*session, options.out);
  };
  conduct.stopped = [] { return interrupted != 0; };
  std::signal(SIGINT, [](int) { interrupted = 1; });
  session->runs = measure(campaign, conduct);
  std::signal(SIGINT, SIG_DFL);
  if (kept) kept = keep(*session, options.out);
  if (!kept) return tl::unexpected(kept.error());
  return show(*session, options, options.out.empty() ? "" : options.out + ".json, " + options.out + ".svg");
}

Result<std::vector<Program>> chosen_programs(const Options& options, const std::vector<std::string>& names) {
  const auto programs = find_programs(options.folder);
  if (!programs) return tl::unexpected(programs.error());
  return choose(*programs, names);
}

Result<int> list(const Options& options) {
  const auto programs = find_programs(options.folder);
  if (!programs) return tl::unexpected(programs.error());
  std::cout << programs_text(*programs);
  return kGood;
}

Result<int> run(Options& options, bool with_bare) {
  const auto programs = chosen_programs(options, options.names);
  if (!programs) return tl::unexpected(programs.error());
  Campaign campaign;
  campaign.repeat = options.repeat;
  campaign.devices = options.devices;
  if (with_bare) campaign.devices.insert(campaign.devices.begin(), kBare);
  for (const Program& program : *programs) campaign.items.push_back({program, 0, {}});
  return conduct_session(with_bare ? "compare" : "run", campaign, options);
}

Result<int> figure(Options& options) {
  Figure figure = *find_figure(options.figure);
  if (!options.sizes.empty()) figure.sizes = options.sizes;
  const auto programs = chosen_programs(options, {figure.program});
  if (!programs) return tl::unexpected(programs.error());
  Campaign campaign;
  campaign.repeat = options.repeat;
  campaign.devices = figure.devices;
  for (const uint64_t size : figure.sizes) {
    Item item{programs->front(), size, {}};
    for (const std::string& option : figure.size_options)
      item.arguments.insert(item.arguments.end(), {option, std::to_string(size)});
    campaign.items.push_back(std::move(item));
  }
  return conduct_session(figure.command, campaign, options);
}

Result<int> draw(const Options& options) {
  const auto text = read_file(options.file);
  if (!text) return tl::unexpected(text.error());
  const auto session = parse_session(*text);
  if (!session) return fail(options.file + ": " + session.error().message);
  const std::string svg =
      options.out.empty() ? fs::path(options.file).replace_extension(".svg").string() : options.out + ".svg";
  if (auto good = write_file(svg, drawing(*session, summarize(session->runs))); !good)
    return tl::unexpected(good.error());
  return show(*session, options, svg);
}

Result<int> live(const Options& options) {
  const auto experiment = find_live(options.experiment);
  const auto programs = find_programs(options.folder);
  if (!programs) return tl::unexpected(programs.error());
  const auto machine = machine_seen_by_another_process();
  if (!machine) return fail("the machine's devices cannot be listed: " + machine.error().message);
  auto session = run_live(*experiment, *programs, options.live,
                          [](const std::string& what) { std::fprintf(stderr, "sam-bench: %s\n", what.c_str()); });
  if (!session) return tl::unexpected(session.error());
  session->machine = *machine;
  std::cout << (options.as_json ? live_json(*session) : machine_text(*machine) + "\n" + live_text(*session));
  if (options.out.empty()) return kGood;
  if (auto kept = write_file(options.out + ".json", live_json(*session)); !kept) return tl::unexpected(kept.error());
  if (auto kept = write_file(options.out + ".svg", live_svg(*session)); !kept) return tl::unexpected(kept.error());
  return kGood;
}

Result<int> urgent(const Options& options) {
  const auto programs = chosen_programs(options, {options.program});
  if (!programs) return tl::unexpected(programs.error());
  const auto machine = machine_seen_by_another_process();
  if (!machine) return fail("the machine's devices cannot be listed: " + machine.error().message);
  auto session = run_urgent(programs->front(), options.urgent,
                            [](const std::string& what) { std::fprintf(stderr, "sam-bench: %s\n", what.c_str()); });
  if (!session) return tl::unexpected(session.error());
  session->machine = *machine;
  std::cout << (options.as_json ? urgent_json(*session) : machine_text(*machine) + "\n" + urgent_text(*session));
  if (!options.out.empty())
    if (auto kept = write_file(options.out + ".json", urgent_json(*session)); !kept)
      return tl::unexpected(kept.error());
  return std::ranges::all_of(session->rows, [](const UrgentRow& row) { return row.failure.empty(); }) ? kGood
                                                                                                      : kNotAllPassed;
}

void add_urgent(CLI::App& command, Options& options) {
  UrgentSettings& urgent = options.urgent;
  command.add_option("--program", options.program, "Whose jobs; it takes --size")->capture_default_str();
  command.add_option("--beside", urgent.beside, "The same program, without rest: a pair of runs for each number")
      ->delimiter(',')
      ->capture_default_str()
      ->check(CLI::Range(0, 64));
  command.add_option("--size", urgent.elements, "Of the urgent program's jobs")
      ->capture_default_str()
      ->check(CLI::PositiveNumber);
  command.add_option("--size-beside", urgent.elements_beside, "Of the others' jobs")
      ->capture_default_str()
      ->check(CLI::PositiveNumber);
  command.add_option("--load", urgent.load, "Part of its period that a job takes alone")
      ->capture_default_str()
      ->check(CLI::Range(0.001, 1.0));
  command.add_option("--jobs", urgent.jobs, "Of each run")->capture_default_str()->check(CLI::Range(1, 10'000'000));
  command.add_option("--slice", urgent.slice_us, "us that the manager lets the others have")
      ->capture_default_str()
      ->check(CLI::Range(50, 100'000));
  command.add_option("--out", options.out, "Keep all responses in NAME.json")->option_text("NAME");
  command.add_flag("--json", options.as_json, "Print JSON instead of a table");
}

void add_live(CLI::App& command, Options& options) {
  command.add_option("EXPERIMENT", options.experiment, "gpu-sam or gpu-sparc: whose three programs")
      ->required()
      ->check(CLI::IsMember({"gpu-sam", "gpu-sparc"}));
  command.add_option("--scale", options.live.scale, "Jobs take the paper's time on one GPU, times this")
      ->capture_default_str()
      ->check(CLI::Range(0.001, 100.0));
  command.add_option("--load", options.live.load, "Tasks have the paper's utilisations of one GPU, times this")
      ->capture_default_str()
      ->check(CLI::Range(0.001, 100.0));
  command.add_option("--beside", options.live.beside, "Programs of no task beside, such as 0,1,7: a run for each")
      ->delimiter(',')
      ->capture_default_str()
      ->check(CLI::Range(0, 64));
  command.add_option("--overrun", options.live.overrun, "What the manager does about broken promises")
      ->capture_default_str()
      ->check(CLI::IsMember({"log", "demote", "end"}));
  command.add_option("--cpu-watch", options.live.cpu_watch, "How late it notices that a job has used up its CPU time")
      ->capture_default_str();
  command.add_option("--seconds", options.live.seconds, "Time of each run")
      ->capture_default_str()
      ->check(CLI::Range(0.1, 86400.0));
  command.add_option("--gpus", options.live.gpus, "The most GPUs that a task may use")
      ->capture_default_str()
      ->check(CLI::Range(1, 32));
  std::map<std::string, analysis::ModePolicy> policies;
  for (const analysis::ModePolicy policy : analysis::kPolicies) policies[analysis::name(policy)] = policy;
  command.add_option("--policies", options.live.policies, "Such as single,gpa; default: the paper's, and search")
      ->delimiter(',')
      ->transform(one_of(policies));
  command.add_option("--margin", options.live.margin_percent, "Per cent that profiles add to the longest times seen")
      ->capture_default_str()
      ->check(CLI::Range(0, 1000));
  command.add_option("--out", options.out, "Keep all responses in NAME.json and draw NAME.svg")->option_text("NAME");
  command.add_flag("--json", options.as_json, "Print JSON instead of a table");
}

Result<int> machine(const Options& options) {
  const Machine seen = look_at_machine();
  std::cout << (options.as_json ? json_text(to_json(seen), 2) + "\n" : machine_text(seen));
  return kGood;
}

void add_measuring(CLI::App& command, Options& options) {
  command.add_option("--repeat", options.repeat, "Rounds: in each, every program runs once on each number of devices")
      ->capture_default_str()
      ->check(CLI::Range(1, 1000));
  command.add_option("--warmup", options.settings.warmup, "Unmeasured jobs at the start of each execution")
      ->capture_default_str()
      ->check(CLI::Range(0, 100000));
  command.add_option("--jobs", options.settings.jobs, "Measured jobs of each execution, of which the median counts")
      ->capture_default_str()
      ->check(CLI::Range(1, 100000));
  command.add_option("--timeout", options.settings.limit_s, "Seconds after which a program is killed")
      ->capture_default_str()
      ->check(CLI::PositiveNumber);
  command.add_option("--out", options.out, "Keep all runs in NAME.json and draw NAME.svg")->option_text("NAME");
  command.add_flag("--json", options.as_json, "Print JSON instead of a table");
}

void add_choosing(CLI::App& command, Options& options) {
  command.add_option("PROGRAMS", options.names, "Names as `sam-bench list` shows them, or all")->required();
  command.add_option("--devices", options.devices, "Numbers of devices under samcl, such as 1,2,4")
      ->delimiter(',')
      ->capture_default_str()
      ->check(CLI::Range(1, 64));
  command.add_flag("--small", options.settings.small, "The programs' sizes for tests");
  add_measuring(command, options);
}

int main_with(int argc, char** argv) {
  // What follows "--" is the programs'.
  Options options;
  int own = 1;
  while (own < argc && std::string(argv[own]) != "--") ++own;
  if (own < argc) options.settings.arguments.assign(argv + own + 1, argv + argc);

  const fs::path folder = own_folder();
  options.folder = (folder / "programs").string();
  options.settings.sam_run = (folder / "sam-run").string();
  options.live.folder = options.urgent.folder = folder.string();

  CLI::App app(
      "sam-bench: runs the benchmark programs with and without samcl and shows the difference.\n"
      "What follows -- goes to the programs. Bare is without samcl, on one device.");
  app.footer(
      "examples:\n"
      "  sam-bench compare all --devices 1,2 --out results\n"
      "  sam-bench run VectorAdd --devices 1,2,4 --repeat 3 -- --size 1000000\n"
      "  sam-bench figure 5 --out figure5\n"
      "  sam-bench live gpu-sam --seconds 20 --out live\n"
      "  sam-bench urgent --beside 0,1,7 --out urgent\n"
      "  sam-bench draw results.json\n\n"
      "Exit code: 0 all passed, with bare's result; 1 not; 2 wrong use.");
  app.require_subcommand(1);
  app.add_option("--programs", options.folder, "Folder of the programs");
  app.fallthrough();
  CLI::App* listing = app.add_subcommand("list", "the programs, with the options that only they have");
  CLI::App* running = app.add_subcommand("run", "run programs under samcl");
  add_choosing(*running, options);
  CLI::App* comparing = app.add_subcommand("compare", "run programs bare and under samcl, in turn");
  add_choosing(*comparing, options);
  CLI::App* figures = app.add_subcommand("figure", "a program over its size, as the papers draw it");
  figures
      ->add_option("NUMBER", options.figure,
                   "3: phases of VectorAdd on 1 and 2 devices; 5: MatrixMultiplication bare, on 1 and on 2")
      ->required()
      ->check(CLI::IsMember({3, 5}));
  figures->add_option("--sizes", options.sizes, "Other sizes than the figure's, such as 1024,4096")
      ->delimiter(',')
      ->check(CLI::PositiveNumber);
  add_measuring(*figures, options);
  CLI::App* together = app.add_subcommand("live", "three periodic programs under a manager, policy by policy");
  add_live(*together, options);
  CLI::App* first = app.add_subcommand("urgent", "jobs of the most urgent program beside others that never rest");
  add_urgent(*first, options);
  CLI::App* drawing = app.add_subcommand("draw", "show and draw again what --out kept");
  drawing->add_option("FILE", options.file, "NAME.json")->required();
  drawing->add_option("--out", options.out, "Draw NAME.svg instead of the file's name with .svg")->option_text("NAME");
  drawing->add_flag("--json", options.as_json, "Print JSON instead of a table");
  CLI::App* facts = app.add_subcommand("machine", "the facts that are kept with results");
  facts->add_flag("--json", options.as_json, "Print JSON");
  try {
    app.parse(own, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? kGood : kBadInput;
  }

  Result<int> code = kGood;
  if (*listing) code = list(options);
  if (*running) code = run(options, false);
  if (*comparing) code = run(options, true);
  if (*figures) code = figure(options);
  if (*together) code = live(options);
  if (*first) code = urgent(options);
  if (*drawing) code = draw(options);
  if (*facts) code = machine(options);
  if (code) return *code;
  std::cerr << "sam-bench: " << code.error().message << "\n";
  return kBadInput;
}

}  // namespace
}  // namespace samcl::bench

int main(int argc, char** argv) {
  try {
    return samcl::bench::main_with(argc, argv);
  } catch (const std::exception& error) {
    std::cerr << "sam-bench: " << error.what() << "\n";
    return samcl::bench::kBadInput;
  }
}
