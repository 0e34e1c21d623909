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

std::optional<std::vector<uint64_t>> limits(uint64_t memory, const std::vector<MemoryUse>& programs) {
  return memory_limits(memory * kGiB, programs);
}

TEST(MemoryLimits, WhereNothingIsReservedNobodyIsLimited) {
  EXPECT_EQ(limits(8, {{9 * kGiB, 0, true}, {5 * kGiB, 0, false}}), std::nullopt);
  EXPECT_EQ(limits(0, {{9 * kGiB, 0, true}, {0, kGiB, false}}), std::nullopt) << "nobody knows how much there is";
}

TEST(MemoryLimits, ProgramsKeepToWhatTasksLeave) {
  EXPECT_THAT(*limits(8, {{0, 2 * kGiB, false}, {7 * kGiB, 0, true}}), ElementsAre(6 * kGiB));
  EXPECT_THAT(*limits(8, {{3 * kGiB, 2 * kGiB, false}, {0, 0, true}}), ElementsAre(5 * kGiB)) << "it has more by now";
  EXPECT_THAT(*limits(8, {{0, 2 * kGiB, false}, {kGiB, 0, false}, {0, 0, true}}), ElementsAre(5 * kGiB));
  EXPECT_THAT(*limits(8, {{0, 9 * kGiB, false}, {kGiB, 0, true}}), ElementsAre(0));
  EXPECT_THAT(*limits(8, {{0, 2 * kGiB, false}}), ::testing::IsEmpty());
}

TEST(MemoryLimits, TheModestGetTwiceWhatTheyHaveAndOthersShareTheRest) {
  EXPECT_THAT(*limits(10, {{0, 2 * kGiB, false}, {kGiB, 0, true}, {9 * kGiB, 0, true}, {9 * kGiB, 0, true}}),
              ElementsAre(2 * kGiB, 3 * kGiB, 3 * kGiB));
  EXPECT_THAT(*limits(10, {{0, 2 * kGiB, false}, {kGiB, 0, true}, {2 * kGiB, 0, true}}),
              ElementsAre(3 * kGiB, 5 * kGiB));
  EXPECT_THAT(*limits(10, {{0, 2 * kGiB, false}, {UINT64_MAX, 0, true}, {UINT64_MAX, 0, true}}),
              ElementsAre(4 * kGiB, 4 * kGiB))
      << "a program may say anything";
}

TEST(Memory, WhoReservesNothingIsNotRefusedForOthers) {
  EXPECT_EQ(objection_to(reserving("x", 0), {reserving("y", 900)}, kTwo), "");
}

}  // namespace
}  // namespace samcl::planning
