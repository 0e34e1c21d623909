// What moving bytes to devices of other machines costs, found out by trying: networks differ by factors of a hundred.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "libsamcl/cost/ways.h"

namespace samcl {

class RealDevice;

// Of the slowest of these devices' links; remembered, since it takes some ms. What is assumed of a device of this
// machine where the driver refuses.
TransferRates measured_rates(const std::vector<std::unique_ptr<RealDevice>>& devices);

// Over a link by which few bytes take so long, and that many take so long, ns. From device to device they pass it
// twice.
TransferRates rates_of_link(uint64_t few_ns, uint64_t many_ns, uint64_t bytes);

}  // namespace samcl
