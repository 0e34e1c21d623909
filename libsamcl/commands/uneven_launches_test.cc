// How evenly launches keep devices busy that are alike and have memories of their own, where work-groups have not all
// equally much to do, and splitting is left to the runtime: in virtual time.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "libsamcl/testing/fake_manager.h"
#include "libsamcl/testing/known_kernels.h"

namespace samcl {
namespace {

using testing::KernelCall;
using testing::SimulatedMachine;

const bool kSettings = setenv("SAMCL_SPLIT", "auto", 1) == 0;

constexpr size_t kItems = 16'384;

// ns that an item takes.
using Work = std::function<double(size_t item)>;

struct UnevenLaunches : ::testing::Test {
  UnevenLaunches() {
    if (!kSettings) std::abort();
  }

  // The mean time that devices are busy in the longest one, of the last ten of so many launches.
  static double balance(unsigned devices, const std::string& name, const Work& work, lease::Client* manager = nullptr) {
    constexpr int launches = 200;
    std::mt19937_64 random(15);
    std::uniform_real_distribution<double> noise(0.97, 1.03);  // a part takes so much more or less
    SimulatedMachine machine(devices, manager);
    std::vector<double> busy(devices);
    machine.driver.ns_per_item = [&](const KernelCall& call) {
      double ns = 0;
      for (size_t item = call.offset[0]; item < call.offset[0] + call.size[0]; ++item) ns += work(item);
      busy[call.device] += ns;
      return static_cast<uint64_t>(noise(random) * ns / static_cast<double>(call.size[0]));
    };
    const testing::KernelPtr kernel = machine.kernel(testing::in_place(name), testing::triple);
    const BufferPtr buffer = machine.buffer(kItems);
    const testing::QueuePtr queue = machine.in_order_queue();
    machine.write(queue, buffer, 0, testing::counting(kItems));
    std::vector<double> found;
    for (int launch = 0; launch < launches; ++launch) {
      busy.assign(devices, 0);
      machine.launch(queue, kernel, {buffer}, kItems);
      machine.run();
      found.push_back(std::accumulate(busy.begin(), busy.end(), 0.0) / devices / *std::ranges::max_element(busy));
    }
    EXPECT_GT(kernel->record.split_launches, static_cast<uint64_t>(launches) / 2) << name;
    return std::accumulate(found.end() - 10, found.end(), 0.0) / 10;
  }
};

const Work grows = [](size_t item) { return 1 + static_cast<double>(item) / 4; };
const Work lump = [](size_t item) { return item * 10 / kItems == 6 ? 30'000.0 : 1'000.0; };

TEST_F(UnevenLaunches, AreCutWhereTheWorkLies) {
  for (const unsigned devices : {2U, 4U}) {
    const std::string name = std::to_string(devices);
    EXPECT_GT(balance(devices, "even" + name, [](size_t) { return 1000.0; }), 0.99);
    EXPECT_GT(balance(devices, "grows" + name, grows), 0.9);
    EXPECT_GT(balance(devices, "lump" + name, lump), 0.9);
  }
}

// By what slices take, too.
TEST_F(UnevenLaunches, AreCutWhereTheWorkLiesUnderAManager) {
  for (const bool is_alone : {false, true}) {
    testing::FakeManager manager;
    manager.choose_all(2);
    manager.alone = is_alone;
    const std::string name = is_alone ? "alone" : "beside";
    EXPECT_GT(balance(2, "grows" + name, grows, &manager), 0.9) << name;
    EXPECT_GT(balance(2, "lump" + name, lump, &manager), 0.9) << name;
  }
}

}  // namespace
}  // namespace samcl
