#include "tools/sam-ctl/tables.h"

#include <algorithm>
#include <vector>

#include "base/duration.h"
#include "base/text_table.h"
#include "base/visible.h"

namespace samcl::ctl {

using nlohmann::json;

namespace {

using Row = std::vector<std::string>;

// All columns to the left.
std::string table(const std::vector<Row>& rows) { return samcl::table(rows, rows.front().size()); }

// The bounds of histograms are powers of two.
std::string format_rounded(uint64_t ns) {
  uint64_t unit = 1;
  while (ns / unit >= 1000) unit *= 10;
  return format_duration((ns + unit / 2) / unit * unit);
}

std::string number(const json& value) { return std::to_string(value.get<int64_t>()); }
std::string or_dash(const std::string& text) { return text.empty() ? "-" : text; }
std::string gpus(const json& value) { return value.get<int>() == 0 ? "all" : number(value); }

std::string join(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
  return or_dash(text);
}

std::string join(const json& words) { return join(words.get<std::vector<std::string>>()); }

// For how long a lease has been held at least; shorter ones are a matter of course.
std::string held(const json& holder) {
  constexpr uint64_t kSecond = 1'000'000'000;
  const uint64_t seconds = holder.is_null() ? 0 : holder.at("held_ns_at_least").get<uint64_t>() / kSecond;
  return seconds == 0 ? "-" : format_duration(seconds * kSecond);
}

// Of a program whose jobs are marked.
std::string longest(const json& entry) {
  return entry.at("jobs") == 0 ? "-" : format_duration(entry.at("longest_response_ns"));
}

std::string bound(const json& entry) {
  return entry.at("bound_ns").is_null() ? "-" : format_duration(entry.at("bound_ns"));
}

// What is promised of its jobs: nothing while it builds its programs.
std::string promise(const json& entry) {
  return !entry.at("bound_ns").is_null() && entry.value("building", false) ? "building" : bound(entry);
}

// What it did beyond its promise.
std::string overruns(const json& entry) {
  const json known = entry.value("overruns", json::object());
  uint64_t count = 0;
  for (const char* kind : {"sections", "early_jobs", "long_jobs", "greedy_jobs", "cpu_jobs", "asking_jobs", "memory"})
    count += known.value(kind, uint64_t{0});
  return (count == 0 ? "-" : std::to_string(count)) + (entry.value("demoted", false) ? ", demoted" : "");
}

// "camera (1234)", or the process alone if it is no registered task.
std::string program(const json& entry) {
  if (entry.is_null()) return "-";
  const std::string task = entry.at("task");
  return task.empty() ? "process " + number(entry.at("pid")) : task + " (" + number(entry.at("pid")) + ")";
}

// "30", or of one without a deadline "weight 2".
std::string urgency(const json& entry) {
  const json weight = entry.value("weight", json());
  return weight.is_null() ? number(entry.at("priority")) : "weight " + number(weight);
}

// Its own, and what it is lent while a more urgent program waits for what it holds.
std::string priority(const json& entry) {
  const json lent = entry.value("lent_priority", json());
  return urgency(entry) + (lent.is_null() ? "" : ", lent " + number(lent));
}

// What a task in a list is promised.
std::string promised(const json& task) {
  if (task.value("bound_ns", json()).is_null()) return "-";
  if (task.value("guaranteed", false)) return "guaranteed";
  return task.value("building", json()).is_null() ? "no" : "building";
}

std::string time_or_dash(const json& ns) { return ns.is_null() ? "-" : format_duration(ns); }

}  // namespace

std::string task_table(const json& list) {
  if (list.at("tasks").empty()) return "No task is registered.\n";
  std::vector<Row> rows = {
      {"TASK", "PRIORITY", "PERIOD", "DEADLINE", "GPUS", "DEVICES", "MATCH", "GUARANTEE", "PROCESSES"}};
  for (const json& task : list.at("tasks")) {
    std::vector<std::string> processes;
    for (const json& pid : task.at("processes")) processes.push_back(number(pid));
    rows.push_back({task.at("name"), urgency(task), time_or_dash(task.at("period_ns")),
                    time_or_dash(task.at("deadline_ns")), gpus(task.at("gpus")),
                    task.at("devices").empty() ? "all" : join(task.at("devices")), or_dash(task.at("match")),
                    promised(task), join(processes)});
  }
  return table(rows);
}

std::string status_tables(const json& status) {
  std::string text = "sam-managerd \"" + status.at("instance").get<std::string>() + "\", process " +
                     number(status.at("pid")) + ", policy " + status.value("policy", "fixed-priority") +
                     (status.value("threads", "") == "by deadline" ? ", threads by deadline" : "") + "\n\n";
  if (status.at("programs").empty()) return text + "No program is connected.\n";
  std::vector<Row> programs = {
      {"PROCESS", "TASK", "PRIORITY", "GPUS", "DEVICES", "JOBS", "LONGEST", "BOUND", "OVERRUNS", "EXECUTABLE"}};
  for (const json& entry : status.at("programs"))
    programs.push_back({number(entry.at("pid")), or_dash(entry.at("task")), priority(entry), gpus(entry.at("gpus")),
                        join(entry.at("devices")), number(entry.at("jobs")), longest(entry), promise(entry),
                        overruns(entry), or_dash(visible(entry.at("executable").get<std::string>()))});
  std::string building;
  for (const json& entry : status.at("programs"))
    if (!entry.at("bound_ns").is_null() && entry.value("building", false))
      building += "Not promised yet: " + program(entry) + ", since " +
                  entry.value("building_because", std::string("it builds its programs")) + "\n";
  std::vector<Row> resources = {{"DEVICE", "RESOURCE", "HELD BY", "FOR", "WAITING"}};
  for (const json& entry : status.at("resources")) {
    std::vector<std::string> waiting;
    for (const json& waiter : entry.at("waiting")) waiting.push_back(program(waiter));
    resources.push_back(
        {entry.at("device"), entry.at("kind"), program(entry.at("holder")), held(entry.at("holder")), join(waiting)});
  }
  return text + table(programs) + building + "\n" + table(resources);
}

namespace {

std::string verdict(const json& task) {
  if (task.at("guaranteed")) return "guaranteed";
  if (task.at("bound_ns").is_null()) return "no bound";
  const uint64_t bound = task.at("bound_ns"), deadline = task.at("deadline_ns");
  if (bound > deadline) return "late by up to " + format_duration(bound - deadline);
  if (!task.at("meets_deadline").get<bool>()) return "not guaranteed: " + task.at("doubt").get<std::string>();
  const std::string estimate = task.at("estimate");
  const json building = task.value("building", json());
  return !estimate.empty() || building.is_null() ? "estimated: " + estimate
                                                 : "building: " + building.get<std::string>();
}

// What the last change made of it.
std::string before(const json& task) {
  const json& known = task.at("before");
  if (known.is_null()) return "new";
  if (known.at("mode") == task.at("mode") && known.at("bound_ns") == task.at("bound_ns")) return "the same";
  const int gpus = known.at("mode");
  return bound(known) + " on " + std::to_string(gpus) + (gpus == 1 ? " GPU" : " GPUs");
}

// What holds while tasks change to this plan, if that is less than the plan itself.
std::string while_changing(const json& plan) {
  const std::string problem = plan.at("changing");
  const json settled = plan.value("transition_ns", json());
  if (!problem.empty())
    return "Until all tasks have been idle at once in their new modes nothing is guaranteed: " + problem + "\n";
  std::string late;
  for (const json& task : plan.at("tasks")) {
    if (!task.at("meets_deadline").get<bool>()) continue;
    const json& changing = task.at("changing_ns");
    if (!changing.is_null() && changing.get<uint64_t>() <= task.at("deadline_ns").get<uint64_t>()) continue;
    late += (late.empty() ? "" : ", ") + task.at("name").get<std::string>() + " (" +
            (changing.is_null() ? "no bound" : "up to " + format_duration(changing)) + ")";
  }
  return late.empty()
             ? ""
             : "Until all tasks have been idle at once in their new modes" +
                   (settled.is_null() ? "" : ", at the latest " + format_duration(settled) + " after the change,") +
                   " these may be late: " + late + "\n";
}

}  // namespace

namespace {

// Buckets of a histogram, joined until they are few enough to be read: each with its share of the jobs as a
// bar.
std::string bars(const json& buckets, uint64_t jobs) {
  constexpr size_t kMostRows = 16, kWidth = 40;
  const size_t joined = (buckets.size() + kMostRows - 1) / kMostRows;
  std::vector<Row> rows = {{"BELOW", "JOBS", ""}};
  for (size_t first = 0; first < buckets.size(); first += joined) {
    uint64_t count = 0;
    const size_t end = std::min(first + joined, buckets.size());
    for (size_t i = first; i < end; ++i) count += buckets[i].at("jobs").get<uint64_t>();
    rows.push_back({format_rounded(buckets[end - 1].at("below_ns")), std::to_string(count),
                    std::string((count * kWidth + jobs - 1) / jobs, '#')});
  }
  return table(rows);
}

// Of jobs nothing is promised of.
std::string built(const json& history) {
  const uint64_t building = history.value("building", uint64_t{0});
  if (building == 0) return "";
  return "In " + std::to_string(building) + (building == 1 ? " of the jobs" : " of the jobs, each,") +
         " OpenCL programs were built: outside of the promise, and of the times above; the longest took " +
         format_duration(history.at("longest_building_ns")) + ".\n";
}

}  // namespace

std::string history_table(const json& history) {
  const uint64_t jobs = history.at("jobs");
  const std::string task = history.at("task");
  const uint64_t building = history.value("building", uint64_t{0});
  if (jobs == 0) return "No job of \"" + task + "\" was seen since the manager began.\n";
  return table({{"TASK", "JOBS", "MISSES", "HALF BELOW", "99 % BELOW", "LONGEST", "DEADLINE"},
                {task, std::to_string(jobs), number(history.at("misses")), format_rounded(history.at("p50_ns")),
                 format_rounded(history.at("p99_ns")), format_duration(history.at("longest_ns")),
                 time_or_dash(history.at("deadline_ns"))}}) +
         built(history) + (jobs > building ? "\n" + bars(history.at("buckets"), jobs - building) : "");
}

std::string miss_line(const json& event) {
  const uint64_t jobs = event.at("jobs");
  return event.at("task").get<std::string>() + " (" + number(event.at("pid")) + "): " + std::to_string(jobs) +
         (jobs == 1 ? " job was late" : " jobs were late") + ", the last job took " +
         format_duration(event.at("last_response_ns")) + "\n";
}

std::string term_table(const json& task) {
  const json& terms = task.at("terms");
  if (terms.empty()) {
    const std::string doubt = task.value("doubt", "");
    return "There is no bound on \"" + task.at("name").get<std::string>() +
           "\": " + (doubt.empty() ? "it may take longer than its period" : doubt) + ".\n";
  }
  const int64_t bound = task.at("bound_ns");
  const auto row = [bound](const std::string& kind, const std::string& of, int64_t ns) {
    return Row{kind, of, format_duration(ns),
               std::to_string((ns * 100 + (ns < 0 ? -bound : bound) / 2) / bound) + " %"};
  };
  std::vector<Row> rows = {{"TERM", "OF", "TIME", "SHARE"}};
  for (const json& term : terms) rows.push_back(row(term.at("kind"), or_dash(term.at("of")), term.at("ns")));
  rows.push_back(row("bound", task.at("name"), bound));
  return table(rows) + verdict(task) + "\n";
}

std::string policy_table(const json& plan) {
  const std::string active = plan.at("policy");
  if (plan.at("under").empty())
    return "The policy is " + active + ". No task has a profile: there are no bounds to compare.\n";
  Row head = {"POLICY"};
  for (const json& task : plan.at("under").front().at("tasks")) head.push_back(task.at("name"));
  std::vector<Row> rows = {head};
  std::string notes;
  for (const json& under : plan.at("under")) {
    const std::string name = under.at("policy"), problem = under.at("problem"), estimate = under.at("estimate");
    rows.push_back({name + (name == active ? " *" : "")});
    for (const json& task : under.at("tasks")) rows.back().push_back(bound(task));
    if (!problem.empty() || !estimate.empty())
      notes += name + (problem.empty() ? ": estimated: " + estimate : ": no bound: " + problem) + "\n";
  }
  return table(rows) + "* is in force\n" + notes;
}

std::string plan_table(const json& plan) {
  const std::string problem = plan.at("problem");
  if (!problem.empty()) return "Nothing can be guaranteed: " + problem + ".\n";
  std::string text = "No task has a profile: register one with --profile.\n";
  if (!plan.at("tasks").empty()) {
    std::vector<Row> rows = {{"TASK", "PRIORITY", "GPUS", "DEVICES", "BOUND", "DEADLINE", "BEFORE", "VERDICT"}};
    for (const json& task : plan.at("tasks"))
      rows.push_back({task.at("name"), number(task.at("priority")), number(task.at("mode")), join(task.at("devices")),
                      bound(task), format_duration(task.at("deadline_ns")), before(task), verdict(task)});
    text = table(rows) + while_changing(plan);
  }
  if (!plan.at("without_profile").empty())
    text += "Without a profile, so without a bound: " + join(plan.at("without_profile")) + "\n";
  return text;
}

}  // namespace samcl::ctl
