#include "analysis/cli/live_trace.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "tools/trace/events.h"
#include "tools/trace/holdings.h"

namespace samcl::analysis::cli {
namespace {

using nlohmann::json;
using trace_events::has_category;
using trace_events::Interval;
using trace_events::Leased;
using trace_events::ns_of;

struct Span {
  Interval time;
  Leased leased = Leased::device;
  size_t device = 0;
  Time section = 0;
};

// Of a process: a lane's spans, when it had given way in them, and its waits for leases.
struct Row {
  std::vector<Span> spans;
  std::vector<Interval> away;
  std::vector<std::pair<Interval, Leased>> waits;
};

struct Process {
  std::string name, task;
  std::map<size_t, std::string> devices;
  std::map<int64_t, Row> rows;
  std::map<json, Interval> jobs;  // by id; end 0: it has not ended
};

// Two slices of a kernel are in flight.
Time section_of(const json& arguments, Interval time, Leased leased) {
  const Time longest = arguments.at("longest_piece");
  const bool is_cut = arguments.at("pieces") > 1 && leased == Leased::device;
  return is_cut ? std::min(2 * longest, time.end - time.begin) : longest;
}

class Reader {
 public:
  void read(const json& event) {
    const std::string phase = event.at("ph");
    if (phase == "M") return read_about(event);
    Process& process = processes_[event.at("pid")];
    if (has_category(event, "job")) return read_job(process, event, phase);
    if (phase != "X") return;
    const Interval time{ns_of(event, "ts"), ns_of(event, "ts") + ns_of(event, "dur")};
    Row& row = process.rows[event.at("tid")];
    const std::string name = event.at("name");
    if (has_category(event, "wait")) {
      if (name == "give way") row.away.push_back(time);
      if (name == "wait for the device") row.waits.emplace_back(time, Leased::device);
      if (name == "wait for the link") row.waits.emplace_back(time, Leased::link);
    }
    if (!has_category(event, "resource")) return;
    const json& arguments = event.at("args");
    if (const auto leased = trace_events::leased_by(arguments.at("activity")))
      row.spans.push_back({time, *leased, arguments.at("device"), section_of(arguments, time, *leased)});
  }

  Result<LiveSchedule> finish(const TaskSet& set, const std::string& task) {
    for (auto& [pid, process] : processes_) {
      const bool is_empty = std::ranges::all_of(process.rows, [](const auto& row) { return row.second.spans.empty(); });
      if (is_empty && process.jobs.empty()) continue;
      add(pid, process, set, task);
    }
    if (live_.programs.empty())
      return fail("nothing in it has a link, a GPU or a job: expected a trace of `sam-ctl trace`, or of SAMCL_TRACE");
    return std::move(live_);
  }

 private:
  void read_about(const json& event) {
    Process& process = processes_[event.at("pid")];
    const json arguments = event.value("args", json::object());
    if (event.at("name") == "process_name") process.name = arguments.value("name", "");
    if (event.at("name") != "samcl_program") return;
    process.task = arguments.value("task", "");
    for (size_t i = 0; arguments.contains("device " + std::to_string(i)); ++i)
      process.devices[i] = arguments.at("device " + std::to_string(i));
  }

  static void read_job(Process& process, const json& event, const std::string& phase) {
    Interval& job = process.jobs[event.at("id")];
    (phase == "b" ? job.begin : job.end) = ns_of(event, "ts");
  }

  void add(int64_t pid, Process& process, const TaskSet& set, const std::string& task) {
    const size_t program = live_.programs.size();
    const std::string& of = process.task.empty() ? task : process.task;
    const auto known = std::ranges::find(set.tasks, of, &Task::name);
    live_.programs.push_back(
        {(of.empty() ? process.name.empty() ? "process" : process.name : of) + " (" + std::to_string(pid) + ")",
         known == set.tasks.end() ? std::nullopt : std::optional(static_cast<size_t>(known - set.tasks.begin()))});
    for (auto& [number, row] : process.rows) {
      std::ranges::sort(row.away, {}, &Interval::begin);
      std::ranges::stable_sort(row.spans, {}, [](const Span& span) { return span.time.begin; });
      for (const Span& span : row.spans) add_span(program, process, row, span);
      for (const auto& [time, leased] : row.waits) add_wait(program, process, row, time, leased);
    }
    for (const auto& [id, job] : process.jobs)
      if (job.begin > 0 && job.end > 0) live_.jobs.push_back({program, job.begin, job.end});
  }

  static Resource kind_of(Leased leased) { return leased == Leased::link ? Resource::link : Resource::gpu; }

  static std::string name_of(const Process& process, const Span& span) {
    const auto named = process.devices.find(span.device);
    return trace_events::resource_name(
        named == process.devices.end() ? "device " + std::to_string(span.device) : named->second, span.leased);
  }

  void add_span(size_t program, const Process& process, const Row& row, const Span& span) {
    const std::string name = name_of(process, span);
    for (const Interval& part : trace_events::without(span.time, row.away))
      live_.holdings.push_back(
          {program, kind_of(span.leased), name, part.begin, part.end, std::min(span.section, part.end - part.begin)});
    for (const Interval& away : row.away)
      if (away.begin >= span.time.begin && away.end <= span.time.end)
        live_.waits.push_back({program, kind_of(span.leased), name, away.begin, away.end});
  }

  // What it waited for is what the row has next.
  void add_wait(size_t program, const Process& process, const Row& row, Interval time, Leased leased) {
    const auto next = std::ranges::find_if(
        row.spans, [&](const Span& span) { return span.leased == leased && span.time.begin >= time.end; });
    if (next != row.spans.end())
      live_.waits.push_back({program, kind_of(leased), name_of(process, *next), time.begin, time.end});
  }

  std::map<int64_t, Process> processes_;
  LiveSchedule live_;
};

}  // namespace

Result<LiveSchedule> read_live_schedule(const std::string& text, const TaskSet& set, const std::string& task) {
  if (!task.empty() && std::ranges::find(set.tasks, task, &Task::name) == set.tasks.end())
    return fail("--task: the task set has no task \"" + task + "\"");
  try {
    Reader reader;
    const auto read = trace_events::for_each_event(text, [&](const json& event) { reader.read(event); });
    if (!read) return fail(read.error().message);
    return reader.finish(set, task);
  } catch (const json::exception& error) {
    return fail(std::string("it is not as expected: ") + error.what());
  }
}

}  // namespace samcl::analysis::cli
