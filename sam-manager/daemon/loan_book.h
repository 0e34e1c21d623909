// Which threads of other processes run for a time at a priority that is not theirs, since we lent it to them or made
// them less urgent than their task is, and how they ran before: kept in a file, so that whoever comes after us can put
// it right, however we end.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

#include "base/result.h"
#include "sam-manager/daemon/thread_scheduling.h"

namespace samcl::daemon {

// A row is filled before the thread is lent anything, and emptied after it was put back.
struct LentThread {
  std::atomic<int32_t> thread;  // 0: an empty row
  int32_t priority;             // of SCHED_FIFO that it has for a time; 0: none
  uint64_t since_ns;            // CLOCK_MONOTONIC
  int32_t process;
  uint64_t started;      // when the process began (protocol::process_start_time): numbers are used again
  uint32_t is_demotion;  // else a loan. A thread may have one of each: its loan comes on top
  ThreadScheduling before;
};

constexpr size_t kMostLent = 1024;  // threads, of all programs at a time

class LoanBook {
 public:
  // In an open file, which gets the size it needs; what another daemon left in it stays. Errors: the system
  // refuses.
  static Result<LoanBook> in(int file);
  ~LoanBook();
  LoanBook(LoanBook&& other) noexcept;
  LoanBook& operator=(LoanBook&&) = delete;

  std::array<LentThread, kMostLent>& rows() const;

  // Puts every thread back whose loan is that old or older, if it is one of that process still; with an age of 0 also
  // those that were demoted, which may last for as long as their task's period. Returns how many rows there were.
  size_t put_back_older_than(uint64_t now_ns, uint64_t age_ns) const;

 private:
  struct Content;
  explicit LoanBook(Content* content) : content_(content) {}
  Content* content_;
};

// Whether that is a thread of that process.
bool is_thread_of(pid_t process, pid_t thread);

// How the thread ran before it was lent a priority, unless it was given another one since; empties the row.
void put_back(LentThread& row);

}  // namespace samcl::daemon
