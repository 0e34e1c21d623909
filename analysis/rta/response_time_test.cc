#include "analysis/rta/response_time.h"

#include <gtest/gtest.h>

namespace samcl::analysis {
namespace {

Stage stage(Resource resource, Time worst, int modes = 1) {
  return {resource, std::vector<Time>(static_cast<size_t>(modes), worst), {}, 0};
}

// One CPU, one PCI link; P1 T = 12: CPU 4, PCI 5, CPU 1; P2 T = 18: CPU 5.
TaskSet two_tasks_without_gpu() {
  TaskSet set;
  set.tasks = {{"P1", 12, 12, 2, {stage(Resource::cpu, 4), stage(Resource::pci, 5), stage(Resource::cpu, 1)}},
               {"P2", 18, 18, 1, {stage(Resource::cpu, 5)}}};
  return set;
}

TEST(PublishedForms, BoundTheSecondOfTwoTasksByTen) {
  const TaskSet set = two_tasks_without_gpu();
  for (const Form form : {Form::gpu_sam, Form::gpu_sparc}) {
    const Bounds bounds = analyse(set, Modes{1, 1}, form);
    EXPECT_EQ(bounds.tasks[0].response, 10);
    EXPECT_EQ(bounds.tasks[1].response, 10);
    EXPECT_FALSE(bounds.tasks[1].proven);
  }
}

}  // namespace
}  // namespace samcl::analysis
