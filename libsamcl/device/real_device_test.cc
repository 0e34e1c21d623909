#include "libsamcl/device/real_device.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "libsamcl/coherence/storage.h"
#include "libsamcl/driver/driver.h"
#include "libsamcl/runtime/testing/fake_driver.h"
#include "libsamcl/runtime/testing/fake_manager.h"

namespace samcl {
namespace {

using testing::Call;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr uint64_t kSize = (20 << 20) + 5;  // two whole chunks and a part

struct RealDeviceTest : ::testing::Test {
  testing::FakeDriver driver{2};
  testing::FakeManager manager;
  std::shared_ptr<Context> managed = driver.make_context(&manager);
  std::shared_ptr<Context> unmanaged = driver.make_context();
  Traffic traffic;
  std::vector<std::byte> bytes = std::vector<std::byte>(kSize, std::byte{7});

  ~RealDeviceTest() override { EXPECT_EQ(driver.misuses(), 0); }

  // A buffer of the context on device 1, and what an upload to it gives.
  cl_int upload(const std::shared_ptr<Context>& context) {
    storage = std::make_unique<Storage>(context, kSize, nullptr);
    cl_int error;
    return context->devices[1]->upload(engine::LaneKind::up, storage->replica(1, &error), {0, kSize}, bytes.data(), traffic);
  }
  std::unique_ptr<Storage> storage;
};

TEST_F(RealDeviceTest, UnmanagedTransfersAreInOnePiece) {
  EXPECT_EQ(upload(unmanaged), CL_SUCCESS);
  EXPECT_EQ(driver.count(Call::write), 1);
  EXPECT_THAT(manager.events, IsEmpty());
}

TEST_F(RealDeviceTest, ManagedTransfersHoldTheirLinkAndGoInChunks) {
  EXPECT_EQ(upload(managed), CL_SUCCESS);
  EXPECT_EQ(driver.count(Call::write), 3);
  EXPECT_THAT(manager.events, ElementsAre("+pcie 1", "-pcie 1"));
  std::vector<std::byte> found(kSize);
  cl_int error;
  EXPECT_EQ(managed->devices[1]->download(engine::LaneKind::down, storage->replica(1, &error), {0, kSize}, found.data(), traffic),
            CL_SUCCESS);
  EXPECT_EQ(driver.count(Call::read), 3);
  EXPECT_EQ(found, bytes);
}

TEST_F(RealDeviceTest, BetweenChunksAMoreUrgentTaskGoesFirst) {
  manager.revocations = 1;
  EXPECT_EQ(upload(managed), CL_SUCCESS);
  EXPECT_THAT(manager.events, ElementsAre("+pcie 1", "-pcie 1", "+pcie 1", "-pcie 1"));
  EXPECT_EQ(driver.count(Call::write), 3);
}

TEST_F(RealDeviceTest, FailedChunkEndsTheTransferAndGivesTheLinkBack) {
  driver.fail(Call::write, CL_OUT_OF_RESOURCES);
  EXPECT_EQ(upload(managed), CL_OUT_OF_RESOURCES);
  EXPECT_EQ(driver.count(Call::write), 1);
  EXPECT_THAT(manager.events, ElementsAre("+pcie 1", "-pcie 1"));
}

TEST_F(RealDeviceTest, TrafficIsCounted) {
  upload(managed);
  EXPECT_EQ(traffic.uploaded_bytes, kSize);
  EXPECT_EQ(traffic.downloaded_bytes, 0u);
}

// Kernels on a device that does not end any before it is told to.
struct AwaitTest : RealDeviceTest {
  RealDevice& device = *unmanaged->devices[0];
  std::mutex mutex;
  std::vector<std::string> happened;  // guarded by it
  std::vector<RealDevice::Run> runs;

  void tell(const std::string& what) {
    std::lock_guard lock(mutex);
    happened.push_back(what);
  }
  bool has(const std::string& what) {
    std::lock_guard lock(mutex);
    return std::find(happened.begin(), happened.end(), what) != happened.end();
  }
  void wait_for(const std::string& what) {
    while (!has(what)) std::this_thread::yield();
  }
  struct Teller : RealDevice::Listener {
    AwaitTest& test;
    explicit Teller(AwaitTest& it) : test(it) {}
    std::string name_of(const engine::Node& node) { return {static_cast<char>('a' + node.command)}; }
    void began(const engine::Node& node, const RealDevice::Run&) override { test.tell(name_of(node) + " begins"); }
    void ended(RealDevice&, std::span<const Ended> ended, cl_int status) override {
      for (const Ended& each : ended) {
        test.runs.push_back(each.run);
        test.tell(name_of(*each.node) + (status == CL_SUCCESS ? " ends" : " fails"));
      }
    }
  };
  const std::shared_ptr<Teller> teller = std::make_shared<Teller>(*this);
  static engine::NodePtr node(char name) {
    const engine::Lane lane{engine::LaneKind::compute, 0};
    auto made = std::make_shared<engine::Node>(lane, engine::HostCall{}, 0, std::function<void(cl_int)>());
    made->command = static_cast<uint32_t>(name - 'a');
    made->observed = true;
    return made;
  }
  void await(char name, cl_event event = nullptr) { device.await(event, node(name), teller); }
  cl_event event() {
    cl_event made = nullptr;
    driver::real().clEnqueueMarkerWithWaitList(nullptr, 0, nullptr, &made);
    return made;
  }
};

TEST_F(AwaitTest, KernelsWithoutEventsEndTogether) {
  driver.suspend();
  await('a');
  wait_for("a begins");
  await('b');
  await('c');
  driver.resume();
  EXPECT_TRUE(device.drain(10'000));
  EXPECT_THAT(happened, ElementsAre("a begins", "a ends", "b begins", "c begins", "b ends", "c ends"));
  EXPECT_EQ(driver.count(Call::mark), 2);
}

TEST_F(AwaitTest, OneWithAnEventEndsByItself) {
  driver.suspend();
  await('a', event());
  await('b', event());
  await('c');
  driver.resume();
  EXPECT_TRUE(device.drain(10'000));
  EXPECT_THAT(happened, ElementsAre("a begins", "a ends", "b begins", "b ends", "c begins", "c ends"));
  EXPECT_EQ(driver.count(Call::mark), 3) << "two are the test's own";
}

TEST_F(AwaitTest, ThoseBeforeOneWithAnEventEndBeforeIt) {
  driver.suspend();
  await('a');
  wait_for("a begins");
  await('b');
  await('c');
  device.separate_awaited();
  await('d', event());
  device.separate_awaited();
  driver.resume();
  EXPECT_TRUE(device.drain(10'000));
  EXPECT_THAT(happened, ElementsAre("a begins", "a ends", "b begins", "c begins", "b ends", "c ends", "d begins",
                                    "d ends"));
  EXPECT_EQ(driver.count(Call::mark), 3) << "one is the test's own";
}

TEST_F(AwaitTest, OneAfterTheOtherInTime) {
  for (char name : {'a', 'b', 'c'}) await(name);
  EXPECT_TRUE(device.drain(10'000));
  ASSERT_EQ(runs.size(), 3u);
  for (size_t i = 0; i < runs.size(); ++i) {
    EXPECT_LE(runs[i].enqueued, runs[i].began);
    EXPECT_LE(runs[i].began, runs[i].ended);
    EXPECT_LE(i > 0 ? runs[i - 1].ended : 0, runs[i].began);
  }
}

TEST_F(AwaitTest, WhatTheDriverRefusesFails) {
  driver.fail(Call::mark, CL_OUT_OF_RESOURCES);
  await('a');
  EXPECT_TRUE(device.drain(10'000));
  EXPECT_THAT(happened, ElementsAre("a begins", "a fails"));
  await('b');
  EXPECT_TRUE(device.drain(10'000));
  EXPECT_TRUE(has("b ends"));
}

TEST_F(AwaitTest, ManyWithoutEventsAreMarkedSeldom) {
  for (int i = 0; i < 1000; ++i) await('a');
  EXPECT_TRUE(device.drain(10'000));
  EXPECT_EQ(runs.size(), 1000u);
  EXPECT_LT(driver.count(Call::mark), 100);
}

// The program has released everything meanwhile.
TEST_F(AwaitTest, LastReferenceMayGoWithTheKernel) {
  auto context = driver.make_context();
  RealDevice& last = *context->devices[0];
  std::atomic<bool> ended = false;
  driver.suspend();
  struct Owner : RealDevice::Listener {
    std::shared_ptr<Context> context;
    std::atomic<bool>& has_ended;
    Owner(std::shared_ptr<Context> its, std::atomic<bool>& flag) : context(std::move(its)), has_ended(flag) {}
    void began(const engine::Node&, const RealDevice::Run&) override {}
    void ended(RealDevice&, std::span<const Ended>, cl_int) override { has_ended = true; }
  };
  auto owner = std::make_shared<Owner>(std::move(context), ended);
  last.await(nullptr, node('a'), std::move(owner));
  driver.resume();
  while (!ended) std::this_thread::yield();
}

}  // namespace
}  // namespace samcl
