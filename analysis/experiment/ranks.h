// Counting an experiment's blocks by several processes, one of which leads: it gives blocks to all, and alone
// knows what is finished. How messages travel is behind an interface; --mpi opens the one on MPI.
#pragma once

#include <memory>
#include <optional>

#include "analysis/experiment/blocks.h"

namespace samcl::analysis {

using Message = std::vector<int64_t>;

// One of `size` processes. Calls come from one thread at a time.
class Ranks {
 public:
  virtual ~Ranks() = default;
  virtual int rank() const = 0;  // 0 leads
  virtual int size() const = 0;
  virtual void send(int to, const Message& message) = 0;
  // A message that has arrived, from whom; nothing if there is none.
  virtual std::optional<std::pair<int, Message>> poll() = 0;
};

// What libsam-analyze-mpi.so exports under this name; destroying the result ends MPI.
inline constexpr const char* kOpenMpiRanks = "samcl_open_mpi_ranks";
using OpenRanks = Ranks* (*)();

// Rank 0: gives the queue's blocks to all ranks, its own threads included, until all of them have ended.
void lead(const BlockExperiment& experiment, BlockQueue& queue, int threads, Ranks& ranks);
// The others: counts what the leader gives, until it gives no more.
void follow(const BlockExperiment& experiment, int threads, Ranks& ranks);

}  // namespace samcl::analysis
