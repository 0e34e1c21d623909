// Events of Chrome's trace event format, as Perfetto and chrome://tracing open them: a JSON array with one event on
// each line. The array's end may be missing, so a trace can be read while it is written, and after its writer was
// killed.
//
// Times are given in ns of the host's monotonic clock, and written in microseconds with three decimals, as the format
// has it. A row (the format's thread) is a number within its process.
#pragma once

#include <charconv>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "base/json_text.h"

namespace samcl::trace_events {

inline constexpr std::string_view kArrayBegin = "[\n";
// Rows that are no threads of the system have numbers above all of these.
inline constexpr uint64_t kFirstOwnRow = uint64_t{1} << 23;

// Where an event belongs.
struct Row {
  uint64_t process = 0, row = 0;
};

// Appends one event, with its line's end and the comma behind it, to a text: what it has is said between construction
// and destruction, the arguments last.
class Event {
 public:
  // phase: X (a slice), i (an instant), b and e (begin and end of what overlaps others), s and f (an arrow), C, M.
  Event(std::string& out, char phase, std::string_view name, Row row, uint64_t time_ns) : out_(out) {
    out_ += "{\"ph\":\"";
    out_ += phase;
    out_ += "\",\"name\":";
    quote(name);
    field("pid", row.process);
    field("tid", row.row);
    out_ += ",\"ts\":";
    microseconds(time_ns);
  }
  ~Event() { out_ += has_arguments_ ? "}},\n" : "},\n"; }
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;

  // Several are separated by commas.
  Event& category(std::string_view name) { return text_field("cat", name); }
  Event& duration(uint64_t ns) {
    out_ += ",\"dur\":";
    microseconds(ns);
    return *this;
  }
  Event& id(uint64_t number) {
    field("id", number);
    return *this;
  }
  // An arrow ends at the slice that its time lies in, not at the next one.
  Event& ends_here() { return text_field("bp", "e"); }
  // An instant is the whole process's.
  Event& of_process() { return text_field("s", "p"); }

  template <typename Number>
    requires std::is_integral_v<Number>
  Event& argument(std::string_view name, Number value) {
    begin_argument(name);
    number(value);
    return *this;
  }
  Event& argument(std::string_view name, std::string_view value) {
    begin_argument(name);
    quote(value);
    return *this;
  }

 private:
  void begin_argument(std::string_view name) {
    out_ += has_arguments_ ? "," : ",\"args\":{";
    has_arguments_ = true;
    quote(name);
    out_ += ':';
  }
  Event& text_field(std::string_view name, std::string_view value) {
    ((out_ += ",\"") += name) += "\":";
    quote(value);
    return *this;
  }
  void field(std::string_view name, uint64_t value) {
    ((out_ += ",\"") += name) += "\":";
    number(value);
  }
  template <typename Number>
  void number(Number value) {
    if constexpr (std::is_same_v<Number, bool>) {
      out_ += value ? "true" : "false";
    } else {
      char text[24];
      out_.append(text, std::to_chars(text, text + sizeof text, value).ptr);
    }
  }
  void microseconds(uint64_t ns) {
    number(ns / 1000);
    const auto rest = static_cast<unsigned>(ns % 1000);
    const char text[] = {'.', static_cast<char>('0' + rest / 100), static_cast<char>('0' + rest / 10 % 10),
                         static_cast<char>('0' + rest % 10)};
    out_.append(text, sizeof text);
  }
  void quote(std::string_view text) {
    for (const char c : text) {
      if (c >= ' ' && c <= '~' && c != '"' && c != '\\') continue;
      out_ += json_text(nlohmann::json(text));
      return;
    }
    ((out_ += '"') += text) += '"';
  }

  std::string& out_;
  bool has_arguments_ = false;
};

// format: what else a reader may expect of it; readers that do not know it pass over it.
inline void name_process(std::string& out, uint64_t process, std::string_view name, std::string_view format = "") {
  Event event(out, 'M', "process_name", {process, 0}, 0);
  event.argument("name", name);
  if (!format.empty()) event.argument("format", format);
}
// Rows are shown in the order of `position`.
inline void name_row(std::string& out, Row row, std::string_view name, unsigned position) {
  Event(out, 'M', "thread_name", row, 0).argument("name", name);
  Event(out, 'M', "thread_sort_index", row, 0).argument("sort_index", position);
}

// An arrow from one slice to another; a time is one at which the slice is there.
inline void arrow(std::string& out, uint64_t id, std::string_view name, Row from, uint64_t from_ns, Row to,
                  uint64_t to_ns) {
  Event(out, 's', name, from, from_ns).category("arrow").id(id);
  Event(out, 'f', name, to, to_ns).category("arrow").id(id).ends_here();
}

}  // namespace samcl::trace_events
