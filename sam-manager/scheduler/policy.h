// What orders those who ask for a resource. A policy is a value: the scheduler keeps the queues, and asks it
// who of two is more urgent, how many are served in the order in which they came, and whether an owner has to
// give way.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace samcl::scheduler {

struct Policy {
  enum class Urgency : uint8_t {
    priority,  // the larger one
    deadline,  // of the job under way: the earlier one
  };

  const char* name;
  Urgency urgency;
  // So many requests for a resource, that of its owner included, are served in the order in which they got
  // such a place; places are given by urgency. 0: all are served by urgency.
  size_t places;
  // Whether an owner gives way to a more urgent one between two of its sections; else it keeps what it has
  // for as long as it needs it. Programs without deadlines give way to those with deadlines under every
  // policy.
  bool revokes;
  // Not 0: a job that is marked has one of the GPUs to itself, and so many requests at most are in the queues
  // for these: own_gpus.h.
  size_t candidates = 0;
  // Marked jobs of the tasks on a GPU run one at a time, by urgency, from begin to end, on a CPU of their own.
  bool contains = false;

  // Whether programs' threads run by deadline, too: edf_ranks.h. In a container there is no need.
  bool ranks_threads() const { return urgency == Urgency::deadline && !contains; }
  // Whether a marked job has a GPU to itself: own_gpus.h.
  bool gives_own_gpus() const { return candidates > 0 || contains; }
  bool operator==(const Policy& other) const {
    return std::string_view(name) == other.name && places == other.places && candidates == other.candidates;
  }
};

inline constexpr Policy kFixedPriority = {"fixed-priority", Policy::Urgency::priority, 0, true};
// The earliest deadline first.
inline constexpr Policy kEdf = {"edf", Policy::Urgency::deadline, 0, true};
// FMLP-Long (Block, Leontyev, Brandenburg & Anderson, RTCSA 2007), as Elliott & Anderson (Real-Time Systems
// 48, 2012) use it for GPUs: first come, first served.
inline constexpr Policy kFmlpLong = {"fmlp-long", Policy::Urgency::deadline, SIZE_MAX, false};
// The global OMLP (Brandenburg & Anderson, RTSS 2010), likewise: as many places as there are CPUs.
constexpr Policy omlp(int cpus) { return {"omlp", Policy::Urgency::deadline, static_cast<size_t>(cpus), false}; }

// Any of k GPUs for a job, with priority donation (analysis/locking/donation_queues.h). Who shares a GPU with
// such a job all the same, as its program does between its jobs, is served in order of arrival.
constexpr Policy k_exclusion(int cpus) {
  return {"k-exclusion", Policy::Urgency::deadline, SIZE_MAX, false, static_cast<size_t>(cpus)};
}

// The Container Method of Elliott & Anderson (2012), with a CPU of its own for each GPU's container.
inline constexpr Policy kContainers = {"containers", Policy::Urgency::deadline, SIZE_MAX, false, 0, true};

// All there are, for a machine of so many CPUs.
constexpr std::array<Policy, 6> policies(int cpus) {
  return {kFixedPriority, kEdf, kFmlpLong, omlp(cpus), k_exclusion(cpus), kContainers};
}

// None of that name: none.
constexpr std::optional<Policy> find_policy(std::string_view name, int cpus) {
  for (const Policy& policy : policies(cpus))
    if (name == policy.name) return policy;
  return std::nullopt;
}

// How a program stands to others.
enum class Level : uint8_t {
  background,  // beneath all others
  shares,      // programs without deadlines: by weight
  real_time,
};

struct Standing {
  int priority = 0;  // larger is more urgent; its threads', too
  Level level = Level::real_time;
  uint32_t weight = 1;                // of its share
  uint64_t deadline_ns = UINT64_MAX;  // of its job under way; UINT64_MAX: it has none

  bool operator==(const Standing&) const = default;
};

}  // namespace samcl::scheduler
