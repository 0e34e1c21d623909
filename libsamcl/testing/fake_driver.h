// An OpenCL driver in this process's memory, for tests of the runtime: devices with buffers and queues that
// do what they are asked at once, or fail when told to. It checks what drivers often don't: that a buffer is
// used by queues of its own context, inside its bounds. There are no programs and kernels.
#pragma once

#include <CL/cl.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "libsamcl/objects/context.h"

namespace samcl::testing {

enum class Call : uint8_t { create_buffer, write, read, fill, copy, mark, finish, tell_time };
constexpr size_t kCalls = 8;

class FakeDriver {
 public:
  // Stands in for the real driver as long as it lives; one at a time.
  explicit FakeDriver(unsigned devices);
  ~FakeDriver();
  FakeDriver(const FakeDriver&) = delete;
  FakeDriver& operator=(const FakeDriver&) = delete;

  // A virtual context of all devices, in use in that order; managed if there is a client, to which it
  // announces them as 0, 1, ...
  std::shared_ptr<Context> make_context(lease::Client* client = nullptr);

  // The next `times` calls of that kind return `error` and do nothing.
  void fail(Call call, cl_int error, int times = 1);

  // Calls of that kind that were made, and of them those that went wrong by themselves.
  int count(Call call) const { return counts_[static_cast<size_t>(call)]; }
  int misuses() const { return misuses_; }
  int live_buffers() const { return live_buffers_; }

  // Until it is resumed, nothing ends for those who wait.
  void suspend() { suspended_ = true; }
  void resume();
  void wait_while_suspended() const { suspended_.wait(true); }
  bool is_suspended() const { return suspended_; }

  // What a real buffer holds.
  static std::vector<std::byte>& contents(cl_mem buffer);

  // For the driver's functions: counts a call; the error it is to return. And: counts what no program may do.
  cl_int enter(Call call);
  cl_int misuse(cl_int error);
  void buffer_lives(int change) { live_buffers_ += change; }

 private:
  struct Failures {
    std::atomic<int> left{0};
    std::atomic<cl_int> error{CL_SUCCESS};
  };
  std::vector<cl_device_id> devices_;
  std::array<std::atomic<int>, kCalls> counts_{};
  std::array<Failures, kCalls> failures_{};
  std::atomic<int> misuses_{0};
  std::atomic<int> live_buffers_{0};
  std::atomic<bool> suspended_{false};
};

}  // namespace samcl::testing
