// What the daemon knows and decides: the connected programs, the devices they named, their tasks; one call
// per message. The event loop (server.h) brings it messages and deaths and carries its answers away.
#pragma once

#include <sys/types.h>

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "sam-manager/daemon/admission.h"
#include "sam-manager/daemon/config.h"
#include "sam-manager/protocol/messages.h"
#include "sam-manager/protocol/segment.h"
#include "sam-manager/registry/registry.h"
#include "sam-manager/scheduler/scheduler.h"

namespace samcl::daemon {

// A connected process.
struct Program {
  uint32_t id = 0;
  pid_t pid = 0;
  std::string asked;  // the task's name it asked for
  std::string executable;
  uint32_t gpus = 0;              // the most it uses; 0: as many as there are
  std::vector<uint8_t> devices;   // our indices, in its order
  std::vector<std::string> wish;  // of its task when its devices were chosen
  std::set<pid_t> threads;        // that run with the task's priority
  protocol::AssignmentCell::Value assignment;
};

class Broker {
 public:
  // Gives a thread of a process a priority.
  using Adopt = std::function<void(pid_t program, pid_t thread, int priority)>;
  // Whether a process was stopped and can't give back what it holds.
  using IsStopped = std::function<bool(pid_t program)>;

  Broker(protocol::Segment& segment, registry::Registry registry, const Config& config, Adopt adopt,
         IsStopped is_stopped);

  // Acts on a request that was checked. `administrator`: the sender may change the tasks. The reply, if the
  // kind has one; that to a change of the tasks comes from settle(). `executable`: what the sender runs.
  std::optional<protocol::Reply> handle(const protocol::Request& request, bool administrator,
                                        const std::string& executable);

  // Readable when settle() has something to do: makes the change of the tasks that was decided.
  int decided() const { return admission_.ready(); }
  std::optional<Admission::Decision> settle();

  // Shows the programs that we move, and looks who holds what: what a stopped program has held for a second or
  // more is granted on if someone waits for it. At least once a second while there are programs.
  void beat(uint64_t now_ns);

  void forget(pid_t pid);         // it ended, or said goodbye
  void forget_those_that_left();  // that found the request queue full for too long
  const std::map<uint32_t, Program>& programs() const { return programs_; }

 private:
  // Who holds a resource, as far as looking now and then tells.
  struct Holding {
    uint32_t owner = 0;
    uint32_t leases = 0;    // the owner had taken when we saw it
    uint64_t since_ns = 0;  // when we first saw it
  };

  protocol::Reply connect(const protocol::Request& request, const std::string& executable);
  protocol::Reply draft(const protocol::Request& request);
  std::optional<protocol::Reply> enroll(const protocol::Request& request);
  Result<void> take_profile(const protocol::Request& request, registry::Task& task);
  protocol::Reply answer(const protocol::Request& request);
  void adopt(Program& program, const protocol::Request& request);
  uint32_t free_client_id();
  // Our index for a device's name; -1: there are too many.
  int device_index(const std::string& name);
  bool in_use(uint8_t device) const;
  bool is_held_up(uint32_t resource) const;
  void assign(Program& program);
  std::vector<uint8_t> place(const Program& program, int priority) const;
  std::vector<uint8_t> place(const Program& program, const planning::PlannedTask& task) const;
  planning::Machine machine() const;
  std::vector<uint8_t> devices_used(const Program& program) const;  // our indices, the first one first
  void reassign();
  nlohmann::json list() const;
  nlohmann::json status() const;
  nlohmann::json describe(uint32_t client) const;

  protocol::Segment& segment_;
  const Config config_;
  Adopt adopt_;
  IsStopped is_stopped_;
  scheduler::Scheduler scheduler_;
  std::map<uint32_t, Program> programs_;
  std::vector<std::string> devices_;  // by our index
  std::array<Holding, protocol::kMaxResources> holdings_{};
  uint64_t now_ns_ = 0;  // of the last beat
  uint32_t round_ = 0;
  std::map<pid_t, std::string> answers_;  // long answers under way, by who reads them
  std::map<pid_t, std::string> drafts_;   // profiles under way, by who sends them
  Admission admission_;
};

}  // namespace samcl::daemon
