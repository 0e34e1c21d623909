// What moving bytes to devices of other machines costs, found out by trying: networks differ by factors of a hundred.
#pragma once

#include <memory>
#include <vector>

#include "libsamcl/cost/ways.h"
#include "libsamcl/driver/link_times.h"

namespace samcl {

class RealDevice;

// Of the slowest of these devices' links; remembered, since it takes some ms. What is assumed of a device of this
// machine where the driver refuses.
TransferRates measured_rates(const std::vector<std::unique_ptr<RealDevice>>& devices);

// From device to device bytes pass it twice.
TransferRates rates_of_link(const driver::LinkTimes& link);

}  // namespace samcl
