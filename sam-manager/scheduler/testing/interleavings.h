// Runs a small model in every order in which its parts may take their steps. The model is run again and again from its
// start; where it may go on in several ways it asks choose(), which answers another way each time until all were taken.
// Two orders that lead to the same state are one from there on: so the model tells its state whenever it asks.
#pragma once

#include <cstddef>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

namespace samcl::scheduler {

class Interleavings {
 public:
  // run: the model, from its start; it ends as soon as is_over(). Deterministic but for what choose() answers.
  // Returns false once fails() was called; then repeat() does what led there once more.
  template <typename Run>
  bool explore(Run run) {
    do {
      begin();
      run();
      if (has_failed_) return false;
    } while (advance());
    return true;
  }

  template <typename Run>
  void repeat(Run run) {
    begin();
    run();
  }

  // One of `ways`, at least one; state(): all that what comes next depends on, in words. Once is_over() it answers 0.
  template <typename State>
  size_t choose(State state, size_t ways) {
    if (is_over()) return 0;
    if (at_ == choices_.size()) {
      is_known_ = !states_.insert(state()).second;
      if (is_known_) return 0;
      choices_.push_back({0, ways});
    }
    return choices_[at_++].way;
  }

  // Nothing new comes from here on.
  bool is_over() const { return is_known_ || has_failed_; }
  void fails() { has_failed_ = true; }

  size_t states() const { return states_.size(); }
  size_t runs() const { return runs_; }

 private:
  struct Choice {
    size_t way, ways;
  };

  void begin() {
    at_ = 0;
    is_known_ = has_failed_ = false;
    ++runs_;
  }

  bool advance() {
    while (!choices_.empty() && choices_.back().way + 1 == choices_.back().ways) choices_.pop_back();
    if (choices_.empty()) return false;
    ++choices_.back().way;
    return true;
  }

  std::vector<Choice> choices_;  // of this run, as far as it is told
  size_t at_ = 0;
  bool is_known_ = false, has_failed_ = false;
  size_t runs_ = 0;
  std::unordered_set<std::string> states_;
};

}  // namespace samcl::scheduler
