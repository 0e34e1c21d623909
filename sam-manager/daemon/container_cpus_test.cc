#include "sam-manager/daemon/container_cpus.h"

#include <gtest/gtest.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <thread>

namespace samcl::daemon {
namespace {

cpu_set_t cpus_of(pid_t thread) {
  cpu_set_t cpus;
  EXPECT_EQ(sched_getaffinity(thread, sizeof cpus, &cpus), 0);
  return cpus;
}

// One that lives as long as this object, in this process.
struct Thread {
  std::atomic<pid_t> id{0};
  std::atomic<bool> ends{false};
  std::thread thread{[this] {
    id = static_cast<pid_t>(syscall(SYS_gettid));
    id.notify_all();
    ends.wait(false);
  }};
  Thread() { id.wait(0); }
  ~Thread() {
    ends = true;
    ends.notify_all();
    thread.join();
  }
};

TEST(ContainerCpus, AllThreadsOfAProgramRunOnTheContainersCpuUntilItIsPutBack) {
  const cpu_set_t before = cpus_of(0);
  {
    Thread first;
    ContainerCpus containers;
    ASSERT_TRUE(containers.bind(7, getpid(), uint8_t{0}));
    const cpu_set_t own = cpus_of(first.id), ours = cpus_of(0);
    EXPECT_EQ(CPU_COUNT(&own), 1);
    EXPECT_TRUE(CPU_EQUAL(&own, &ours));
    Thread made_meanwhile;
    const cpu_set_t inherited = cpus_of(made_meanwhile.id);
    EXPECT_TRUE(CPU_EQUAL(&inherited, &own));
    ASSERT_TRUE(containers.bind(7, getpid(), std::nullopt));
    for (const pid_t thread : {pid_t{0}, first.id.load(), made_meanwhile.id.load()}) {
      const cpu_set_t now = cpus_of(thread);
      EXPECT_TRUE(CPU_EQUAL(&now, &before));
    }
  }
}

TEST(ContainerCpus, EachContainerHasAnotherCpuAsFarAsThereAreSome) {
  const cpu_set_t before = cpus_of(0);
  const auto count = static_cast<uint8_t>(std::min(CPU_COUNT(&before), 255));
  ContainerCpus containers;
  cpu_set_t all;
  CPU_ZERO(&all);
  for (uint8_t gpu = 0; gpu < count; ++gpu) {
    ASSERT_TRUE(containers.bind(7, getpid(), gpu));
    const cpu_set_t now = cpus_of(0);
    CPU_OR(&all, &all, &now);
  }
  EXPECT_TRUE(CPU_EQUAL(&all, &before));
  EXPECT_FALSE(containers.bind(8, getpid(), count)) << "there are no more";
  EXPECT_FALSE(containers.bind(9, 0, uint8_t{0})) << "no such process that we can see";
}

TEST(ContainerCpus, AllArePutBackAtTheEnd) {
  const cpu_set_t before = cpus_of(0);
  {
    ContainerCpus containers;
    ASSERT_TRUE(containers.bind(7, getpid(), uint8_t{0}));
  }
  const cpu_set_t after = cpus_of(0);
  EXPECT_TRUE(CPU_EQUAL(&before, &after));
}

}  // namespace
}  // namespace samcl::daemon
