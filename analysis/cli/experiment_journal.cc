#include "analysis/cli/experiment_journal.h"

#include <optional>
#include <sstream>

namespace samcl::analysis::cli {
namespace {

// "block counts... ."; nothing if it is incomplete.
std::optional<std::pair<int64_t, Counts>> parse(const std::string& line, size_t width) {
  std::istringstream in(line);
  Counts counts(width);
  int64_t block = 0;
  std::string end;
  in >> block;
  for (int64_t& count : counts) in >> count;
  if (!(in >> end) || end != ".") return std::nullopt;
  return std::pair(block, std::move(counts));
}

}  // namespace

Result<ExperimentJournal> ExperimentJournal::open(const std::string& file, const BlockExperiment& experiment) {
  ExperimentJournal journal;
  journal.known_.assign(static_cast<size_t>(experiment.blocks()), false);
  journal.sums_.assign(experiment.points(), Counts(experiment.width(), 0));
  std::ifstream in(file);
  std::string line;
  const bool exists = static_cast<bool>(std::getline(in, line));
  if (exists && line != experiment.heading())
    return fail(file + ": of another experiment (" + line + "); remove it, or choose another --out");
  while (std::getline(in, line)) {
    const auto entry = parse(line, experiment.width());
    if (!entry || entry->first < 0 || entry->first >= experiment.blocks()) continue;
    const auto block = static_cast<size_t>(entry->first);
    if (journal.known_[block]) continue;
    journal.known_[block] = true;
    add(journal.sums_[experiment.point_of(entry->first)], entry->second);
  }
  journal.out_.open(file, std::ios::app);
  if (!exists) journal.out_ << experiment.heading();
  journal.out_ << "\n" << std::flush;
  if (!journal.out_) return fail(file + ": cannot be written");
  return journal;
}

void ExperimentJournal::append(int64_t block, const Counts& counts) {
  out_ << block;
  for (const int64_t count : counts) out_ << " " << count;
  out_ << " .\n" << std::flush;
}

}  // namespace samcl::analysis::cli
