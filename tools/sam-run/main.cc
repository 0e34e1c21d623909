// sam-run: starts a program with libsamcl.so in front of its OpenCL. After its checks it becomes the program,
// so that signals, exit code and terminal are the program's own.
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <iostream>

#include "base/executable.h"
#include "base/printed.h"
#include "libsamcl/driver/loader.h"
#include "tools/sam-run/cluster_file.h"
#include "tools/sam-run/device_list.h"
#include "tools/sam-run/embedded_manager.h"
#include "tools/sam-run/environment.h"
#include "tools/sam-run/options.h"
#include "tools/sam-run/program.h"

extern char** environ;

namespace samcl::run {
namespace {

namespace fs = std::filesystem;

// As shells: the command was used wrongly, cannot be run, was not found.
constexpr int kUsage = 2;
constexpr int kNotRunnable = 126;

int complain(const std::string& message, int code = kUsage) {
  std::cerr << "sam-run: " << message << "\n";
  return code;
}

std::string beside(const fs::path& folder, const std::string& name) {
  std::error_code error;
  const fs::path file = folder / name;
  return fs::exists(file, error) ? file.string() : "";
}

Environment present_environment() {
  Environment result;
  for (char** entry = environ; *entry; ++entry) {
    const std::string text = *entry;
    const size_t equals = text.find('=');
    if (equals != std::string::npos) result[text.substr(0, equals)] = text.substr(equals + 1);
  }
  return result;
}

std::string selection_of(const Options& options) {
  const char* inherited = std::getenv("SAMCL_DEVICES");
  return !options.devices.empty() ? options.devices : inherited ? inherited : "";
}

// The options' devices and numbers against those that exist. Costs a start of OpenCL, so only if needed.
Result<void> check_devices(const Options& options) {
  if (options.devices.empty() && !options.gpus) return {};
  const auto count = count_devices(selection_of(options));
  if (!count) return tl::unexpected(Error{"--devices: " + count.error().message});
  if (options.gpus && *options.gpus > *count)
    return tl::unexpected(Error{"--gpus " + std::to_string(*options.gpus) + ": only " + std::to_string(*count) +
                                (*count == 1 ? " device is" : " devices are") + " chosen"});
  return {};
}

// From here on, OpenCL's devices are the cluster's.
Result<void> enter_cluster(const Options& options) {
  if (!options.cluster) return {};
  const auto cluster = read_cluster(*options.cluster);
  if (!cluster) return tl::unexpected(Error{"--cluster: " + cluster.error().message});
  for (const std::string& server : cluster->servers) {
    if (!answers(server))
      return fail("--cluster: the server at " + server + " does not answer; see `sam-cluster status`");
  }
  for (const auto& [name, value] : cluster->environment) setenv(name.c_str(), value.c_str(), 1);
  if (cluster->is_tunnelled) setenv("SAMCL_TRANSPORT", "one-server", 0);           // none between them is worth a trial
  if (cluster->is_managed && !options.manager) setenv("SAMCL_MANAGER", "off", 0);  // the machines' own grant them
  const auto answering = count_devices("");
  if (answering && *answering == cluster->devices) return {};
  return fail("--cluster: of the " + std::to_string(cluster->devices) + " devices in " + *options.cluster + " " +
              std::to_string(answering ? *answering : 0) + " answer; see `sam-cluster status`");
}

// Says how each device is shared, and sees to a manager where that is what shares it.
Result<void> arrange_share(Options& options) {
  if (!options.share) return {};
  const auto devices = shared_devices(selection_of(options), *options.share);
  if (!devices) return tl::unexpected(Error{"--share: " + devices.error().message});
  for (const SharedDevice& device : *devices) {
    complain("--share: " + device.text());
    if (device.way != driver::ShareWay::slices) continue;
    if (options.manager == Manager::off)
      return fail("--share: " + device.name + " is shared in slices, which needs a manager; --manager off allows none");
    if (!options.manager) options.manager = Manager::embedded;
  }
  return {};
}

int show_machine(const Options& options) {
  if (const auto entered = enter_cluster(options); !entered) return complain(entered.error().message);
  const auto devices = reached_devices(selection_of(options));
  if (!devices) return complain("--machine: " + devices.error().message);
  std::cout << machine_text(*devices);
  return all_is_printed("sam-run") ? 0 : 1;
}

int run(int argc, char** argv) {
  auto options = parse_options({argv + 1, argv + argc}, fs::current_path().string());
  if (!options) return complain(options.error().message);
  if (options->help) return std::cout << help_text(), 0;
  if (options->version) return std::cout << "sam-run " SAMCL_VERSION "\n", 0;

  if (options->machine) return show_machine(*options);

  const fs::path folder = own_folder();
  const Parts parts{beside(folder, "libsamcl.so"), beside(folder, "sam-translate"), beside(folder, "samcl-links")};
  if (parts.library.empty()) return complain("libsamcl.so is missing in " + folder.string(), kNotRunnable);

  const char* path = std::getenv("PATH");
  const auto program = find_program(options->program[0], path ? path : "/usr/bin:/bin");
  if (!program) return complain(program.error().message, 127);
  for (const std::string& obstacle : preload_obstacles(*program))
    complain("warning: " + obstacle + "; it runs as without samcl");
  if (const auto entered = enter_cluster(*options); !entered) return complain(entered.error().message);
  if (const auto checked = check_devices(*options); !checked) return complain(checked.error().message);
  if (const auto arranged = arrange_share(*options); !arranged) return complain(arranged.error().message);
  if (parts.translator.empty() && !std::getenv("SAMCL_TRANSLATOR"))
    complain("warning: sam-translate is missing in " + folder.string() + "; kernels run on one device each");

  std::string instance;
  if (options->manager == Manager::embedded) {
    const auto started = start_embedded_manager((folder / "sam-managerd").string());
    if (!started) return complain("--manager embedded: " + started.error().message, kNotRunnable);
    instance = *started;
  }

  const bool needs_links = !parts.link_directory.empty() &&
                           !loader_knows_layers(driver::find_loader(driver::loader_directories(), parts.library));
  const auto changes = environment_changes(*options, parts, present_environment(), instance, needs_links);
  if (!changes) return complain(changes.error().message, kNotRunnable);
  if (options->report && *options->report != "-") unlink(options->report->c_str());
  if (!options->what_if_to.empty()) unlink(options->what_if_to.c_str());
  for (const auto& [name, value] : *changes) setenv(name.c_str(), value.c_str(), 1);

  std::vector<char*> arguments;
  for (const std::string& argument : options->program) arguments.push_back(const_cast<char*>(argument.c_str()));
  arguments.push_back(nullptr);
  execv(program->c_str(), arguments.data());
  // A script without "#!" is run by the shell, as execvp does.
  if (errno == ENOEXEC) {
    arguments.insert(arguments.begin(), const_cast<char*>("/bin/sh"));
    arguments[1] = const_cast<char*>(program->c_str());
    execv("/bin/sh", arguments.data());
  }
  return complain("cannot run " + *program + ": " + std::strerror(errno), kNotRunnable);
}

}  // namespace
}  // namespace samcl::run

int main(int argc, char** argv) { return samcl::run::run(argc, argv); }
