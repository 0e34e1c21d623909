// An OpenCL driver in this process's memory, for tests of the runtime: devices with buffers and queues that
// do what they are asked at once, or fail when told to, and programs whose kernels are functions of the test. It checks
// what drivers often don't: that a buffer is used by queues of its own context, inside its bounds.
#pragma once

#include <CL/cl.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "contract/ndrange.h"
#include "libsamcl/objects/context.h"

namespace samcl::testing {

enum class Call : uint8_t {
  create_context,
  create_buffer,
  write,
  read,
  fill,
  copy,
  migrate,
  mark,
  finish,
  build,
  argument,
  launch,
  tell_time
};
constexpr size_t kCalls = 13;

// What a kernel is called with: on that device, work-items from `offset` on, `size` of them, and by argument the bytes
// of a buffer or of a value. Where the runtime cuts an NDRange, its own argument comes last.
struct KernelCall {
  unsigned device;
  Index3 offset, size;
  std::vector<std::span<std::byte>> arguments;
};
using KernelFunction = std::function<void(const KernelCall&)>;

class FakeDriver {
 public:
  // What its devices are taken for: CPUs compute in host memory, where others may see what one does.
  enum class Kind : uint8_t { gpu, cpu };
  // Stands in for the real driver as long as it lives; one at a time. servers: of its devices, "ADDRESS:PORT"; none:
  // they are this machine's.
  explicit FakeDriver(unsigned devices, Kind kind = Kind::gpu, std::vector<std::string> servers = {});
  ~FakeDriver();
  FakeDriver(const FakeDriver&) = delete;
  FakeDriver& operator=(const FakeDriver&) = delete;

  // A virtual context of all devices, in use in that order; managed if there is a client, to which it
  // announces them as 0, 1, ... kinds: as Device's.
  std::shared_ptr<Context> make_context(lease::Client* client = nullptr, std::vector<unsigned> kinds = {});

  const std::vector<cl_device_id>& devices() const { return devices_; }
  // Each with a real context of its own, which nobody manages.
  std::vector<std::unique_ptr<RealDevice>> make_devices() const;

  // Every program has that kernel; source: those made of that one have this.
  void define_kernel(const std::string& name, unsigned arguments, KernelFunction run, const std::string& source = {});

  // The next `times` calls of that kind, after `others`, return `error` and do nothing.
  void fail(Call call, cl_int error, int times = 1, int others = 0);

  // What all buffers together may have, bytes: creating one beyond that is refused. 0: no limit.
  std::atomic<uint64_t> memory{0};

  // What a kernel is said to have taken, for each work-item. All else takes a microsecond.
  std::function<uint64_t(const KernelCall& call)> ns_per_item = [](const KernelCall&) { return uint64_t{0}; };

  // Calls of that kind that were made, and of them those that went wrong by themselves.
  int count(Call call) const { return counts_[static_cast<size_t>(call)]; }
  int misuses() const { return misuses_; }
  // Of launches, those that were to have an event.
  std::atomic<int> launches_with_event{0};
  int live_buffers() const;

  // Until it is resumed, nothing ends for those who wait.
  void suspend() {
    ++suspensions_;
    suspended_ = true;
  }
  int suspensions() const { return suspensions_; }  // there were so many
  void resume();
  void wait_while_suspended() const { suspended_.wait(true); }
  bool is_suspended() const { return suspended_; }

  // What a real buffer holds.
  static std::span<std::byte> contents(cl_mem buffer);

  // For the driver's functions: counts a call; the error it is to return. And: counts what no program may do.
  cl_int enter(Call call);
  cl_int misuse(cl_int error);
  bool has_memory(uint64_t bytes) const { return memory == 0 || used_ + bytes <= memory; }
  void buffer_lives(cl_mem buffer, uint64_t bytes = 0);
  void buffer_dies(cl_mem buffer, uint64_t bytes);
  bool is_buffer(cl_mem handle) const;
  unsigned index_of(cl_device_id device) const;
  Kind kind() const { return kind_; }
  std::string server_of(cl_device_id device) const { return servers_.empty() ? "" : servers_[index_of(device)]; }
  struct DefinedKernel {
    std::string name;
    unsigned arguments = 0;
    KernelFunction run;
  };
  const DefinedKernel* kernel(const std::string& name, const std::string& source) const;

 private:
  struct Failures {
    std::atomic<int> before{0}, left{0};
    std::atomic<cl_int> error{CL_SUCCESS};
  };
  const Kind kind_;
  const std::vector<std::string> servers_;
  std::vector<cl_device_id> devices_;
  std::map<std::pair<std::string, std::string>, DefinedKernel> kernels_;  // by source and name
  std::vector<std::weak_ptr<Context>> contexts_;
  std::array<std::atomic<int>, kCalls> counts_{};
  std::array<Failures, kCalls> failures_{};
  std::atomic<int> misuses_{0};
  mutable std::mutex mutex_;  // guards the next
  std::set<cl_mem> buffers_;
  std::atomic<uint64_t> used_{0};
  std::atomic<int> suspensions_{0};
  std::atomic<bool> suspended_{false};
};

}  // namespace samcl::testing
