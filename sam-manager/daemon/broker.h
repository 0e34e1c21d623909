// What the daemon knows and decides: the connected programs, the devices they named, their tasks; one call
// per message. The event loop (server.h) brings it messages and deaths and carries its answers away.
#pragma once

#include <sys/types.h>

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "sam-manager/daemon/admission.h"
#include "sam-manager/daemon/board.h"
#include "sam-manager/daemon/config.h"
#include "sam-manager/daemon/devices.h"
#include "sam-manager/daemon/history.h"
#include "sam-manager/daemon/program.h"
#include "sam-manager/daemon/realtime.h"
#include "sam-manager/protocol/messages.h"
#include "sam-manager/registry/registry.h"
#include "sam-manager/scheduler/cpu_budgets.h"
#include "sam-manager/scheduler/cpu_delays.h"
#include "sam-manager/scheduler/edf_ranks.h"
#include "sam-manager/scheduler/loans.h"
#include "sam-manager/scheduler/own_gpus.h"
#include "sam-manager/scheduler/reservations.h"
#include "sam-manager/scheduler/scheduler.h"

namespace samcl::daemon {

// What a program says when it connects.
struct Hello {
  std::string task;  // it asks for; "": none
  uint32_t gpus = 0;
  std::vector<std::string> devices;
  std::vector<uint64_t> memory = {};  // of these, bytes; empty: it does not say
};

struct DeadlineMiss {
  std::string task;
  pid_t pid = 0;
  uint64_t jobs = 0;  // that were late
  uint64_t last_ns = 0;
};

// What the broker does to other processes, and asks of them.
struct Processes {
  // Gives a thread of a process, as that process numbers it, a priority; `for_now`: one that it is not to keep if we
  // end. False: it has no such thread.
  std::function<bool(pid_t process, pid_t thread, int priority, bool for_now)> attach_thread;
  // Counts what such a thread computes, among what its process uses.
  std::function<void(pid_t process, pid_t thread)> watch_cpu;
  std::function<std::optional<scheduler::CpuUse>(pid_t process)> cpu_use;
  // How far behind that may be.
  std::function<uint64_t()> cpu_lag_ns;
  // Binds a program's process to the CPU of a GPU's container (our index); none: to where it ran before. False: it
  // can't be.
  std::function<bool(uint32_t program, pid_t process, std::optional<uint8_t> gpu)> bind;
  // Lends all threads of a program's process a priority, also those made since; none: takes it back.
  std::function<void(uint32_t program, pid_t process, std::optional<int> priority)> lend;
  // The program left.
  std::function<void(uint32_t program, pid_t process)> on_client_exit;
  // Whether a process was stopped and can't give back what it holds.
  std::function<bool(pid_t process)> is_stopped;
  // Whether priorities are given and lent, as far as was tried.
  std::function<bool()> gives_priorities;
};

class Broker {
 public:
  // What is held: links and GPUs for a section, as the protocol numbers them, and after these GPUs for a job.
  static constexpr uint32_t kFirstOwnGpu = protocol::kMaxResources;
  static constexpr uint32_t kMaxHeld = kFirstOwnGpu + protocol::kMaxKnownDevices;

  Broker(Board& board, registry::Registry registry, const Config& config, Processes processes);

  // The program that connected, until on_client_exit(). Errors: it may not, or there are too many.
  Result<const ConnectedProgram*> connect(const Hello& hello, pid_t pid, uid_t user, const Rights& rights,
                                          const std::string& executable);
  // Ignored if there is no such program.
  void handle(uint32_t program, const protocol::Message& message, uint64_t now_ns);
  // It ended, or left.
  void on_client_exit(uint32_t program);

  // Errors: nothing would change. The decision comes from complete_change().
  Result<void> change(Change change) { return admission_.ask(std::move(change)); }
  // Readable when complete_change() has something to do: makes the change of the tasks that was decided.
  int decided() const { return admission_.ready(); }
  std::optional<Admission::Decision> complete_change();

  // By which resources are granted, until the next configuration. Errors: there is none of that name.
  Result<void> set_policy(const std::string& name);

  // Takes a device's resources from whoever holds them. Errors: there is no such device, or nobody holds it.
  Result<void> release(const std::string& device);

  // A new configuration: priorities, policy, admission. What was there at the start stays.
  void reconfigure(const Config& config);

  // Looks who holds what: what a stopped program has held for a second or more is granted on if someone waits
  // for it.
  void tick(uint64_t now_ns);
  // Shows the programs that we move, and looks. At least once a second while there are programs. Returns the
  // deadlines that were missed since.
  std::vector<DeadlineMiss> heartbeat(uint64_t now_ns);

  const std::map<uint32_t, ConnectedProgram>& programs() const { return programs_; }
  unsigned programs_of(uid_t user) const;
  const Admission& admission() const { return admission_; }
  const scheduler::Scheduler& scheduler() const { return scheduler_; }
  const scheduler::OwnGpus& own_gpus() const { return own_gpus_; }
  const scheduler::Loans& loans() const { return loans_; }
  const scheduler::CpuBudgets& cpu_budgets() const { return cpu_budgets_; }
  // Why bounds are only estimates, whatever profiles tell; "" if they are not.
  std::string unenforced() const;
  const planning::Settings& settings() const { return config_.planning; }
  const std::optional<Calibration>& calibration() const { return config_.calibration; }
  const Devices& devices() const { return devices_; }
  const std::map<std::string, TaskHistory>& history() const { return history_; }
  // When to look again, at the latest; UINT64_MAX: whenever.
  uint64_t next_tick_ns() const;
  planning::Machine machine() const;
  uint64_t held_ns(uint32_t held) const { return now_ns_ - holdings_[held].since_ns; }

 private:
  // Who holds a resource, as far as looking now and then tells.
  struct Holding {
    uint32_t owner = 0;
    uint32_t leases = 0;    // the owner had taken when we saw it
    uint64_t since_ns = 0;  // when we first saw it
  };

  // A resource whose holder makes a more urgent program wait.
  struct Inversion {
    uint32_t owner = 0;  // 0: none
    std::optional<int> priority;
    uint64_t since_ns = 0;
    uint64_t limit_ns = 0;    // how long the owner may take to give it back: the longest that was promised meanwhile
    uint64_t delay_ns = 0;    // and so much longer, as others computed when we last looked
    bool needs_cpu = false;   // the owner's section, so that they delay it
    bool is_overrun = false;  // it took longer
  };
  // To be acted upon after what is under way.
  struct Overrun {
    uint32_t program = 0;
    uint32_t resource = 0;
    bool holds = false;  // still
  };

  void grant(uint32_t resource, const scheduler::Waiter& waiter);
  void begin_job(ConnectedProgram& program);
  void request_gpu(ConnectedProgram& program, const protocol::Message& message);
  void end_job(ConnectedProgram& program);
  void grant_gpu(uint32_t program, int gpu);
  uint32_t owner(uint32_t held) const;
  bool has_waiters(uint32_t held) const;
  void reclaim(uint32_t owner, uint32_t held);
  template <typename Call>
  void for_each_held(Call call) const;
  void set_inversion(uint32_t resource, uint32_t owner, std::optional<int> priority);
  void lend(uint32_t program, std::optional<int> priority);
  void check_inversion(uint32_t resource);
  void end_inversion(uint32_t resource);
  bool needs_cpu(const ConnectedProgram& program, uint32_t resource) const;
  void note_delay(uint32_t resource);
  void note_thread_priority(const ConnectedProgram& program);
  std::optional<scheduler::CpuUse> cpu_use(uint32_t program) const;
  planning::Sections sections_of(const ConnectedProgram& program) const;
  void set_promise(ConnectedProgram& program, const planning::AssignedTask* planned);
  uint64_t promised_ns(const ConnectedProgram& program, uint32_t resource) const;
  void handle_overruns();
  void handle_greedy_jobs();
  void count_request(ConnectedProgram& program, uint32_t resource);
  void take_wanted(ConnectedProgram& program);
  void watch_cpu_use();
  void set_out_of_cpu(ConnectedProgram& program, bool is_out);
  void set_cpu_budget(ConnectedProgram& program, const planning::AssignedTask* planned, uint64_t period_ns);
  planning::Settings planned_by(const Config& config) const;
  void apply_overrun_policy(ConnectedProgram& program);
  void demote(ConnectedProgram& program, uint64_t until_ns);
  void end_demotions();
  void advance_time(uint64_t now_ns);
  void track_job(uint32_t program);
  void release_job(ConnectedProgram& program, uint64_t released_ns);
  void use_policy(const std::string& name);
  void attach_thread(ConnectedProgram& program, const protocol::Message& message);
  void count_programs();
  void look_whether_idle(ConnectedProgram& program, bool uses_any);
  void wake(ConnectedProgram& program);
  uint32_t free_id();
  bool in_use(uint8_t device) const;
  bool is_holder_stopped(uint32_t held) const;
  void check_holder(uint32_t held);
  NewJobs count_jobs(ConnectedProgram& program);
  void check_memory(ConnectedProgram& program);
  void limit_memory();
  uint64_t reserved_memory(const ConnectedProgram& program) const;
  void assign(ConnectedProgram& program);
  void contain(ConnectedProgram& program);
  void set_thread_priority(ConnectedProgram& program, int priority);
  void rank_programs();
  std::vector<uint8_t> place(const ConnectedProgram& program, int priority) const;
  std::vector<uint8_t> place(const ConnectedProgram& program, const planning::AssignedTask& task) const;
  size_t resources() const { return devices_.names().size() * protocol::kResourcesPerDevice; }

  Board& board_;
  Config config_;
  Processes processes_;
  scheduler::Loans loans_;
  scheduler::Reservations reservations_;
  scheduler::Scheduler scheduler_;
  scheduler::CpuBudgets cpu_budgets_;
  scheduler::CpuDelays cpu_delays_;
  scheduler::OwnGpus own_gpus_;
  std::map<uint32_t, ConnectedProgram> programs_;
  Devices devices_;
  std::map<std::string, uint64_t> memory_;  // of devices, bytes, as the last program told that has them
  std::array<Holding, kMaxHeld> holdings_{};
  std::array<Inversion, kMaxHeld> inversions_{};
  std::vector<Overrun> overruns_;
  std::set<uint32_t> demoted_;                                     // programs
  std::map<std::string, TaskHistory> history_;                     // by task
  std::map<uint32_t, std::unique_ptr<CountedJobs>> counted_jobs_;  // by program
  bool awaits_memory_ = false;                                     // some task's program does
  bool can_bind_ = true;                                           // as far as was tried
  bool shares_ranks_ = false;                                      // several programs' threads have one rank
  uint64_t now_ns_ = 0;                                            // of the last message or look
  uint32_t last_id_ = 0;
  std::optional<planning::RealTimeShare> realtime_share_ = realtime_share();
  Admission admission_;
};

}  // namespace samcl::daemon
