// A value for each position from 0 on, kept as runs of equal ones. What is asked about mostly comes in order, range
// after range: where the last one ended the next one is looked for first, which takes a step or two where a search from
// the root takes one per level.
//
// Not thread-safe, nor is reading: the place of the last one is remembered.
#pragma once

#include <cstdint>
#include <iterator>
#include <map>
#include <utility>

#include "base/range.h"

namespace samcl {

template <typename Value>
class RunMap {
 public:
  // Of the positions before `end`, all of that value.
  explicit RunMap(Value all = {}, uint64_t end = UINT64_MAX)
      : end_(end), last_(runs_.emplace(0, std::move(all)).first) {}
  RunMap(const RunMap& other) : end_(other.end_), runs_(other.runs_), last_(runs_.begin()) {}
  RunMap& operator=(const RunMap& other) {
    end_ = other.end_;
    runs_ = other.runs_;
    last_ = runs_.begin();
    return *this;
  }
  ~RunMap() = default;

  uint64_t end() const { return end_; }
  size_t size() const { return runs_.size(); }

  // Calls visit(Range, const Value&) for the runs of the range, in order, clipped to it.
  template <typename Visit>
  void visit(Range range, Visit visit) const {
    range = intersect(range, {0, end_});
    if (range.empty()) return;
    for (auto run = run_at(range.begin);; ++run) {
      const uint64_t end = end_of(run);
      visit(intersect({run->first, end}, range), std::as_const(run->second));
      if (end < range.end) continue;
      last_ = run;
      return;
    }
  }

  // Calls change(Value&) for the runs of the range; runs that then are alike become one.
  template <typename Change>
  void change(Range range, Change change) {
    range = intersect(range, {0, end_});
    if (range.empty()) return;
    auto run = run_at(range.begin);
    if (run->first < range.begin) run = runs_.emplace_hint(std::next(run), range.begin, run->second);
    auto before = run == runs_.begin() ? run : std::prev(run);
    for (uint64_t end = 0; end < range.end;) {
      auto next = std::next(run);
      end = next == runs_.end() ? end_ : next->first;
      if (end > range.end) next = runs_.emplace_hint(next, end = range.end, run->second);
      change(run->second);
      before = joined(before, run);
      run = next;
    }
    last_ = run == runs_.end() ? before : joined(before, run);
  }

 private:
  using Runs = std::map<uint64_t, Value>;  // begin of a run -> its value; the run ends at the next key, or the end
  using Run = typename Runs::iterator;
  static constexpr int kSteps = 4;  // farther away a search is quicker

  uint64_t end_of(Run run) const {
    const Run next = std::next(run);
    return next == runs_.end() ? end_ : next->first;
  }

  Run run_at(uint64_t position) const {
    if (last_->first <= position) {
      for (int step = 0; step < kSteps; ++step) {
        const Run next = std::next(last_);
        if (next == runs_.end() || next->first > position) return last_;
        last_ = next;
      }
    }
    return last_ = std::prev(runs_.upper_bound(position));
  }

  // The run that `run` is now in: the one before it, if that is another and they are alike.
  Run joined(Run before, Run run) {
    if (before == run || !(before->second == run->second)) return run;
    runs_.erase(run);
    return before;
  }

  uint64_t end_;
  mutable Runs runs_;
  mutable Run last_;  // never the end
};

}  // namespace samcl
