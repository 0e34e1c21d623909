// The experiments of the GPU-SPARC and GPU-SAM papers: which share of random task sets each policy makes
// schedulable, over what varies. The papers' generators are in generator/paper_sets.h.
//
//   fig7   GPU-SPARC: over the GPU utilisation U_G        fig9   GPU-SAM: over U_G
//   fig8   GPU-SPARC: over P_D                            fig10  GPU-SAM: over P_D
//                                                         fig11  GPU-SAM: over the number of GPUs
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "analysis/generator/paper_sets.h"
#include "analysis/modes/choice.h"

namespace samcl::analysis {

enum class Axis { gpu_utilisation, dependency, gpus };
const char* name(Axis axis);

struct Figure {
  std::string name;
  std::string title;
  Form form = Form::gpu_sam;
  Axis axis = Axis::gpu_utilisation;
  std::vector<double> points;  // along the axis
  PaperSet sets;               // what does not vary
  std::vector<Policy> policies;
};

inline constexpr std::array<const char*, 5> kFigures = {"fig7", "fig8", "fig9", "fig10", "fig11"};
// Nothing if there is no such figure.
std::optional<Figure> find_figure(const std::string& name);

// The n-th set at a point: the same for the same seed, whatever else is drawn.
TaskSet task_set_at(const Figure& figure, size_t point, uint64_t seed, uint64_t n);

}  // namespace samcl::analysis
