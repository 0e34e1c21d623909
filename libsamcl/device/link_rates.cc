#include "libsamcl/device/link_rates.h"

#include <CL/cl.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <optional>

#include "base/clock.h"
#include "libsamcl/device/real_device.h"
#include "libsamcl/driver/driver.h"

namespace samcl {
namespace {

constexpr size_t kFew = 64, kMany = 2 << 20;
constexpr int kTries = 3;  // the fastest counts: what else goes on only adds to it

// How long a write of so many bytes takes the program; nothing if the driver refuses.
std::optional<uint64_t> write_ns(cl_command_queue queue, cl_mem buffer, const std::vector<std::byte>& from,
                                 size_t bytes) {
  uint64_t least = UINT64_MAX;
  // The first one is not counted: some drivers provide the memory with it.
  for (int i = 0; i <= kTries; ++i) {
    const uint64_t begun = now_ns();
    if (driver::real().clEnqueueWriteBuffer(queue, buffer, CL_TRUE, 0, bytes, from.data(), 0, nullptr, nullptr) !=
        CL_SUCCESS) {
      return std::nullopt;
    }
    if (i > 0) least = std::min(least, now_ns() - begun);
  }
  return least;
}

std::optional<TransferRates> rates_of(RealDevice& device) {
  const auto& cl = driver::real();
  cl_int error;
  const cl_mem buffer = cl.clCreateBuffer(device.context(), CL_MEM_READ_WRITE, kMany, nullptr, &error);
  if (!buffer) return std::nullopt;
  const std::vector<std::byte> bytes(kMany);
  const auto few = write_ns(device.compute_queue(), buffer, bytes, kFew);
  const auto many = few ? write_ns(device.compute_queue(), buffer, bytes, kMany) : std::nullopt;
  cl.clReleaseMemObject(buffer);
  return many ? std::optional(rates_of_link(*few, *many, kMany)) : std::nullopt;
}

}  // namespace

TransferRates rates_of_link(uint64_t few_ns, uint64_t many_ns, uint64_t bytes) {
  TransferRates rates;
  rates.host = static_cast<double>(bytes) / static_cast<double>(std::max(many_ns, few_ns + 1) - few_ns);
  rates.exchange = rates.host / 2;
  rates.latency = 2 * few_ns;
  rates.hand_over = std::max(kHandOver, few_ns);
  return rates;
}

TransferRates measured_rates(const std::vector<std::unique_ptr<RealDevice>>& devices) {
  static std::mutex& mutex = *new std::mutex;
  static auto& known = *new std::map<cl_device_id, TransferRates>;
  const std::lock_guard lock(mutex);
  std::optional<TransferRates> slowest;
  for (const auto& device : devices) {
    auto found = known.find(device->id);
    if (found == known.end()) {
      const auto measured = rates_of(*device);
      if (!measured) continue;
      found = known.emplace(device->id, *measured).first;
    }
    const TransferRates& its = found->second;
    if (!slowest) slowest = its;
    slowest->host = std::min(slowest->host, its.host);
    slowest->exchange = std::min(slowest->exchange, its.exchange);
    slowest->latency = std::max(slowest->latency, its.latency);
    slowest->hand_over = std::max(slowest->hand_over, its.hand_over);
  }
  return slowest.value_or(TransferRates());
}

}  // namespace samcl
