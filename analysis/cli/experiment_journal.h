// What is finished of an interrupted experiment: a text file, a line per block of sets. A file of another
// experiment is refused; a last line cut off while it was written is ignored.
#pragma once

#include <fstream>
#include <string>
#include <vector>

#include "analysis/experiment/blocks.h"
#include "base/result.h"

namespace samcl::analysis::cli {

class ExperimentJournal {
 public:
  // Reads what is there, then appends.
  static Result<ExperimentJournal> open(const std::string& file, const BlockExperiment& experiment);

  const std::vector<bool>& known() const { return known_; }
  const std::vector<Counts>& sums() const { return sums_; }  // of what was known, by point
  // Written at once.
  void append(int64_t block, const Counts& counts);

 private:
  std::vector<bool> known_;
  std::vector<Counts> sums_;
  std::ofstream out_;
};

}  // namespace samcl::analysis::cli
