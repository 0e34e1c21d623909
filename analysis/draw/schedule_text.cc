#include <algorithm>

#include "analysis/draw/schedule_drawing.h"
#include "base/duration.h"

namespace samcl::analysis {
namespace {

char letter(size_t task) {
  constexpr char kLetters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
  return kLetters[task % (sizeof kLetters - 1)];
}

std::string padded(std::string text, size_t width) {
  text.resize(std::max(width, text.size()), ' ');
  return text;
}

// Times of a frame as columns of a line.
struct Scale {
  Frame frame;
  int columns;
  double column(Time time) const {
    return static_cast<double>(time - frame.begin) / static_cast<double>(frame.end - frame.begin) * columns;
  }
};

// Which task has the most of each column.
std::string element_line(const Schedule& schedule, Resource resource, int element, const Scale& scale) {
  const auto columns = static_cast<size_t>(scale.columns);
  std::string line(columns, '.');
  std::vector<double> most(columns, 0);
  for (const Segment& segment : schedule.segments) {
    if (segment.resource != resource || segment.element != element) continue;
    const double begin = std::max(0.0, scale.column(segment.start));
    const double end = std::min(static_cast<double>(columns), scale.column(segment.end));
    for (auto column = static_cast<size_t>(begin); static_cast<double>(column) < end; ++column) {
      const double part = std::min(end, static_cast<double>(column + 1)) - std::max(begin, static_cast<double>(column));
      if (part <= most[column]) continue;
      most[column] = part;
      line[column] = letter(segment.task);
    }
  }
  return line;
}

std::string task_line(const Schedule& schedule, size_t task, const Scale& scale) {
  std::string line(static_cast<size_t>(scale.columns) + 1, ' ');
  const auto mark = [&](Time time, char sign) {
    if (time >= scale.frame.begin && time <= scale.frame.end) line[static_cast<size_t>(scale.column(time))] = sign;
  };
  for (const FinishedJob& job : schedule.jobs)
    if (job.task == task) mark(job.release, '|');
  for (const FinishedJob& job : schedule.jobs)
    if (job.task == task) mark(job.finish, '*');
  line.erase(line.find_last_not_of(' ') + 1);
  return line;
}

}  // namespace

Frame around(const FinishedJob& job) {
  const Time margin = std::max<Time>(1, job.response() / 6);
  return {std::max<Time>(0, job.release - margin), job.finish + margin};
}

std::string schedule_text(const TaskSet& set, const Schedule& schedule, const Frame& frame, int columns) {
  const Scale scale{frame, columns};
  size_t width = 6;
  for (const Task& task : set.tasks) width = std::max(width, task.name.size() + 2);
  if (set.platform.bound) width = std::max(width, set.platform.name_of(Resource::gpu, set.platform.gpus - 1).size());
  std::string text;
  for (const Resource resource : kResources)
    for (int element = 0; element < set.platform.elements(resource); ++element)
      text += padded(set.platform.name_of(resource, element), width) + " " +
              element_line(schedule, resource, element, scale) + "\n";
  for (size_t i = 0; i < set.tasks.size(); ++i)
    text +=
        padded(std::string(1, letter(i)) + " " + set.tasks[i].name, width) + " " + task_line(schedule, i, scale) + "\n";
  return text + padded("", width) + " " + format_duration(frame.begin) + " to " + format_duration(frame.end) +
         "; | release, * end\n";
}

}  // namespace samcl::analysis
