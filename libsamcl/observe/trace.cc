#include "libsamcl/observe/trace.h"

#include <fcntl.h>
#include <pthread.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <ctime>
#include <map>
#include <mutex>
#include <set>

#include "base/trace_events.h"
#include "libsamcl/observe/plan_graph.h"
#include "libsamcl/observe/trace_span.h"
#include "libsamcl/observe/trace_stream.h"
#include "libsamcl/settings/config.h"

namespace samcl::trace {
namespace {

using observe::Operation;
using trace_events::Row;

constexpr const char* kActivityNames[] = {"upload", "download", "kernel", "image", "local", "merge"};
// Calls that only ask or set are shown from there on.
constexpr cl_ulong kLongCall = 20'000;
constexpr uint64_t kMostOfASpan = 64 << 20;  // bytes

uint64_t cpu_ns(clockid_t clock) {
  timespec used{};
  clock_gettime(clock, &used);
  return static_cast<uint64_t>(used.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(used.tv_nsec);
}

// A command that has not ended.
struct Open {
  observe::Command command;
  Row caller;  // of the call that enqueued it; 0: none
  cl_ulong called = 0;
  bool has_begun = false, has_arrow = false;  // in the trace
};

struct Tracer {
  observe::TraceStream& stream = observe::TraceStream::make();
  std::mutex mutex;  // guards what follows, and when operations ran; the stream's own are taken under it
  std::map<CommandNumber, Open> commands;
  std::set<uint64_t> rows;  // that have names
  observe::PlanGraph graph;
  CommandNumber last_command = 0;
  uint64_t last_operation = 0, last_arrow = 0, last_job = 0;
  unsigned open = 0;  // commands
  // That of sam-ctl.
  int span_file = -1;
  uint64_t span_until = 0;
  bool is_named = false, is_managed = false, any = false;
};

Tracer& tracer() {
  static Tracer* const tracer = new Tracer;
  return *tracer;
}

thread_local OnBehalfOf::Whose whose;
thread_local bool in_call = false, is_known_thread = false;

uint64_t process() {
  static const auto number = static_cast<uint64_t>(getpid());
  return number;
}

// Of the calling thread.
uint64_t thread_row() {
  thread_local const auto number = static_cast<uint64_t>(gettid());
  return number;
}

// Of a device: its lanes, calls, and its further strands.
constexpr uint64_t kRowsOfDevice = 4 + engine::Lane::kMostStrands;

// The host's lane belongs to device 0 and has a row of its own, and so have calls beside a driver's queue.
uint64_t row_of(engine::Lane lane, By by, bool is_call) {
  using engine::LaneKind;
  if (lane.kind == LaneKind::host) return trace_events::kFirstOwnRow;
  const unsigned kind = lane.kind == LaneKind::compute ? (is_call && by == By::driver ? 3 : 0)
                        : lane.kind == LaneKind::up    ? 1
                                                       : 2;
  return trace_events::kFirstOwnRow + 1 + kRowsOfDevice * lane.device + (lane.strand > 0 ? 3 + lane.strand : kind);
}

bool is_call(const engine::Node& node) { return std::holds_alternative<engine::HostCall>(node.operation); }

std::string name_of_row(uint64_t row) {
  constexpr const char* kKinds[] = {"compute", "up", "down", "calls"};
  if (row == trace_events::kFirstOwnRow) return "host";
  if (row < trace_events::kFirstOwnRow) {
    char name[16] = "";
    pthread_getname_np(pthread_self(), name, sizeof name);
    return std::string("calls of ") + name;
  }
  const uint64_t lane = row - trace_events::kFirstOwnRow - 1;
  const uint64_t kind = lane % kRowsOfDevice;
  return "device " + std::to_string(lane / kRowsOfDevice) + ": " +
         (kind < 4 ? kKinds[kind] : "compute, strand " + std::to_string(kind - 3));
}

void open_trace(std::string path);

// Under the tracer's lock. The text is described, not added: every file begins with it.
void introduce(Tracer& all, uint64_t row) {
  if (!std::exchange(all.any, true) && !Config::get().trace.empty()) open_trace(Config::get().trace);
  std::string text;
  if (!std::exchange(all.is_named, true)) {
    const std::string& task = Config::get().task;
    trace_events::name_process(
        text, process(), program_invocation_short_name + (task.empty() ? "" : " (task " + task + ")"), "samcl-trace 2");
  }
  if (row != 0 && all.rows.insert(row).second) {
    const bool is_lane = row > trace_events::kFirstOwnRow;
    trace_events::name_row(text, {process(), row}, name_of_row(row),
                           is_lane                             ? static_cast<unsigned>(row - trace_events::kFirstOwnRow)
                           : row == trace_events::kFirstOwnRow ? 1000
                                                               : 0);
  }
  if (!text.empty()) all.stream.describe(text);
}

// The calling thread's row: that of the operation it does, else its own.
Row present_row(Tracer& all) {
  if (whose.row != 0) return {process(), whose.row};
  if (!std::exchange(is_known_thread, true)) introduce(all, thread_row());
  return {process(), thread_row()};
}

std::string drop_line(uint64_t dropped) {
  std::string line;
  trace_events::Event(line, 'M', "process_sort_index", {process(), 0}, 0)
      .argument("sort_index", 0)
      .argument("dropped", dropped);
  return line;
}

void end_span(Tracer& all) {
  all.stream.finish_file(std::exchange(all.span_file, -1), drop_line);
  if (Config::get().trace.empty()) wanted_flags.fetch_and(~unsigned{kTrace});
}

// What the program waits for must not fail because we cannot tell of it.
template <typename Tell>
void tell(Tell say) {
  if (static_cast<uint64_t>(getpid()) != process()) return;  // a child made by fork; others may have held our lock
  try {
    Tracer& all = tracer();
    std::lock_guard lock(all.mutex);
    if (all.span_file >= 0 && now_ns() > all.span_until) end_span(all);
    std::string lines;
    say(all, lines);
    if (on() && !lines.empty()) all.stream.add(lines);
  } catch (...) {  // it goes on without being told of
  }
}

Row row_of(const Operation& operation) { return {process(), operation.row}; }

// From what `from` did to `to`, which waited for it. Its end may have been heard of late.
void add_arrow(Tracer& all, std::string& lines, const Operation& from, const Operation& to) {
  const cl_ulong last = from.ended > from.began ? from.ended - 1 : from.began;
  const cl_ulong at = std::max(from.began, std::min(last, to.began));
  if (at <= to.began) trace_events::arrow(lines, ++all.last_arrow, "then", row_of(from), at, row_of(to), to.began);
}

void add_arrows(Tracer& all, std::string& lines, const std::shared_ptr<Operation>& done) {
  for (const auto& from : std::exchange(done->before, {})) {
    if (from->ended != 0) {
      add_arrow(all, lines, *from, *done);
    } else {
      from->behind.push_back(done);
    }
  }
  for (const auto& to : std::exchange(done->behind, {})) add_arrow(all, lines, *done, *to);
}

void begin_command(std::string& lines, Open& open, cl_ulong queued) {
  if (std::exchange(open.has_begun, true)) return;
  trace_events::Event(lines, 'b', open.command.name(), {process(), 0}, queued)
      .category("command")
      .id(open.command.number);
}

int open_file(const std::string& path) {
  const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
  if (file < 0 || flock(file, LOCK_EX | LOCK_NB) == 0) return file;
  close(file);
  return -1;
}

// "%p" is the process's number. Where another process writes to the file already, ours has the number at its end.
void open_trace(std::string path) {
  const std::string number = std::to_string(getpid());
  for (size_t at = path.find("%p"); at != std::string::npos; at = path.find("%p", at)) path.replace(at, 2, number);
  int file = open_file(path);
  if (file < 0) file = open_file(path + "." + number);
  if (file < 0 || ftruncate(file, 0) != 0) return warn("the trace cannot be written to " + path);
  tracer().stream.add_file(file);
}

}  // namespace

unsigned read_settings() {
  static const unsigned once = [] {
    const Config& config = Config::get();
    const unsigned flags = (config.trace.empty() ? 0u : kTrace) | (config.plan.empty() ? 0u : kPlan);
    wanted_flags = flags;
    return flags;
  }();
  return once;
}

CommandNumber submitted(cl_command_type type) {
  if (!observes()) return 0;
  CommandNumber number = 0;
  tell([&](Tracer& all, std::string& lines) {
    number = ++all.last_command;
    Open& open = all.commands[number];
    open.command.number = number;
    open.command.type = type;
    if (!on()) return;
    if (in_call) open.caller = {process(), thread_row()};
    open.called = now_ns();
    introduce(all, 0);
    trace_events::Event(lines, 'C', "commands", {process(), 0}, open.called).argument("open", ++all.open);
  });
  return number;
}

void name_command(CommandNumber number, const std::string& kernel, const std::string& why_not_more) {
  if (!observes() || number == 0) return;
  tell([&](Tracer& all, std::string&) {
    observe::Command& command = all.commands[number].command;
    command.kernel = kernel;
    command.why_not_more = why_not_more;
  });
}

void planned(CommandNumber number, cl_ulong queued) {
  if (!on() || number == 0) return;
  tell([&](Tracer& all, std::string& lines) {
    const auto open = all.commands.find(number);
    if (open != all.commands.end()) begin_command(lines, open->second, queued);
  });
}

void command_ended(const EndedCommand& one) {
  tell([&](Tracer& all, std::string& lines) {
    auto open = all.commands.extract(one.number);
    if (!open) return;
    observe::Command& command = open.mapped().command;
    command.status = std::min(one.status, CL_COMPLETE);
    if (on()) {
      if (!all.is_managed && one.is_managed) {
        std::string text;
        trace_events::Event(text, 'M', "process_labels", {process(), 0}, 0)
            .argument("labels", "managed")
            .argument("managed", true);
        all.stream.describe(text);
        all.is_managed = true;
      }
      begin_command(lines, open.mapped(), one.queued);
      {
        trace_events::Event end(lines, 'e', command.name(), {process(), 0}, one.ended);
        end.category("command").id(one.number).argument("type", command.type);
        end.argument("queued", one.queued)
            .argument("submitted", one.submitted)
            .argument("started", one.started)
            .argument("status", command.status);
        if (!command.kernel.empty()) end.argument("kernel", command.kernel);
        if (!command.why_not_more.empty()) end.argument("why_not_more_devices", command.why_not_more);
      }
      if (all.open > 0) --all.open;
      trace_events::Event(lines, 'C', "commands", {process(), 0}, one.ended).argument("open", all.open);
    }
    if (wanted() & kPlan) all.graph.add(std::move(command));
  });
}

namespace {

// Kernels and calls are known by what the program asked for; calls on a link bring outputs together.
std::string name_of(Tracer& all, const engine::Node& node) {
  const bool is_kernel = std::holds_alternative<engine::RunKernel>(node.operation);
  const auto* call = std::get_if<engine::HostCall>(&node.operation);
  if (call && call->call && node.lane.kind == engine::LaneKind::down) return "merge";
  const auto command = all.commands.find(node.command);
  if (command == all.commands.end() || !(is_kernel || (call && call->call))) return observe::name_of(node.operation);
  return command->second.command.name();
}

}  // namespace

void entered(const engine::NodePtr& node, std::vector<observe::Use> uses, std::span<const engine::NodePtr> after) {
  const auto* call = std::get_if<engine::HostCall>(&node->operation);
  if (call && !call->call && wanted() == kTrace) return;  // a join never runs
  tell([&](Tracer& all, std::string&) {
    auto operation = std::make_shared<Operation>();
    operation->number = ++all.last_operation;
    operation->command = node->command;
    operation->group = node->group;
    operation->lane = node->lane;
    operation->what = name_of(all, *node);
    operation->bytes = engine::bytes_of(node->operation);
    operation->uses = std::move(uses);
    for (const engine::NodePtr& before : after) {
      if (!before->observed_as) continue;
      operation->after.push_back(before->observed_as->number);
      operation->before.push_back(before->observed_as);
    }
    if (wanted() & kPlan) all.graph.add(operation);
    node->observed_as = std::move(operation);
  });
}

void ran(const engine::Node& node, By by, cl_ulong began, cl_ulong ended, cl_int status) {
  if (!node.observed_as) return;
  tell([&](Tracer& all, std::string& lines) {
    Operation& operation = *node.observed_as;
    operation.began = std::max<cl_ulong>(began, 1);
    operation.ended = std::max(ended, operation.began);
    operation.status = status;
    if (!on()) {
      operation.before.clear();
      return;
    }
    const uint64_t row = operation.row = row_of(node.lane, by, is_call(node));
    introduce(all, row);
    const auto command = all.commands.find(node.command);
    {
      trace_events::Event slice(lines, 'X', operation.what, {process(), row}, operation.began);
      slice.duration(operation.ended - operation.began);
      const bool is_resource = by == By::driver && !is_call(node);
      slice.category(is_resource ? "operation,resource" : "operation");
      slice.argument("operation", operation.number).argument("command", node.command);
      if (command != all.commands.end()) slice.argument("of", command->second.command.name());
      slice.argument("bytes", operation.bytes);
      if (is_resource) {
        const std::string& what = operation.what;
        const bool is_kernel = std::holds_alternative<engine::RunKernel>(node.operation);
        const bool is_link = what == "upload" || what == "download";
        slice.argument("activity", is_kernel ? "kernel" : is_link ? std::string_view(what) : "local");
        slice.argument("device", node.lane.device).argument("pieces", 1);
        // What CPU time the driver took is not known: no more than that, since one thread fed it.
        for (const char* name : {"longest_piece", "most_cpu", "longest_piece_cpu"})
          slice.argument(name, operation.ended - operation.began);
      }
      if (status != CL_SUCCESS) slice.argument("status", status);
      if (command != all.commands.end() && !command->second.command.why_not_more.empty()) {
        slice.argument("why_not_more_devices", command->second.command.why_not_more);
      }
    }
    if (command != all.commands.end() && command->second.caller.row != 0 &&
        !std::exchange(command->second.has_arrow, true)) {
      const Open& open = command->second;
      if (open.called <= operation.began) {
        trace_events::arrow(lines, ++all.last_arrow, "enqueued", open.caller, open.called, {process(), row},
                            operation.began);
      }
    }
    add_arrows(all, lines, node.observed_as);
  });
}

OnBehalfOf::OnBehalfOf(const engine::Node& node, By by)
    : before_(std::exchange(whose, {node.command, row_of(node.lane, by, is_call(node))})) {}

OnBehalfOf::OnBehalfOf(CommandNumber command) : before_(std::exchange(whose, {command, 0})) {}

OnBehalfOf::~OnBehalfOf() { whose = before_; }

Span::Span(Activity activity, unsigned device, uint64_t bytes)
    : on_(on()), activity_(activity), device_(device), bytes_(bytes) {
  if (!on_) return;
  thread_cpu_ = cpu_ns(CLOCK_THREAD_CPUTIME_ID);
  process_cpu_ = piece_cpu_ = cpu_ns(CLOCK_PROCESS_CPUTIME_ID);
  whose_ = whose;
  begin_ = now_ns();
}

Span::~Span() {
  if (!on_) return;
  const cl_ulong end = now_ns();
  const uint64_t thread_cpu = cpu_ns(CLOCK_THREAD_CPUTIME_ID) - thread_cpu_;
  const uint64_t process_cpu = cpu_ns(CLOCK_PROCESS_CPUTIME_ID) - process_cpu_;
  if (pieces_ == 0) longest_piece_ = end - begin_;
  if (pieces_ == 0) longest_piece_cpu_ = process_cpu;
  tell([&](Tracer& all, std::string& lines) {
    const char* const name = kActivityNames[static_cast<size_t>(activity_)];
    trace_events::Event slice(lines, 'X', name, present_row(all), begin_);
    slice.duration(end - begin_).category("resource").argument("activity", name).argument("device", device_);
    slice.argument("command", whose.command).argument("bytes", bytes_);
    slice.argument("pieces", std::max(pieces_, 1u)).argument("longest_piece", longest_piece_);
    slice.argument("thread_cpu", thread_cpu).argument("process_cpu", process_cpu);
    slice.argument("longest_piece_cpu", longest_piece_cpu_);
  });
}

// The first one is shown when there is a second: else it is the whole. From then on first_piece_ has the last one's
// end: the next begins no earlier, though the clock was read in between.
void Span::piece_since(cl_ulong begin) {
  if (!on_) return;
  const cl_ulong end = now_ns();
  longest_piece_ = std::max(longest_piece_, end - begin);
  const uint64_t cpu = cpu_ns(CLOCK_PROCESS_CPUTIME_ID);
  longest_piece_cpu_ = std::max(longest_piece_cpu_, cpu - std::exchange(piece_cpu_, cpu));
  const bool is_kernel = activity_ == Activity::kernel;
  if (++pieces_ == 1) {
    first_piece_ = {begin, end};
    return;
  }
  const char* const name = is_kernel ? "slice" : "chunk";
  const OnBehalfOf::Whose before = std::exchange(whose, whose_);
  if (pieces_ == 2) add_slice(name, "piece", first_piece_.first, first_piece_.second);
  add_slice(name, "piece", std::max(begin, first_piece_.second), end);
  first_piece_.second = end;
  whose = before;
}

void add_slice(const char* name, const char* category, cl_ulong begin, cl_ulong end) {
  tell([&](Tracer& all, std::string& lines) {
    trace_events::Event(lines, 'X', name, present_row(all), begin).duration(end - begin).category(category);
  });
}

void Call::begin() {
  is_inner_ = std::exchange(in_call, true);
  begin_ = now_ns();
}

// Calls inside calls are ours, or a wrapper's.
void Call::end() {
  if (is_inner_) return;
  in_call = false;
  const cl_ulong end = now_ns();
  if (is_minor_ && end - begin_ < kLongCall) return;
  const OnBehalfOf::Whose before = std::exchange(whose, {});
  add_slice(name_, "call", begin_, end);
  whose = before;
}

void mark_job(bool begin) {
  if (!on()) return;
  tell([&](Tracer& all, std::string& lines) {
    introduce(all, 0);
    const uint64_t job = begin ? ++all.last_job : all.last_job;
    trace_events::Event(lines, begin ? 'b' : 'e', "job", {process(), 0}, now_ns()).category("job").id(job);
  });
}

int begin_span(uint64_t until_ns) {
  int file = -1;
  static_cast<void>(wanted());  // the settings are read
  tell([&](Tracer& all, std::string&) {
    if (until_ns <= now_ns()) return;
    introduce(all, 0);
    if (all.span_file < 0) {
      all.span_file = memfd_create("samcl-trace", MFD_CLOEXEC);
      if (all.span_file < 0) return;
      all.stream.add_file(all.span_file, kMostOfASpan);
    }
    all.span_until = until_ns;
    wanted_flags.fetch_or(kTrace);
    file = all.span_file;
  });
  return file;
}

void write() {
  if (!observes()) return;
  Tracer& all = tracer();
  std::lock_guard lock(all.mutex);
  if (on()) all.stream.finish(drop_line);
  if (!(wanted() & kPlan) || all.graph.empty()) return;
  const std::string& to = Config::get().plan;
  std::FILE* file = std::fopen(to.c_str(), "we");
  const std::string text = all.graph.dot();
  if (!file || std::fwrite(text.data(), 1, text.size(), file) != text.size()) {
    warn("the plan could not be written to " + to);
  }
  if (file) std::fclose(file);
}

}  // namespace samcl::trace
