#include "tools/sam-profile/trace.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <utility>

#include "tools/trace/events.h"

namespace samcl::profile {
namespace {

using nlohmann::json;
using trace_events::for_each_event;
using trace_events::has_category;
using trace_events::ns_of;

SpanKind kind_of(const std::string& activity) {
  if (activity == "upload" || activity == "download") return SpanKind::link;
  if (activity == "kernel" || activity == "image" || activity == "local") return SpanKind::gpu;
  if (activity == "merge") return SpanKind::host;
  throw std::runtime_error("\"" + activity + "\" is no activity");
}

constexpr char kFormat[] = "samcl-trace 2";

Span span_of(const json& event) {
  const json& arguments = event.at("args");
  const Time begin = ns_of(event, "ts");
  return {kind_of(arguments.at("activity")),
          arguments.at("device"),
          begin,
          begin + ns_of(event, "dur"),
          arguments.at("bytes"),
          arguments.at("pieces"),
          arguments.at("longest_piece"),
          arguments.value("thread_cpu", kNotTold),
          arguments.value("process_cpu", kNotTold),
          arguments.value("longest_piece_cpu", kNotTold),
          arguments.value("most_cpu", kNotTold)};
}

Command command_of(const json& event) {
  const json& arguments = event.at("args");
  return {arguments.at("type"), arguments.value("kernel", ""), arguments.at("queued"), ns_of(event, "ts"), {}};
}

// What the events of a file add up to.
class Reader {
 public:
  void read(const json& event) {
    const std::string phase = event.at("ph");
    if (phase == "M") {
      read_about(event.at("args"));
    } else if (phase == "X" && has_category(event, "resource")) {
      spans_[event.at("args").at("command")].push_back(span_of(event));
    } else if (phase == "e" && has_category(event, "command")) {
      if (event.at("args").at("status") == 0) commands_[event.at("id")] = command_of(event);
    } else if (has_category(event, "job")) {
      trace_.marks.push_back({phase == "b", ns_of(event, "ts")});
    }
  }

  Trace finish() {
    if (!is_ours_)
      throw std::runtime_error(std::string("no trace of samcl's: expected its format, \"") + kFormat + "\"");
    for (auto& [number, command] : commands_) {
      command.spans = std::move(spans_[number]);
      std::ranges::stable_sort(command.spans, {}, &Span::begin);
      trace_.commands.push_back(std::move(command));
    }
    std::vector<Span*> spans;
    for (Command& command : trace_.commands)
      for (Span& span : command.spans) spans.push_back(&span);
    attribute_cpu_time(std::move(spans));
    std::ranges::stable_sort(trace_.commands, {}, &Command::queued);
    std::ranges::stable_sort(trace_.marks, {}, &Mark::time);
    return std::move(trace_);
  }

 private:
  void read_about(const json& arguments) {
    trace_.managed |= arguments.value("managed", false);
    trace_.dropped += arguments.value("dropped", uint64_t{0});
    is_ours_ |= arguments.value("format", "") == kFormat;
  }

  Trace trace_;
  bool is_ours_ = false;
  std::map<unsigned, Command> commands_;         // by number
  std::map<unsigned, std::vector<Span>> spans_;  // by command
};

}  // namespace

void attribute_cpu_time(std::vector<Span*> spans) {
  std::ranges::sort(spans, {}, &Span::begin);
  Time longest = 0;
  for (const Span* span : spans) longest = std::max(longest, span->end - span->begin);
  for (size_t i = 0; i < spans.size(); ++i) {
    Span& own = *spans[i];
    if (own.process_cpu == kNotTold || own.thread_cpu == kNotTold) continue;
    Time others = 0;
    const auto count = [&](const Span& other) {
      const Time common = std::min(own.end, other.end) - std::max(own.begin, other.begin);
      const Time besides = other.end - other.begin - common;
      if (common > 0 && other.thread_cpu != kNotTold) others += std::max<Time>(0, other.thread_cpu - besides);
    };
    for (size_t j = i; j-- > 0 && spans[j]->begin + longest > own.begin;) count(*spans[j]);
    for (size_t j = i + 1; j < spans.size() && spans[j]->begin < own.end; ++j) count(*spans[j]);
    own.host = std::max(own.thread_cpu, own.process_cpu - others);
  }
}

Result<Trace> parse_trace(const std::string& text) {
  try {
    Reader reader;
    const auto read = for_each_event(text, [&](const json& event) { reader.read(event); });
    if (!read) return tl::unexpected(read.error());
    return reader.finish();
  } catch (const std::exception& error) {
    return fail(error.what());
  }
}

}  // namespace samcl::profile
