#include "sam-manager/daemon/loan_book.h"

#include <linux/sched.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "sam-manager/protocol/process.h"

namespace samcl::daemon {

struct LoanBook::Content {
  static constexpr uint64_t kMark = 0x33736e616f6c6d73;  // of this layout; a file of another one is emptied
  uint64_t mark;
  std::array<LentThread, kMostLent> rows;
};

Result<LoanBook> LoanBook::in(int file) {
  void* memory = MAP_FAILED;
  if (ftruncate(file, sizeof(Content)) == 0)
    memory = mmap(nullptr, sizeof(Content), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (memory == MAP_FAILED) return fail(std::string("cannot keep what is lent: ") + std::strerror(errno));
  auto* content = static_cast<Content*>(memory);
  if (content->mark != Content::kMark) {
    std::memset(memory, 0, sizeof(Content));
    content->mark = Content::kMark;
  }
  return LoanBook(content);
}

LoanBook::~LoanBook() {
  if (content_) munmap(content_, sizeof(Content));
}

LoanBook::LoanBook(LoanBook&& other) noexcept : content_(std::exchange(other.content_, nullptr)) {}

std::array<LentThread, kMostLent>& LoanBook::rows() const { return content_->rows; }

size_t LoanBook::put_back_older_than(uint64_t now_ns, uint64_t age_ns) const {
  size_t count = 0;
  for (const bool demotions : {false, true})
    for (LentThread& row : rows()) {
      const pid_t thread = row.thread.load(std::memory_order_acquire);
      if (thread == 0 || (row.is_demotion != 0) != demotions || row.since_ns + age_ns > now_ns) continue;
      if (demotions && age_ns > 0) continue;
      ++count;
      if (protocol::process_start_time(row.process) == row.started && is_thread_of(row.process, thread))
        put_back(row);
      else
        row.thread.store(0, std::memory_order_release);
    }
  return count;
}

bool is_thread_of(pid_t process, pid_t thread) {
  return syscall(SYS_tgkill, process, thread, 0) == 0 || errno == EPERM;
}

void put_back(LentThread& row) {
  const pid_t thread = row.thread.load(std::memory_order_acquire);
  const auto now = scheduling_of(thread);
  // Whoever has set another one meanwhile, it is not ours to change.
  const bool is_ours = now && now->policy == (row.priority > 0 ? SCHED_FIFO : SCHED_NORMAL) &&
                       now->priority == static_cast<uint32_t>(row.priority);
  if (is_ours && set_scheduling(thread, row.before) == EPERM) {
    // Only a privileged process may let what the thread makes inherit its policy again.
    row.before.flags |= SCHED_FLAG_RESET_ON_FORK;
    set_scheduling(thread, row.before);
  }
  row.thread.store(0, std::memory_order_release);
}

}  // namespace samcl::daemon
