// How many bytes moved, and how long that took, for a kernel or for the program's own commands.
#pragma once

#include <atomic>
#include <cstdint>

namespace samcl {

// Bytes and ns. Added to from any thread.
struct Traffic {
  std::atomic<uint64_t> uploaded_bytes{0}, downloaded_bytes{0}, copied_bytes{0};
  std::atomic<uint64_t> upload_ns{0}, download_ns{0};
};

// What the program moved by its own commands (reads, writes, copies, maps), as opposed to its kernels' needs. Counted
// over the whole process, never destroyed. Any thread.
inline Traffic& program_traffic() {
  static Traffic* const traffic = new Traffic;
  return *traffic;
}

// The same of what it moved from devices because others needed the memory there.
inline Traffic& eviction_traffic() {
  static Traffic* const traffic = new Traffic;
  return *traffic;
}

}  // namespace samcl
