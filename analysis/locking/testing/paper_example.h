// Task sets of the literature, for tests.
#pragma once

#include "analysis/locking/task_set.h"

namespace samcl::analysis::locking {

// The example of Elliott & Anderson's paper: four CPUs, one GPU, two tasks without and five with GPU use.
inline TaskSet paper_example() {
  TaskSet set{4, 1, {}};
  for (int n = 1; n <= 7; ++n) {
    const std::string name = "T" + std::to_string(n);
    set.tasks.push_back(n <= 2 ? Task{name, 30, 5, 0, 0} : Task{name, 30, 3, 2, 4});
  }
  return set;
}

}  // namespace samcl::analysis::locking
