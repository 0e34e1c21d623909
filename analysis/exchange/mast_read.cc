#include <charconv>
#include <cmath>
#include <map>

#include "analysis/exchange/mast.h"
#include "analysis/exchange/mast_text.h"

namespace samcl::analysis {
namespace {

std::string where(const MastValue& value) { return "line " + std::to_string(value.line) + ", " + value.name + ": "; }

// A whole number of units, or `usual` where the field is missing.
Result<Time> time_of(const MastValue& object, const std::string& field, Time unit, std::optional<Time> usual = {}) {
  const MastValue* value = object.find(field);
  if (!value) {
    if (usual) return *usual;
    return fail(where(object) + field + ": missing");
  }
  double number = 0;
  const char* end = value->text.data() + value->text.size();
  const auto [stop, error] = std::from_chars(value->text.data(), end, number);
  const double time = number * static_cast<double>(unit);
  if (error != std::errc() || stop != end || time < 0 || time > static_cast<double>(kLongest) ||
      time != std::floor(time))
    return fail(where(*value) + "'" + value->text + "', expected a number that is whole in nanoseconds");
  return static_cast<Time>(time);
}

struct Server {
  std::string station;  // in lower case
  bool preemptive = true;
  Time priority = 0;
};

struct Operation {
  Time worst = 0, best = 0;
};

class Reader {
 public:
  explicit Reader(Time unit) : unit_(unit) {}

  Result<TaskSet> read(const std::vector<MastValue>& objects) {
    for (const MastValue& object : objects)
      if (auto good = take(object); !good) return tl::unexpected(good.error());
    for (const MastValue& object : objects) {
      if (object.name != "transaction") continue;
      if (auto good = add_task(object); !good) return tl::unexpected(good.error());
    }
    if (tasks_.empty()) return fail("no Transaction, expected a MAST model");
    return stations_.with(std::move(tasks_));
  }

 private:
  // What transactions refer to.
  Result<void> take(const MastValue& object) {
    const std::string type = object.lower("type"), name = object.lower("name");
    const auto expect = [&](bool good, const std::string& types) -> Result<void> {
      if (!good) return fail(where(object) + "type '" + type + "', expected " + types);
      return {};
    };
    if (object.name == "processing_resource")
      return expect(type == "regular_processor" || type == "fixed_priority_processor",
                    "Regular_Processor or Fixed_Priority_Processor");
    if (object.name == "scheduler") {
      host_[name] = object.lower("host");
      return expect(type == "primary_scheduler", "Primary_Scheduler");
    }
    if (object.name == "scheduling_server") return take_server(object, name);
    if (object.name == "operation") {
      const auto worst = time_of(object, "worst_case_execution_time", unit_),
                 best = time_of(object, "best_case_execution_time", unit_, 0);
      if (!worst) return tl::unexpected(worst.error());
      if (!best) return tl::unexpected(best.error());
      operation_[name] = {*worst, *best};
      if (object.find("shared_resources_list") || object.find("shared_resources_to_lock"))
        return fail(where(object) + "shared resources, expected none");
      return expect(type == "simple", "Simple");
    }
    if (object.name == "transaction" || object.name == "model") return {};
    return fail(where(object) + "expected none, it is not in this model");
  }

  Result<void> take_server(const MastValue& object, const std::string& name) {
    const MastValue* how = object.find("server_sched_parameters");
    if (!how) return fail(where(object) + "server_sched_parameters: missing");
    const std::string policy = how->lower("type");
    const auto priority = time_of(*how, "the_priority", 1);
    if (!priority) return tl::unexpected(priority.error());
    if (policy != "fixed_priority_policy" && policy != "non_preemptible_fp_policy")
      return fail(where(*how) + "type '" + policy + "', expected Fixed_Priority_Policy or Non_Preemptible_FP_Policy");
    std::string station = object.lower("server_processing_resource");
    if (station.empty()) station = host_[object.lower("scheduler")];
    if (station.empty()) return fail(where(object) + "scheduler: expected one that was described before");
    server_[name] = {station, policy == "fixed_priority_policy", *priority};
    return {};
  }

  Result<void> add_task(const MastValue& object) {
    Task task;
    const MastValue* name = object.find("name");
    if (!name) return fail(where(object) + "name: missing");
    task.name = name->text.ends_with("_transaction") ? name->text.substr(0, name->text.size() - 12) : name->text;
    if (auto good = take_arrival(object, task); !good) return good;
    if (auto good = take_deadline(object, task); !good) return good;
    const MastValue* handlers = object.find("event_handlers");
    if (!handlers || handlers->list.empty()) return fail(where(object) + "event_handlers: missing");
    std::string event = arrival_;
    for (const MastValue& handler : handlers->list) {
      if (handler.lower("type") != "activity")
        return fail("line " + std::to_string(handler.line) + ", event handler: type '" + handler.lower("type") +
                    "', expected Activity");
      if (handler.lower("input_event") != event)
        return fail("line " + std::to_string(handler.line) + ", event handler: input_event '" +
                    handler.lower("input_event") + "', expected '" + event + "', one activity after the other");
      event = handler.lower("output_event");
      if (auto good = add_stage(handler, task); !good) return good;
    }
    tasks_.push_back(std::move(task));
    return {};
  }

  Result<void> take_arrival(const MastValue& object, Task& task) {
    const MastValue* events = object.find("external_events");
    if (!events || events->list.size() != 1) return fail(where(object) + "external_events: expected one");
    const MastValue& event = events->list.front();
    const bool sporadic = event.lower("type") == "sporadic";
    if (!sporadic && event.lower("type") != "periodic")
      return fail("line " + std::to_string(event.line) + ", external event: type '" + event.lower("type") +
                  "', expected Periodic or Sporadic");
    arrival_ = event.lower("name");
    const auto period = time_of(event, sporadic ? "min_interarrival" : "period", unit_),
               jitter = time_of(event, "max_jitter", unit_, 0), phase = time_of(event, "phase", unit_, 0);
    for (const auto& value : {period, jitter, phase})
      if (!value) return tl::unexpected(value.error());
    task.period = task.deadline = *period;
    task.jitter = *jitter;
    if (*phase > 0) task.offset = *phase;
    return {};
  }

  // Of the last event, from the arrival.
  Result<void> take_deadline(const MastValue& object, Task& task) {
    const MastValue* events = object.find("internal_events");
    if (!events) return {};
    for (const MastValue& event : events->list) {
      const MastValue* timing = event.find("timing_requirements");
      if (!timing) continue;
      if (timing->lower("type") != "hard_global_deadline" || &event != &events->list.back())
        return fail(where(*timing) + "expected a Hard_Global_Deadline of the last event alone");
      const auto deadline = time_of(*timing, "deadline", unit_);
      if (!deadline) return tl::unexpected(deadline.error());
      task.deadline = *deadline;
    }
    return {};
  }

  Result<void> add_stage(const MastValue& handler, Task& task) {
    const std::string at = "line " + std::to_string(handler.line) + ", event handler: ";
    const auto operation = operation_.find(handler.lower("activity_operation"));
    const auto server = server_.find(handler.lower("activity_server"));
    if (operation == operation_.end()) return fail(at + "activity_operation: expected one that was described before");
    if (server == server_.end()) return fail(at + "activity_server: expected one that was described before");
    const int priority = static_cast<int>(server->second.priority);
    if (task.priority && *task.priority != priority)
      return fail(at + "the server's priority: " + std::to_string(priority) + ", expected that of the transaction's " +
                  "first activity, " + std::to_string(*task.priority));
    task.priority = priority;
    const auto& [station, preemptive, ignored] = server->second;
    const auto good = stations_.add_stage(task, station, preemptive, operation->second.best, operation->second.worst);
    if (!good) return fail(at + good.error().message);
    return {};
  }

  const Time unit_;
  std::map<std::string, std::string> host_;  // by scheduler
  std::map<std::string, Server> server_;
  std::map<std::string, Operation> operation_;
  std::string arrival_;
  FromStations stations_;
  std::vector<Task> tasks_;
};

}  // namespace

Result<TaskSet> parse_mast(const std::string& text, Time unit) {
  const auto objects = parse_mast_text(text);
  if (!objects) return tl::unexpected(objects.error());
  return Reader(text.find(kMastNanoseconds) != std::string::npos ? 1 : unit).read(*objects);
}

}  // namespace samcl::analysis
