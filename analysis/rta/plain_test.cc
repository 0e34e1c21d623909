// The published equations once more, letter by letter in whole numbers, as slow as they are printed; the fast
// forms (rows of doubles, steps that are taken up where they were left) have to say the same.
#include <gtest/gtest.h>

#include <algorithm>

#include "analysis/generator/paper_sets.h"
#include "analysis/rta/response_time.h"
#include "analysis/sim/testing/random_set.h"
#include "base/test_seed.h"

namespace samcl::analysis {
namespace {

Time ceiling(Time numerator, Time denominator) { return (numerator + denominator - 1) / denominator; }

// Of Han et al., JSS 117 (2016), Section 4.2, and of the GPU-SPARC paper. Tasks are the most urgent first;
// s_{i,j} on resource w_{i,j}, with |tau_{i,j}| subtasks of C_{i,j}^{(m_i)}.
class Plain {
 public:
  Plain(const TaskSet& set, const Modes& modes, Form form) : set_(set), modes_(modes), form_(form) {
    for (const size_t index : priority_order(set)) order_.push_back(index);
  }

  // R_i in the order of the set; kUnbounded beyond kLimit periods.
  std::vector<Time> responses() {
    std::vector<Time> R(set_.tasks.size(), kUnbounded);
    J_.assign(set_.tasks.size(), {});
    for (size_t i = 0; i < order_.size(); ++i) R[order_[i]] = response(i);
    return R;
  }

 private:
  const Task& tau(size_t i) const { return set_.tasks[order_[i]]; }
  int m(size_t i) const { return modes_[order_[i]]; }
  Resource w(size_t i, size_t j) const { return tau(i).stages[j].resource; }
  Time C(size_t i, size_t j) const { return tau(i).stages[j].worst_in(m(i)); }
  Time subtasks(size_t i, size_t j) const { return set_.platform.subtasks(w(i, j), m(i)); }
  Time N(size_t i, size_t j) const { return set_.platform.elements(w(i, j)); }

  // What one job of s_{k,p} adds to X: GPU-SPARC counts a split stage with its time on one GPU.
  Time work(size_t k, size_t p) const {
    if (form_ == Form::gpu_sam) return C(k, p) * subtasks(k, p);
    return w(k, p) == Resource::gpu ? tau(k).stages[p].worst_in(1) : C(k, p);
  }
  // GPU-SAM rounds up, GPU-SPARC down.
  Time divided(Time numerator, Time denominator) const {
    return form_ == Form::gpu_sam ? ceiling(numerator, denominator) : numerator / denominator;
  }

  Time X(size_t i, size_t j, Time r) const {
    Time sum = 0;
    for (size_t k = 0; k < i; ++k)
      for (size_t p = 0; p < tau(k).stages.size(); ++p)
        if (w(k, p) == w(i, j)) sum += ceiling(J_[k][p] + r, tau(k).period) * work(k, p);
    return sum;
  }
  Time Y(size_t i, size_t j) const {
    return form_ == Form::gpu_sam && w(i, j) == Resource::gpu ? C(i, j) * (subtasks(i, j) - 1) : 0;
  }
  Time I(size_t i, size_t j, Time r) const { return divided(X(i, j, r) + Y(i, j), N(i, j)); }
  // Z: the N largest of all less urgent subtasks on the resource, each C - 1.
  Time B(size_t i, size_t j) const {
    if (w(i, j) == Resource::cpu) return 0;
    std::vector<Time> longest;
    for (size_t k = i + 1; k < order_.size(); ++k)
      for (size_t p = 0; p < tau(k).stages.size(); ++p)
        if (w(k, p) == w(i, j)) longest.insert(longest.end(), static_cast<size_t>(subtasks(k, p)), C(k, p) - 1);
    std::sort(longest.rbegin(), longest.rend());
    Time Z = 0;
    for (size_t n = 0; n < longest.size() && n < static_cast<size_t>(N(i, j)); ++n) Z += longest[n];
    return divided(Z, N(i, j));
  }

  // Eq. (1) of one stage.
  Time r(size_t i, size_t j) const {
    Time r = C(i, j);
    while (r <= kLimit * tau(i).period) {
      const Time next = C(i, j) + I(i, j, r) + B(i, j);
      if (next == r) return r;
      r = next;
    }
    return kUnbounded;
  }

  Time response(size_t i) {
    Time R = 0, sum_C = 0;
    for (size_t j = 0; j < tau(i).stages.size(); ++j) {
      J_[i].push_back(R - sum_C);
      const Time local = r(i, j);
      if (local == kUnbounded) return give_up(i);
      R += local;
      sum_C += C(i, j);
    }
    return R > kLimit * tau(i).period ? give_up(i) : R;
  }
  // Without a bound there is no jitter of later stages: nobody less urgent has a bound then that meets them.
  Time give_up(size_t i) {
    unbounded_ = std::min(unbounded_, i);
    J_[i].resize(tau(i).stages.size(), 0);
    return kUnbounded;
  }

 public:
  // From this place in the order of priority on nothing is compared.
  size_t compared() const { return unbounded_; }
  size_t task_at(size_t place) const { return order_[place]; }

 private:
  const TaskSet& set_;
  const Modes& modes_;
  const Form form_;
  std::vector<size_t> order_;
  std::vector<std::vector<Time>> J_;
  size_t unbounded_ = static_cast<size_t>(-1);
};

// How many bounds were compared.
int64_t compare(const TaskSet& set, const Modes& modes, Form form) {
  Plain plain(set, modes, form);
  const std::vector<Time> expected = plain.responses();
  const Bounds fast = analyse(set, modes, form);
  int64_t compared = 0;
  for (size_t place = 0; place < set.tasks.size() && place <= plain.compared(); ++place, ++compared) {
    const size_t i = plain.task_at(place);
    EXPECT_EQ(fast.tasks[i].response, expected[i]) << set.tasks[i].name;
  }
  return compared;
}

TEST(PublishedEquations, AreWhatTheFastFormsComputeOnSmallSets) {
  const TestSeed seed;
  Random random(seed);
  for (const Form form : {Form::gpu_sam, Form::gpu_sparc}) {
    int64_t compared = 0;
    for (int n = 0; n < 3000 && !testing::Test::HasFailure(); ++n) {
      const SmallSet small = random_set({5, 5, 4, 200, false, false}, random);
      Modes modes = small.modes;
      for (int& mode : modes) mode = form == Form::gpu_sparc && mode > 1 ? small.set.platform.gpus : mode;
      compared += compare(small.set, modes, form);
    }
    EXPECT_GT(compared, 3000);
  }
}

TEST(PublishedEquations, AreWhatTheFastFormsComputeOnThePapersSets) {
  const TestSeed seed;
  PaperSet wanted;
  wanted.gpu_utilisation = 0.6;
  wanted.classes = true;
  int64_t compared = 0;
  for (uint64_t n = 0; n < 300 && !testing::Test::HasFailure(); ++n) {
    const TaskSet set = paper_set(wanted, seed + n);
    for (const int mode : {1, 4})
      for (const Form form : {Form::gpu_sam, Form::gpu_sparc})
        compared += compare(set, Modes(set.tasks.size(), mode), form);
  }
  EXPECT_GT(compared, 1000);
}

}  // namespace
}  // namespace samcl::analysis
