// Theorems 1 to 3 of PROOF.md once more, in its letters and in whole numbers, window by window and job by job; the fast
// form (blocks of doubles, steps that are taken up where they were left, lines below all arrivals) has to say the same.
// For platforms that are not bound.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "analysis/generator/paper_sets.h"
#include "analysis/rta/response_time.h"
#include "analysis/sim/testing/random_set.h"
#include "base/test_seed.h"

namespace samcl::analysis {
namespace {

Time ceiling(Time numerator, Time denominator) { return (numerator + denominator - 1) / denominator; }

// What less urgent tasks know of a stage kp, or of the CPU time between its requests.
struct Work {
  Time C = 0, s = 1, T = 1, J = 0, A = 0, requests = 1;

  Time jobs(Time jitter, Time L) const { return ceiling(jitter + L, T); }
  Time executing(Time jitter, Time y, Time L) const {  // as far as each job fits into L
    Time sum = 0;
    for (Time n = 0; n < jobs(jitter + y, L); ++n) sum += std::min({C, L, jitter + y + L - n * T});
    return sum;
  }
  Time arrivals(Time L) const { return jobs(J, L) * requests + (requests > 1 ? requests : 0); }
};
using WorkOfTask = std::vector<Work>;  // on one resource; on CPUs, of one of its threads

// A stage under analysis.
struct Asked {
  Resource resource = Resource::cpu;
  Time C = 0, s = 1, section = 0, n = 1, E = 0, threads = 1;
  bool whole = false;
};

class PlainSafe {
 public:
  PlainSafe(const TaskSet& set, const Modes& modes) : set_(set), modes_(modes), order_(priority_order(set)) {}

  // Of each task, the most urgent first, up to the first without a bound.
  std::vector<Time> responses() {
    std::vector<Time> all;
    for (place_ = 0; place_ < order_.size(); ++place_) {
      all.push_back(response());
      if (all.back() == kUnbounded) break;
    }
    return all;
  }
  size_t task_at(size_t place) const { return order_[place]; }

 private:
  const Task& tau(size_t place) const { return set_.tasks[order_[place]]; }
  int mode(size_t place) const { return modes_[order_[place]]; }
  Time N(Resource resource) const { return set_.platform.elements(resource); }

  Asked asked(size_t place, size_t j) const {
    const Stage& stage = tau(place).stages[j];
    const int m = mode(place);
    return {stage.resource,      stage.worst_in(m), set_.platform.subtasks(stage, m),
            stage.section_in(m), stage.requests,    stage.between_in(m),
            stage.threads_in(m), stage.whole_in(m)};
  }

  // q - 1 of a task's longest section there, but for those of one stage.
  Time longest_section(size_t place, Resource resource, size_t except = SIZE_MAX) const {
    Time longest = 0;
    for (size_t j = 0; j < tau(place).stages.size(); ++j)
      if (tau(place).stages[j].resource == resource && j != except)
        longest = std::max(longest, asked(place, j).section - 1);
    return longest;
  }
  // Of less urgent tasks, the N longest, an entry per subtask.
  std::vector<Time> sections(Resource resource) const {
    std::vector<Time> all(static_cast<size_t>(N(resource)), 0);
    for (size_t l = place_ + 1; l < order_.size(); ++l)
      for (size_t j = 0; j < tau(l).stages.size(); ++j)
        if (tau(l).stages[j].resource == resource) {
          all.insert(all.end(), static_cast<size_t>(asked(l, j).s), longest_section(l, resource));
          break;
        }
    std::sort(all.rbegin(), all.rend());
    all.resize(static_cast<size_t>(N(resource)));
    return all;
  }

  // Lemma 2: of the sections, all but the shortest for each more urgent stage that becomes ready.
  Time let_in(const Asked& stage) const {
    const std::vector<Time> q = sections(stage.resource);
    return stage.whole ? 0 : std::accumulate(q.begin(), q.end() - 1, Time{0});
  }

  // "Enough CPUs": as many threads as each more urgent task ever has, and the task's own but one, leave one.
  bool has_cpus() const {
    Time threads = 0;
    for (size_t k = 0; k <= place_; ++k) {
      Time most = 0;
      for (size_t j = 0; j < tau(k).stages.size(); ++j)
        if (const Asked stage = asked(k, j); stage.resource == Resource::cpu || stage.n > 1)
          most = std::max(most, stage.threads);
      threads += k < place_ ? most : std::max<Time>(0, most - 1);
    }
    return threads < N(Resource::cpu);
  }

  Time response() {
    Time ready = 0, earliest = 0;
    const Time limit = kLimit * tau(place_).period;
    job_ = Window();
    known_.emplace_back();
    for (size_t j = 0; j < tau(place_).stages.size(); ++j) {
      const Asked stage = asked(place_, j);
      append(job_, stage);
      Time end = fixed_point(job_, limit);
      if (stage.n > 1) {
        end = std::min(end, ready + requests_alone(stage, limit));
      } else if (const Time wait = theorem1(stage, j, std::max<Time>(0, ready - earliest), limit + 1 - ready - stage.C);
                 wait < kUnbounded) {
        end = std::min(end, ready + stage.C + wait);
      }
      if (end > limit) return kUnbounded;
      know(stage, ready, earliest, end);
      ready = end;
      earliest += tau(place_).stages[j].best_in(mode(place_));
    }
    return ready;
  }

  void know(const Asked& stage, Time ready, Time earliest, Time end) {
    const Time T = tau(place_).period, J = std::max<Time>(0, ready - earliest),
               A = std::max(J, end - earliest - stage.C);
    if (stage.resource == Resource::cpu) return know_threads(stage.threads, {stage.C, 1, T, J, A, 1});
    auto& there = known_[place_][at(stage.resource)];
    there.resize(1);
    there.front().push_back({stage.C, stage.s, T, stage.n > 1 ? A : J, A, stage.n});
    const Time between = end - earliest - stage.E;
    if (stage.n > 1) know_threads(stage.threads, {stage.E, 1, T, between, between, 1});
  }
  void know_threads(Time count, const Work& each) {
    auto& threads = known_[place_][at(Resource::cpu)];
    threads.resize(std::max(threads.size(), static_cast<size_t>(count)));
    for (Time n = 0; n < count; ++n) threads[static_cast<size_t>(n)].push_back(each);
  }

  std::vector<WorkOfTask> urgent(Resource resource) const {
    std::vector<WorkOfTask> all;
    for (size_t k = 0; k < place_; ++k)
      for (const WorkOfTask& work : known_[k][at(resource)]) all.push_back(work);
    return all;
  }

  // Theorem 1: Q, or kUnbounded.
  Time theorem1(const Asked& stage, size_t j, Time J, Time limit) const {
    if (stage.resource == Resource::cpu && has_cpus()) return 0;
    const Time same = stage.section - 1, other = longest_section(place_, stage.resource, j);
    const Time of_others = kept_waiting(stage, other, limit);
    if (urgent(stage.resource).empty() || same <= std::max(other, sections(stage.resource).back())) return of_others;
    if (of_others == kUnbounded) return kUnbounded;
    const Time with_same = kept_waiting(stage, same, limit);
    return with_same <= tau(place_).period - J - stage.C ? of_others : with_same;
  }

  // With a section of the task itself at the begin: the lesser of both views.
  Time kept_waiting(const Asked& stage, Time own, Time limit) const {
    const std::vector<Time> q = sections(stage.resource), none(q.size(), 0);
    const Time N = this->N(stage.resource), siblings = stage.s - 1;
    const bool anybody = !urgent(stage.resource).empty();
    const Time y = anybody && own > q.back() ? own : 0;
    Time as_work = least_coarse(stage, q, siblings, N, y, limit);
    if (as_work < kUnbounded && N > 1) as_work = descend(stage, q, as_work, y);
    if (N == 1 || as_work <= q.front() || siblings >= N || (q.front() == 0 && siblings == 0)) return as_work;
    const Time later = std::max(q.front(), anybody ? own : 0);
    const Time coarse = least_coarse(stage, none, 0, N - siblings, later, limit - q.front());
    return coarse == kUnbounded ? as_work : std::min(as_work, descend(stage, none, coarse, later) + q.front());
  }

  Time occupants(const std::vector<std::pair<Time, Time>>& growth, const std::vector<Time>& q,
                 std::vector<Time>& chosen) const {
    std::vector<Time> carried;
    for (const auto& [each, s] : growth) carried.insert(carried.end(), static_cast<size_t>(s), each);
    std::sort(carried.rbegin(), carried.rend());
    carried.resize(q.size() - 1, 0);
    chosen = carried;
    chosen.insert(chosen.end(), q.begin(), q.end());
    std::sort(chosen.rbegin(), chosen.rend());
    chosen.resize(q.size());
    return std::accumulate(chosen.begin(), chosen.end(), Time{0});
  }

  // The least fixed point of Q = floor(F(Q) / elements), without truncation.
  Time least_coarse(const Asked& stage, const std::vector<Time>& q, Time siblings, Time elements, Time y,
                    Time limit) const {
    for (Time Q = 0;;) {
      const Time L = Q + (stage.whole ? 1 : stage.C) + y;
      Time F = siblings * stage.C, arrivals = 0;
      std::vector<std::pair<Time, Time>> growth;
      for (const WorkOfTask& task : urgent(stage.resource)) {
        Time most = 0;
        for (const Work& work : task) {
          F += work.jobs(work.J, L) * work.C * work.s;
          arrivals += work.arrivals(L);
          most = std::max(most, (work.jobs(work.A, L) - work.jobs(work.J, L)) * work.C);
        }
        growth.emplace_back(most, task.front().s);
      }
      std::vector<Time> chosen;
      F += occupants(growth, q, chosen) + arrivals * let_in(stage);
      const Time next = F / elements;
      if (next <= Q) return Q;
      if (next > limit) return kUnbounded;
      Q = next;
    }
  }

  // Newton's steps from a bound to lower ones, with work as far as it fits.
  Time descend(const Asked& stage, const std::vector<Time>& q, Time Q, Time y) const {
    const Time N = this->N(stage.resource);
    for (int step = 0; step < 24 && Q > 0; ++step) {
      const Time u = Q + 1, L = Q + (stage.whole ? 1 : stage.C);
      Time sum = 0, full = 0;
      const auto count = [&](Time each, Time times) { (each >= u ? full : sum) += each >= u ? times : each * times; };
      std::vector<std::pair<Time, Time>> growth;
      for (const WorkOfTask& task : urgent(stage.resource)) {
        Time fresh = 0, most = 0;
        for (const Work& work : task) {
          const Time of_work = work.executing(work.J, y, L);
          fresh += of_work;
          most = std::max(most, work.executing(work.A, y, L) - of_work);
          sum += work.arrivals(L + y) * let_in(stage);
        }
        count(fresh, task.front().s);
        if (fresh < u) growth.emplace_back(most, task.front().s);
      }
      count(stage.C, stage.s - 1);
      std::vector<Time> chosen;
      occupants(growth, q, chosen);
      for (const Time time : chosen) count(time, 1);
      if (full >= N) return Q;
      const Time next = sum / (N - full);
      if (next >= Q) return Q;
      Q = next;
    }
    return Q;
  }

  // Theorems 2 and 3: some stages of the job, one after the other.
  struct Window {
    struct Waits {
      bool any = false, from_wait = false;
      Time y = 0, let_in = 0, as_work = 0, as_time = 0, siblings = 0;
    };
    std::array<Waits, 3> waits;
    Time executed = 0, constant = 0, beyond = 0, rest = 0;
  };

  void append(Window& window, const Asked& stage) const {
    Window::Waits& waits = window.waits[at(stage.resource)];
    const std::vector<Time> q = sections(stage.resource);
    waits.any = true;
    waits.siblings = std::max(waits.siblings, stage.s - 1);
    waits.as_work += (stage.s - 1) * stage.C + stage.n * std::accumulate(q.begin(), q.end(), Time{0});
    waits.as_time += stage.n * q.front();
    if (!stage.whole) waits.let_in = let_in(stage);
    if (stage.n > 1) {
      Window::Waits& cpus = window.waits[at(Resource::cpu)];
      cpus.any = true;
      cpus.siblings = std::max(cpus.siblings, stage.threads - 1);
      cpus.as_work += (stage.threads - 1) * stage.E;
    }
    const Time E = stage.n > 1 ? stage.E : 0;
    const bool to_start = stage.whole && stage.n == 1;
    window.constant = window.executed + (to_start ? 0 : stage.C + E);
    window.executed += stage.C + E;
    window.beyond = to_start ? 1 : 0;
    window.rest = to_start ? stage.C : 0;
  }

  Time waiting(const Window& window, Time length) const {
    Time sum = 0;
    for (const Resource resource : kResources) {
      const auto& [any, from_wait, y, let_in, as_work, as_time, siblings] = window.waits[at(resource)];
      if (!any || (resource == Resource::cpu && has_cpus())) continue;
      const Time L = length + y;
      Time H = 0;
      for (const WorkOfTask& task : urgent(resource)) {
        Time most = 0;
        for (const Work& work : task) {
          H += work.jobs(work.J, L) * work.C * work.s + work.arrivals(L) * let_in;
          most = std::max(most, (work.jobs(work.A, L) - work.jobs(work.J, L)) * work.C * work.s);
        }
        if (!from_wait) H += most;
      }
      const Time by_work = (H + as_work) / N(resource), left = N(resource) - siblings;
      sum += left > 0 ? std::min(by_work, H / left + as_time) : by_work;
    }
    return sum;
  }

  // Above the limit where there is none up to it.
  Time fixed_point(const Window& window, Time limit) const {
    Time L = 0;
    while (L + window.rest <= limit) {
      const Time next = window.constant + waiting(window, L + window.beyond);
      if (next <= L) return L + window.rest;
      L = next;
    }
    return limit + 1;
  }

  // Theorem 3: from when the stage becomes ready; on a single element from lemma 1's t0.
  Time requests_alone(const Asked& stage, Time limit) const {
    Window window;
    if (N(stage.resource) == 1) {
      Window::Waits& waits = window.waits[at(stage.resource)];
      const Time own = longest_section(place_, stage.resource);
      waits.from_wait = true;
      waits.y = !urgent(stage.resource).empty() && own > sections(stage.resource).back() ? own : 0;
    }
    append(window, stage);
    return fixed_point(window, limit);
  }

  const TaskSet& set_;
  const Modes& modes_;
  const PriorityOrder order_;
  size_t place_ = 0;  // of the task under analysis
  Window job_;
  std::vector<std::array<std::vector<WorkOfTask>, 3>> known_;  // [place][resource]
};

// How many bounds were compared.
int64_t compare(const TaskSet& set, const Modes& modes) {
  PlainSafe plain(set, modes);
  const std::vector<Time> expected = plain.responses();
  const Bounds fast = analyse(set, modes, Form::safe);
  for (size_t place = 0; place < expected.size(); ++place) {
    const size_t i = plain.task_at(place);
    EXPECT_EQ(fast.tasks[i].response, expected[place]) << set.tasks[i].name;
  }
  return static_cast<int64_t>(expected.size());
}

TEST(SafeTheorems, AreWhatTheFastFormComputesOnSmallSets) {
  const TestSeed seed;
  Random random(seed);
  for (const Shape& shape :
       {Shape{5, 4, 1, 60}, Shape{4, 4, 3, 60}, Shape{5, 5, 4, 200}, Shape{4, 4, 1, 60, true, true, false, 4},
        Shape{4, 4, 3, 60, true, true, false, 4}, Shape{5, 4, 4, 60, true, true, false, 1, false, 4},
        Shape{4, 4, 3, 60, true, true, false, 4, false, 3}}) {
    int64_t compared = 0;
    for (int n = 0; n < 1000 && !testing::Test::HasFailure(); ++n) {
      const SmallSet small = random_set(shape, random);
      compared += compare(small.set, small.modes);
    }
    EXPECT_GT(compared, 2500);
  }
}

TEST(SafeTheorems, AreWhatTheFastFormComputesOnThePapersSets) {
  const TestSeed seed;
  PaperSet wanted;
  wanted.gpu_utilisation = 0.6;
  wanted.classes = true;
  int64_t compared = 0;
  for (uint64_t n = 0; n < 100 && !testing::Test::HasFailure(); ++n) {
    const TaskSet set = paper_set(wanted, seed + n);
    for (const int mode : {1, 4}) compared += compare(set, Modes(set.tasks.size(), mode));
  }
  EXPECT_GT(compared, 300);
}

}  // namespace
}  // namespace samcl::analysis
