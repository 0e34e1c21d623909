#include "tools/sam-ctl/collect_traces.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <map>
#include <thread>

#include "base/json_text.h"
#include "sam-manager/protocol/descriptor.h"
#include "tools/sam-ctl/one_trace.h"

namespace samcl::ctl {
namespace {

using nlohmann::json;
using protocol::Descriptor;
using std::chrono::milliseconds;
using std::chrono::nanoseconds;
using Clock = std::chrono::steady_clock;

constexpr int kLimitMs = 2000;
constexpr auto kBetweenLooks = milliseconds(50);
constexpr auto kLastLines = milliseconds(200);  // until programs have written what they keep
constexpr size_t kMostBytes = 80 << 20;         // of a program

struct Source {
  Descriptor file;
  ProgramTrace trace;
};

// The memory that a program writes to. It may be gone, or something else: what it says is the program's word.
Result<Descriptor> open_memory(int pid, int descriptor) {
  const std::string path = "/proc/" + std::to_string(pid) + "/fd/" + std::to_string(descriptor);
  char target[64] = "";
  if (readlink(path.c_str(), target, sizeof target - 1) < 0)
    return fail(errno == EACCES || errno == EPERM ? "it is another user's: be root, or that user"
                                                  : std::strerror(errno));
  if (!std::string(target).starts_with("/memfd:samcl-trace")) return fail("it has no trace");
  Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  struct stat facts{};
  if (!file || fstat(file.get(), &facts) != 0) return fail(std::strerror(errno));
  if (!S_ISREG(facts.st_mode)) return fail("it has no trace");
  return file;
}

std::string read_all(const Descriptor& file) {
  struct stat facts{};
  if (fstat(file.get(), &facts) != 0) return "";
  std::string text(std::min<size_t>(static_cast<size_t>(facts.st_size), kMostBytes), '\0');
  size_t done = 0;
  while (done < text.size()) {
    const ssize_t got = pread(file.get(), text.data() + done, text.size() - done, static_cast<off_t>(done));
    if (got <= 0) break;
    done += static_cast<size_t>(got);
  }
  text.resize(done);
  return text;
}

std::string name_of(const json& program) {
  const std::string task = program.at("task"), pid = json_text(program.at("pid"));
  return task.empty() ? "process " + pid : task + " (" + pid + ")";
}

class Collector {
 public:
  // What the manager says of its programs now.
  void look(const json& programs) {
    for (const json& program : programs) {
      const int pid = program.at("pid"), descriptor = program.at("descriptor");
      seen_[pid] = name_of(program);
      if (descriptor <= 0 || sources_.contains(pid)) continue;
      auto file = open_memory(pid, descriptor);
      if (!file) {
        refused_[pid] = file.error().message;
        continue;
      }
      sources_[pid] = {*std::move(file), {name_of(program), program.at("devices"), "", program.at("task")}};
    }
  }

  Collected finish() {
    Collected collected;
    std::vector<ProgramTrace> traces;
    for (auto& [pid, source] : sources_) {
      source.trace.text = read_all(source.file);
      traces.push_back(std::move(source.trace));
    }
    collected.programs = traces.size();
    for (const auto& [pid, name] : seen_) {
      if (sources_.contains(pid)) continue;
      const auto why = refused_.find(pid);
      collected.doubts.push_back(name +
                                 (why == refused_.end() ? " used no device or link" : ": no trace: " + why->second));
    }
    auto whole = one_trace(traces);
    collected.programs -= whole.left_out.size();
    collected.doubts.insert(collected.doubts.end(), whole.left_out.begin(), whole.left_out.end());
    collected.trace = std::move(whole.text);
    return collected;
  }

 private:
  std::map<int, Source> sources_;  // by process
  std::map<int, std::string> seen_, refused_;
};

}  // namespace

Result<Collected> collect_traces(protocol::Connection& manager, double seconds, const std::atomic<bool>& stop) {
  const auto end = Clock::now() + std::chrono::duration_cast<nanoseconds>(std::chrono::duration<double>(seconds));
  const int64_t until = end.time_since_epoch() / nanoseconds(1);
  Collector collector;
  while (true) {
    auto answer = manager.ask({{"ask", "trace"}, {"until_ns", until}}, kLimitMs);
    if (!answer) return tl::unexpected(answer.error());
    collector.look(answer->document.at("programs"));
    const auto now = Clock::now();
    if (now >= end || stop) break;
    std::this_thread::sleep_until(std::min<Clock::time_point>(end, now + kBetweenLooks));
  }
  // Programs need not go on for nobody.
  if (stop) static_cast<void>(manager.ask({{"ask", "trace"}, {"until_ns", 0}}, kLimitMs));
  std::this_thread::sleep_for(kLastLines);
  return collector.finish();
}

}  // namespace samcl::ctl
