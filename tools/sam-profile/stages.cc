#include "tools/sam-profile/stages.h"

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <utility>

namespace samcl::profile {
namespace {

Time section_of(const Span& span) {
  if (span.kind != SpanKind::gpu || span.pieces == 1) return span.longest_piece;
  return std::min(2 * span.longest_piece, span.end - span.begin);
}

// Sums of which a part is not known are not known.
Time plus(Time a, Time b) { return a == kNotTold || b == kNotTold ? kNotTold : a + b; }
Time longer(Time a, Time b) { return a == kNotTold || b == kNotTold ? kNotTold : std::max(a, b); }

// As section_of(): of the CPU time.
Time host_section_of(const Span& span) {
  if (span.host == kNotTold || span.longest_piece_cpu == kNotTold) return kNotTold;
  return std::min({(span.kind == SpanKind::gpu ? 2 : 1) * span.longest_piece_cpu, section_of(span), span.host});
}

void add_host(Work& work, const Span& span) {
  work.host = plus(work.host, span.host);
  work.host_section = longer(work.host_section, host_section_of(span));
}

// Of the device with most: a stage's subtasks are on their own devices.
void add_host(Work& work, const std::vector<const Span*>& spans) {
  std::map<unsigned, Work> by_device;
  for (const Span* span : spans) add_host(by_device[span->device], *span);
  for (const auto& [device, one] : by_device) {
    work.host = longer(work.host, one.host);
    work.host_section = longer(work.host_section, one.host_section);
  }
}

// A CPU can't have done more than that.
void end_host(Work& work) {
  // Clocks are read one after the other.
  constexpr Time kReading = 20'000;
  if (work.host > work.time + work.time / 20 + kReading) work.host = kNotTold;
  if (work.host != kNotTold) work.host = std::min(work.host, work.time);
}

// The most spans of which each begins when the one before has ended: whatever else went on at the same time,
// nothing asked for more one after the other.
size_t longest_chain(std::vector<const Span*> spans) {
  std::sort(spans.begin(), spans.end(), [](const Span* a, const Span* b) { return a->end < b->end; });
  size_t length = 0;
  Time until = std::numeric_limits<Time>::min();
  for (const Span* span : spans) {
    if (span->begin < until) continue;
    ++length;
    until = span->end;
  }
  return length;
}

// The time in which at least one of the spans lasts, and that between them; `spans` by begin. Requests are
// not counted.
Work covered(const std::vector<const Span*>& spans) {
  Work work;
  Time until = spans.empty() ? 0 : spans.front()->begin;
  for (const Span* span : spans) {
    work.between += std::max<Time>(0, span->begin - until);
    work.time += std::max<Time>(0, span->end - std::max(span->begin, until));
    until = std::max(until, span->end);
    work.section = std::max(work.section, section_of(*span));
  }
  add_host(work, spans);
  end_host(work);
  return work;
}

// What one command did, in the order every command does it.
struct Course {
  Time first = 0, last = 0;  // of all its spans
  std::vector<const Span*> in_spans, out_spans;
  Work in;  // transfers that began before its last kernel ended
  Launch launch;
  Work out;       // those after it: merging
  Time host = 0;  // within it, but not in the above
  bool launches = false;
  size_t merges = 0;  // in so many threads
};

// Spans on one GPU follow each other, those on different ones do not wait for each other.
Launch launch_of(const Command& command) {
  std::map<unsigned, std::vector<const Span*>> by_device;
  Launch launch{command.kernel.empty() ? "(fill, copy or image)" : command.kernel, {}, 0};
  for (const Span& span : command.spans) {
    if (span.kind != SpanKind::gpu) continue;
    by_device[span.device].push_back(&span);
  }
  for (const auto& [device, spans] : by_device) {
    const Work work = covered(spans);
    Work together;  // one after the other
    for (const Span* span : spans) together.time += span->end - span->begin;
    add_host(together, spans);
    end_host(together);
    launch.work.time = std::max(launch.work.time, together.time);
    launch.work.host = longer(launch.work.host, together.host);
    launch.work.host_section = longer(launch.work.host_section, together.host_section);
    launch.work.section = std::max(launch.work.section, work.section);
    launch.work.between = std::max(launch.work.between, work.between);
    launch.work.requests = std::max(launch.work.requests, longest_chain(spans));
  }
  launch.devices = static_cast<unsigned>(by_device.size());
  return launch;
}

Course course_of(const Command& command) {
  Course course;
  course.first = command.spans.front().begin;
  course.launch = launch_of(command);
  course.launches = course.launch.devices > 0;
  Time kernel_end = 0;
  std::set<unsigned> merging;
  for (const Span& span : command.spans) {
    course.last = std::max(course.last, span.end);
    if (span.kind == SpanKind::gpu) kernel_end = std::max(kernel_end, span.end);
    if (span.kind == SpanKind::host) merging.insert(span.device);
  }
  course.merges = merging.size();
  for (const Span& span : command.spans) {
    if (span.kind == SpanKind::link)
      (!course.launches || span.begin < kernel_end ? course.in_spans : course.out_spans).push_back(&span);
  }
  course.in = covered(course.in_spans);
  course.out = covered(course.out_spans);
  course.out.threads = std::max<size_t>(1, course.merges);
  course.host = course.last - course.first;
  // What is between the spans of one device may be at work on another.
  for (Work* work : {&course.in, &course.launch.work, &course.out})
    course.host = std::max<Time>(0, course.host - work->time);
  for (Work* work : {&course.in, &course.launch.work, &course.out}) {
    work->between = std::min(work->between, course.host);
    course.host -= work->between;
  }
  return course;
}

class Builder {
 public:
  Builder() { stages_.intervals.emplace_back(); }

  void host(Time time) {
    BetweenLaunches& interval = stages_.intervals.back();
    const bool is_first = interval.transfer_count == 0 && interval.merging.time == 0;
    (is_first ? interval.host_before : interval.host_after) += time;
  }
  void merging(Time time, size_t threads) {
    BetweenLaunches& interval = stages_.intervals.back();
    add_threads(interval.merging, time + std::exchange(interval.host_after, 0), threads);
  }
  void transfers(const Work& work, const std::vector<const Span*>& spans) {
    if (spans.empty()) return;
    BetweenLaunches& interval = stages_.intervals.back();
    interval.transfers.time += work.time;
    interval.transfers.section = std::max(interval.transfers.section, work.section);
    interval.transfers.host = plus(interval.transfers.host, work.host);
    interval.transfers.host_section = longer(interval.transfers.host_section, work.host_section);
    interval.transfers.between += work.between + interval.merging.time + std::exchange(interval.host_after, 0);
    interval.transfers.threads = std::max({interval.transfers.threads, work.threads, interval.merging.threads});
    interval.merging = {};
    interval.transfer_count += spans.size();
    spans_.insert(spans_.end(), spans.begin(), spans.end());
  }
  void launch(Launch launch) {
    end_interval();
    stages_.launches.push_back(std::move(launch));
    stages_.intervals.emplace_back();
  }
  JobStages finish(Time length) {
    end_interval();
    stages_.length = length;
    stages_.overlap = std::max<Time>(0, stages_.work() - length);
    return std::move(stages_);
  }

 private:
  static void add_threads(Work& work, Time time, size_t threads) {
    work.time += time;
    work.threads = std::max(work.threads, threads);
  }

  // Transfers that overlap leave the host nothing to do between requests.
  void end_interval() {
    BetweenLaunches& interval = stages_.intervals.back();
    Work& transfers = interval.transfers;
    transfers.requests = std::max<size_t>(1, longest_chain(std::exchange(spans_, {})));
    if (transfers.requests > 1) return;
    const Time between = std::exchange(transfers.between, 0);
    if (const size_t threads = std::exchange(transfers.threads, 1); threads > 1 && between > 0)
      add_threads(interval.merging, between, threads);
    else
      interval.host_after += between;
  }

  JobStages stages_;
  std::vector<const Span*> spans_;  // transfers of the interval at hand
};

}  // namespace

Time JobStages::host_time() const {
  Time sum = 0;
  for (const BetweenLaunches& interval : intervals)
    sum += interval.host_before + interval.transfers.between + interval.merging.time + interval.host_after;
  for (const Launch& launch : launches) sum += launch.work.between;
  return sum;
}

Time JobStages::transfer_time() const {
  Time sum = 0;
  for (const BetweenLaunches& interval : intervals) sum += interval.transfers.time;
  return sum;
}

Time JobStages::launch_time() const {
  Time sum = 0;
  for (const Launch& launch : launches) sum += launch.work.time;
  return sum;
}

JobStages stages_of(const Job& job) {
  std::vector<Course> courses;
  for (const Command& command : job.commands) {
    if (!command.spans.empty()) courses.push_back(course_of(command));
  }
  std::stable_sort(courses.begin(), courses.end(), [](const Course& a, const Course& b) { return a.first < b.first; });

  Builder builder;
  Time done = job.begin;
  for (Course& course : courses) {
    builder.host(std::max<Time>(0, course.first - done));
    done = std::max(done, course.last);
    builder.transfers(course.in, course.in_spans);
    if (course.merges == 0) builder.host(course.host);
    if (course.launches) builder.launch(std::move(course.launch));
    builder.transfers(course.out, course.out_spans);
    if (course.merges > 0) builder.merging(course.host, course.merges);
  }
  builder.host(std::max<Time>(0, job.end - done));
  return builder.finish(job.end - job.begin);
}

}  // namespace samcl::profile
