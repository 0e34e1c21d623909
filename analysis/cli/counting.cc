#include "analysis/cli/counting.h"

#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "analysis/experiment/blocks.h"
#include "analysis/experiment/ranks.h"
#include "base/result.h"

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

// What is finished of an interrupted experiment: a text file, a line per block of sets. A file of another
// experiment is refused; a last line cut off while it was written is ignored.
struct ExperimentJournal {
  std::vector<bool> known;   // blocks
  std::vector<Counts> sums;  // of what was known, by point
  std::ofstream out;

  // Reads what is there, then appends.
  static Result<ExperimentJournal> open(const std::string& file, const BlockExperiment& experiment) {
    ExperimentJournal journal;
    journal.known.assign(static_cast<size_t>(experiment.blocks()), false);
    journal.sums.assign(experiment.points(), Counts(experiment.width(), 0));
    std::ifstream in(file);
    std::string line;
    const bool exists = static_cast<bool>(std::getline(in, line));
    if (exists && line != experiment.heading())
      return fail(file + ": of another experiment (" + line + "); remove it, or choose another --out");
    while (std::getline(in, line)) {
      const auto entry = parse(line, experiment.width());
      if (!entry || entry->first < 0 || entry->first >= experiment.blocks()) continue;
      const auto block = static_cast<size_t>(entry->first);
      if (journal.known[block]) continue;
      journal.known[block] = true;
      add(journal.sums[experiment.point_of(entry->first)], entry->second);
    }
    journal.out.open(file, std::ios::app);
    if (!exists) journal.out << experiment.heading();
    journal.out << "\n" << std::flush;
    if (!journal.out) return fail(file + ": cannot be written");
    return journal;
  }

  // Written at once.
  void append(int64_t block, const Counts& counts) {
    out << block;
    for (const int64_t count : counts) out << " " << count;
    out << " .\n" << std::flush;
  }
};

std::atomic<bool> interrupted = false;

// One bar that is drawn over itself on a terminal; elsewhere a line every tenth.
class Progress {
 public:
  Progress(std::string name, int64_t all) : name_(std::move(name)), all_(all) {}
  void show(int64_t done) {
    const int64_t percent = all_ == 0 ? 100 : done * 100 / all_;
    if (percent == shown_ || (!terminal_ && percent / 10 == shown_ / 10 && shown_ >= 0)) return;
    shown_ = percent;
    const auto filled = static_cast<size_t>(percent / 2);
    std::cerr << (terminal_ ? "\r" : "") << name_ << " [" << std::string(filled, '#') << std::string(50 - filled, ' ')
              << "] " << percent << "%" << (terminal_ ? "" : "\n") << std::flush;
  }
  ~Progress() {
    if (terminal_ && shown_ >= 0) std::cerr << "\n";
  }

 private:
  std::string name_;
  int64_t all_;
  int64_t shown_ = -1;
  const bool terminal_ = isatty(STDERR_FILENO) != 0;
};

std::string journal_file(const Counting& how) { return how.out + ".part"; }

// From the library beside this program, which stays open.
Result<std::unique_ptr<Ranks>> open_ranks() {
  const auto library = std::filesystem::read_symlink("/proc/self/exe").parent_path() / "libsam-analyze-mpi.so";
  // Global: Open MPI opens parts of itself that look for its symbols.
  void* handle = dlopen(library.c_str(), RTLD_NOW | RTLD_GLOBAL);
  void* symbol = handle ? dlsym(handle, kOpenMpiRanks) : nullptr;
  if (!symbol)
    return fail("--mpi: " + std::string(dlerror()) +
                "; expected the library that is built beside sam-analyze where libopenmpi-dev is installed");
  return std::unique_ptr<Ranks>(reinterpret_cast<OpenRanks>(symbol)());
}

Result<std::vector<Counts>> count_here(const BlockExperiment& experiment, const Counting& how, Ranks* ranks) {
  auto journal = ExperimentJournal::open(journal_file(how), experiment);
  const std::vector<bool> nothing_to_do;
  if (!journal) {
    BlockQueue empty(nothing_to_do, nullptr, interrupted);
    if (ranks) lead(experiment, empty, 1, *ranks);
    return tl::unexpected(journal.error());
  }
  std::vector<Counts> sums = journal->sums;
  int64_t finished = std::count(journal->known.begin(), journal->known.end(), true);
  std::signal(SIGINT, [](int) { interrupted = true; });
  {
    Progress progress(std::filesystem::path(how.out).filename().string(), experiment.blocks());
    progress.show(finished);
    const auto done = [&](int64_t block, const Counts& counts) {
      journal->append(block, counts);
      add(sums[experiment.point_of(block)], counts);
      progress.show(++finished);
    };
    BlockQueue queue(journal->known, done, interrupted);
    if (ranks)
      lead(experiment, queue, how.threads, *ranks);
    else
      count_blocks(experiment, queue, how.threads);
  }
  std::signal(SIGINT, SIG_DFL);
  if (finished < experiment.blocks()) return fail("interrupted; the same command goes on from " + journal_file(how));
  return sums;
}

}  // namespace

Result<std::optional<std::vector<Counts>>> count(const BlockExperiment& experiment, const Counting& how) {
  std::unique_ptr<Ranks> ranks;
  if (how.mpi) {
    auto opened = open_ranks();
    if (!opened) return tl::unexpected(opened.error());
    ranks = std::move(*opened);
  }
  if (ranks && ranks->rank() > 0) {
    follow(experiment, how.threads, *ranks);
    return std::nullopt;
  }
  auto sums = count_here(experiment, how, ranks.get());
  if (!sums) return tl::unexpected(sums.error());
  return std::optional(std::move(*sums));
}

void forget(const Counting& how) { std::filesystem::remove(journal_file(how)); }

}  // namespace samcl::analysis::cli
