#include "analysis/experiment/figure.h"

#include "analysis/generator/draw.h"

namespace samcl::analysis {
namespace {

std::vector<double> steps(int from, int to, double unit) {
  std::vector<double> points;
  for (int n = from; n <= to; ++n) points.push_back(n * unit);
  return points;
}

struct Shown {
  std::string_view name;
  Form form;
  double target;  // of U_G where P_D varies; 0: U_G varies
};
constexpr Shown kShown[] = {{"fig7", Form::gpu_sparc, 0},
                            {"fig8", Form::gpu_sparc, 1.2},
                            {"fig9", Form::gpu_sam, 0},
                            {"fig10", Form::gpu_sam, 1.4}};

}  // namespace

const char* name(Axis axis) { return axis == Axis::dependency ? "P_D" : "U_G"; }

const char* name(Reading reading) { return reading == Reading::chain ? "chain" : "class"; }

std::optional<Figure> find_figure(const std::string& name) {
  for (const auto& [known, form, target] : kShown) {
    if (name != known) continue;
    const bool sam = form == Form::gpu_sam, over_utilisation = target == 0;
    Figure figure;
    figure.name = name;
    figure.title = std::string(sam ? "GPU-SAM" : "GPU-SPARC") + ", Fig. " + name.substr(3) +
                   ": schedulable task sets over " +
                   (over_utilisation ? "GPU utilisation" : "the probability of dependent kernels");
    figure.form = form;
    figure.axis = over_utilisation ? Axis::gpu_utilisation : Axis::dependency;
    figure.targets = over_utilisation ? steps(1, 20, kTargetStep) : std::vector{target};  // to M_G = 4
    figure.dependencies = over_utilisation ? std::vector{0.0} : steps(0, 10, 0.1);
    figure.sets.classes = sam;
    figure.policies = {ModePolicy::single, ModePolicy::local, sam ? ModePolicy::gpa : ModePolicy::gema,
                       ModePolicy::search, ModePolicy::optimal};
    return figure;
  }
  return std::nullopt;
}

TaskSet chain_at(const Figure& figure, size_t dependency, uint64_t seed, uint64_t n) {
  PaperSet wanted = figure.sets;
  wanted.gpu_utilisation = figure.targets.back();
  if (figure.axis == Axis::dependency) wanted.dependency = figure.dependencies[dependency];
  return paper_set(wanted, seed_of(seed_of(seed, dependency), n));
}

}  // namespace samcl::analysis
