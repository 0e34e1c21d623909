// What is finished of an interrupted experiment: a text file, a line per block of sets. A file of another
// experiment is refused; a last line cut off while it was written is ignored.
#pragma once

#include <fstream>
#include <string>
#include <vector>

#include "analysis/experiment/results.h"

namespace samcl::analysis::cli {

class ExperimentJournal {
 public:
  // Reads what is there, then appends.
  static Result<ExperimentJournal> open(const std::string& file, const Experiment& experiment);

  const std::vector<bool>& known() const { return known_; }
  const Tallies& tallies() const { return tallies_; }  // of what was known
  // Written at once.
  void append(int64_t block, const Tally& tally);

 private:
  std::vector<bool> known_;
  Tallies tallies_;
  std::ofstream out_;
};

}  // namespace samcl::analysis::cli
