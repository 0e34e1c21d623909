#include <algorithm>
#include <array>

#include "analysis/draw/schedule_drawing.h"
#include "analysis/draw/svg.h"
#include "base/duration.h"

namespace samcl::analysis {
namespace {

constexpr double kTop = 44, kWidth = 1100, kLane = 30, kBar = 20, kMarks = 22;

// The time line, and what is drawn along it.
class Canvas : public Svg {
 public:
  Canvas(const Frame& frame, double left) : left(left), frame_(frame) {}

  double x(Time time) const {
    return left + static_cast<double>(time - frame_.begin) / static_cast<double>(frame_.end - frame_.begin) * kWidth;
  }
  bool shows(Time time) const { return time >= frame_.begin && time <= frame_.end; }

  void bar(double x, double y, double width, const std::string& fill, const std::string& tooltip) {
    rect(x, y, width, kBar, "fill=\"" + fill + "\" stroke=\"#ffffff\" stroke-width=\"0.6\"", tooltip);
  }
  // An arrow of the lane's height, up for a release, down for a deadline.
  void arrow(double x, double top, double bottom, bool up, const std::string& colour) {
    const std::string stroke = "stroke=\"" + colour + "\"";
    line(x, top, x, bottom, stroke + " stroke-width=\"1.5\"" + (up ? "" : " stroke-dasharray=\"3 2\""));
    const double tip = up ? top : bottom, back = up ? top + 5 : bottom - 5;
    polyline(std::array{std::pair{x - 3, back}, std::pair{x, tip}, std::pair{x + 3, back}}, stroke);
  }

  const double left;  // where the time line begins

 private:
  Frame frame_;
};

void draw_axis(Canvas& canvas, const Frame& frame, double top, double bottom) {
  const Time step = round_step(frame.end - frame.begin);
  for (Time time = (frame.begin + step - 1) / step * step; time <= frame.end; time += step) {
    canvas.line(canvas.x(time), top, canvas.x(time), bottom, "stroke=\"#dddddd\"");
    canvas.text(canvas.x(time), bottom + 16, format_duration(time), "text-anchor=\"middle\" fill=\"#555555\"");
  }
}

void draw_element(Canvas& canvas, const TaskSet& set, const Schedule& schedule, const Frame& frame, Resource resource,
                  int element, double y) {
  canvas.text(8, y + 15, set.platform.name_of(resource, element));
  canvas.line(canvas.left, y + kBar, canvas.left + kWidth, y + kBar, "stroke=\"#555555\"");
  for (const Segment& segment : schedule.segments) {
    if (segment.resource != resource || segment.element != element) continue;
    const Time start = std::max(segment.start, frame.begin), end = std::min(segment.end, frame.end);
    if (start >= end) continue;
    const Task& task = set.tasks[segment.task];
    canvas.bar(canvas.x(start), y, canvas.x(end) - canvas.x(start), svg_colour(segment.task),
               task.name + ", job " + std::to_string(segment.job + 1) + ", stage " + std::to_string(segment.stage + 1) +
                   ": " + format_duration(segment.start) + " to " + format_duration(segment.end));
    const std::string label = task.name + "." + std::to_string(segment.stage + 1);
    if (canvas.x(end) - canvas.x(start) > 7.5 * static_cast<double>(label.size()))
      canvas.text((canvas.x(start) + canvas.x(end)) / 2, y + 14, label, "text-anchor=\"middle\" font-size=\"11\"");
  }
}

void draw_marks(Canvas& canvas, const TaskSet& set, const Schedule& schedule, size_t task, double y) {
  canvas.text(8, y + 15, set.tasks[task].name, "fill=\"" + std::string(svg_colour(task)) + "\" font-weight=\"bold\"");
  canvas.line(canvas.left, y + kMarks - 2, canvas.left + kWidth, y + kMarks - 2, "stroke=\"#bbbbbb\"");
  for (const FinishedJob& job : schedule.jobs) {
    if (job.task != task) continue;
    const Time deadline = job.release + set.tasks[task].deadline;
    if (canvas.shows(job.release)) canvas.arrow(canvas.x(job.release), y + 2, y + kMarks - 2, true, svg_colour(task));
    if (canvas.shows(deadline)) canvas.arrow(canvas.x(deadline), y + 2, y + kMarks - 2, false, svg_colour(task));
    if (canvas.shows(job.finish))
      canvas.circle(canvas.x(job.finish), y + kMarks - 7, 3.5,
                    "fill=\"" + std::string(job.finish > deadline ? "#d00000" : svg_colour(task)) + "\"");
  }
}

}  // namespace

std::string schedule_svg(const TaskSet& set, const Schedule& schedule, const Frame& frame, const std::string& title) {
  size_t longest = 6;
  for (const Task& task : set.tasks) longest = std::max(longest, task.name.size());
  if (set.platform.bound)
    longest = std::max(longest, set.platform.name_of(Resource::gpu, set.platform.gpus - 1).size());
  Canvas canvas(frame, 16 + 9 * static_cast<double>(longest));
  double lanes = 0;
  for (const Resource resource : kResources) lanes += set.platform.elements(resource) * kLane;
  const double marks = kTop + lanes + 8;
  const double bottom = marks + static_cast<double>(set.tasks.size()) * kMarks;
  canvas.text(8, 20, title, "font-size=\"14\"");
  draw_axis(canvas, frame, kTop - 6, bottom + 4);
  double y = kTop;
  for (const Resource resource : kResources)
    for (int element = 0; element < set.platform.elements(resource); ++element, y += kLane)
      draw_element(canvas, set, schedule, frame, resource, element, y);
  for (size_t task = 0; task < set.tasks.size(); ++task)
    draw_marks(canvas, set, schedule, task, marks + static_cast<double>(task) * kMarks);
  canvas.text(canvas.left, bottom + 42, "Arrow up: release. Dashed arrow down: deadline. Circle: end, red if late.",
              "fill=\"#555555\"");
  return canvas.finish(canvas.left + kWidth + 30, bottom + 54);
}

}  // namespace samcl::analysis
