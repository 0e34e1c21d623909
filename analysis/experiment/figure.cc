#include "analysis/experiment/figure.h"

#include "analysis/generator/draw.h"

namespace samcl::analysis {
namespace {

std::vector<double> steps(int from, int to, double unit) {
  std::vector<double> points;
  for (int n = from; n <= to; ++n) points.push_back(n * unit);
  return points;
}

Figure sparc(const std::string& name) {
  Figure figure;
  figure.name = name;
  figure.form = Form::gpu_sparc;
  figure.policies = {Policy::single, Policy::local, Policy::gema, Policy::search, Policy::optimal};
  return figure;
}

Figure sam(const std::string& name) {
  Figure figure;
  figure.name = name;
  figure.sets.classes = true;
  figure.policies = {Policy::single, Policy::local, Policy::gpa, Policy::search, Policy::optimal};
  return figure;
}

void over_utilisation(Figure& figure, std::vector<double> points) {
  figure.axis = Axis::gpu_utilisation;
  figure.points = std::move(points);
}

void over_dependency(Figure& figure, double gpu_utilisation) {
  figure.axis = Axis::dependency;
  figure.points = steps(0, 10, 0.1);
  figure.sets.gpu_utilisation = gpu_utilisation;
}

}  // namespace

const char* name(Axis axis) {
  switch (axis) {
    case Axis::gpu_utilisation:
      return "U_G";
    case Axis::dependency:
      return "P_D";
    case Axis::gpus:
      return "GPUs";
  }
  return "?";
}

std::optional<Figure> find_figure(const std::string& name) {
  if (name == "fig7") {
    Figure figure = sparc(name);
    figure.title = "GPU-SPARC, Fig. 7: schedulable task sets over GPU utilisation";
    over_utilisation(figure, steps(1, 10, 0.05));
    return figure;
  }
  if (name == "fig8") {
    Figure figure = sparc(name);
    figure.title = "GPU-SPARC, Fig. 8: schedulable task sets over the probability of dependent kernels";
    over_dependency(figure, 0.1);
    return figure;
  }
  if (name == "fig9") {
    Figure figure = sam(name);
    figure.title = "GPU-SAM, Fig. 9: schedulable task sets over GPU utilisation";
    over_utilisation(figure, steps(1, 10, 0.2));
    return figure;
  }
  if (name == "fig10") {
    Figure figure = sam(name);
    figure.title = "GPU-SAM, Fig. 10: schedulable task sets over the probability of dependent kernels";
    over_dependency(figure, 0.6);
    return figure;
  }
  if (name == "fig11") {
    Figure figure = sam(name);
    figure.title = "GPU-SAM, Fig. 11: schedulable task sets over the number of GPUs";
    figure.axis = Axis::gpus;
    figure.points = steps(1, 8, 1);
    figure.sets.gpu_utilisation = 0.6;
    return figure;
  }
  return std::nullopt;
}

TaskSet task_set_at(const Figure& figure, size_t point, uint64_t seed, uint64_t n) {
  PaperSet wanted = figure.sets;
  const double value = figure.points[point];
  switch (figure.axis) {
    case Axis::gpu_utilisation:
      wanted.gpu_utilisation = value;
      break;
    case Axis::dependency:
      wanted.dependency = value;
      break;
    case Axis::gpus:
      wanted.platform.gpus = static_cast<int>(value);
      break;
  }
  return paper_set(wanted, seed_of(seed_of(seed, point), n));
}

}  // namespace samcl::analysis
