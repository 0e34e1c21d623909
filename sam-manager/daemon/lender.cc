#include "sam-manager/daemon/lender.h"

#include <linux/sched.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <string>
#include <utility>

#include "sam-manager/protocol/process.h"

namespace samcl::daemon {
namespace {

// How many threads there are costs one call, who they are many.
size_t count_threads(pid_t process) {
  struct stat facts{};
  constexpr size_t kOtherLinks = 2;
  return stat(("/proc/" + std::to_string(process) + "/task").c_str(), &facts) == 0 && facts.st_nlink > kOtherLinks
             ? facts.st_nlink - kOtherLinks
             : 0;
}

// The kernel ends a process that computes for so long at a real-time priority without a pause.
bool is_ended_for_computing(pid_t process) {
  rlimit limit{};
  if (prlimit(process, RLIMIT_RTTIME, nullptr, &limit) == 0) return limit.rlim_cur != RLIM_INFINITY;
  // Of another user's process only a privileged one is told by that call, but this file is everybody's.
  std::ifstream limits("/proc/" + std::to_string(process) + "/limits");
  const std::string wanted = "Max realtime timeout";
  for (std::string line; std::getline(limits, line);)
    if (line.starts_with(wanted)) {
      const size_t value = line.find_first_not_of(' ', wanted.size());
      return value == std::string::npos || line.compare(value, 9, "unlimited") != 0;
    }
  return false;
}

}  // namespace

Lender::Lender(LoanBook& book) : book_(book) {
  for (size_t row = kMostLent; row-- > 0;) free_.push_back(row);
}

Lender::~Lender() {
  while (!borrowers_.empty()) forget(borrowers_.begin()->first);
  while (!demoted_.empty()) end_demotions_of(book_.rows()[demoted_.begin()->second].process);
}

int Lender::lend(uint32_t id, pid_t process, int priority, uint64_t now_ns) {
  if (const auto known = borrowers_.find(id); known != borrowers_.end() && known->second.priority != priority)
    take_back(id);
  if (is_ended_for_computing(process)) return EDQUOT;
  Borrower& borrower = borrowers_[id];
  restore_new_threads(borrower);
  if (borrower.process != process) borrower.started = protocol::process_start_time(process);
  borrower.process = process;
  borrower.priority = priority;
  find_threads(borrower);
  const int error = lend_to_all(borrower, now_ns);
  if (error != ESRCH) return error;
  borrower.threads.clear();  // some have ended, and as many have begun
  find_threads(borrower);
  return lend_to_all(borrower, now_ns);
}

void Lender::find_threads(Borrower& borrower) const {
  if (!borrower.threads.empty() && count_threads(borrower.process) == borrower.threads.size()) return;
  borrower.threads = protocol::process_threads(borrower.process);
}

bool Lender::is_lent(const Borrower& borrower, pid_t thread) const {
  return std::any_of(borrower.rows.begin(), borrower.rows.end(),
                     [&](size_t row) { return book_.rows()[row].thread.load() == thread; });
}

int Lender::lend_to_all(Borrower& borrower, uint64_t now_ns) {
  int error = 0;
  for (const pid_t thread : borrower.threads) {
    if (!borrower.rows.empty() && is_lent(borrower, thread)) continue;
    if (const int refused = lend_one(borrower, thread, now_ns); refused != 0) error = refused;
    if (error == ESRCH) break;
  }
  return error;
}

// Numbers are used again, by other processes too.
int Lender::lend_one(Borrower& borrower, pid_t thread, uint64_t now_ns) {
  if (!is_thread_of(borrower.process, thread)) return ESRCH;
  const auto before = scheduling_of(thread);
  if (!before) return ESRCH;
  if (is_as_urgent(*before, borrower.priority)) return 0;
  if (free_.empty()) return ENOSPC;
  const size_t index = free_.back();
  LentThread& row = book_.rows()[index];
  row.priority = borrower.priority;
  row.is_demotion = 0;
  row.since_ns = now_ns;
  row.process = borrower.process;
  row.started = borrower.started;
  row.before = *before;
  row.thread.store(thread, std::memory_order_release);
  if (const int error = set_scheduling(thread, fifo(borrower.priority)); error != 0) {
    row.thread.store(0, std::memory_order_release);
    return error;
  }
  free_.pop_back();
  borrower.rows.push_back(index);
  return 0;
}

void Lender::take_back(uint32_t id) {
  const auto found = borrowers_.find(id);
  if (found == borrowers_.end()) return;
  restore_new_threads(found->second);
  for (const size_t row : std::exchange(found->second.rows, {})) {
    put_back(book_.rows()[row]);
    free_.push_back(row);
  }
}

void Lender::forget(uint32_t id) {
  take_back(id);
  borrowers_.erase(id);
}

// Threads that were made by one that was lent a priority, and so began as ordinary ones.
void Lender::restore_new_threads(Borrower& borrower) const {
  if (borrower.rows.empty()) return;
  const ThreadScheduling common = book_.rows()[borrower.rows.front()].before;
  const bool all_alike = std::all_of(borrower.rows.begin(), borrower.rows.end(),
                                     [&](size_t row) { return book_.rows()[row].before == common; });
  const bool inherited = (common.flags & SCHED_FLAG_RESET_ON_FORK) == 0;
  if (!all_alike || !inherited || count_threads(borrower.process) == borrower.threads.size()) return;
  for (const pid_t thread : protocol::process_threads(borrower.process)) {
    const auto& threads = borrower.threads;
    const bool is_known = std::find(threads.begin(), threads.end(), thread) != threads.end();
    const auto now = is_known ? std::nullopt : scheduling_of(thread);
    if (now && now->policy == SCHED_NORMAL && now->nice == 0) set_scheduling(thread, common);
  }
}

// Rows of threads that were put back are empty.
LentThread* Lender::loan_of(pid_t thread) const {
  for (const auto& [id, borrower] : borrowers_)
    for (const size_t index : borrower.rows)
      if (book_.rows()[index].thread.load() == thread) return &book_.rows()[index];
  return nullptr;
}

bool Lender::rebase(pid_t thread, uint32_t policy, int priority) {
  LentThread* const row = loan_of(thread);
  if (!row) return false;
  row->before.policy = policy;
  row->before.priority = static_cast<uint32_t>(priority);
  row->before.flags |= SCHED_FLAG_RESET_ON_FORK;
  if (is_as_urgent(row->before, row->priority)) put_back(*row);
  return true;
}

// Where there is no row left it is as urgent as it was only once we say so, or the next manager does.
void Lender::note_demotion(pid_t process, pid_t thread, int priority, uint64_t now_ns) {
  const LentThread* const loan = loan_of(thread);
  const auto before = loan ? std::optional(loan->before) : scheduling_of(thread);
  if (!before || demoted_.contains(thread) || free_.empty()) return;
  const size_t index = free_.back();
  free_.pop_back();
  demoted_[thread] = index;
  LentThread& row = book_.rows()[index];
  row.priority = priority;
  row.is_demotion = 1;
  row.since_ns = now_ns;
  row.process = process;
  row.started = protocol::process_start_time(process);
  row.before = *before;
  row.thread.store(thread, std::memory_order_release);
}

void Lender::end_demotion(pid_t thread) {
  const auto found = demoted_.find(thread);
  if (found == demoted_.end()) return;
  book_.rows()[found->second].thread.store(0, std::memory_order_release);
  free_.push_back(found->second);
  demoted_.erase(found);
}

void Lender::end_demotions_of(pid_t process) {
  std::erase_if(demoted_, [&](const auto& entry) {
    LentThread& row = book_.rows()[entry.second];
    if (row.process != process) return false;
    if (protocol::process_start_time(process) == row.started && is_thread_of(process, entry.first)) put_back(row);
    row.thread.store(0, std::memory_order_release);
    free_.push_back(entry.second);
    return true;
  });
}

}  // namespace samcl::daemon
