#include "libsamcl/lease/fork_mark.h"

#include <sys/mman.h>
#include <unistd.h>

#include <new>

namespace samcl::lease {
namespace {
constexpr size_t kBytes = 4096;
}

ForkMark::ForkMark() : process_(getpid()) {
  void* page = mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (page == MAP_FAILED) return;
  if (madvise(page, kBytes, MADV_WIPEONFORK) == 0)
    page_ = new (page) std::atomic<int>(1);
  else
    munmap(page, kBytes);
}

ForkMark::~ForkMark() {
  if (page_) munmap(page_, kBytes);
}

bool ForkMark::is_copy() const { return page_ ? page_->load(std::memory_order_relaxed) == 0 : getpid() != process_; }

}  // namespace samcl::lease
