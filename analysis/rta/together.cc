// Theorem 2 of PROOF.md in plain integers, with sections of less urgent tasks counted job by job.
#include "analysis/rta/together.h"

#include <algorithm>

namespace samcl::analysis {
namespace {

constexpr int kMostRounds = 20;

Time ceil_divide(Time numerator, Time denominator) {
  return numerator <= 0 ? 0 : (numerator + denominator - 1) / denominator;
}

// A stage in its task's mode.
struct Part {
  Resource resource = Resource::cpu;
  Time worst = 0, section = 0;  // C, q
  Time subtasks = 1;            // s
  bool whole = false;
  Time earliest = 0;                                // bmin
  Time ready = 0, end = 0;                          // bmax, and the bound on its end
  Time alone = kUnbounded;                          // from ready to end at most, by theorem 1; kUnbounded if not known
  Time jitter() const { return ready - earliest; }  // J
  Time carry() const { return end - earliest - worst; }  // A
};

struct Row {
  Time period = 0;
  Time assumed = 0;  // no job takes longer
  std::vector<Part> parts;
  Time response() const { return parts.back().end; }
};

std::vector<Row> rows_of(const TaskSet& set, std::span<const int> modes, const PriorityOrder& order,
                         const Bounds& bounds) {
  std::vector<Row> rows;
  for (const size_t i : order) {
    const Task& task = set.tasks[i];
    Row row{task.period, task.period, {}};
    Time earliest = 0, ready = 0;
    for (size_t j = 0; j < task.stages.size(); ++j) {
      const Stage& stage = task.stages[j];
      const StageBound& bound = bounds.tasks[i].stages[j];
      Part part;
      part.resource = stage.resource;
      part.worst = stage.worst_in(modes[i]);
      part.section = stage.resource == Resource::cpu ? 0 : stage.section_in(modes[i]);
      part.subtasks = set.platform.subtasks(stage.resource, modes[i]);
      part.whole = stage.whole();
      part.earliest = earliest;
      part.ready = ready;
      part.end = bound.finish;
      row.parts.push_back(part);
      earliest += stage.best_in(modes[i]);
      ready = bound.finish;
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

// Sections less 1 ns that stages of one resource can find under way at their begins, longest first: of one
// length so many (of a stage that is cut, any number).
class Sections {
 public:
  Sections(std::span<const Row> less_urgent, Resource resource, Time window) {
    for (const Row& row : less_urgent) {
      const Time jobs = ceil_divide(window + row.assumed, row.period);
      for (const Part& part : row.parts)
        if (part.resource == resource && part.section > 1)
          lengths_.emplace_back(part.section - 1, part.whole ? part.subtasks * jobs : kTime);
    }
    std::sort(lengths_.begin(), lengths_.end(), std::greater<>());
  }
  // The sum of the `count` longest.
  Time sum(Time count) const {
    Time sum = 0;
    for (const auto& [length, many] : lengths_) {
      const Time taken = std::min(count, many);
      sum += taken * length;
      count -= taken;
    }
    return sum;
  }

 private:
  static constexpr Time kTime = Time{1} << 40;  // more than any count
  std::vector<std::pair<Time, Time>> lengths_;
};

// What delays the first stages of a job on one resource in a window from its release.
class Window {
 public:
  Window(std::span<const Row> rows, size_t at, Resource resource, Time elements)
      : rows_(rows), at_(at), resource_(resource), elements_(elements) {}

  void append(const Part& part) {
    ++stages_;
    siblings_ += (part.subtasks - 1) * part.worst;
    left_ = elements_ - part.subtasks + 1;
    cut_ = cut_ || (!part.whole && part.resource != Resource::cpu);
  }

  // `together`: less urgent jobs are counted; else each stage finds the longest sections of each task.
  Time waiting(Time window, bool together) const {
    if (stages_ == 0) return 0;
    Time work = 0, arrivals = 0;
    for (const Row& row : rows_.first(at_)) {
      Time growth = 0;
      for (const Part& part : row.parts) {
        if (part.resource != resource_) continue;
        const Time fresh = ceil_divide(part.jitter() + window, row.period);
        const Time carried = ceil_divide(part.carry() + window, row.period);
        arrivals += fresh;
        work += fresh * part.worst * part.subtasks;
        growth = std::max(growth, (carried - fresh) * part.worst * part.subtasks);
      }
      work += growth;
    }
    if (cut_) work += arrivals * longest(elements_ - 1);
    Time each = stages_ * longest(elements_), last = stages_ * longest(1);
    if (together) {
      const Sections sections(rows_.subspan(at_ + 1), resource_, window);
      each = std::min(each, sections.sum(stages_ * elements_));
      last = std::min(last, sections.sum(stages_));
    }
    return std::min((work + siblings_ + each) / elements_, work / left_ + last);
  }

 private:
  // The longest sections, less 1 ns, that so many less urgent subtasks can be in the midst of at once.
  Time longest(Time count) const {
    std::vector<Time> lengths;
    for (const Row& row : rows_.subspan(at_ + 1)) {
      Time section = 0, subtasks = 0;
      for (const Part& part : row.parts)
        if (part.resource == resource_) {
          section = std::max(section, part.section - 1);
          subtasks = part.subtasks;
        }
      lengths.insert(lengths.end(), static_cast<size_t>(subtasks), section);
    }
    std::sort(lengths.begin(), lengths.end(), std::greater<>());
    lengths.resize(std::min(lengths.size(), static_cast<size_t>(count)));
    Time sum = 0;
    for (const Time length : lengths) sum += length;
    return sum;
  }

  std::span<const Row> rows_;
  size_t at_;
  Resource resource_;
  Time elements_;
  Time stages_ = 0, siblings_ = 0, left_ = 1;
  bool cut_ = false;
};

// Theorem 2 for each stage in turn: `use(part, end)` gets when its window ends, or any time >= enough(part).
template <typename Enough, typename Use>
void each_window(std::span<const Row> rows, size_t at, std::vector<Part>& parts, const Platform& platform,
                 bool together, Enough enough, Use use) {
  std::vector<Window> windows;
  for (const Resource resource : kResources) windows.emplace_back(rows, at, resource, platform.elements(resource));
  Time executed = 0;
  for (Part& part : parts) {
    windows[static_cast<size_t>(part.resource)].append(part);
    // It ends with the stage, or, if that is never cut, with the start of its last subtask.
    const Time constant = executed + (part.whole ? 0 : part.worst), after = part.whole ? part.worst : 0;
    const Time end = enough(part);
    Time length = constant;
    while (length + after < end) {
      Time next = constant;
      for (const Window& window : windows) next += window.waiting(length + (part.whole ? 1 : 0), together);
      if (next <= length) break;
      length = next;
    }
    use(part, length + after);
    executed += part.worst;
  }
}

// What theorem 1 said of the stages, as far as the bounds show it: where they end earlier than by theorem 2,
// or where what they take alone is more than they have taken.
void find_alone(std::vector<Row>& rows, size_t at, const Platform& platform, const TaskBound& bound) {
  std::vector<Part> parts = rows[at].parts;
  size_t j = 0;
  each_window(
      rows, at, parts, platform, false, [](const Part& part) { return part.end + 1; },
      [&](const Part& part, Time end) {
        const Time response = bound.stages[j].response;
        if (end > part.end || response > part.end - part.ready) rows[at].parts[j].alone = response;
        ++j;
      });
}

// Ends of the task's stages, no later than they were.
void tighten(std::vector<Row>& rows, size_t at, const Platform& platform) {
  std::vector<Part> parts = rows[at].parts;
  Time ready = 0;
  each_window(
      rows, at, parts, platform, true,
      [&](const Part& part) { return part.alone == kUnbounded ? part.end : std::min(part.end, ready + part.alone); },
      [&](Part& part, Time end) {
        const Time known = part.alone == kUnbounded ? part.end : std::min(part.end, ready + part.alone);
        part.ready = ready;
        part.end = ready = std::min(known, end);
      });
  rows[at].parts = std::move(parts);
}

bool applies(const TaskSet& set, const Bounds& bounds) {
  if (set.platform.bound) return false;
  for (size_t i = 0; i < set.tasks.size(); ++i) {
    if (bounds.tasks[i].response == kUnbounded) return false;
    for (const Stage& stage : set.tasks[i].stages)
      if (stage.requests > 1) return false;
  }
  return true;
}

// What the rows say, in the form of the bounds.
void tell(const TaskSet& set, const std::vector<Row>& rows, const PriorityOrder& order, Bounds& bounds) {
  bounds.schedulable = true;
  for (size_t n = 0; n < rows.size(); ++n) {
    TaskBound& task = bounds.tasks[order[n]];
    task.response = rows[n].response();
    task.proven = true;
    bounds.schedulable = bounds.schedulable && task.response <= set.tasks[order[n]].deadline;
    for (size_t j = 0; j < task.stages.size(); ++j) {
      StageBound& stage = task.stages[j];
      stage.finish = rows[n].parts[j].end;
      stage.jitter = rows[n].parts[j].jitter();
    }
  }
}

}  // namespace

Bounds analyse_together(const TaskSet& set, std::span<const int> modes, PriorityOrder order) {
  if (order.empty()) order = priority_order(set);
  Bounds bounds = analyse(set, modes, Form::safe, order);
  if (!applies(set, bounds)) return bounds;
  std::vector<Row> rows = rows_of(set, modes, order, bounds);
  for (size_t at = 0; at < rows.size(); ++at) find_alone(rows, at, set.platform, bounds.tasks[order[at]]);
  for (int round = 0; round < kMostRounds; ++round) {
    bool kept = true, settled = true;
    for (size_t at = 0; at < rows.size(); ++at) {
      tighten(rows, at, set.platform);
      kept = kept && rows[at].response() <= rows[at].period;
      settled = settled && rows[at].response() == rows[at].assumed;
    }
    if (!kept) return bounds;
    tell(set, rows, order, bounds);
    if (settled) break;
    for (Row& row : rows) row.assumed = row.response();
  }
  return bounds;
}

}  // namespace samcl::analysis
