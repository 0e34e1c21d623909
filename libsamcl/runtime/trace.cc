#include "libsamcl/runtime/trace.h"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <deque>
#include <initializer_list>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <utility>

#include "libsamcl/runtime/config.h"
#include "libsamcl/runtime/context.h"
#include "libsamcl/runtime/event.h"

namespace samcl::trace {
namespace {

struct CommandRecord {
  CommandNumber number;
  cl_command_type type;
  uint32_t name;
  cl_ulong queued, submitted, started, ended;
  cl_int status;
};

struct SpanRecord {
  CommandNumber command;
  Activity activity;
  uint16_t device;
  uint32_t pieces;
  cl_ulong begin, end, longest_piece;
  uint64_t bytes;
};

struct Mark {
  bool begin;
  cl_ulong time;
};

constexpr const char* kActivityNames[] = {"upload", "download", "kernel", "image", "local", "merge"};

struct Records {
  std::mutex mutex;
  std::deque<CommandRecord> commands;
  std::deque<SpanRecord> spans;
  std::deque<Mark> marks;
  uint64_t dropped = 0;
  std::map<std::string, uint32_t> names{{"", 0}};
  std::map<CommandNumber, uint32_t> kernels;  // of commands that have not ended
  bool managed = false;

  template <typename Record>
  void add(std::deque<Record>& kind, const Record& record) {
    std::lock_guard lock(mutex);
    if (kind.size() < kMostRecords) {
      kind.push_back(record);
    } else {
      ++dropped;
    }
  }
};

Records& records() {
  static Records* const records = new Records;
  return *records;
}

std::atomic<CommandNumber> last_number{0};
thread_local CommandNumber current_command = 0;

using nlohmann::ordered_json;
using Row = std::initializer_list<int64_t>;

// A line for each row: a file of many is still one that can be looked at.
template <typename Kind, typename Values>
std::string table(const char* columns, const Kind& kind, Values values) {
  std::string text = std::string("{\"columns\": [") + columns + "], \"rows\": [";
  const char* between = "\n[";
  for (const auto& record : kind) {
    values(record, [&](Row row) {
      for (const int64_t value : row) {
        text += std::exchange(between, ",");
        text += std::to_string(value);
      }
    });
    text += "]";
    between = ",\n[";
  }
  return text + "]}";
}

int64_t ns(cl_ulong time) {
  return static_cast<int64_t>(time);
}

std::string as_text(const Records& all) {
  std::vector<std::string> names(all.names.size());
  for (const auto& [name, index] : all.names) names[index] = name;
  std::string text =
      "{\"format\": \"samcl-trace 1\", \"process\": " + std::to_string(getpid()) +
      ", \"managed\": " + (all.managed ? "true" : "false") + ", \"dropped\": " + std::to_string(all.dropped) +
      ",\n\"activities\": " + ordered_json(kActivityNames).dump() +
      ",\n\"names\": " + ordered_json(names).dump(-1, ' ', false, ordered_json::error_handler_t::replace);
  text += ",\n\"commands\": " +
          table(R"("number", "type", "name", "queued", "submitted", "started", "ended", "status")",
                all.commands, [](const CommandRecord& c, auto add) {
                  add({c.number, c.type, c.name, ns(c.queued), ns(c.submitted), ns(c.started), ns(c.ended),
                       c.status});
                });
  text += ",\n\"spans\": " +
          table(R"("command", "activity", "device", "begin", "end", "bytes", "pieces", "longest_piece")",
                all.spans, [](const SpanRecord& s, auto add) {
                  add({s.command, static_cast<int64_t>(s.activity), s.device, ns(s.begin), ns(s.end),
                       static_cast<int64_t>(s.bytes), s.pieces, ns(s.longest_piece)});
                });
  text += ",\n\"marks\": " + table(R"("begin", "time")", all.marks, [](const Mark& mark, auto add) {
            add({mark.begin ? 1 : 0, ns(mark.time)});
          });
  return text + "}\n";
}

}  // namespace

bool on() {
  static const bool wanted = !Config::get().trace.empty();
  return wanted;
}

OnBehalfOf::OnBehalfOf(CommandNumber command) {
  if (on()) before_ = std::exchange(current_command, command);
}

OnBehalfOf::OnBehalfOf(Event& event) {
  if (!on()) return;
  if (event.number == 0) event.number = last_number.fetch_add(1, std::memory_order_relaxed) + 1;
  before_ = std::exchange(current_command, event.number);
}

OnBehalfOf::~OnBehalfOf() {
  if (on()) current_command = before_;
}

CommandNumber current() {
  return on() ? current_command : 0;
}

Span::Span(Activity activity, unsigned device, uint64_t bytes)
    : on_(on()), activity_(activity), device_(device), bytes_(bytes) {
  if (on_) begin_ = now_ns();
}

Span::~Span() {
  if (!on_) return;
  const cl_ulong end = now_ns();
  if (pieces_ == 0) longest_piece_ = end - begin_;
  records().add(records().spans, {current_command, activity_, static_cast<uint16_t>(device_),
                                  std::max(pieces_, 1u), begin_, end, longest_piece_, bytes_});
}

void Span::piece_since(cl_ulong begin) {
  if (!on_) return;
  ++pieces_;
  longest_piece_ = std::max(longest_piece_, now_ns() - begin);
}

void add_kernel(const Event& event, unsigned device, cl_ulong begin, cl_ulong end) {
  if (!on()) return;
  records().add(records().spans, {event.number, Activity::kernel, static_cast<uint16_t>(device), 1, begin,
                                  end, end - begin, 0});
}

void name_command(const Event& event, const std::string& kernel) {
  if (!on()) return;
  Records& all = records();
  std::lock_guard lock(all.mutex);
  all.kernels[event.number] =
      all.names.try_emplace(kernel, static_cast<uint32_t>(all.names.size())).first->second;
}

void command_ended(const Event& event) {
  if (!on() || event.number == 0) return;
  Records& all = records();
  uint32_t name = 0;
  {
    std::lock_guard lock(all.mutex);
    if (const auto named = all.kernels.extract(event.number)) name = named.mapped();
    all.managed |= event.context->devices[0]->lease.client != nullptr;
  }
  all.add(all.commands, {event.number, event.type, name, event.time(CL_PROFILING_COMMAND_QUEUED),
                         event.time(CL_PROFILING_COMMAND_SUBMIT), event.time(CL_PROFILING_COMMAND_START),
                         event.time(CL_PROFILING_COMMAND_END), std::min(event.status(), CL_COMPLETE)});
}

void mark_job(bool begin) {
  if (on()) records().add(records().marks, {begin, now_ns()});
}

void write() {
  if (!on()) return;
  Records& all = records();
  std::lock_guard lock(all.mutex);
  if (all.commands.empty() && all.marks.empty()) return;
  const std::string& to = Config::get().trace;
  std::FILE* file = std::fopen(to.c_str(), "we");
  const std::string text = as_text(all);
  if (!file || std::fwrite(text.data(), 1, text.size(), file) != text.size())
    warn("the trace could not be written to " + to);
  if (file) std::fclose(file);
}

}  // namespace samcl::trace
