// What was planned and run, as a picture in Graphviz's language: a cluster for each command, in it its operations with
// lane, time and the bytes that they use; an arrow from each operation to those that come after it because they use the
// same bytes, dotted where the earlier one had ended before the later one was planned. Pure.
//
//   SAMCL_PLAN=dot:plan.dot ./app && dot -Tsvg plan.dot -o plan.svg
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "libsamcl/observe/observed.h"

namespace samcl::observe {

class PlanGraph {
 public:
  // More than anybody could look at; of what comes later only the number is kept.
  static constexpr size_t kMost = 20'000;

  void add(Command command);
  // Its status and times may change until dot() is asked for.
  void add(std::shared_ptr<const Operation> operation);

  bool empty() const { return commands_.empty() && operations_.empty(); }
  std::string dot() const;

 private:
  std::vector<Command> commands_;  // that have ended
  std::vector<std::shared_ptr<const Operation>> operations_;
  uint64_t left_out_ = 0;  // operations
};

}  // namespace samcl::observe
