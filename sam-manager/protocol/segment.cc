#include "sam-manager/protocol/segment.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <climits>
#include <cstring>
#include <ctime>

namespace samcl::protocol {

void AssignmentCell::write(const Value& value) {
  std::array<uint64_t, kNameBytes / 8> words{};
  std::memcpy(words.data(), value.task.data(), std::min(value.task.size(), kNameBytes - 1));
  // Sequentially consistent throughout: a few ns, and rarely used.
  version.fetch_add(1);
  priority.store(value.priority);
  gpus.store(value.gpus);
  for (size_t i = 0; i < words.size(); ++i) task[i].store(words[i]);
  version.fetch_add(1);
}

AssignmentCell::Value AssignmentCell::read() const {
  Value value;
  // A daemon that died while writing leaves the version odd: then what stands there must do.
  for (int attempt = 0; attempt < 1000; ++attempt) {
    const uint32_t before = version.load();
    std::array<uint64_t, kNameBytes / 8> words;
    for (size_t i = 0; i < words.size(); ++i) words[i] = task[i].load();
    std::array<char, kNameBytes + 1> text{};
    std::memcpy(text.data(), words.data(), kNameBytes);
    value = {text.data(), priority.load(), gpus.load()};
    if (before % 2 == 0 && version.load() == before) break;
  }
  return value;
}

void futex_wait(const std::atomic<uint32_t>& cell, uint32_t seen, int ms) {
  const timespec limit{ms / 1000, (ms % 1000) * 1'000'000L};
  syscall(SYS_futex, &cell, FUTEX_WAIT, seen, &limit, nullptr, 0);
}

void futex_wake_all(std::atomic<uint32_t>& cell) {
  syscall(SYS_futex, &cell, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
}

}  // namespace samcl::protocol
