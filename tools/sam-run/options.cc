#include "tools/sam-run/options.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <filesystem>

namespace samcl::run {
namespace {

constexpr char kDescription[] =
    "Runs an unmodified OpenCL program on several devices as if they were one.\n"
    "usage: sam-run [OPTIONS] -- PROGRAM [ARGUMENTS]";

constexpr char kFooter[] =
    "Examples:\n"
    "  sam-run -- ./app                         all alike devices of a platform as one\n"
    "  sam-run --devices 0,1 --report -- ./app  the first two devices, and a table at the end\n"
    "  sam-run --gpus 1 -- ./app                on one device, as without sam-run";

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

Result<std::string> report_from(const std::string& text, const std::string& directory) {
  namespace fs = std::filesystem;
  if (text == "-") return text;
  const fs::path file = fs::path(directory) / text;
  std::error_code error;
  if (!fs::is_directory(file.parent_path(), error))
    return fail("--report=" + text + ": there is no directory " + file.parent_path().string());
  if (fs::is_directory(file, error)) return fail("--report=" + text + " is a directory, not a file");
  return file.lexically_normal().string();
}

}  // namespace

Result<Options> parse_options(const std::vector<std::string>& arguments, const std::string& directory) {
  Options options;
  std::string devices, gpus, manager, report;
  CLI::App app(kDescription);
  app.footer(kFooter);
  app.set_help_flag("");  // ours below: CLI11's leaves by an exception
  app.add_flag("-h,--help", options.help, "print this and exit");
  auto* devices_option =
      app.add_option("--devices", devices,
                     "real devices to use, in this order: indices as `clinfo -l` counts them "
                     "over all platforms (0,1), or PLATFORM.DEVICE (0.0,0.1), or parts of names");
  auto* gpus_option = app.add_option("--gpus", gpus, "spread each kernel over at most K of them");
  auto* manager_option =
      app.add_option("--manager", manager,
                     "auto: use sam-managerd if it runs (default); off: never; required: fail "
                     "without it; embedded: start a private one that ends with the program");
  auto* task_option = app.add_option("--task", options.task, "name of the task as registered with sam-ctl");
  auto* report_option =
      app.add_flag("--report{-}", report,
                   "at exit, print what ran where as a table on stderr; --report=FILE.json: "
                   "write it to a file");
  app.prefix_command();

  try {
    std::vector<std::string> reversed(arguments.rbegin(), arguments.rend());  // as CLI11 wants it
    app.parse(reversed);
  } catch (const CLI::ParseError& error) {
    return fail(error.what());
  }
  options.help_text = app.help();
  if (options.help) return options;

  options.program = app.remaining();
  if (!options.program.empty() && options.program[0] == "--")
    options.program.erase(options.program.begin());
  else if (!options.program.empty() && options.program[0].rfind("-", 0) == 0)
    return fail("unknown option '" + options.program[0] + "'; see sam-run --help");
  if (options.program.empty())
    return fail("no program given; usage: sam-run [OPTIONS] -- PROGRAM [ARGUMENTS]");

  if (devices_option->count()) {
    if (devices.find_first_not_of(" ,") == std::string::npos)
      return fail("--devices expects a list such as 0,1");
    options.devices = devices;
  }
  if (gpus_option->count()) {
    const auto number = positive_number("--gpus", gpus);
    if (!number) return tl::unexpected(number.error());
    options.gpus = *number;
  }
  if (manager_option->count()) {
    const auto kind = manager_from(manager);
    if (!kind) return tl::unexpected(kind.error());
    options.manager = *kind;
  }
  if (task_option->count() && options.task.empty()) return fail("--task expects a name");
  if (report_option->count()) {
    const auto target = report_from(report, directory);
    if (!target) return tl::unexpected(target.error());
    options.report = *target;
  }
  return options;
}

}  // namespace samcl::run
