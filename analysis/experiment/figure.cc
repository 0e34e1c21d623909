#include "analysis/experiment/figure.h"

#include "analysis/generator/draw.h"

namespace samcl::analysis {
namespace {

std::vector<double> steps(int from, int to, double unit) {
  std::vector<double> points;
  for (int n = from; n <= to; ++n) points.push_back(n * unit);
  return points;
}

Figure sparc() {
  Figure figure;
  figure.title = "GPU-SPARC, Fig. ";
  figure.form = Form::gpu_sparc;
  figure.policies = {ModePolicy::single, ModePolicy::local, ModePolicy::gema, ModePolicy::search, ModePolicy::optimal};
  return figure;
}

Figure sam() {
  Figure figure;
  figure.title = "GPU-SAM, Fig. ";
  figure.sets.classes = true;
  figure.policies = {ModePolicy::single, ModePolicy::local, ModePolicy::gpa, ModePolicy::search, ModePolicy::optimal};
  return figure;
}

Figure over_utilisation(Figure figure) {
  figure.axis = Axis::gpu_utilisation;
  figure.targets = steps(1, 20, kTargetStep);  // to M_G = 4
  figure.dependencies = {0};
  return figure;
}

Figure over_dependency(Figure figure, double target) {
  figure.axis = Axis::dependency;
  figure.targets = {target};
  figure.dependencies = steps(0, 10, 0.1);
  return figure;
}

}  // namespace

const char* name(Axis axis) { return axis == Axis::dependency ? "P_D" : "U_G"; }

const char* name(Reading reading) { return reading == Reading::chain ? "chain" : "class"; }

std::optional<Figure> find_figure(const std::string& name) {
  Figure figure;
  if (name == "fig7")
    figure = over_utilisation(sparc());
  else if (name == "fig8")
    figure = over_dependency(sparc(), 1.2);
  else if (name == "fig9")
    figure = over_utilisation(sam());
  else if (name == "fig10")
    figure = over_dependency(sam(), 1.4);
  else
    return std::nullopt;
  figure.name = name;
  figure.title += name.substr(3) + ": schedulable task sets over " +
                  (figure.axis == Axis::dependency ? "the probability of dependent kernels" : "GPU utilisation");
  return figure;
}

TaskSet chain_at(const Figure& figure, size_t dependency, uint64_t seed, uint64_t n) {
  PaperSet wanted = figure.sets;
  wanted.gpu_utilisation = figure.targets.back();
  if (figure.axis == Axis::dependency) wanted.dependency = figure.dependencies[dependency];
  return paper_set(wanted, seed_of(seed_of(seed, dependency), n));
}

}  // namespace samcl::analysis
