#include "libsamcl/transfer/pinned_ring.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "libsamcl/driver/driver.h"
#include "libsamcl/transfer/copy_pool.h"

namespace samcl {

PinnedRing::~PinnedRing() {
  if (lock_) driver::real().clReleaseMemObject(lock_);
  if (memory_) munmap(memory_, kBytes);
}

bool PinnedRing::is_ready() {
  if (!std::exchange(tried_, true)) ready_ = make();
  return ready_;
}

// A driver that is to allocate pinned memory itself (CL_MEM_ALLOC_HOST_PTR) lets nobody else call it meanwhile: 8 ms
// with an H200. Memory that is there already it pins in 0.6 ms, and to have the system provide it in large pages
// takes 2.
bool PinnedRing::make() {
  void* const memory = mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return false;
  memory_ = static_cast<std::byte*>(memory);
  static_cast<void>(madvise(memory, kBytes, MADV_HUGEPAGE));
  std::memset(memory, 0, kBytes);
  cl_int error;
  lock_ = driver::real().clCreateBuffer(context_, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, kBytes, memory, &error);
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

cl_int PinnedRing::upload(cl_mem to, Range range, const std::byte* from) {
  const auto& cl = driver::real();
  cl_int error = CL_SUCCESS;
  size_t index = 0;
  for (uint64_t at = range.begin; at < range.end && error == CL_SUCCESS; at += kChunk, ++index) {
    Chunk& chunk = chunks_[index % kChunks];
    const size_t bytes = std::min<uint64_t>(kChunk, range.end - at);
    error = wait(chunk);
    if (error != CL_SUCCESS) break;
    copy_in_parallel(chunk.memory, from + (at - range.begin), bytes);
    error = cl.clEnqueueWriteBuffer(queue_, to, CL_FALSE, at, bytes, chunk.memory, 0, nullptr, &chunk.moved);
    if (error == CL_SUCCESS) error = cl.clFlush(queue_);
  }
  return wait_for_all(error);
}

cl_int PinnedRing::download(cl_mem from, Range range, std::byte* to) {
  const auto& cl = driver::real();
  cl_int error = CL_SUCCESS;
  auto bytes_at = [&](uint64_t at) { return static_cast<size_t>(std::min<uint64_t>(kChunk, range.end - at)); };
  auto begin = [&](uint64_t at, Chunk& chunk) {
    if (at >= range.end || error != CL_SUCCESS) return;
    error = cl.clEnqueueReadBuffer(queue_, from, CL_FALSE, at, bytes_at(at), chunk.memory, 0, nullptr, &chunk.moved);
    if (error == CL_SUCCESS) error = cl.clFlush(queue_);
  };
  for (size_t i = 0; i < kChunks; ++i) begin(range.begin + i * kChunk, chunks_[i]);
  size_t index = 0;
  for (uint64_t at = range.begin; at < range.end && error == CL_SUCCESS; at += kChunk, ++index) {
    Chunk& chunk = chunks_[index % kChunks];
    error = wait(chunk);
    if (error != CL_SUCCESS) break;
    copy_in_parallel(to + (at - range.begin), chunk.memory, bytes_at(at));
    begin(at + kChunks * kChunk, chunk);
  }
  return wait_for_all(error);
}

}  // namespace samcl
