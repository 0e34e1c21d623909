#include "tools/sam-run/device_list.h"

#include <gtest/gtest.h>

namespace samcl::run {
namespace {

TEST(Machine, IsATreeOfMachinesAndTheirDevices) {
  const driver::LinkTimes near{3'000, 3'000 + driver::LinkTimes::kMany / 8},
      far{130'000, 130'000 + driver::LinkTimes::kMany};
  EXPECT_EQ(
      machine_text(
          {{"", "GPU", 0, 16, uint64_t{8} << 30, near, 0, std::nullopt},
           {"10.0.0.2:7700", "GPU", 1, 16, uint64_t{8} << 30, far, 1, std::nullopt},
           {"10.0.0.2:7700", "CPU", 2, 4, uint64_t{1} << 30, std::nullopt, 1, std::nullopt},
           {"10.0.0.3:7700", "GPU", 3, 16, uint64_t{8} << 30, far, 1, {{{260'000, 2'357'152}, {390'000, 914'288}}}}}),
      "this machine\n"
      "  0  GPU: 16 compute units, 8 GiB, 0.003 ms and 8 GB/s away\n"
      "10.0.0.2:7700\n"
      "  1  GPU: 16 compute units, 8 GiB, 0.13 ms and 1 GB/s away\n"
      "  2  CPU: 4 compute units, 1 GiB, its link cannot be tried\n"
      "10.0.0.3:7700\n"
      "  3  GPU: 16 compute units, 8 GiB, 0.13 ms and 1 GB/s away\n"
      "     from device 1: 0.26 ms and 1 GB/s through this machine, 0.39 ms and 4 GB/s by the driver "
      "itself (taken from 169.3 KiB on)\n");
}

}  // namespace
}  // namespace samcl::run
