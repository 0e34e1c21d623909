#include "tests/support/trace_check.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <sstream>
#include <utility>

#include "tools/trace/events.h"

namespace samcl::testing {
namespace {

using nlohmann::json;
using trace_events::ns_of;
using Row = std::pair<int64_t, int64_t>;  // process and row

Row row_of(const json& event) { return {event.at("pid"), event.at("tid")}; }

struct Slice {
  int64_t begin, end;
  std::string name;
};

class Check {
 public:
  Check(const std::vector<json>& events, bool was_killed) : was_killed_(was_killed) {
    for (const json& event : events) {
      if (has_fields(event)) sort_in(event);
    }
    check_rows();
    check_arrows();
    check_pairs();
  }
  std::vector<std::string> faults;

 private:
  void fault(const std::string& text, const json& event) { faults.push_back(text + ": " + event.dump()); }

  bool has_fields(const json& event) {
    for (const char* field : {"ph", "name"}) {
      if (!event.contains(field) || !event.at(field).is_string())
        return fault(std::string("no ") + field, event), false;
    }
    for (const char* field : {"ts", "pid", "tid"}) {
      if (!event.contains(field) || !event.at(field).is_number())
        return fault(std::string("no ") + field, event), false;
    }
    const std::string phase = event.at("ph");
    if (phase.size() != 1 || std::string("XibesfCM").find(phase) == std::string::npos) {
      return fault("unknown phase", event), false;
    }
    if (phase == "X" && !(event.contains("dur") && event.at("dur") >= 0))
      return fault("a slice without duration", event), false;
    if (std::string("besf").find(phase) != std::string::npos && !(event.contains("id") && event.contains("cat"))) {
      return fault("no id or category", event), false;
    }
    return true;
  }

  void sort_in(const json& event) {
    const char phase = event.at("ph").get<std::string>()[0];
    if (phase == 'X') {
      const int64_t begin = ns_of(event, "ts");
      slices_[row_of(event)].push_back({begin, begin + ns_of(event, "dur"), event.at("name")});
    } else if (phase == 's' || phase == 'f') {
      auto& end = phase == 's' ? arrows_[event.at("id")].first : arrows_[event.at("id")].second;
      if (!end.is_null()) fault("an arrow's end twice", event);
      end = event;
    } else if (phase == 'b' || phase == 'e') {
      auto& [begun, ended] = pairs_[{event.at("cat"), event.at("id").dump() + event.at("pid").dump()}];
      (phase == 'b' ? begun : ended).push_back(event);
    }
  }

  // On a row slices lie beside or in each other.
  void check_rows() {
    for (auto& [row, slices] : slices_) {
      std::ranges::sort(slices, [](const Slice& a, const Slice& b) {
        return std::pair(a.begin, -a.end) < std::pair(b.begin, -b.end);
      });
      std::vector<Slice> open;
      for (const Slice& slice : slices) {
        while (!open.empty() && open.back().end <= slice.begin) open.pop_back();
        if (!open.empty() && slice.end > open.back().end) {
          faults.push_back("row " + std::to_string(row.second) + ": " + slice.name + " at " +
                           std::to_string(slice.begin) + " overlaps " + open.back().name);
        }
        open.push_back(slice);
      }
    }
  }

  bool lies_in_a_slice(const json& event) {
    const int64_t at = ns_of(event, "ts");
    return std::ranges::any_of(slices_[row_of(event)], [at](const Slice& s) { return s.begin <= at && at <= s.end; });
  }

  void check_arrows() {
    for (auto& [id, ends] : arrows_) {
      auto& [from, to] = ends;
      if (from.is_null() || to.is_null()) {
        if (!was_killed_) fault("half an arrow", from.is_null() ? to : from);
        continue;
      }
      if (ns_of(from, "ts") > ns_of(to, "ts")) fault("an arrow goes back in time", from);
      if (!was_killed_ && !lies_in_a_slice(from)) fault("an arrow begins nowhere", from);
      if (!lies_in_a_slice(to)) fault("an arrow ends nowhere", to);
    }
  }

  void check_pairs() {
    for (const auto& [key, both] : pairs_) {
      const auto& [begun, ended] = both;
      if (begun.empty()) {
        fault("an end without a begin", ended.front());
      } else if (ended.empty()) {
        if (!was_killed_) fault("a begin without an end", begun.front());
      } else if (begun.size() > 1 || ended.size() > 1) {
        fault("an id twice", begun.front());
      } else if (ns_of(begun[0], "ts") > ns_of(ended[0], "ts") || begun[0].at("name") != ended[0].at("name")) {
        fault("begin and end do not fit", begun.front());
      }
    }
  }

  const bool was_killed_;
  std::map<Row, std::vector<Slice>> slices_;
  std::map<json, std::pair<json, json>> arrows_;  // by id
  std::map<std::pair<json, std::string>, std::pair<std::vector<json>, std::vector<json>>> pairs_;
};

}  // namespace

std::vector<json> read_trace(const std::string& file) {
  const json all = json::parse(std::ifstream(file), nullptr, false);
  EXPECT_TRUE(all.is_array()) << file << " is no JSON array";
  return all.is_array() ? all.get<std::vector<json>>() : std::vector<json>{};
}

std::vector<std::string> faults_of(const std::vector<json>& events, bool was_killed) {
  return Check(events, was_killed).faults;
}

std::vector<json> events_of(const std::vector<json>& events, char phase, const std::string& category) {
  std::vector<json> found;
  for (const json& event : events) {
    if (event.at("ph") != std::string(1, phase)) continue;
    if (category.empty() || trace_events::has_category(event, category)) found.push_back(event);
  }
  std::ranges::stable_sort(found, [](const json& a, const json& b) { return ns_of(a, "ts") < ns_of(b, "ts"); });
  return found;
}

}  // namespace samcl::testing
