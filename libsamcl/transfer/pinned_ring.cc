#include "libsamcl/transfer/pinned_ring.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/pages.h"
#include "libsamcl/driver/driver.h"
#include "libsamcl/transfer/copy_pool.h"

namespace samcl {
namespace {

// The memory of a ring that is no more: the system takes longer to provide it than the driver to pin it.
std::atomic<std::byte*> left_over{nullptr};

}  // namespace

PinnedRing::~PinnedRing() {
  if (lock_) driver::real().clReleaseMemObject(lock_);
  if (std::byte* const before = memory_ ? left_over.exchange(memory_) : nullptr) munmap(before, kBytes);
}

bool PinnedRing::prepare() {
  std::call_once(tried_, [this] { ready_.store(make(), std::memory_order_release); });
  return is_ready();
}

// A driver that is to allocate pinned memory itself (CL_MEM_ALLOC_HOST_PTR) lets nobody else call it meanwhile: 8 ms
// with an H200. Memory that is there already it pins in 0.6 ms, and to have the system provide it in large pages
// takes 2.
bool PinnedRing::make() {
  memory_ = left_over.exchange(nullptr);
  if (!memory_) {
    memory_ = map_pages(kBytes);
    if (!memory_) return false;
    std::memset(memory_, 0, kBytes);
  }
  cl_int error;
  lock_ = driver::real().clCreateBuffer(context_, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, kBytes, memory_, &error);
  for (size_t i = 0; i < kChunks; ++i) chunks_[i].memory = memory_ + i * kChunk;
  return lock_ != nullptr;
}

cl_int PinnedRing::wait(Chunk& chunk) {
  cl_event moved = std::exchange(chunk.moved, nullptr);
  if (!moved) return CL_SUCCESS;
  const cl_int error = driver::real().clWaitForEvents(1, &moved);
  driver::real().clReleaseEvent(moved);
  return error;
}

cl_int PinnedRing::wait_for_all(cl_int error) {
  for (Chunk& chunk : chunks_) {
    const cl_int result = wait(chunk);
    if (error == CL_SUCCESS) error = result;
  }
  return error;
}

cl_int PinnedRing::upload(const Rectangle& rows, const std::byte* from, const Rectangle& host, const Give& give) {
  const RectanglePairs pieces = cut(rows, host, kChunk);
  cl_int error = CL_SUCCESS;
  for (size_t i = 0; i < pieces.size() && error == CL_SUCCESS; ++i) {
    Chunk& chunk = chunks_[i % kChunks];
    const auto& [target, source] = pieces[i];
    error = wait(chunk);
    if (error != CL_SUCCESS) break;
    copy_in_parallel(chunk.memory, target.dense(), from, source);
    error = give(target, chunk.memory, &chunk.moved);
    if (error == CL_SUCCESS) error = driver::real().clFlush(queue_);
  }
  return wait_for_all(error);
}

cl_int PinnedRing::download(const Rectangle& rows, std::byte* to, const Rectangle& host, const Give& give) {
  const RectanglePairs pieces = cut(rows, host, kChunk);
  cl_int error = CL_SUCCESS;
  const auto begin = [&](size_t i) {
    if (i >= pieces.size() || error != CL_SUCCESS) return;
    Chunk& chunk = chunks_[i % kChunks];
    error = give(pieces[i].first, chunk.memory, &chunk.moved);
    if (error == CL_SUCCESS) error = driver::real().clFlush(queue_);
  };
  for (size_t i = 0; i < kChunks; ++i) begin(i);
  for (size_t i = 0; i < pieces.size() && error == CL_SUCCESS; ++i) {
    Chunk& chunk = chunks_[i % kChunks];
    const auto& [source, target] = pieces[i];
    error = wait(chunk);
    if (error != CL_SUCCESS) break;
    copy_in_parallel(to, target, chunk.memory, source.dense());
    begin(i + kChunks);
  }
  return wait_for_all(error);
}

}  // namespace samcl
