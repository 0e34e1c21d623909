#include "sam-manager/daemon/cpu_meters.h"

#include <gtest/gtest.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <ctime>
#include <thread>
#include <vector>

namespace samcl::daemon {
namespace {

constexpr uint64_t kMs = 1'000'000;
// What a performance event counts and a thread's own clock differ: the event stands while the kernel changes threads
// (0.13 ms of 20 were seen, with more threads than processors).
constexpr uint64_t kChangingThreadsNs = kMs;

uint64_t own_cpu_ns(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return static_cast<uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(now.tv_nsec);
}

pid_t own_thread() { return static_cast<pid_t>(syscall(SYS_gettid)); }

void compute_for(uint64_t ns) {
  const uint64_t begin = own_cpu_ns(CLOCK_THREAD_CPUTIME_ID);
  while (own_cpu_ns(CLOCK_THREAD_CPUTIME_ID) < begin + ns) continue;
}

TEST(CpuMeters, NobodyIsWatchedAtFirst) {
  CpuMeters meters;
  EXPECT_FALSE(meters.use(getpid()));
  meters.watch(getpid(), own_thread());
  EXPECT_TRUE(meters.use(getpid()));
  meters.forget(getpid());
  EXPECT_FALSE(meters.use(getpid()));
}

TEST(CpuMeters, CountWhatWatchedThreadsComputeFromThenOn) {
  CpuMeters meters;
  if (meters.lag_ns() > 0) GTEST_SKIP() << "no performance events on this system";
  compute_for(20 * kMs);
  meters.watch(getpid(), own_thread());
  EXPECT_EQ(meters.lag_ns(), 0u);
  const uint64_t before = meters.use(getpid())->ns;
  EXPECT_LT(before, 20 * kMs);
  const uint64_t began = own_cpu_ns(CLOCK_THREAD_CPUTIME_ID);
  std::thread([] { compute_for(50 * kMs); }).join();  // watched by nobody
  compute_for(10 * kMs);
  const uint64_t counted = meters.use(getpid())->ns - before;
  const uint64_t computed = own_cpu_ns(CLOCK_THREAD_CPUTIME_ID) - began;
  EXPECT_GE(counted + kChangingThreadsNs, 10 * kMs);
  // The two clocks differ by what the processor did for others meanwhile (1.1 ms of 10 were seen).
  EXPECT_LE(counted, computed + 20 * kMs) << "not what the other thread computed";
  EXPECT_EQ(meters.use(getpid())->threads, 1u);
}

TEST(CpuMeters, ThreadsThatHaveEndedCountStill) {
  CpuMeters meters;
  for (int i = 0; i < 2; ++i)
    std::thread([&] {
      meters.watch(getpid(), own_thread());
      compute_for(10 * kMs);
    }).join();
  EXPECT_GE(meters.use(getpid())->ns + meters.lag_ns() + kChangingThreadsNs, 20 * kMs);
}

TEST(CpuMeters, WithoutPerformanceEventsAllOfTheProcessCounts) {
  CpuMeters meters(false);
  EXPECT_GT(meters.lag_ns(), 0u);
  meters.watch(getpid(), own_thread());
  const uint64_t begin = own_cpu_ns(CLOCK_PROCESS_CPUTIME_ID), before = meters.use(getpid())->ns;
  std::thread([] { compute_for(30 * kMs); }).join();
  EXPECT_GE(meters.use(getpid())->ns - before + meters.lag_ns(), 30 * kMs);
  EXPECT_LE(meters.use(getpid())->ns - before, own_cpu_ns(CLOCK_PROCESS_CPUTIME_ID) - begin + kMs);
}

TEST(CpuMeters, MoreThreadsThanCanBeWatchedAreWatchedTogether) {
  CpuMeters meters;
  std::vector<std::thread> threads;
  for (int i = 0; i < 70; ++i) threads.emplace_back([&] { compute_for(kMs / 10); });
  for (std::thread& thread : threads) thread.join();
  for (int i = 0; i < 70; ++i) std::thread([&] { meters.watch(getpid(), own_thread()); }).join();
  EXPECT_GT(meters.lag_ns(), 0u);
  const uint64_t before = meters.use(getpid())->ns;
  compute_for(20 * kMs);
  EXPECT_GE(meters.use(getpid())->ns - before + meters.lag_ns(), 20 * kMs);
}

}  // namespace
}  // namespace samcl::daemon
