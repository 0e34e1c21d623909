// Memory from the system in large pages, for blocks that devices and threads move as a whole: to have the system
// provide 64 MiB takes 40 ms in pages of 4 KiB on a virtual machine, and a tenth of that in pages of 2 MiB, as does
// giving them back; copying is faster by a tenth.
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <cstdint>

namespace samcl {

// Zeros; nullptr if memory is short. Blocks of 2 MiB and more begin at a large page, and get large pages if the system
// has them. To be given back by munmap() with the same size.
inline std::byte* map_pages(size_t bytes) {
  constexpr size_t kLarge = 2 << 20;
  const bool is_large = bytes >= kLarge;
  if (bytes > SIZE_MAX - kLarge) return nullptr;
  const size_t mapped = bytes + (is_large ? kLarge : 0);
  void* const memory = mmap(nullptr, mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return nullptr;
  auto* const begin = static_cast<std::byte*>(memory);
  if (!is_large) return begin;
  constexpr size_t kPage = 4096;
  const size_t before = (kLarge - reinterpret_cast<uintptr_t>(begin) % kLarge) % kLarge;
  const size_t used = (before + bytes + kPage - 1) / kPage * kPage;
  if (before > 0) munmap(begin, before);
  if (used < mapped) munmap(begin + used, mapped - used);
  static_cast<void>(madvise(begin + before, bytes, MADV_HUGEPAGE));
  return begin + before;
}

}  // namespace samcl
