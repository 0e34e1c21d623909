#include "tools/sam-ctl/one_trace.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/trace_events.h"
#include "tools/trace/events.h"

namespace samcl::ctl {
namespace {

using nlohmann::json;
using trace_events::ns_of;

// No process of the system has it.
constexpr uint64_t kMachine = trace_events::kFirstOwnRow;

struct Time {
  int64_t begin = 0, end = 0;
};
struct Use {
  Time time;
  std::string who, what;
};

// Without the times at which it had given way.
std::vector<Time> without(Time whole, const std::vector<Time>& away) {
  std::vector<Time> parts;
  for (const Time& gap : away) {
    if (gap.end <= whole.begin || gap.begin >= whole.end) continue;
    if (gap.begin > whole.begin) parts.push_back({whole.begin, gap.begin});
    whole.begin = gap.end;
  }
  if (whole.begin < whole.end) parts.push_back(whole);
  return parts;
}

// What one program's trace says of the machine.
class Program {
 public:
  explicit Program(const ProgramTrace& trace) : trace_(trace) {}

  void read(const json& event) {
    if (event.at("ph") != "X") return;
    const Time time{ns_of(event, "ts"), ns_of(event, "ts") + ns_of(event, "dur")};
    if (trace_events::has_category(event, "wait") && event.at("name") == "give way") away_[event.at("tid")].push_back(time);
    if (trace_events::has_category(event, "operation") && !event.at("args").value("of", "").empty())
      commands_[event.at("args").at("command")] = event.at("args").at("of");
    if (trace_events::has_category(event, "resource")) spans_.push_back({event.at("tid"), time, event.at("args")});
  }

  void add_to(std::map<std::string, std::vector<Use>>& rows) {
    for (auto& [row, times] : away_) std::ranges::sort(times, {}, &Time::begin);
    for (const Span& span : spans_) {
      const std::string activity = span.arguments.at("activity");
      const bool is_link = activity == "upload" || activity == "download";
      // Fills and merging have no lease.
      if (!is_link && activity != "kernel" && activity != "image") continue;
      const size_t device = span.arguments.at("device");
      const std::string name =
          device < trace_.devices.size() ? trace_.devices[device] : "device " + std::to_string(device) + " of " + trace_.name;
      const auto command = commands_.find(span.arguments.at("command"));
      const std::string what = is_link || command == commands_.end() ? activity : command->second;
      for (const Time& part : without(span.time, away_[span.row])) rows[name + (is_link ? ": link" : ": device")].push_back({part, trace_.name, what});
    }
  }

 private:
  struct Span {
    int64_t row;
    Time time;
    json arguments;
  };
  const ProgramTrace& trace_;
  std::map<int64_t, std::vector<Time>> away_;  // by row
  std::map<int64_t, std::string> commands_;
  std::vector<Span> spans_;
};

// One after another: where two seem to have it at once (a lease that the manager took away), the later one's begins when
// the earlier one's ends.
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

Result<std::string> one_trace(const std::vector<ProgramTrace>& programs) {
  std::string out(trace_events::kArrayBegin);
  std::map<std::string, std::vector<Use>> rows;
  std::map<std::pair<json, json>, uint64_t> arrows;  // by process and number: they must differ
  uint64_t last_arrow = 0;
  for (const ProgramTrace& trace : programs) {
    Program program(trace);
    try {
      const auto read = trace_events::for_each_event(trace.text, [&](const json& event) {
        program.read(event);
        json own = event;
        if (event.contains("id") && (event.at("ph") == "s" || event.at("ph") == "f")) {
          auto& number = arrows[{event.at("pid"), event.at("id")}];
          if (number == 0) number = ++last_arrow;
          own["id"] = number;
        }
        out += own.dump(-1, ' ', false, json::error_handler_t::replace) + ",\n";
      });
      if (!read) return fail(trace.name + ": " + read.error().message);
      program.add_to(rows);
    } catch (const json::exception& error) {
      return fail(trace.name + ": its trace is not as expected: " + error.what());
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
  return out + "\n]\n";
}

}  // namespace samcl::ctl
