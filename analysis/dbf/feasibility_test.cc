#include "analysis/dbf/feasibility.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/dbf/demanding_walk.h"
#include "analysis/dbf/random_graph.h"
#include "analysis/dbf/task_demands.h"
#include "analysis/dbf/task_graph.h"
#include "base/test_seed.h"

namespace samcl::analysis::dbf {
namespace {

TaskDemands random_set(uint64_t seed) {
  Draw draw(seed);
  std::vector<TaskGraph> tasks;
  const auto count = draw.whole(1, 4);
  for (int64_t n = 0; n < count; ++n) {
    RandomGraph wanted;
    wanted.vertices = static_cast<size_t>(draw.whole(1, 6));
    wanted.density = draw.unit();
    wanted.most_execution = 12;
    wanted.most_slack = draw.between(2, 12);
    wanted.overlapping = draw.chance(0.5);
    wanted.most_load = 1.3 / static_cast<double>(count);
    tasks.push_back(random_graph(wanted, draw.whole(1, INT32_MAX)));
  }
  return TaskDemands(std::move(tasks));
}

struct Job {
  Time release, deadline, left;
};

// Preemptive EDF on one processor: when the first deadline is missed.
std::optional<Time> first_miss(std::vector<Job> jobs) {
  std::sort(jobs.begin(), jobs.end(), [](const Job& a, const Job& b) { return a.release < b.release; });
  std::vector<Job> ready;
  std::optional<Time> miss;
  const auto later = [](const Job& a, const Job& b) { return a.deadline > b.deadline; };
  Time now = 0;
  for (size_t next = 0; next < jobs.size() || !ready.empty();) {
    if (ready.empty()) now = std::max(now, jobs[next].release);
    for (; next < jobs.size() && jobs[next].release <= now; ++next) {
      ready.push_back(jobs[next]);
      std::push_heap(ready.begin(), ready.end(), later);
    }
    std::pop_heap(ready.begin(), ready.end(), later);
    Job job = ready.back();
    ready.pop_back();
    const Time until = next < jobs.size() ? jobs[next].release : INT64_MAX;
    const Time runs = std::min(job.left, until - now);
    now += runs;
    job.left -= runs;
    if (job.left > 0) {
      ready.push_back(job);
      std::push_heap(ready.begin(), ready.end(), later);
    } else if (now > job.deadline) {
      miss = std::min(miss.value_or(INT64_MAX), job.deadline);
    }
  }
  return miss;
}

void add_jobs(const TaskGraph& task, const std::vector<Triggered>& path, Time later, std::vector<Job>& jobs) {
  for (const auto& [vertex, at] : path)
    jobs.push_back({at + later, at + later + task.vertices[vertex].deadline, task.vertices[vertex].execution});
}

// Walks that demand most within t, all from 0 on.
std::vector<Job> worst_jobs(const TaskDemands& set, Time t) {
  std::vector<Job> jobs;
  for (size_t n = 0; n < set.tasks.size(); ++n) {
    const Walk walk = demanding_walk(set.tasks[n], set.graphs[n], set.fronts[n], t);
    add_jobs(set.tasks[n], walk.tail, 0, jobs);
    for (int64_t k = 0; k < walk.repetitions; ++k) add_jobs(set.tasks[n], walk.repeated, k * set.tasks[n].period, jobs);
    add_jobs(set.tasks[n], walk.head, 0, jobs);
  }
  return jobs;
}

// Any walk, often as early as can be.
std::vector<Job> random_jobs(const TaskGraph& task, Draw& draw, Time until) {
  std::vector<Job> jobs;
  const auto order = topological_order(task);
  size_t v = order[static_cast<size_t>(draw.whole(0, static_cast<int64_t>(order.size()) - 1))];
  std::optional<Time> source;
  for (Time at = 0; at < until;) {
    if (v == order.front()) source = at;
    add_jobs(task, {{v, at}}, 0, jobs);
    std::vector<std::pair<size_t, Time>> next;
    for (const Edge& edge : task.edges)
      if (edge.from == v) next.emplace_back(edge.to, at + edge.separation);
    if (next.empty())
      next.emplace_back(order.front(),
                        std::max(at + restart_of(task), source.value_or(at - task.period) + task.period));
    std::tie(v, at) = next[static_cast<size_t>(draw.whole(0, static_cast<int64_t>(next.size()) - 1))];
    if (draw.chance(0.2)) at += draw.whole(0, 20);
  }
  return jobs;
}

TEST(Feasibility, AgreesWithALookAtEveryT) {
  const uint64_t first = test_seed();
  int feasible = 0, looked = 0;
  for (uint64_t seed = first; seed < first + 400; ++seed) {
    SCOPED_TRACE("SAMCL_SEED=" + std::to_string(seed));
    const TaskDemands set = random_set(seed);
    const auto verdict = feasibility(set.bounds);
    if (!verdict) continue;  // utilisation 1
    Time excess = 0;
    const Time last = verdict->excess ? verdict->excess->t : std::min<Time>(verdict->last_t + 50, 200'000);
    for (Time t = 1; t <= last && excess == 0; ++t)
      if (total_demand(set.bounds, t) > t) excess = t;
    ASSERT_EQ(verdict->excess ? verdict->excess->t : 0, excess);
    if (verdict->excess) {
      ASSERT_TRUE(verdict->excess->least);
      ASSERT_EQ(verdict->excess->demand, total_demand(set.bounds, excess));
    }
    if (verdict->published_last_t) {
      ASSERT_LE(verdict->last_t, *verdict->published_last_t);
    }
    feasible += verdict->feasible ? 1 : 0;
    ++looked;
  }
  EXPECT_GT(feasible, looked / 20);
  EXPECT_LT(feasible, looked);
}

TEST(Feasibility, IsThatOfEdf) {
  const uint64_t first = test_seed();
  for (uint64_t seed = first; seed < first + 300; ++seed) {
    SCOPED_TRACE("SAMCL_SEED=" + std::to_string(seed));
    const TaskDemands set = random_set(seed);
    const auto verdict = feasibility(set.bounds);
    if (!verdict) continue;
    if (verdict->excess) {
      const auto miss = first_miss(worst_jobs(set, verdict->excess->t));
      ASSERT_TRUE(miss.has_value());
      ASSERT_LE(*miss, verdict->excess->t);
      continue;
    }
    Draw draw(seed);
    for (int n = 0; n < 10; ++n) {
      std::vector<Job> jobs;
      for (const TaskGraph& task : set.tasks)
        for (const Job& job : random_jobs(task, draw, 2000)) jobs.push_back(job);
      ASSERT_FALSE(first_miss(jobs).has_value());
    }
  }
}

TEST(TightestInterval, IsOneThatNoOtherIsTighterThan) {
  const uint64_t first = test_seed();
  for (uint64_t seed = first; seed < first + 40; ++seed) {
    SCOPED_TRACE("SAMCL_SEED=" + std::to_string(seed));
    const TaskDemands set = random_set(seed);
    const Tightest tightest = tightest_interval(set.bounds);
    const auto& [at, demand] = tightest.step;
    ASSERT_EQ(demand, total_demand(set.bounds, at));
    if (static_cast<double>(demand) > 1.001 * utilisation(set.bounds) * static_cast<double>(at)) {
      ASSERT_TRUE(tightest.of_all);
    }
    for (Time t = 1; t <= 3000; ++t) ASSERT_LE(total_demand(set.bounds, t) * at, demand * t) << "t = " << t;
  }
}

TEST(Feasibility, AtUtilisationOneIsDecidedByTheCommonPeriod) {
  const auto sporadic = [](const std::string& name, Time period, Time execution, Time deadline) {
    return TaskGraph{name, period, {{"job", execution, deadline}}, {}, {}};
  };
  const auto good = feasibility(TaskDemands({sporadic("a", 4, 2, 4), sporadic("b", 6, 3, 6)}).bounds);
  ASSERT_TRUE(good.has_value());
  EXPECT_TRUE(good->feasible);
  EXPECT_FALSE(good->published_last_t.has_value());
  const auto bad = feasibility(TaskDemands({sporadic("a", 4, 2, 4), sporadic("b", 6, 3, 4)}).bounds);
  ASSERT_TRUE(bad.has_value());
  ASSERT_TRUE(bad->excess.has_value());
  EXPECT_EQ(bad->excess->t, 4);
  EXPECT_EQ(bad->excess->demand, 5);
}

TEST(Feasibility, AboveUtilisationOneHasAnExcess) {
  const TaskGraph task{"a", 1'000'000'000, {{"job", 1'000'000'001, 1'000'000'000}}, {}, {}};
  const auto verdict = feasibility(TaskDemands({task}).bounds);
  ASSERT_TRUE(verdict.has_value());
  ASSERT_TRUE(verdict->excess.has_value());
  EXPECT_EQ(verdict->excess->t, 1'000'000'000);
  EXPECT_TRUE(verdict->excess->least);
}

TEST(Feasibility, LooksAtFewOfTheBreakpoints) {
  std::vector<TaskGraph> tasks = {{"often", 1000, {{"job", 400, 800}}, {}, {}},
                                  {"rarely", 10'000'000, {{"job", 5'000'000, 9'000'000}}, {}, {}}};
  const auto verdict = feasibility(TaskDemands(tasks).bounds);
  ASSERT_TRUE(verdict.has_value());
  EXPECT_TRUE(verdict->feasible);
  EXPECT_GT(verdict->last_t, 5'000'000);  // a change every 1000
  EXPECT_LT(verdict->looks, 100);
  tasks[1].vertices[0].deadline = 5'500'000;
  const auto worse = feasibility(TaskDemands(tasks).bounds);
  ASSERT_TRUE(worse.has_value());
  ASSERT_TRUE(worse->excess.has_value());
  EXPECT_EQ(worse->excess->t, 5'500'000);  // 5,500 jobs of 400 are too many beside
  EXPECT_EQ(worse->excess->demand, 5'000'000 + 5'500 * 400);
}

// Within 6 they demand 2 and b's time.
TEST(Feasibility, SporadicTasksAreGraphsOfOneVertex) {
  TaskSet set;
  const auto feasible = [&](Time worst) {
    set.tasks = {{"a", 5, 4, {}, {{Resource::cpu, {2}, {}}}},
                 {"b", 20, 6, {}, {{Resource::cpu, {worst - 1}, {}}, {Resource::cpu, {1}, {}}}}};
    const auto graphs = sporadic(set);
    EXPECT_TRUE(graphs);
    return feasibility(TaskDemands(*graphs).bounds)->feasible;
  };
  EXPECT_TRUE(feasible(3));
  EXPECT_TRUE(feasible(4));
  EXPECT_FALSE(feasible(5));
  set.tasks[0].stages[0].resource = Resource::gpu;
  EXPECT_EQ(sporadic(set).error().message, "task \"a\", stages: GPU, expected CPU for demand bounds");
  set.platform.cpus = 2;
  EXPECT_EQ(sporadic(set).error().message, "platform, cpus: 2, expected 1 for demand bounds");
}

}  // namespace
}  // namespace samcl::analysis::dbf
