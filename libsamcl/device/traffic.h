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

}  // namespace samcl
