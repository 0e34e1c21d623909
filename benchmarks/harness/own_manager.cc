#include "benchmarks/harness/own_manager.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>
#include <thread>
#include <utility>

#include "base/json_text.h"

namespace samcl::bench {

namespace {

// Drivers compile in first launches, so that these keep a device for long.
bool is_at_work(const nlohmann::json& program) {
  constexpr uint64_t kLeases = 20;
  return program.at("gpu_leases").get<uint64_t>() >= kLeases;
}

}  // namespace

Result<process::Ending> succeed(const std::vector<std::string>& words,
                                const std::map<std::string, std::string>& changes) {
  auto ending = process::run(words, changes, kLongestRunS);
  if (!ending) return tl::unexpected(ending.error());
  if (ending->exit_code == 0) return ending;
  return fail(words.front() + " failed" + (ending->timed_out ? " (it took too long)" : "") + ": " + ending->err +
              ending->out);
}

Neighbours::~Neighbours() {
  for (const pid_t process : processes_) {
    kill(process, SIGKILL);
    waitpid(process, nullptr, 0);
  }
}

Neighbours::Neighbours(Neighbours&& other) noexcept : processes_(std::exchange(other.processes_, {})) {}

void Neighbours::begin(std::vector<std::string> words, const std::string& instance) {
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  const pid_t parent = getpid();
  const pid_t process = fork();
  if (process > 0) processes_.push_back(process);
  if (process != 0) return;
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(1);
  const int nowhere = open("/dev/null", O_RDWR);
  for (int stream = 0; stream <= STDERR_FILENO && nowhere >= 0; ++stream) dup2(nowhere, stream);
  setenv("SAMCL_INSTANCE", instance.c_str(), 1);
  execv(arguments.front(), arguments.data());
  _exit(127);
}

Result<void> OwnManager::begin(const std::string& configuration) {
  const std::string config = files_.file("manager.toml");
  if (auto good = write_file(config, configuration); !good) return good;
  auto begun = succeed(
      {tool("sam-managerd"), "--config", config, "--instance", instance_, "--exit-with", std::to_string(getpid())});
  if (!begun) return tl::unexpected(begun.error());
  runs_ = true;
  return {};
}

void OwnManager::end() {
  if (!std::exchange(runs_, false)) return;
  const auto status = ctl({"status", "--json"});
  if (!status) return;
  const pid_t manager = read_json(*status).at("pid");
  kill(manager, SIGTERM);
  while (kill(manager, 0) == 0) std::this_thread::sleep_for(std::chrono::milliseconds(5));
}

Result<std::string> OwnManager::ctl(std::vector<std::string> words) const {
  words.insert(words.begin(), {tool("sam-ctl"), "--instance", instance_});
  const auto ending = succeed(words);
  if (!ending) return tl::unexpected(ending.error());
  return ending->out;
}

Result<Neighbours> OwnManager::begin_neighbours(const std::vector<std::string>& program, unsigned count) const {
  std::vector<std::string> words = {tool("sam-run"), "--manager", "required", "--"};
  words.insert(words.end(), program.begin(), program.end());
  Neighbours neighbours;
  for (unsigned i = 0; i < count; ++i) neighbours.begin(words, instance_);
  const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (std::chrono::steady_clock::now() < limit) {
    const auto status = ctl({"status", "--json"});
    if (!status) return tl::unexpected(status.error());
    const auto programs = read_json(*status).at("programs");
    if (std::ranges::count_if(programs, is_at_work) >= static_cast<ptrdiff_t>(count)) return neighbours;
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  return fail("the programs beside the tasks do not come to their work");
}

}  // namespace samcl::bench
