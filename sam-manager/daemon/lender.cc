#include "sam-manager/daemon/lender.h"

#include <dirent.h>
#include <linux/sched.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <string>
#include <utility>

#include "sam-manager/protocol/process.h"

namespace samcl::daemon {
namespace {

std::string folder_of_threads(pid_t process) {
  return "/proc/" + std::to_string(process) + "/task";
}

// How many threads there are costs one call, who they are many.
size_t count_threads(pid_t process) {
  struct stat facts {};
  constexpr size_t kOtherLinks = 2;
  return stat(folder_of_threads(process).c_str(), &facts) == 0 && facts.st_nlink > kOtherLinks
             ? facts.st_nlink - kOtherLinks
             : 0;
}

std::vector<pid_t> list_threads(pid_t process) {
  std::vector<pid_t> threads;
  DIR* folder = opendir(folder_of_threads(process).c_str());
  if (!folder) return threads;
  while (const dirent* entry = readdir(folder))
    if (const pid_t thread = std::atoi(entry->d_name); thread > 0) threads.push_back(thread);
  closedir(folder);
  return threads;
}

// The kernel ends a process that computes for so long at a real-time priority without a pause.
bool is_ended_for_computing(pid_t process) {
  rlimit limit{};
  return prlimit(process, RLIMIT_RTTIME, nullptr, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
}

}  // namespace

Lender::Lender(LoanBook& book) : book_(book) {
  for (size_t row = kMostLent; row-- > 0;) free_.push_back(row);
}

Lender::~Lender() {
  while (!borrowers_.empty()) take_back(borrowers_.begin()->first);
}

int Lender::lend(uint32_t id, pid_t process, int priority, uint64_t now_ns) {
  if (const auto known = borrowers_.find(id); known != borrowers_.end() && known->second.priority != priority)
    take_back(id);
  if (is_ended_for_computing(process)) return EDQUOT;
  Borrower& borrower = borrowers_[id];
  settle_newcomers(borrower);
  borrower.process = process;
  borrower.priority = priority;
  find_threads(borrower);
  const int error = lend_to_all(borrower, now_ns);
  if (borrower.rows.empty() && error != 0) borrowers_.erase(id);
  return error;
}

void Lender::find_threads(Borrower& borrower) const {
  if (!borrower.threads.empty() && count_threads(borrower.process) == borrower.threads.size()) return;
  const std::vector<Thread> before = std::move(borrower.threads);
  borrower.threads.clear();
  for (const pid_t number : list_threads(borrower.process)) {
    const auto known = std::find_if(before.begin(), before.end(),
                                    [number](const Thread& thread) { return thread.number == number; });
    borrower.threads.push_back(known != before.end() ? *known
                                                     : Thread{number, protocol::process_start_time(number)});
  }
}

bool Lender::is_lent(const Borrower& borrower, pid_t thread) const {
  return std::any_of(borrower.rows.begin(), borrower.rows.end(),
                     [&](size_t row) { return book_.rows()[row].thread.load() == thread; });
}

int Lender::lend_to_all(Borrower& borrower, uint64_t now_ns) {
  int error = 0;
  for (const Thread& thread : borrower.threads) {
    if (!borrower.rows.empty() && is_lent(borrower, thread.number)) continue;
    if (const int refused = lend_one(borrower, thread, now_ns); refused == EPERM) error = refused;
  }
  return error;
}

int Lender::lend_one(Borrower& borrower, const Thread& thread, uint64_t now_ns) {
  const auto before = scheduling_of(thread.number);
  if (!before || is_as_urgent(*before, borrower.priority)) return 0;
  if (free_.empty()) return ENOSPC;
  const size_t index = free_.back();
  LentThread& row = book_.rows()[index];
  row.priority = borrower.priority;
  row.since_ns = now_ns;
  row.started = thread.started;
  row.before = *before;
  row.thread.store(thread.number, std::memory_order_release);
  if (const int error = set_scheduling(thread.number, fifo(borrower.priority)); error != 0) {
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
  settle_newcomers(found->second);
  for (const size_t row : found->second.rows) {
    put_back(book_.rows()[row]);
    free_.push_back(row);
  }
  borrowers_.erase(found);
}

// Threads that were made by one that was lent a priority, and so began as ordinary ones.
void Lender::settle_newcomers(Borrower& borrower) const {
  if (borrower.rows.empty()) return;
  const ThreadScheduling common = book_.rows()[borrower.rows.front()].before;
  const bool all_alike = std::all_of(borrower.rows.begin(), borrower.rows.end(),
                                     [&](size_t row) { return book_.rows()[row].before == common; });
  const bool inherited = (common.flags & SCHED_FLAG_RESET_ON_FORK) == 0;
  if (!all_alike || !inherited || count_threads(borrower.process) == borrower.threads.size()) return;
  for (const pid_t thread : list_threads(borrower.process)) {
    const bool is_known = std::any_of(borrower.threads.begin(), borrower.threads.end(),
                                      [thread](const Thread& known) { return known.number == thread; });
    const auto now = is_known ? std::nullopt : scheduling_of(thread);
    if (now && now->policy == SCHED_NORMAL && now->nice == 0) set_scheduling(thread, common);
  }
}

bool Lender::rebase(pid_t thread, uint32_t policy, int priority) {
  for (auto& [id, borrower] : borrowers_) {
    for (const size_t index : borrower.rows) {
      LentThread& row = book_.rows()[index];
      if (row.thread.load() != thread) continue;
      row.before.policy = policy;
      row.before.priority = static_cast<uint32_t>(priority);
      row.before.flags |= SCHED_FLAG_RESET_ON_FORK;
      if (is_as_urgent(row.before, borrower.priority)) put_back(row);
      return true;
    }
  }
  return false;
}

}  // namespace samcl::daemon
