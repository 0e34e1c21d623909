#include "libsamcl/device/pinned_transfer.h"

#include <cinttypes>
#include <cstdio>
#include <fstream>
#include <mutex>
#include <string>

#include "libsamcl/driver/driver.h"
#include "libsamcl/driver/vendor.h"
#include "libsamcl/settings/config.h"
#include "libsamcl/transfer/pinned_ring.h"

namespace samcl {
namespace {

// Measured on an H100, 7 GB/s up and 14 down by the driver: 16 MiB take as long either way, 32 MiB two thirds, 512 a
// third.
constexpr size_t kShortest = 32 << 20;
constexpr size_t kShortestForced = 4096;  // SAMCL_TRANSPORT=staged, for tests

bool is_forced() { return Config::get().transport == Config::Transport::staged; }

template <typename Object, typename Get, typename Value>
bool tells(Get get, Object object, cl_uint what, Value& value) {
  return get(object, what, sizeof(value), &value, nullptr) == CL_SUCCESS;
}

struct Target {
  cl_context context;
  bool uses_threads;
};

// Where the driver would begin the transfer, and gains by it.
std::optional<Target> target_for(cl_command_queue queue, cl_mem buffer, size_t offset, size_t bytes, bool wants_event) {
  const auto& cl = driver::real();
  cl_context context = nullptr, of_buffer = nullptr;
  cl_device_id device = nullptr;
  cl_command_queue_properties properties = 0;
  size_t size = 0;
  if (!tells(cl.clGetCommandQueueInfo, queue, CL_QUEUE_CONTEXT, context) ||
      !tells(cl.clGetCommandQueueInfo, queue, CL_QUEUE_DEVICE, device) ||
      !tells(cl.clGetCommandQueueInfo, queue, CL_QUEUE_PROPERTIES, properties) ||
      !tells(cl.clGetMemObjectInfo, buffer, CL_MEM_CONTEXT, of_buffer) ||
      !tells(cl.clGetMemObjectInfo, buffer, CL_MEM_SIZE, size))
    return std::nullopt;
  if (context != of_buffer || bytes > size || offset > size - bytes) return std::nullopt;
  if (wants_event && (properties & CL_QUEUE_PROFILING_ENABLE)) return std::nullopt;
  if (!gains_by_pinned_chunks(device)) return std::nullopt;
  return Target{context, !driver::computes_in_caller(device)};
}

// Memory that a driver gave is a part of its device file.
bool is_drivers_own(const std::byte* host) {
  std::ifstream maps("/proc/self/maps");
  const auto at = reinterpret_cast<uintptr_t>(host);
  std::string line;
  while (std::getline(maps, line)) {
    uintptr_t begin = 0, end = 0;
    if (std::sscanf(line.c_str(), "%" SCNxPTR "-%" SCNxPTR, &begin, &end) != 2 || at >= end) continue;
    return at >= begin && line.find(" /dev/") != std::string::npos;
  }
  return true;  // no memory: the driver's to say
}

}  // namespace

std::optional<cl_int> transfer_pinned(cl_command_queue queue, Direction direction, cl_mem buffer, size_t offset,
                                      size_t bytes, std::byte* host, cl_uint wait_count, const cl_event* waits,
                                      cl_event* event) {
  if (bytes < (is_forced() ? kShortestForced : kShortest) || !host || (wait_count == 0) != (waits == nullptr))
    return std::nullopt;
  static std::mutex busy;
  const std::unique_lock lock(busy, std::try_to_lock);
  if (!lock) return std::nullopt;
  const auto target = target_for(queue, buffer, offset, bytes, event != nullptr);
  if (!target || is_drivers_own(host)) return std::nullopt;
  PinnedRing ring(target->context, queue, target->uses_threads);
  if (!ring.prepare()) return std::nullopt;
  const auto& cl = driver::real();
  cl_event last = nullptr;
  const auto give = [&](const Rectangle& piece, std::byte* chunk, cl_event* moved) {
    const uint64_t at = piece.offset, size = piece.bytes();
    const cl_int error =
        direction == Direction::up
            ? cl.clEnqueueWriteBuffer(queue, buffer, CL_FALSE, at, size, chunk, wait_count, waits, moved)
            : cl.clEnqueueReadBuffer(queue, buffer, CL_FALSE, at, size, chunk, wait_count, waits, moved);
    if (event && error == CL_SUCCESS && at + size == offset + bytes && cl.clRetainEvent(*moved) == CL_SUCCESS)
      last = *moved;
    return error;
  };
  const Rectangle rows = Rectangle::run(offset, bytes), host_rows = Rectangle::run(0, bytes);
  const cl_int error = direction == Direction::up ? ring.upload(rows, host, host_rows, give)
                                                  : ring.download(rows, host, host_rows, give);
  if (last && error == CL_SUCCESS) *event = last;
  if (last && error != CL_SUCCESS) cl.clReleaseEvent(last);
  return error;
}

}  // namespace samcl
