#include "sam-manager/protocol/copies.h"

#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <atomic>

namespace samcl::protocol {
namespace {

struct Entry {
  std::atomic<int> socket{-1};
  std::atomic<ino_t> inode{0};
};

std::array<Entry, 16> entries;

// Runs in the copy, between fork and everything else: no locks, no memory from the heap.
void close_all() {
  for (Entry& entry : entries) {
    const int socket = entry.socket.exchange(-1);
    struct stat facts{};
    if (socket >= 0 && fstat(socket, &facts) == 0 && S_ISSOCK(facts.st_mode) && facts.st_ino == entry.inode)
      close(socket);
  }
}

}  // namespace

void close_in_copies(int socket, ino_t inode) {
  static const int registered = pthread_atfork(nullptr, nullptr, close_all);
  if (registered != 0) return;
  for (Entry& entry : entries) {
    int none = -1;
    if (!entry.socket.compare_exchange_strong(none, socket)) continue;
    entry.inode.store(inode);
    return;
  }
}

void keep_in_copies(int socket) {
  for (Entry& entry : entries) {
    int known = socket;
    if (socket >= 0 && entry.socket.compare_exchange_strong(known, -1)) return;
  }
}

}  // namespace samcl::protocol
