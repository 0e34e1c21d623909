#include "tools/sam-profile/jobs.h"

#include <algorithm>
#include <map>
#include <utility>

namespace samcl::profile {
namespace {

// Without a number that is expected: fewer repeats may be chance, and so may gaps that stand out less.
constexpr size_t kFewestRepeats = 3;
constexpr double kGapsStandOut = 3;
// Bounds the search in long runs, whose jobs then must be short to be found: a few tenths of a second.
constexpr size_t kMostComparisons = 400'000'000;

using Commands = std::vector<Command>;

std::vector<unsigned> symbols_of(const Commands& commands) {
  std::map<std::pair<unsigned, std::string>, unsigned> known;
  std::vector<unsigned> symbols;
  for (const Command& command : commands)
    symbols.push_back(
        known.try_emplace({command.type, command.kernel}, static_cast<unsigned>(known.size())).first->second);
  return symbols;
}

// Before each command: how long nothing had been going on; 0 before the first.
std::vector<Time> gaps_before(const Commands& commands) {
  std::vector<Time> gaps;
  Time ended = commands.empty() ? 0 : commands.front().queued;
  for (const Command& command : commands) {
    gaps.push_back(std::max<Time>(0, command.queued - ended));
    ended = std::max(ended, command.ended);
  }
  return gaps;
}

Job job_of(const Commands& commands, size_t begin, size_t end) {
  Job job;
  job.commands.assign(commands.begin() + static_cast<ptrdiff_t>(begin), commands.begin() + static_cast<ptrdiff_t>(end));
  job.begin = job.commands.front().queued;
  for (const Command& command : job.commands) job.end = std::max(job.end, command.ended);
  return job;
}

// Jobs from each of `starts` to the next, the last one to `end`.
std::vector<Job> jobs_from(const Commands& commands, const std::vector<size_t>& starts, size_t end) {
  std::vector<Job> jobs;
  for (size_t i = 0; i < starts.size(); ++i)
    jobs.push_back(job_of(commands, starts[i], i + 1 < starts.size() ? starts[i + 1] : end));
  return jobs;
}

size_t in_jobs(const std::vector<Job>& jobs) {
  size_t count = 0;
  for (const Job& job : jobs) count += job.commands.size();
  return count;
}

std::optional<Segmentation> by_marks(const Trace& trace) {
  Segmentation segmentation;
  segmentation.how = Boundaries::marks;
  size_t next = 0;
  std::optional<Time> begun;
  for (const Mark& mark : trace.marks) {
    if (mark.begin) {
      begun = mark.time;
      continue;
    }
    if (!begun) continue;
    Job job{*begun, mark.time, {}};
    begun.reset();
    while (next < trace.commands.size() && trace.commands[next].queued < job.begin) ++next;
    for (; next < trace.commands.size() && trace.commands[next].queued < job.end; ++next)
      job.commands.push_back(trace.commands[next]);
    segmentation.jobs.push_back(std::move(job));
  }
  if (segmentation.jobs.empty()) return std::nullopt;
  segmentation.words = "the program marks its jobs";
  return segmentation;
}

// The one of the repetition's phases at which the program pauses longest, by the median over the repeats:
// whether a job's upload or the last job's download stands first is the same to the pattern.
size_t start_phase(const Repetition& repetition, const std::vector<Time>& gaps, size_t phases) {
  size_t best = 0;
  Time longest = -1;
  for (size_t phase = 0; phase < phases; ++phase) {
    std::vector<Time> at;
    for (size_t i = repetition.begin + phase; i < repetition.begin + repetition.length; i += repetition.period) {
      if (i > 0) at.push_back(gaps[i]);
    }
    if (at.empty()) continue;
    std::nth_element(at.begin(), at.begin() + static_cast<ptrdiff_t>(at.size() / 2), at.end());
    if (at[at.size() / 2] > longest) {
      longest = at[at.size() / 2];
      best = phase;
    }
  }
  return best;
}

std::optional<Segmentation> by_pattern(const Trace& trace, std::optional<size_t> expected) {
  const Repetition found = find_repetition(symbols_of(trace.commands), expected);
  if (found.period == 0 || found.length * 2 < trace.commands.size()) return std::nullopt;
  // Later phases than that would leave too few whole repeats.
  const size_t spare = expected ? found.length - *expected * found.period : found.period - 1;
  const size_t phases = std::min(found.period, spare + 1);
  const size_t first = found.begin + start_phase(found, gaps_before(trace.commands), phases);
  const size_t whole = (found.begin + found.length - first) / found.period;
  const size_t count = expected ? std::min(*expected, whole) : whole;
  std::vector<size_t> starts;
  for (size_t i = 0; i < count; ++i) starts.push_back(first + i * found.period);
  Segmentation segmentation;
  segmentation.how = Boundaries::pattern;
  segmentation.jobs = jobs_from(trace.commands, starts, first + count * found.period);
  segmentation.words = "the same " + std::to_string(found.period) +
                       (found.period == 1 ? " command comes " : " commands come ") + std::to_string(count) + " times";
  return segmentation;
}

// How many of the gaps, which fall, are between jobs; 0 if that can't be told.
size_t between_jobs(const std::vector<Time>& falling) {
  size_t best = 0;
  double greatest = kGapsStandOut;
  for (size_t i = kFewestRepeats - 2; i + 1 < falling.size(); ++i) {
    const double ratio = static_cast<double>(falling[i]) / static_cast<double>(std::max<Time>(falling[i + 1], 1));
    if (ratio < greatest) continue;
    greatest = ratio;
    best = i + 1;
  }
  return best;
}

std::optional<Segmentation> by_gaps(const Trace& trace, std::optional<size_t> expected) {
  const std::vector<Time> gaps = gaps_before(trace.commands);
  std::vector<Time> falling(gaps);
  std::sort(falling.rbegin(), falling.rend());
  const size_t boundaries = expected ? *expected - 1 : between_jobs(falling);
  if (boundaries == 0 || boundaries >= falling.size()) return std::nullopt;
  const Time least = falling[boundaries - 1];
  if (least == 0) return std::nullopt;
  std::vector<size_t> starts = {0};
  for (size_t i = 1; i < gaps.size(); ++i) {
    if (gaps[i] >= least) starts.push_back(i);
  }
  if (expected && starts.size() != *expected) return std::nullopt;  // some are equally long
  Segmentation segmentation;
  segmentation.how = Boundaries::gaps;
  segmentation.jobs = jobs_from(trace.commands, starts, trace.commands.size());
  segmentation.words = std::to_string(boundaries) + " times no command came for at least " +
                       std::to_string(least / 1000) + " us; elsewhere for at most " +
                       std::to_string(falling[boundaries] / 1000) + " us";
  return segmentation;
}

Segmentation as_one(const Trace& trace) {
  Segmentation segmentation;
  segmentation.words = "nothing tells jobs apart: the whole run is taken for one";
  if (!trace.commands.empty()) segmentation.jobs = jobs_from(trace.commands, {0}, trace.commands.size());
  return segmentation;
}

}  // namespace

const char* name(Boundaries boundaries) {
  switch (boundaries) {
    case Boundaries::marks: return "marks";
    case Boundaries::pattern: return "pattern";
    case Boundaries::gaps: return "gaps";
    case Boundaries::none: break;
  }
  return "none";
}

Repetition find_repetition(const std::vector<unsigned>& symbols, std::optional<size_t> expected) {
  const size_t repeats = expected.value_or(kFewestRepeats);
  Repetition best;
  if (repeats < 2 || symbols.empty()) return best;
  const size_t longest = std::min(symbols.size() / repeats, kMostComparisons / symbols.size());
  for (size_t period = 1; period <= longest; ++period) {
    size_t begin = 0;
    for (size_t i = 0; i + period <= symbols.size(); ++i) {
      if (i + period < symbols.size() && symbols[i] == symbols[i + period]) continue;
      // [begin, i) equals what is a period later.
      const size_t length = i - begin + period;
      const size_t found = length / period;
      if (length > best.length && (expected ? found == repeats : found >= repeats)) best = {begin, period, length};
      begin = i + 1;
    }
  }
  return best;
}

Segmentation split_into_jobs(const Trace& trace, std::optional<size_t> expected) {
  std::optional<Segmentation> segmentation = by_marks(trace);
  if (!segmentation && expected != 1) segmentation = by_pattern(trace, expected);
  if (!segmentation && expected != 1) segmentation = by_gaps(trace, expected);
  if (!segmentation) segmentation = as_one(trace);
  segmentation->outside = trace.commands.size() - in_jobs(segmentation->jobs);
  return std::move(*segmentation);
}

}  // namespace samcl::profile
