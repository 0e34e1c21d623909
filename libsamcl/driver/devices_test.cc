#include "libsamcl/driver/devices.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "libsamcl/driver/vendor.h"

namespace samcl::driver {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Device device(unsigned index, unsigned platform, unsigned ordinal, const char* name) {
  Device d;
  d.platform = reinterpret_cast<cl_platform_id>(uintptr_t{platform + 1});
  d.index = index;
  d.platform_index = platform;
  d.device_index = ordinal;
  d.name = name;
  return d;
}

const std::vector<Device> kMachine = {device(0, 0, 0, "Big GPU"), device(1, 0, 1, "Small GPU"),
                                      device(2, 0, 2, "Big GPU"), device(3, 1, 0, "Some CPU")};

std::vector<unsigned> indices(const Result<std::vector<Device>>& chosen) {
  std::vector<unsigned> result;
  for (const Device& d : chosen.value()) result.push_back(d.index);
  return result;
}

TEST(GroupMixed, IsOneGroupWithTheFastestFirst) {
  std::vector<Device> machine = kMachine;
  machine[0].type = machine[3].type = CL_DEVICE_TYPE_CPU;
  machine[1].type = machine[2].type = CL_DEVICE_TYPE_GPU;
  machine[2].compute_units = 100;
  const auto groups = group_mixed(machine);
  ASSERT_EQ(groups.size(), 1u);
  EXPECT_THAT(indices(groups[0]), ElementsAre(2, 1, 0, 3));
}

TEST(GroupMixed, DoesNotJoinWhatCannotHoldTheSameBytes) {
  std::vector<Device> machine = kMachine;
  machine[1].address_bits = 32;
  machine[3].little_endian = false;
  const auto groups = group_mixed(machine);
  ASSERT_EQ(groups.size(), 3u);
  EXPECT_THAT(indices(groups[0]), ElementsAre(0, 2));
}

TEST(SelectDevices, AnEmptyListMeansAll) {
  EXPECT_THAT(indices(select_devices(kMachine, " ")), ElementsAre(0, 1, 2, 3));
}

TEST(SelectDevices, KeepsTheListsOrder) { EXPECT_THAT(indices(select_devices(kMachine, "2, 0")), ElementsAre(2, 0)); }

TEST(SelectDevices, CountsAsClinfoDoes) {
  EXPECT_THAT(indices(select_devices(kMachine, "1.0,0.1")), ElementsAre(3, 1));
}

TEST(SelectDevices, ANameStandsForAllDevicesThatBearIt) {
  EXPECT_THAT(indices(select_devices(kMachine, "some,big gpu")), ElementsAre(3, 0, 2));
}

TEST(SelectDevices, ANameAddsWhatIsNotNamedYet) {
  EXPECT_THAT(indices(select_devices(kMachine, "2,Big")), ElementsAre(2, 0));
}

TEST(SelectDevices, AnUnknownDeviceIsNamedAndTheKnownAreListed) {
  const auto chosen = select_devices(kMachine, "0,7");
  ASSERT_FALSE(chosen);
  EXPECT_THAT(chosen.error().message, HasSubstr("no device '7'"));
  EXPECT_THAT(chosen.error().message, HasSubstr("3  1.0  Some CPU"));
}

TEST(SelectDevices, TheSameDeviceTwiceIsAnError) {
  EXPECT_THAT(select_devices(kMachine, "1,0.1").error().message, HasSubstr("'0.1' is named twice"));
}

TEST(SelectDevices, AnEmptyElementIsAnError) {
  EXPECT_THAT(select_devices(kMachine, "0,,1").error().message, HasSubstr("empty element"));
}

TEST(SelectDevices, WithoutDevicesSaysSo) {
  EXPECT_THAT(select_devices({}, "0").error().message, HasSubstr("there is no OpenCL device here"));
}

TEST(GroupAlike, PutsEqualDevicesOfAPlatformTogether) {
  const auto groups = group_alike(kMachine);
  ASSERT_EQ(groups.size(), 3u);
  EXPECT_EQ(groups[0].size(), 2u);
  EXPECT_EQ(groups[0][1].index, 2u);
}

TEST(GroupAlike, DifferentMemoryMakesDevicesDifferent) {
  auto machine = kMachine;
  machine[2].global_memory = 1;
  EXPECT_EQ(group_alike(machine).size(), 4u);
}

TEST(PciAddress, IsWrittenAsLspciDoes) { EXPECT_EQ(pci_address(0, 0x3b, 0, 1), "0000:3b:00.1"); }

TEST(VendorFacts, PoclNeedsDistinctSources) {
  const auto facts = vendor_facts("Portable Computing Language", "The pocl project", "OpenCL 3.0 PoCL 3.1");
  EXPECT_EQ(facts.vendor, Vendor::pocl);
  EXPECT_EQ(distinct_option(facts, 0), "");
  EXPECT_EQ(distinct_option(facts, 2), " -DSAMCL_DEVICE=2");
  EXPECT_EQ(distinct_option(facts, 0, true), " -DSAMCL_REMOTE_DEVICE=0");
}

TEST(VendorFacts, NvidiaDoesNot) {
  const auto facts = vendor_facts("NVIDIA CUDA", "NVIDIA Corporation", "OpenCL 3.0 CUDA 13.0");
  EXPECT_EQ(facts.short_name, "nvidia");
  EXPECT_EQ(distinct_option(facts, 1), "");
}

TEST(Machines, HaveOneAddressUnlessTheyAreTheEndsOfTunnels) {
  EXPECT_EQ(machine_of("10.0.0.2:7700"), machine_of("10.0.0.2:7710"));
  EXPECT_NE(machine_of("10.0.0.2:7700"), machine_of("10.0.0.3:7700"));
  EXPECT_NE(machine_of("127.0.0.1:7700"), machine_of("127.0.0.1:7710"));
  EXPECT_NE(machine_of("localhost:7700"), machine_of("localhost:7710"));
  EXPECT_EQ(machine_of(""), "") << "this one";
}

TEST(VendorFacts, AnUnknownPlatformIsCalledByItsName) {
  EXPECT_EQ(vendor_facts("Rusticl 2", "Mesa/X.org", "OpenCL 3.0").short_name, "rusticl2");
}

TEST(ListDevices, ListsPoclsTwoAlikeDevices) {
  setenv("POCL_DEVICES", "basic basic", 1);
  const auto devices = list_devices();
  std::vector<Device> pocl;
  for (const Device& d : devices)
    if (vendor_facts(d.platform).vendor == Vendor::pocl) pocl.push_back(d);
  if (pocl.empty()) GTEST_SKIP() << "no PoCL here";
  ASSERT_EQ(pocl.size(), 2u);
  EXPECT_TRUE(alike(pocl[0], pocl[1]));
  EXPECT_EQ(pocl[0].stable_name, "pocl:0");
  EXPECT_EQ(pocl[1].stable_name, "pocl:1");
  const DeviceFacts facts = translator_facts(pocl[0].id);
  EXPECT_EQ(facts.opencl_c_version, "OpenCL C 3.0");
  EXPECT_THAT(facts.extensions, HasSubstr("cl_khr_fp64"));
  EXPECT_TRUE(facts.image_support);
}

}  // namespace
}  // namespace samcl::driver
