#include "libsamcl/runtime/steps.h"

#include <gmock/gmock.h>

#include <atomic>
#include <future>
#include <thread>

#include "libsamcl/runtime/testing/fake_driver.h"

namespace samcl {
namespace {

struct StepsTest : ::testing::Test {
  testing::FakeDriver driver{3};
  std::shared_ptr<Context> context = driver.make_context();
  std::shared_ptr<Queue> queue =
      std::make_shared<Queue>(context, nullptr, 0, std::vector<cl_queue_properties>());

  cl_int run(std::vector<Step> steps) {
    std::promise<cl_int> result;
    run_on_workers(*context, std::move(steps), Starter::another_command,
                   [&](cl_int error) { result.set_value(error); });
    return result.get_future().get();
  }
};

TEST_F(StepsTest, NoStepsEndAtOnce) {
  EXPECT_EQ(run({}), CL_SUCCESS);
}

TEST_F(StepsTest, StepsOfSeveralDevicesRunAtTheSameTime) {
  std::promise<void> first, second;
  EXPECT_EQ(run({{0,
                  [&] {
                    first.set_value();
                    return second.get_future().wait_for(std::chrono::seconds(20)) == std::future_status::ready
                               ? 0
                               : -1;
                  }},
                 {1,
                  [&] {
                    second.set_value();
                    return first.get_future().wait_for(std::chrono::seconds(20)) == std::future_status::ready
                               ? 0
                               : -1;
                  }}}),
            CL_SUCCESS);
}

TEST_F(StepsTest, AllStepsRunThoughOneFails) {
  std::atomic<int> ran = 0;
  EXPECT_EQ(run({{0, [&] { return ++ran, CL_SUCCESS; }},
                 {1, [&] { return ++ran, CL_OUT_OF_RESOURCES; }},
                 {2, [&] { return ++ran, CL_SUCCESS; }},
                 {0, [&] { return ++ran, CL_SUCCESS; }}}),
            CL_OUT_OF_RESOURCES);
  EXPECT_EQ(ran, 4);
}

TEST_F(StepsTest, FirstErrorIsTheResult) {
  EXPECT_EQ(run({{0, [] { return -5; }}, {0, [] { return -6; }}, {0, [] { return -7; }}}), -5);
}

class Steps : public SteppedCommand {
 public:
  Steps(std::vector<Step> steps, std::atomic<bool>& was_done)
      : steps_(std::move(steps)), was_done_(was_done) {}

 protected:
  std::vector<Step> plan() override { return steps_; }
  void done() override { was_done_ = true; }

 private:
  const std::vector<Step> steps_;
  std::atomic<bool>& was_done_;
};

struct EveryWay : StepsTest, ::testing::WithParamInterface<bool> {
  std::atomic<bool> done = false;

  cl_int status_of(std::vector<Step> steps) {
    auto event = std::make_shared<Event>(context, queue, CL_COMMAND_WRITE_BUFFER);
    context->graph.submit(event, std::make_unique<Steps>(std::move(steps), done), {}, Order::ordinary,
                          GetParam());
    return event->wait();
  }
};
INSTANTIATE_TEST_SUITE_P(BlockingOrNot, EveryWay, ::testing::Bool());

TEST_P(EveryWay, CommandIsDoneWhenItsStepsSucceeded) {
  EXPECT_EQ(status_of({{0, [] { return CL_SUCCESS; }}, {2, [] { return CL_SUCCESS; }}}), CL_COMPLETE);
  EXPECT_TRUE(done);
}

TEST_P(EveryWay, CommandWithoutStepsIsDone) {
  EXPECT_EQ(status_of({}), CL_COMPLETE);
  EXPECT_TRUE(done);
}

TEST_P(EveryWay, FailedStepIsTheCommandsStatus) {
  EXPECT_EQ(status_of({{0, [] { return CL_SUCCESS; }}, {1, [] { return CL_OUT_OF_RESOURCES; }}}),
            CL_OUT_OF_RESOURCES);
  EXPECT_FALSE(done) << "the directories must not tell of bytes that did not arrive";
}

}  // namespace
}  // namespace samcl
