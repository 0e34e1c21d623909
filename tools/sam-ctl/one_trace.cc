#include "tools/sam-ctl/one_trace.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/json_text.h"
#include "base/trace_events.h"
#include "tools/trace/events.h"
#include "tools/trace/holdings.h"

namespace samcl::ctl {
namespace {

using nlohmann::json;
using trace_events::ns_of;

// No process of the system has it.
constexpr uint64_t kMachine = trace_events::kFirstOwnRow;

using Time = trace_events::Interval;

struct Use {
  Time time;
  std::string who, what;
};

// What one program's trace says of the machine.
class Program {
 public:
  explicit Program(const ProgramTrace& trace) : trace_(trace) {}

  void read(const json& event) {
    process_ = event.at("pid");
    if (event.at("ph") != "X") return;
    const Time time{ns_of(event, "ts"), ns_of(event, "ts") + ns_of(event, "dur")};
    if (trace_events::has_category(event, "wait") && event.at("name") == "give way")
      away_[event.at("tid")].push_back(time);
    if (trace_events::has_category(event, "operation") && !event.at("args").value("of", "").empty())
      commands_[event.at("args").at("command")] = event.at("args").at("of");
    if (trace_events::has_category(event, "resource")) spans_.push_back({event.at("tid"), time, event.at("args")});
  }

  // Whose it is, and what its devices are called: for who reads the trace of all.
  void introduce(std::string& out) const {
    trace_events::Event about(out, 'M', "samcl_program", {process_, 0}, 0);
    about.argument("task", trace_.task);
    for (size_t i = 0; i < trace_.devices.size(); ++i) about.argument("device " + std::to_string(i), trace_.devices[i]);
  }

  void add_to(std::map<std::string, std::vector<Use>>& rows) {
    for (auto& [row, times] : away_) std::ranges::sort(times, {}, &Time::begin);
    for (const Span& span : spans_) {
      const std::string activity = span.arguments.at("activity");
      const auto leased = trace_events::leased_by(activity);
      if (!leased) continue;
      const size_t device = span.arguments.at("device");
      const std::string name = device < trace_.devices.size()
                                   ? trace_.devices[device]
                                   : "device " + std::to_string(device) + " of " + trace_.name;
      const auto command = commands_.find(span.arguments.at("command"));
      const std::string what =
          *leased == trace_events::Leased::link || command == commands_.end() ? activity : command->second;
      for (const Time& part : trace_events::without(span.time, away_[span.row]))
        rows[trace_events::resource_name(name, *leased)].push_back({part, trace_.name, what});
    }
  }

 private:
  struct Span {
    int64_t row;
    Time time;
    json arguments;
  };
  const ProgramTrace& trace_;
  uint64_t process_ = 0;
  std::map<int64_t, std::vector<Time>> away_;  // by row
  std::map<int64_t, std::string> commands_;
  std::vector<Span> spans_;
};

// One after another: where two seem to have it at once (a lease that the manager took away), the later one's begins
// when the earlier one's ends.
void write_row(std::string& out, uint64_t row, std::vector<Use> uses) {
  std::ranges::stable_sort(uses, [](const Use& a, const Use& b) { return a.time.begin < b.time.begin; });
  int64_t until = 0;
  for (const Use& use : uses) {
    const int64_t begin = std::max(use.time.begin, until);
    if (begin >= use.time.end) continue;
    until = use.time.end;
    trace_events::Event(out, 'X', use.who, {kMachine, row}, static_cast<uint64_t>(begin))
        .category("lease")
        .duration(static_cast<uint64_t>(use.time.end - begin))
        .argument("for", use.what);
  }
}

}  // namespace

OneTrace one_trace(const std::vector<ProgramTrace>& programs) {
  OneTrace whole{std::string(trace_events::kArrayBegin), {}};
  std::string& out = whole.text;
  std::map<std::string, std::vector<Use>> rows;
  std::map<std::pair<json, json>, uint64_t> arrows;  // by process and number: they must differ
  uint64_t last_arrow = 0;
  for (const ProgramTrace& trace : programs) {
    Program program(trace);
    std::string own_events;
    // A program that writes nonsense must not keep the others from being seen.
    try {
      const auto read = trace_events::for_each_event(trace.text, [&](const json& event) {
        program.read(event);
        json own = event;
        if (event.contains("id") && (event.at("ph") == "s" || event.at("ph") == "f")) {
          auto& number = arrows[{event.at("pid"), event.at("id")}];
          if (number == 0) number = ++last_arrow;
          own["id"] = number;
        }
        own_events += json_text(own) + ",\n";
      });
      if (!read) {
        whole.left_out.push_back(trace.name + ": " + read.error().message);
        continue;
      }
      program.add_to(rows);
      program.introduce(own_events);
      out += own_events;
    } catch (const json::exception& error) {
      whole.left_out.push_back(trace.name + ": its trace is not as expected: " + error.what());
    }
  }
  trace_events::name_process(out, kMachine, "devices and links");
  trace_events::Event(out, 'M', "process_sort_index", {kMachine, 0}, 0).argument("sort_index", -1);
  uint64_t row = 0;
  for (auto& [name, uses] : rows) {
    trace_events::name_row(out, {kMachine, ++row}, name, static_cast<unsigned>(row));
    write_row(out, row, std::move(uses));
  }
  out.erase(out.rfind(','));
  out += "\n]\n";
  return whole;
}

}  // namespace samcl::ctl
