#include "tools/sam-run/device_list.h"

#include <gtest/gtest.h>

namespace samcl::run {
namespace {

TEST(Machine, IsATreeOfMachinesAndTheirDevices) {
  const driver::LinkTimes near{3'000, 3'000 + driver::LinkTimes::kMany / 8},
      far{130'000, 130'000 + driver::LinkTimes::kMany};
  EXPECT_EQ(machine_text({{"", "GPU", 0, 16, uint64_t{8} << 30, near},
                          {"10.0.0.2:7700", "GPU", 1, 16, uint64_t{8} << 30, far},
                          {"10.0.0.2:7700", "CPU", 2, 4, uint64_t{1} << 30, std::nullopt}}),
            "this machine\n"
            "  0  GPU: 16 compute units, 8 GiB, 0.003 ms and 8 GB/s away\n"
            "10.0.0.2:7700\n"
            "  1  GPU: 16 compute units, 8 GiB, 0.13 ms and 1 GB/s away\n"
            "  2  CPU: 4 compute units, 1 GiB, its link cannot be tried\n");
}

}  // namespace
}  // namespace samcl::run
