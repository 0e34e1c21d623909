// sam-doctor: whether this machine has what samcl needs; for each point OK, or what to do.
#include <sched.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <string>
#include <vector>

#include "base/executable.h"
#include "base/printed.h"
#include "sam-manager/protocol/connection.h"
#include "tools/sam-doctor/checks.h"
#include "tools/sam-run/device_list.h"

namespace samcl::doctor {
namespace {

namespace fs = std::filesystem;

constexpr const char kHelp[] =
    R"(sam-doctor says whether this machine has what samcl needs, and what to do where it has not.

usage: sam-doctor [OPTIONS]

Options:
  --instance NAME      which sam-managerd. Default: $SAMCL_INSTANCE, else default.
  -h, --help           print this.
  --version            print the version.

Exit code: 0: all is fine; 1: something is to be fixed; 2: wrong use.
)";

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

std::string beside_us(const std::string& name) {
  std::error_code error;
  const fs::path file = own_folder() / name;
  return fs::exists(file, error) ? file.string() : "";
}

// As libsamcl chooses it.
fs::path cache_directory() {
  if (const std::string given = variable("SAMCL_CACHE_DIR"); !given.empty()) return given;
  if (const std::string base = variable("XDG_CACHE_HOME"); !base.empty()) return fs::path(base) / "samcl";
  return fs::path(variable("HOME")) / ".cache" / "samcl";
}

bool can_be_written(fs::path directory) {
  // It is made when it is needed.
  while (!directory.empty() && access(directory.c_str(), F_OK) != 0 && directory != directory.parent_path())
    directory = directory.parent_path();
  return access(directory.c_str(), W_OK | X_OK) == 0;
}

void ask_manager(const std::string& instance, std::vector<Finding>& findings) {
  auto connection = protocol::Connection::open(instance);
  int policy = -1;
  Result<void> manager;
  if (!connection) {
    manager = tl::unexpected(connection.error());
  } else if (const auto status = (*connection)->ask({{"ask", "status"}}, 2000); !status) {
    manager = tl::unexpected(status.error());
  } else {
    policy = sched_getscheduler(status->document.value("pid", 0));
  }
  findings.push_back(about_manager(instance, manager));
  if (manager) findings.push_back(about_realtime(policy));
}

std::vector<Finding> examine(const std::string& instance) {
  std::vector<Finding> findings;
  findings.push_back(about_devices(run::count_devices("")));
  findings.push_back(about_part("libsamcl.so", beside_us("libsamcl.so"), "programs run as if samcl were not there"));
  findings.push_back(about_part("sam-translate", beside_us("sam-translate"), "kernels run on one device each"));
  findings.push_back(about_cache(cache_directory(), can_be_written(cache_directory())));
  ask_manager(instance, findings);
  int64_t runtime_us = 0;
  std::ifstream("/proc/sys/kernel/sched_rt_runtime_us") >> runtime_us;
  findings.push_back(about_throttling(runtime_us));
  rlimit files{};
  getrlimit(RLIMIT_NOFILE, &files);
  findings.push_back(about_open_files(files.rlim_cur));
  return findings;
}

int run(int argc, char** argv) {
  std::string instance = variable("SAMCL_INSTANCE").empty() ? "default" : variable("SAMCL_INSTANCE");
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "-h" || word == "--help") return std::cout << kHelp, 0;
    if (word == "--version") return std::cout << "sam-doctor " SAMCL_VERSION "\n", 0;
    if (word == "--instance" && i + 1 < argc) {
      instance = argv[++i];
    } else {
      std::cerr << "sam-doctor: unknown option '" << word << "'; see sam-doctor --help\n";
      return 2;
    }
  }
  bool all_fine = true;
  for (const Finding& finding : examine(instance)) {
    std::cout << to_lines(finding);
    all_fine &= finding.fine;
  }
  return all_is_printed("sam-doctor") && all_fine ? 0 : 1;
}

}  // namespace
}  // namespace samcl::doctor

int main(int argc, char** argv) { return samcl::doctor::run(argc, argv); }
