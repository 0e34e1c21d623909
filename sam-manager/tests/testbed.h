// A daemon of its own and client processes for one test; nothing outlives the test.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

#include "libsamcl/lease/lease.h"

namespace samcl::testing {

inline constexpr uint64_t kMs = 1'000'000;  // ns
inline constexpr lease::ResourceKind kGpu = lease::ResourceKind::gpu;

// Whether it does so within 20 s; looks every 2 ms.
template <typename Condition>
bool comes_true(Condition condition) {
  using Clock = std::chrono::steady_clock;
  for (const auto until = Clock::now() + std::chrono::seconds(20); Clock::now() < until;
       std::this_thread::sleep_for(std::chrono::milliseconds(2)))
    if (condition()) return true;
  return false;
}

// Of one instance whose name no other test uses.
class Daemon {
 public:
  Daemon();
  ~Daemon();
  Daemon(const Daemon&) = delete;
  Daemon& operator=(const Daemon&) = delete;

  enum class Tasks { in_memory, in_their_file };

  // False if it ended, or was not ready in time. `more`: options.
  bool start(const std::vector<std::string>& more = {}, Tasks tasks = Tasks::in_memory);
  // With that configuration, and without a log.
  bool start_configured(const std::string& toml);
  int stop(int signal);  // its exit code, or 128 + signal
  pid_t pid() const { return pid_; }
  const std::string& instance() const { return instance_; }

  // As sam-ctl does. "" or the reason of the refusal.
  std::string register_task(const std::string& task, int priority, uint32_t gpus = 0,
                            const std::vector<std::string>& devices = {}, uint64_t deadline_ns = 1'000'000) const;
  Result<nlohmann::json> ask(const nlohmann::json& question) const;
  nlohmann::json status() const;
  // What status() says of the program of that task; null: there is none.
  nlohmann::json program(const std::string& task) const;
  // Whether `count` requests wait for a resource within some seconds.
  bool wait_for_waiters(size_t resource, size_t count) const;
  // With `devices`. nullptr: refused.
  std::unique_ptr<lease::Client> connect(const std::string& task = "", uint32_t gpus = 0) const;

  std::vector<std::string> devices = {"a", "b"};  // what connect() announces

 private:
  std::string instance_;
  pid_t pid_ = -1;
};

// A process that talks with the test through two pipes, one letter at a time.
class Child {
 public:
  class Line {
   public:
    Line(int in, int out) : in_(in), out_(out) {}
    void say(char letter) const;
    char hear(int limit_ms = 5000) const;  // 0: nothing came, or the other end is gone

   private:
    int in_;
    int out_;
  };

  explicit Child(const std::function<int(const Line&)>& body);
  ~Child();  // kills it
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  const Line& line() const { return line_; }
  pid_t pid() const { return pid_; }
  void kill_hard();
  int join();  // exit code, or 128 + signal

 private:
  int pipes_[4];
  Line line_{-1, -1};
  pid_t pid_ = -1;
};

// For as long as it lives the test's own thread is more urgent than its tasks, and than those that others run beside
// it: it looks in time, and tells its processes in time what to do. These are ordinary ones.
class UrgentObserver {
 public:
  UrgentObserver();
  ~UrgentObserver();
  UrgentObserver(const UrgentObserver&) = delete;
  UrgentObserver& operator=(const UrgentObserver&) = delete;

  // False: the system gives no real-time priorities.
  bool works() const { return works_; }

 private:
  bool works_;
};

// A control group of its own, which can be frozen; gone with its object.
class FreezableGroup {
 public:
  enum class Version { v1, v2 };

  // nullptr: no such group can be made here.
  static std::unique_ptr<FreezableGroup> make(const std::string& name, Version version);
  ~FreezableGroup();  // of version 1: what is in it must have been killed
  FreezableGroup(const FreezableGroup&) = delete;
  FreezableGroup& operator=(const FreezableGroup&) = delete;

  void add(pid_t process) const;
  void freeze() const;
  void thaw() const;

 private:
  FreezableGroup(Version version, const std::string& path) : version_(version), path_(path) {}
  const Version version_;
  const std::string path_;
};

// Takes and gives back GPU 0 until the client is managed again; false if that takes too long.
bool finds_daemon(lease::Client& client);

// A process of that task that takes GPU 0 on 't' ('h'), gives it back on 'r' ('f'), and on 'm' says 'y' or
// 'n': whether it is managed again. nullptr: it could not connect.
std::unique_ptr<Child> start_taker(const Daemon& daemon, const std::string& task = "");
// One that has taken GPU 0. nullptr: it did not get it.
std::unique_ptr<Child> start_holder(const Daemon& daemon, const std::string& task = "");
// One that waits for GPU 0, as one of `waiters`. nullptr: it does not wait.
std::unique_ptr<Child> start_waiter(const Daemon& daemon, const std::string& task = "", size_t waiters = 1);

}  // namespace samcl::testing
