// A backend on a simulated clock, for tests of plans and of the engine: lanes are in order, operations take the time
// that the test says, do what it says when they end, and fail when told to. No threads, no OpenCL.
#pragma once

#include <algorithm>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "libsamcl/engine/engine.h"

namespace samcl::engine::testing {

class SimulatedBackend : public Backend {
 public:
  // One operation that ran, or is to run, and when.
  struct Entry {
    NodePtr node;
    uint64_t began = 0, ended = 0;
  };

  // ns that an operation takes; 1 if not set.
  std::function<uint64_t(const Node&)> duration = [](const Node&) { return uint64_t{1}; };
  // Called when an operation ends that does not fail, before the engine is told: does its work on the test's bytes. Its
  // error.
  std::function<cl_int(const Node&)> perform = [](const Node&) { return CL_SUCCESS; };
  // Whether lanes of one device keep their operations behind each other's.
  bool lanes_of_a_device_wait = false;
  // Nothing is kept behind anything, also in one lane: what is in flight depends on nothing else that is.
  bool lanes_are_apart = false;

  // The issue of the n-th operation from now on (0: the next) fails with that.
  void fail_issue(size_t n, cl_int error) { issue_failures_[issued_ + n] = error; }
  void fail_end(size_t n, cl_int error) { end_failures_[ended_ + n] = error; }
  void forget_failures() {
    issue_failures_.clear();
    end_failures_.clear();
  }
  // From now on all that a device does fails with that, what is in flight included.
  void lose_device(unsigned device, cl_int error) { lost_[device] = error; }

  bool keeps_behind(const Node& before, const Node& after) const override {
    ++asked_;
    if (lanes_are_apart) return false;
    return before.lane == after.lane || (lanes_of_a_device_wait && before.lane.device == after.lane.device);
  }

  cl_int issue(const NodePtr& node) override {
    const auto failure = issue_failures_.find(issued_++);
    if (failure != issue_failures_.end()) return failure->second;
    if (is_lost(node->lane)) return lost_.at(node->lane.device);
    uint64_t& free_from = free_from_[key_of(node->lane)];
    uint64_t begin = lanes_are_apart ? now_ : std::max(free_from, now_);
    for (const Entry& entry : running_) {
      for (const NodePtr& before : node->behind) {
        if (entry.node == before) begin = std::max(begin, entry.ended);
      }
    }
    free_from = begin + duration(*node);
    running_.push_back({node, begin, free_from});
    return CL_SUCCESS;
  }

  // Lets time pass until nothing runs. to_tell: the engine, or the graph that has it.
  template <typename Told>
  void run(Told& to_tell) {
    while (!running_.empty()) step(to_tell);
  }

  // Ends the operation that ends first (of several, the one issued first).
  template <typename Told>
  void step(Told& to_tell) {
    const Entry entry = *std::min_element(running_.begin(), running_.end(),
                                          [](const Entry& a, const Entry& b) { return a.ended < b.ended; });
    remove(entry.node);
    now_ = std::max(now_, entry.ended);
    const auto failure = end_failures_.find(ended_++);
    cl_int status = CL_SUCCESS;
    if (failure != end_failures_.end())
      status = failure->second;
    else if (is_lost(entry.node->lane))
      status = lost_.at(entry.node->lane.device);
    else
      status = perform(*entry.node);
    history.push_back(entry);
    to_tell.ended(entry.node, status);
  }

  uint64_t now() const { return now_; }
  size_t issued() const { return issued_; }
  // How often the engine looked at one operation because of another.
  size_t asked() const { return asked_; }
  size_t running() const { return running_.size(); }
  const std::vector<Entry>& in_flight() const { return running_; }
  // Who removes one tells the engine of its end.
  void remove(const NodePtr& node) {
    std::erase_if(running_, [&](const Entry& entry) { return entry.node == node; });
  }

  std::vector<Entry> history;  // what ended, in that order

 private:
  using Key = std::pair<LaneKind, unsigned>;
  static Key key_of(Lane lane) { return {lane.kind, lane.device}; }
  bool is_lost(Lane lane) const { return lane.kind != LaneKind::host && lost_.contains(lane.device); }

  uint64_t now_ = 0;
  size_t issued_ = 0, ended_ = 0;
  mutable size_t asked_ = 0;
  std::map<size_t, cl_int> issue_failures_, end_failures_;
  std::map<unsigned, cl_int> lost_;
  std::map<Key, uint64_t> free_from_;
  std::vector<Entry> running_;
};

}  // namespace samcl::engine::testing
