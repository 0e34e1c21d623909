// Commands that programs put between launches of short kernels: what they move is little, so that a round of both costs
// what giving them to the driver, and waiting, costs.
#pragma once

#include <array>
#include <functional>
#include <vector>

#include "benchmarks/host/session.h"

namespace bench {

class BetweenLaunches {
 public:
  BetweenLaunches(const Session& session, const Queue& queue)
      : queue_(queue),
        used_(session.make_buffer(CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, kBytes, host_.data())),
        copied_(session.make_buffer(CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, kBytes, host_.data())) {}

  // What kernels use.
  const Buffer& used() const { return used_; }

  struct Command {
    const char* what;
    const char* key;
    std::function<void()> enqueue;
  };
  // They use this, and wait where a program would have to.
  std::vector<Command> commands() {
    return {{"copy of 4 KiB", "copy", [this] { copy(); }},
            {"fill of 64 bytes", "fill", [this] { fill(); }},
            {"write of 64 bytes", "write", [this] { write(CL_FALSE, 64); }},
            {"read of 64 bytes", "read", [this] { read(CL_FALSE, 64); }},
            {"blocking write of 4 bytes", "blocking_write", [this] { write(CL_TRUE, 4); }},
            {"blocking read of 4 bytes", "blocking_read", [this] { read(CL_TRUE, 4); }},
            {"blocking write of 64 KiB", "blocking_write_64k", [this] { write(CL_TRUE, kBytes); }},
            {"blocking read of 64 KiB", "blocking_read_64k", [this] { read(CL_TRUE, kBytes); }},
            {"map to read, unmap", "map_read", [this] { map(CL_MAP_READ); }},
            {"map to write, unmap", "map_write", [this] { map(CL_MAP_WRITE_INVALIDATE_REGION); }},
            {"barrier", "barrier", [this] { check(clEnqueueBarrierWithWaitList(queue(), 0, nullptr, nullptr)); }}};
  }

 private:
  static constexpr size_t kBytes = 64 << 10, kCopied = 4 << 10, kFew = 64;
  cl_command_queue queue() const { return queue_.get(); }
  void copy() const {
    check(clEnqueueCopyBuffer(queue(), copied_.get(), used_.get(), 0, 0, kCopied, 0, nullptr, nullptr));
  }
  void fill() {
    ++pattern_;
    check(clEnqueueFillBuffer(queue(), used_.get(), &pattern_, sizeof pattern_, 0, kFew, 0, nullptr, nullptr));
  }
  void write(cl_bool blocking, size_t bytes) const {
    check(clEnqueueWriteBuffer(queue(), used_.get(), blocking, 0, bytes, host_.data(), 0, nullptr, nullptr));
  }
  void read(cl_bool blocking, size_t bytes) {
    check(clEnqueueReadBuffer(queue(), used_.get(), blocking, 0, bytes, host_.data(), 0, nullptr, nullptr));
  }
  void map(cl_map_flags flags) const {
    cl_int status = CL_SUCCESS;
    void* const mapped =
        clEnqueueMapBuffer(queue(), used_.get(), CL_TRUE, flags, 0, kFew, 0, nullptr, nullptr, &status);
    check(status);
    check(clEnqueueUnmapMemObject(queue(), used_.get(), mapped, 0, nullptr, nullptr));
  }

  const Queue& queue_;
  std::array<unsigned char, kBytes> host_{};
  cl_uint pattern_ = 0;
  Buffer used_, copied_;
};

}  // namespace bench
