#include "libsamcl/objects/process_end.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <mutex>
#include <thread>

#include "libsamcl/objects/building.h"
#include "libsamcl/objects/context.h"
#include "libsamcl/testing/fake_driver.h"

namespace samcl {
namespace {

constexpr int kTakenDownWhileItCompiled = 7;

std::atomic<bool> compiles{false}, is_taken_down{false};

// As a driver's compiler that is first used where its end was arranged for before: by our builder, since the program's
// own sources were in the driver's cache.
void compile() {
  std::atexit([] { is_taken_down = true; });
  compiles = true;
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  if (is_taken_down) _exit(kTakenDownWhileItCompiled);
}

void end_while_a_thread_compiles() {
  testing::FakeDriver driver{2};
  const auto context = driver.make_context();
  arrange_process_end();
  context->builder.post(compile);
  while (!compiles) std::this_thread::yield();
  std::exit(0);
}

TEST(ProcessEndTest, WaitsForACompilerThatArrangedItsOwnEndLast) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(end_while_a_thread_compiles(), ::testing::ExitedWithCode(0), "");
}

// The context is being destroyed, by a thread of ours.
void end_while_one_compiles_that_no_context_knows() {
  testing::FakeDriver driver{2};
  const auto context = driver.make_context();
  arrange_process_end();
  std::thread([] {
    const Compiling here;
    compile();
  }).detach();
  while (!compiles) std::this_thread::yield();
  std::exit(0);
}

TEST(ProcessEndTest, WaitsForACompilerWhoseContextIsGone) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(end_while_one_compiles_that_no_context_knows(), ::testing::ExitedWithCode(0), "");
}

// As a handler of a signal that came while the driver builds a program of the thread's: the driver builds one at a
// time.
void end_in_the_midst_of_a_build_that_others_wait_for() {
  testing::FakeDriver driver{2};
  const auto first = driver.make_context(), second = driver.make_context();
  arrange_process_end();
  static std::mutex& drivers = *new std::mutex;
  const std::lock_guard lock(drivers);
  const Building building;
  std::atomic<int> waiting = 0;
  for (const auto& context : {first, second}) {
    context->builder.post([&] {
      const Compiling here;
      ++waiting;
      const std::lock_guard wait(drivers);
    });
  }
  while (waiting < 2) std::this_thread::yield();
  std::exit(0);
}

TEST(ProcessEndTest, DoesNotWaitForCompilersThatWaitForTheThreadThatEndsIt) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto began = std::chrono::steady_clock::now();
  EXPECT_EXIT(end_in_the_midst_of_a_build_that_others_wait_for(), ::testing::ExitedWithCode(0), "");
  EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::seconds(200)) << "and not twice for each context";
}

}  // namespace
}  // namespace samcl
