#include "sam-manager/planning/memory.h"

#include <gmock/gmock.h>

namespace samcl::planning {
namespace {

using registry::Task;
using ::testing::ElementsAre;

constexpr uint64_t kGiB = uint64_t{1} << 30;

Task reserving(const std::string& name, uint64_t gib, std::vector<std::string> devices = {}) {
  Task task;
  task.name = name;
  task.devices = std::move(devices);
  task.memory_bytes = gib * kGiB;
  return task;
}

std::string objection_to(const Task& newcomer, const std::vector<Task>& others, const Machine& machine,
                         const Assignment& plan = {}) {
  std::map<std::string, Task> tasks = {{newcomer.name, newcomer}};
  for (const Task& task : others) tasks[task.name] = task;
  return memory_objection(tasks, plan, machine, newcomer);
}

const Machine kTwo{4, {"a", "b"}, 0, {8 * kGiB, 16 * kGiB}};

TEST(Memory, ReservationsFitUpToTheLastByte) {
  EXPECT_EQ(objection_to(reserving("x", 5), {reserving("y", 3)}, kTwo), "");
  EXPECT_EQ(objection_to(reserving("x", 6), {reserving("y", 3)}, kTwo),
            "device \"a\" has 8 GiB of memory, and 9 GiB would be reserved there: 6 GiB by \"x\", 3 GiB by \"y\"");
}

TEST(Memory, CountsWhereATaskMayRun) {
  EXPECT_EQ(objection_to(reserving("x", 7, {"b"}), {reserving("y", 7, {"0"})}, kTwo), "");
  EXPECT_NE(objection_to(reserving("x", 7, {"1"}), {reserving("y", 10, {"b"})}, kTwo), "");
}

TEST(Memory, PlannedTasksCountOnTheirDevices) {
  Assignment plan;
  for (const uint8_t device : {0, 1}) {
    AssignedTask planned;
    planned.name = device == 0 ? "x" : "y";
    planned.devices = {device};
    plan.tasks.push_back(planned);
  }
  EXPECT_EQ(objection_to(reserving("x", 8), {reserving("y", 16)}, kTwo, plan), "");
  EXPECT_THAT(devices_of(reserving("y", 16), plan, kTwo), ElementsAre(1));
}

TEST(Memory, WhatIsNotKnownIsNotRefused) {
  EXPECT_EQ(objection_to(reserving("x", 900), {}, {4, {"a", "b"}, 0}), "");
  EXPECT_EQ(objection_to(reserving("x", 900), {}, {4, {}, 0}), "");
}

TEST(Memory, WhoReservesNothingIsNotRefusedForOthers) {
  EXPECT_EQ(objection_to(reserving("x", 0), {reserving("y", 900)}, kTwo), "");
}

}  // namespace
}  // namespace samcl::planning
