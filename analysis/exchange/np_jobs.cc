#include "analysis/exchange/np_jobs.h"

#include <algorithm>
#include <array>
#include <map>
#include <numeric>

#include "analysis/csv/rows.h"
#include "analysis/model/number_text.h"

namespace samcl::analysis {
namespace {

constexpr Time kMostJobs = 100'000;

Result<void> check_task(const TaskSet& set, const Task& task, int mode) {
  const std::string who = "task \"" + task.name + "\", ";
  if (task.stages.size() != 1) return fail(who + "stages: expected one, of a non-preemptive job");
  const Stage& stage = task.stages.front();
  if (stage.resource != set.tasks.front().stages.front().resource)
    return fail(who + "resource: expected that of the first task");
  if (!stage.whole_in(mode) || stage.requests > 1)
    return fail(who + "expected a PCI or GPU stage that is never cut, with one request");
  if (set.platform.subtasks(stage, mode) > 1) return fail(who + "mode: expected 1");
  return {};
}

}  // namespace

Result<std::string> format_np_jobs(const TaskSet& set, std::span<const int> modes) {
  if (set.platform.bound) return fail("platform, bound: expected false");
  Time hyperperiod = 1, jobs = 0;
  for (size_t i = 0; i < set.tasks.size(); ++i) {
    if (auto good = check_task(set, set.tasks[i], modes[i]); !good) return tl::unexpected(good.error());
    const Time factor = set.tasks[i].period / std::gcd(hyperperiod, set.tasks[i].period);
    if (hyperperiod > kLongest / factor) return fail("the hyperperiod is too long, expected periods with a small one");
    hyperperiod *= factor;
  }
  for (const Task& task : set.tasks) jobs += hyperperiod / task.period;
  if (jobs > kMostJobs)
    return fail(std::to_string(jobs) + " jobs in a hyperperiod, expected at most " + std::to_string(kMostJobs));
  std::vector<size_t> rank(set.tasks.size());
  const PriorityOrder order = priority_order(set);
  for (size_t n = 0; n < order.size(); ++n) rank[order[n]] = n + 1;
  std::string csv = "Task ID,Job ID,Release min,Release max,Cost min,Cost max,Deadline,Priority\n";
  size_t job = 0;
  for (size_t i = 0; i < set.tasks.size(); ++i) {
    const Task& task = set.tasks[i];
    for (Time release = 0; release < hyperperiod; release += task.period) {
      const Time fields[] = {static_cast<Time>(i + 1),
                             static_cast<Time>(++job),
                             release,
                             release,
                             task.stages[0].best_in(modes[i]),
                             task.stages[0].worst_in(modes[i]),
                             release + task.deadline,
                             static_cast<Time>(rank[i])};
      for (const Time& field : fields) csv += std::to_string(field) + (&field == &fields[7] ? "\n" : ",");
    }
  }
  return csv;
}

namespace {

constexpr std::array kColumns = {"Task ID",  "Job ID",   "Release min", "Release max",
                                 "Cost min", "Cost max", "Deadline",    "Priority"};
enum Column : size_t { kTask, kJob, kFrom, kTo, kLeast, kMost, kDeadline, kPriority };

struct Job {
  std::array<Time, kColumns.size()> cells{};
  int line = 0;

  tl::unexpected<Error> wrong(Column column, const std::string& expected) const {
    return fail("line " + std::to_string(line) + ", " + kColumns[column] + ": " + std::to_string(cells[column]) +
                ", expected " + expected);
  }
};

Result<Job> job_of(const CsvRow& row) {
  Job job{{}, row.line};
  if (row.cells.size() != kColumns.size())
    return row.wrong("expected " + std::to_string(kColumns.size()) + " columns, " + kColumns.front() + " to " +
                     kColumns.back());
  for (size_t column = 0; column < kColumns.size(); ++column) {
    const auto value = whole_number(row.cells[column]);
    if (!value || *value < 0 || *value > kLongest)
      return fail("line " + std::to_string(row.line) + ", " + kColumns[column] + ": '" + row.cells[column] +
                  "', expected a whole number from 0 to " + std::to_string(kLongest));
    job.cells[column] = *value;
  }
  if (job.cells[kTo] != job.cells[kFrom])
    return job.wrong(kTo, std::to_string(job.cells[kFrom]) + ": releases without jitter");
  return job;
}

// Of jobs in order of release; the period is 0 where there is one.
Result<Task> task_of(const std::vector<Job>& jobs) {
  const Job& first = jobs.front();
  const auto relative = [](const Job& job) { return job.cells[kDeadline] - job.cells[kFrom]; };
  Task task;
  task.name = "task " + std::to_string(first.cells[kTask]);
  task.deadline = relative(first);
  Time least = first.cells[kLeast], most = first.cells[kMost];
  for (size_t n = 1; n < jobs.size(); ++n) {
    const Job& job = jobs[n];
    const Time apart = job.cells[kFrom] - jobs[n - 1].cells[kFrom];
    task.period = n == 1 ? apart : std::min(task.period, apart);
    if (relative(job) != task.deadline)
      return job.wrong(kDeadline, std::to_string(job.cells[kFrom] + task.deadline) +
                                      ", as far behind the release as of the task's others");
    if (job.cells[kPriority] != first.cells[kPriority])
      return job.wrong(kPriority,
                       std::to_string(first.cells[kPriority]) + " as of the task's others: fixed priorities");
    least = std::min(least, job.cells[kLeast]);
    most = std::max(most, job.cells[kMost]);
  }
  task.stages = {{Resource::gpu, {most}, {least}}};
  return task;
}

}  // namespace

bool is_np_jobs(const std::string& text) { return text.starts_with(kColumns.front()); }

Result<TaskSet> parse_np_jobs(const std::string& text, int gpus) {
  const auto rows = parse_rows(text);
  if (!rows) return tl::unexpected(rows.error());
  std::map<Time, std::vector<Job>> jobs_of;
  for (size_t n = 1; n < rows->size(); ++n) {
    const auto job = job_of((*rows)[n]);
    if (!job) return tl::unexpected(job.error());
    jobs_of[job->cells[kTask]].push_back(*job);
  }
  TaskSet set;
  set.platform.gpus = gpus;
  std::vector<std::pair<Time, size_t>> urgent;
  Time hyperperiod = 0;
  for (auto& [id, jobs] : jobs_of) {
    std::sort(jobs.begin(), jobs.end(), [](const Job& a, const Job& b) { return a.cells[kFrom] < b.cells[kFrom]; });
    auto task = task_of(jobs);
    if (!task) return tl::unexpected(task.error());
    if (hyperperiod == 0) hyperperiod = task->period * static_cast<Time>(jobs.size());
    Stage& stage = task->stages.front();
    stage.worst.assign(static_cast<size_t>(gpus), stage.worst.front());
    stage.best.assign(static_cast<size_t>(gpus), stage.best.front());
    urgent.emplace_back(jobs.front().cells[kPriority], set.tasks.size());
    set.tasks.push_back(std::move(*task));
  }
  for (Task& task : set.tasks)
    if (task.period == 0) task.period = std::max(hyperperiod, task.deadline);
  std::sort(urgent.rbegin(), urgent.rend());
  for (size_t n = 0; n < urgent.size(); ++n) {
    if (n > 0 && urgent[n].first == urgent[n - 1].first)
      return jobs_of.begin()->second.front().wrong(kPriority, "another one for each task");
    set.tasks[urgent[n].second].priority = static_cast<int>(n + 1);
  }
  if (auto good = check(set); !good) return tl::unexpected(good.error());
  return set;
}

}  // namespace samcl::analysis
