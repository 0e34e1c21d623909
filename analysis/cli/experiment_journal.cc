#include "analysis/cli/experiment_journal.h"

#include <filesystem>
#include <iomanip>
#include <sstream>

#include "analysis/json/bounds_json.h"

namespace samcl::analysis::cli {
namespace {

// Two experiments with the same heading count the same.
std::string heading(const Experiment& experiment) {
  const Figure& figure = experiment.figure;
  const PaperSet& sets = figure.sets;
  std::ostringstream text;
  text << std::setprecision(17) << "sam-analyze " << figure.name << " " << name(figure.form) << " sets "
       << experiment.sets << " seed " << experiment.seed << " P_D " << sets.dependency << " U_G "
       << sets.gpu_utilisation << " share " << sets.most_share << " classes " << sets.classes;
  return text.str();
}

// "block sets tasks schedulable... nanoseconds... ."; nothing if it is incomplete.
std::optional<std::pair<int64_t, Tally>> parse(const std::string& line, size_t policies) {
  std::istringstream in(line);
  Tally tally(policies);
  int64_t block = 0;
  std::string end;
  in >> block >> tally.sets >> tally.tasks;
  for (int64_t& count : tally.schedulable) in >> count;
  for (int64_t& time : tally.nanoseconds) in >> time;
  if (!(in >> end) || end != ".") return std::nullopt;
  return std::pair(block, tally);
}

}  // namespace

Result<ExperimentJournal> ExperimentJournal::open(const std::string& file, const Experiment& experiment) {
  ExperimentJournal journal;
  const size_t policies = experiment.figure.policies.size();
  journal.known_.assign(static_cast<size_t>(experiment.blocks()), false);
  journal.tallies_.assign(experiment.figure.points.size(), Tally(policies));
  std::ifstream in(file);
  std::string line;
  const bool exists = static_cast<bool>(std::getline(in, line));
  if (exists && line != heading(experiment))
    return fail(file + ": of another experiment (" + line + "); remove it, or choose another --out");
  while (std::getline(in, line)) {
    const auto entry = parse(line, policies);
    if (!entry || entry->first < 0 || entry->first >= experiment.blocks()) continue;
    const auto block = static_cast<size_t>(entry->first);
    if (journal.known_[block]) continue;
    journal.known_[block] = true;
    journal.tallies_[experiment.point_of(entry->first)].add(entry->second);
  }
  journal.out_.open(file, std::ios::app);
  if (!exists) journal.out_ << heading(experiment);
  journal.out_ << "\n" << std::flush;
  if (!journal.out_) return fail(file + ": cannot be written");
  return journal;
}

void ExperimentJournal::append(int64_t block, const Tally& tally) {
  out_ << block << " " << tally.sets << " " << tally.tasks;
  for (const int64_t count : tally.schedulable) out_ << " " << count;
  for (const int64_t time : tally.nanoseconds) out_ << " " << time;
  out_ << " .\n" << std::flush;
}

}  // namespace samcl::analysis::cli
