#include "tools/sam-run/options.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <filesystem>

#include "libsamcl/cost/imagined_machines.h"
#include "libsamcl/driver/share.h"

namespace samcl::run {
namespace {

constexpr char kHelp[] =
    R"(sam-run runs an unmodified OpenCL program on several devices as if they were one.

usage: sam-run [OPTIONS] -- PROGRAM [ARGUMENTS]
       sam-run [--cluster FILE] [--devices LIST] --machine

  --devices LIST       real devices to use, in this order. Elements, separated by commas: an index over all
                       platforms in the order of `clinfo -l` (0,1), PLATFORM.DEVICE (0.0,0.1), or a part of a
                       device's name. Default: all; each group of alike devices is one device to the program.
  --gpus K             spread each kernel over at most K of them. Default: all.
  --cluster FILE       use the devices of the machines in FILE, which `sam-cluster up` wrote, and not this machine's.
  --machine            print the machines and their devices, and how long bytes take there, measured now; no program runs.
  --mix[=exact]        join devices that are not alike, too: each gets as much of a kernel as it computes in the same
                       time. Their results may differ in the last bits of floating-point numbers; with exact a kernel
                       uses only those that give the same bytes in self-tests of its launches.
  --survive            when a device is lost, with its server, go on with the others. What they computed is then kept in
                       this machine's memory, too, where it could not be computed again, and commands wait for that.
  --share PART         give the program that part of each device, 0.5 or 50%: some of its compute units where the
                       driver divides it; NVIDIA's Multi-Process Service where that runs; else slices of time under
                       a manager (an embedded one, unless --manager says which). Prints which way.
  --manager auto|off|required|embedded
                       auto (default): use sam-managerd if it runs; off: never; required: fail without it;
                       embedded: start a private one that ends with the program.
  --task NAME          the task's name, as registered with `sam-ctl register`.
  --report[=FILE.json] at exit, print what ran where and why as a table on stderr, or write it to FILE.json.
  --trace FILE.json    write what ran when, on which device and why, as Chrome's trace events: open FILE.json in
                       https://ui.perfetto.dev or chrome://tracing, also while the program runs; %p in its name is
                       the process's number.
  --plan FILE.dot      at exit, write what was planned and run as a graph: `dot -Tsvg FILE.dot -o plan.svg`.
  --what-if MACHINES   run on one device, and predict at exit what the program would take on machines with more:
                       devices=2,64,512[,link=12GB/s][,latency=60us][,host=RATE][,uplink=RATE][,start=TIME].
                       link: from device to device, and to the host unless host= says; uplink: of the host to all
                       devices together (default: no limit); latency: of one exchange; start: for the host to start
                       one part more (5us). What is not given is as on this machine. Launches are taken to run one
                       after the other, split as samcl's planner splits them.
  --json FILE          with --what-if: write the prediction to FILE, as JSON.
  -h, --help           print this.
  --version            print the version.

examples:
  sam-run -- ./app
  sam-run --devices 0,1 --report -- ./app --size 1000
  sam-run --what-if devices=2,8,64,link=12GB/s,latency=60us -- ./app
  sam-run --manager embedded --task vision -- ./app

Exit code: the program's own. 2: wrong use; 126: the program cannot be run; 127: there is no such program.
)";

Result<unsigned> positive_number(const std::string& option, const std::string& text) {
  unsigned value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value == 0)
    return fail(option + " expects a number of devices, 1 or more, not '" + text + "'");
  return value;
}

Result<Manager> manager_from(const std::string& text) {
  if (text == "auto") return Manager::automatic;
  if (text == "off") return Manager::off;
  if (text == "embedded") return Manager::embedded;
  if (text == "required") return Manager::required;
  return fail("--manager expects auto, off, embedded or required, not '" + text + "'");
}

Result<std::string> file_from(const std::string& option, const std::string& text, const std::string& directory) {
  namespace fs = std::filesystem;
  const fs::path file = fs::path(directory) / text;
  std::error_code error;
  if (!fs::is_directory(file.parent_path(), error))
    return fail(option + "=" + text + ": there is no directory " + file.parent_path().string());
  if (fs::is_directory(file, error)) return fail(option + "=" + text + " is a directory, not a file");
  return file.lexically_normal().string();
}

// What is predicted is predicted from one device.
Result<void> check_what_if(const Options& options) {
  const auto machines = parse_imagined_machines(options.what_if);
  if (!machines) return fail("--what-if " + machines.error().message);
  if (options.gpus.value_or(1) > 1) return fail("--what-if runs the program on one device, but --gpus says more");
  if (options.manager && *options.manager != Manager::off)
    return fail("--what-if runs the program without a manager, but --manager says which");
  if (options.machine) return fail("--what-if runs a program, --machine none");
  if (options.share || options.mix != Mix::off)
    return fail("--what-if imagines whole devices, all alike: it goes with neither --share nor --mix");
  return {};
}

}  // namespace

const char* help_text() { return kHelp; }

Result<Options> parse_options(const std::vector<std::string>& arguments, const std::string& directory) {
  Options options;
  std::string cluster, devices, gpus, mix, share, manager, report, trace, plan;
  CLI::App app;
  app.set_help_flag("");  // ours below: CLI11's leaves by an exception
  app.add_flag("-h,--help", options.help);
  app.add_flag("--version", options.version);
  auto* devices_option = app.add_option("--devices", devices);
  auto* gpus_option = app.add_option("--gpus", gpus);
  auto* cluster_option = app.add_option("--cluster", cluster);
  app.add_flag("--machine", options.machine);
  app.add_flag("--survive", options.survive);
  auto* mix_option = app.add_flag("--mix{on}", mix);
  auto* share_option = app.add_option("--share", share);
  auto* manager_option = app.add_option("--manager", manager);
  auto* task_option = app.add_option("--task", options.task);
  auto* report_option = app.add_flag("--report{-}", report);
  auto* trace_option = app.add_option("--trace", trace);
  auto* plan_option = app.add_option("--plan", plan);
  auto* what_if_option = app.add_option("--what-if", options.what_if);
  auto* json_option = app.add_option("--json", options.what_if_to);
  app.prefix_command();

  try {
    std::vector<std::string> reversed(arguments.rbegin(), arguments.rend());  // as CLI11 wants it
    app.parse(reversed);
  } catch (const CLI::ParseError& error) {
    return fail(error.what());
  }
  if (options.help || options.version) return options;

  options.program = app.remaining();
  if (!options.program.empty() && options.program[0] == "--")
    options.program.erase(options.program.begin());
  else if (!options.program.empty() && options.program[0].starts_with('-'))
    return fail("unknown option '" + options.program[0] + "'; see sam-run --help");
  if (options.machine && !options.program.empty())
    return fail("--machine runs no program, but '" + options.program[0] + "' is given");
  if (options.program.empty() && !options.machine)
    return fail("no program given; usage: sam-run [OPTIONS] -- PROGRAM [ARGUMENTS]");

  if (devices_option->count()) {
    if (devices.find_first_not_of(" ,") == std::string::npos) return fail("--devices expects a list such as 0,1");
    options.devices = devices;
  }
  if (gpus_option->count()) {
    const auto number = positive_number("--gpus", gpus);
    if (!number) return tl::unexpected(number.error());
    options.gpus = *number;
  }
  if (cluster_option->count()) options.cluster = (std::filesystem::path(directory) / cluster).string();
  if (mix_option->count()) {
    if (mix != "on" && mix != "exact") return fail("--mix expects nothing or =exact, not '" + mix + "'");
    options.mix = mix == "exact" ? Mix::exact : Mix::on;
  }
  if (share_option->count()) {
    const auto part = driver::parse_share(share);
    if (!part) return fail("--share " + part.error().message);
    options.share = *part;
  }
  if (manager_option->count()) {
    const auto kind = manager_from(manager);
    if (!kind) return tl::unexpected(kind.error());
    options.manager = *kind;
  }
  if (task_option->count() && options.task.empty()) return fail("--task expects a name");
  if (report_option->count()) {
    const auto target = report == "-" ? report : file_from("--report", report, directory);
    if (!target) return tl::unexpected(target.error());
    options.report = *target;
  }
  if (trace_option->count()) {
    const auto target = file_from("--trace", trace, directory);
    if (!target) return tl::unexpected(target.error());
    options.trace = *target;
  }
  if (plan_option->count()) {
    const auto target = file_from("--plan", plan, directory);
    if (!target) return tl::unexpected(target.error());
    options.plan = *target;
  }
  if (what_if_option->count()) {
    if (const auto checked = check_what_if(options); !checked) return tl::unexpected(checked.error());
  }
  if (json_option->count()) {
    if (!what_if_option->count()) return fail("--json is where --what-if writes; without it there is nothing to write");
    const auto target = file_from("--json", options.what_if_to, directory);
    if (!target) return tl::unexpected(target.error());
    options.what_if_to = *target;
  }
  return options;
}

}  // namespace samcl::run
