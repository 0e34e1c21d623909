#include "tools/sam-profile/stages.h"

#include <algorithm>
#include <map>

namespace samcl::profile {
namespace {

Time section_of(const Span& span) {
  if (span.resource != Resource::gpu || span.pieces == 1) return span.longest_piece;
  return std::min(2 * span.longest_piece, span.end - span.begin);
}

// The time in which at least one of the spans lasts; `spans` by begin.
Work covered(const std::vector<const Span*>& spans) {
  Work work;
  Time until = spans.empty() ? 0 : spans.front()->begin;
  for (const Span* span : spans) {
    work.time += std::max<Time>(0, span->end - std::max(span->begin, until));
    until = std::max(until, span->end);
    work.section = std::max(work.section, section_of(*span));
  }
  return work;
}

// What one command did, in the order every command does it.
struct Course {
  Time first = 0, last = 0;  // of all its spans
  Work in;                   // transfers that began before its last kernel ended
  Launch launch;
  Work out;  // those after it: merging
  size_t in_count = 0, out_count = 0;
  Time host = 0;  // within it, but not in the above
  bool launches = false, merges = false;
};

Launch launch_of(const Command& command) {
  std::map<unsigned, Time> by_device;
  Launch launch{command.kernel.empty() ? "(fill, copy or image)" : command.kernel, {}, 0};
  for (const Span& span : command.spans) {
    if (span.resource != Resource::gpu) continue;
    by_device[span.device] += span.end - span.begin;
    launch.work.time = std::max(launch.work.time, by_device[span.device]);
    launch.work.section = std::max(launch.work.section, section_of(span));
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
  for (const Span& span : command.spans) {
    course.last = std::max(course.last, span.end);
    if (span.resource == Resource::gpu) kernel_end = std::max(kernel_end, span.end);
    course.merges |= span.resource == Resource::host;
  }
  std::vector<const Span*> in, out;
  for (const Span& span : command.spans) {
    if (span.resource == Resource::link)
      (!course.launches || span.begin < kernel_end ? in : out).push_back(&span);
  }
  course.in = covered(in);
  course.out = covered(out);
  course.in_count = in.size();
  course.out_count = out.size();
  course.host = std::max<Time>(
      0, course.last - course.first - course.in.time - course.launch.work.time - course.out.time);
  return course;
}

class Builder {
 public:
  Builder() { stages_.intervals.emplace_back(); }

  void host(Time time) {
    Interval& interval = stages_.intervals.back();
    (interval.transfer_count == 0 ? interval.host_before : interval.host_after) += time;
  }
  void transfers(const Work& work, size_t count) {
    if (count == 0) return;
    Interval& interval = stages_.intervals.back();
    interval.transfers.time += work.time;
    interval.transfers.section = std::max(interval.transfers.section, work.section);
    interval.transfer_count += count;
  }
  void launch(Launch launch) {
    stages_.launches.push_back(std::move(launch));
    stages_.intervals.emplace_back();
  }
  JobStages finish(Time length) {
    stages_.length = length;
    stages_.overlap =
        std::max<Time>(0, stages_.host_time() + stages_.transfer_time() + stages_.launch_time() - length);
    return std::move(stages_);
  }

 private:
  JobStages stages_;
};

}  // namespace

Time JobStages::host_time() const {
  Time sum = 0;
  for (const Interval& interval : intervals) sum += interval.host_before + interval.host_after;
  return sum;
}

Time JobStages::transfer_time() const {
  Time sum = 0;
  for (const Interval& interval : intervals) sum += interval.transfers.time;
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
  std::stable_sort(courses.begin(), courses.end(),
                   [](const Course& a, const Course& b) { return a.first < b.first; });

  Builder builder;
  Time done = job.begin;
  for (Course& course : courses) {
    builder.host(std::max<Time>(0, course.first - done));
    done = std::max(done, course.last);
    builder.transfers(course.in, course.in_count);
    if (!course.merges) builder.host(course.host);
    if (course.launches) builder.launch(std::move(course.launch));
    builder.transfers(course.out, course.out_count);
    if (course.merges) builder.host(course.host);
  }
  builder.host(std::max<Time>(0, job.end - done));
  return builder.finish(job.end - job.begin);
}

}  // namespace samcl::profile
