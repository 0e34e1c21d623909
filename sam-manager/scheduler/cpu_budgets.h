// How much CPU time a task's jobs have: what was promised of them, enforced. A task has a budget, and a new one when
// its next job is released, a period after the last one at the earliest, whatever its program says or does not say. A
// client that has used it up is to be in nobody's way until then. So in each period a task computes for no longer than
// it said, and what is noticed too late (a hard reservation: Rajkumar, Juvva, Molano & Oikawa, "Resource kernels", MMCN
// 1998; the budget may be used at any time of the period: Strosnider, Lehoczky & Sha, "The deferrable server", IEEE ToC
// 44, 1995).
//
// Who is watched is looked at when he can have used up his budget, if all his threads have computed since the last
// time, and no sooner than `watch` later. Pure logic: the clocks are passed in.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "sam-manager/scheduler/scheduler.h"

namespace samcl::scheduler {

struct CpuBudget {
  uint64_t each_ns = 0;    // in a period, on all CPUs together
  uint64_t period_ns = 0;  // above 0
  uint64_t early_ns = 0;   // how much sooner than its time a job may have its budget

  bool operator==(const CpuBudget&) const = default;
};

// What a client's threads have computed since some time before, and how many of them may do so at once.
struct CpuUse {
  uint64_t ns = 0;
  unsigned threads = 1;
};

class CpuBudgets {
 public:
  // None: it cannot be told, for now.
  using Read = std::function<std::optional<CpuUse>(ClientId)>;

  explicit CpuBudgets(Read read) : read_(std::move(read)) {}

  // A client's first budget begins now, and is its first job's, if that comes within a period. Another one for the same
  // client is its next one, and the one at hand until then where that is more; the next one begins sooner with a
  // shorter period, and not later with a longer one. Nor does it begin later where jobs may be less early from now on:
  // the one at hand may have begun late within what was allowed.
  void set(ClientId client, const CpuBudget& budget, uint64_t now_ns);
  void remove(ClientId client);
  void set_watch(uint64_t watch_ns) { watch_ns_ = watch_ns; }

  // The next job is released then, which may be later than now. It has a new budget, unless the one at hand began for
  // it already, or it comes sooner before its time than it may.
  void release_job(ClientId client, uint64_t released_ns, uint64_t now_ns);

  // Reads the clocks of those that are to be looked at. Returns those that have used up their budgets, once for each,
  // and those that have a new one after that.
  struct Change {
    ClientId client = 0;
    bool is_exhausted = false;
    bool operator==(const Change&) const = default;
  };
  std::vector<Change> look(uint64_t now_ns);
  // When to look again; UINT64_MAX: nobody is watched.
  uint64_t next_ns() const { return next_ns_; }

  bool is_exhausted(ClientId client) const;
  // Of its budget, when last looked at; none: it has none.
  std::optional<uint64_t> used_ns(ClientId client) const;

 private:
  struct Server {
    CpuBudget budget;           // the next ones
    uint64_t each_ns = 0;       // of the one at hand
    uint64_t begin_use_ns = 0;  // its clock when the budget began
    uint64_t used_ns = 0;
    uint64_t next_begin_ns = 0;  // of the next budget
    uint64_t look_ns = 0;
    bool is_unclaimed = false;  // began by itself, and no job was released since
    bool is_exhausted = false;
  };

  void begin(ClientId client, Server& server, uint64_t now_ns);
  void find_next();

  const Read read_;
  uint64_t watch_ns_ = 0;
  uint64_t next_ns_ = UINT64_MAX;
  std::map<ClientId, Server> servers_;
};

}  // namespace samcl::scheduler
