#include "libsamcl/objects/context.h"

#include <gmock/gmock.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "libsamcl/testing/fake_driver.h"
#include "libsamcl/testing/fake_manager.h"

namespace samcl {
namespace {

using ::testing::ElementsAre;

struct ContextTest : ::testing::Test {
  testing::FakeDriver driver{3};
  testing::FakeManager manager;
};

TEST_F(ContextTest, UnmanagedAllDevicesAreInUse) {
  const auto context = driver.make_context();
  EXPECT_THAT(context->devices_in_use(), ElementsAre(0, 1, 2));
  EXPECT_EQ(context->places_in_use(), first_devices(3));
}

TEST_F(ContextTest, ManagersChoiceHoldsFromTheNextQuestionOn) {
  const auto context = driver.make_context(&manager);
  EXPECT_THAT(context->devices_in_use(), ElementsAre(0, 1, 2)) << "it has made none";
  manager.chosen = {"task", 1, 1, {2, 0, 1}};
  EXPECT_THAT(context->devices_in_use(), ElementsAre(2));
  EXPECT_EQ(context->places_in_use(), only(2));
  manager.chosen.gpus = 2;
  EXPECT_THAT(context->devices_in_use(), ElementsAre(2, 0));
  EXPECT_EQ(context->places_in_use(), only(2) | only(0));
}

TEST(ContextOfProcessorsTest, IsNoneWhereOneDeviceHasNone) {
  testing::FakeDriver driver{3, testing::FakeDriver::Kind::cpu};
  for (int others = 0; others < 3; ++others) {
    driver.fail(testing::Call::create_context, CL_OUT_OF_RESOURCES, 1, others);
    EXPECT_EQ(driver.make_context(), nullptr) << others;
  }
  EXPECT_NE(driver.make_context(), nullptr);
}

TEST_F(ContextTest, IsNoneWhereTheFirstDeviceHasNone) {
  driver.fail(testing::Call::create_context, CL_OUT_OF_RESOURCES);
  EXPECT_EQ(driver.make_context(), nullptr);
}

TEST_F(ContextTest, OtherGpusAreOpenedWhenSomethingNeedsThem) {
  const auto context = driver.make_context();
  EXPECT_TRUE(context->opens_later);
  EXPECT_EQ(driver.count(testing::Call::create_context), 1);
  EXPECT_FALSE(context->devices[1]->is_open());
  EXPECT_NE(context->devices[1]->compute_queue(), nullptr);
  EXPECT_TRUE(context->devices[1]->is_open());
  EXPECT_NE(context->devices[1]->context(), context->devices[0]->context());
  EXPECT_FALSE(context->devices[2]->is_open());
  EXPECT_EQ(driver.count(testing::Call::create_context), 2);
}

TEST_F(ContextTest, OtherGpusAreOpenedAtOnceForAManager) {
  EXPECT_FALSE(driver.make_context(&manager)->opens_later);
  EXPECT_EQ(driver.count(testing::Call::create_context), 3);
}

TEST_F(ContextTest, AGpuThatCannotBeOpenedIsAskedOnce) {
  const auto context = driver.make_context();
  driver.fail(testing::Call::create_context, CL_OUT_OF_RESOURCES);
  EXPECT_EQ(context->devices[1]->open(), CL_OUT_OF_RESOURCES);
  EXPECT_EQ(context->devices[1]->open(), CL_OUT_OF_RESOURCES);
  EXPECT_EQ(context->devices[1]->context(), nullptr);
  EXPECT_EQ(context->devices[1]->compute_queue(), nullptr);
  EXPECT_EQ(driver.count(testing::Call::create_context), 2);
}

// Whatever patience there is for all else.
TEST_F(ContextTest, DrainingWaitsForWhatIsBeingBuilt) {
  const auto context = driver.make_context();
  std::atomic<bool> built = false;
  context->builder.post([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    built = true;
  });
  const auto now = std::chrono::steady_clock::now();
  EXPECT_TRUE(Context::drain_all(now, now + std::chrono::seconds(120)));
  EXPECT_TRUE(built);
}

TEST_F(ContextTest, IsMixedWhereDevicesAreNotAlike) {
  const auto real = driver.make_context()->device->real;
  EXPECT_FALSE(Device::make_shared(nullptr, real, std::vector<LeaseTarget>(3))->is_mixed());
  EXPECT_FALSE(
      Device::make_shared(nullptr, real, std::vector<LeaseTarget>(3), std::vector<unsigned>{0, 0, 0})->is_mixed());
  EXPECT_TRUE(
      Device::make_shared(nullptr, real, std::vector<LeaseTarget>(3), std::vector<unsigned>{0, 0, 2})->is_mixed());
}

TEST_F(ContextTest, IsFoundByItsRealContextsAsLongAsItLives) {
  auto context = driver.make_context();
  const cl_context real = context->devices[2]->context();
  EXPECT_EQ(Context::of_real(real), context);
  context.reset();
  EXPECT_EQ(Context::of_real(real), nullptr);
}

TEST_F(ContextTest, DestructorCallbacksComeLastFirst) {
  static std::vector<int>* order;
  std::vector<int> called;
  order = &called;
  {
    const auto context = driver.make_context();
    int numbers[] = {0, 1, 2};
    for (int& number : numbers)
      context->add_destructor_callback([](cl_context, void* which) { order->push_back(*static_cast<int*>(which)); },
                                       &number);
  }
  EXPECT_THAT(called, ElementsAre(2, 1, 0));
}

}  // namespace
}  // namespace samcl
