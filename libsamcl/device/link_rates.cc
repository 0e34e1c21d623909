#include "libsamcl/device/link_rates.h"

#include <CL/cl.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <optional>

#include "libsamcl/device/real_device.h"

namespace samcl {

TransferRates rates_of_link(const driver::LinkTimes& link) {
  TransferRates rates;
  rates.host = link.bytes_per_ns();
  rates.exchange = rates.host / 2;
  rates.latency = 2 * link.few_ns;
  rates.hand_over = std::max(kHandOver, link.few_ns);
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
      const auto link = driver::measure_link(device->context(), device->compute_queue());
      if (!link) continue;
      found = known.emplace(device->id, rates_of_link(*link)).first;
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
