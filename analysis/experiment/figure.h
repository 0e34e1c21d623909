// The experiments of the GPU-SPARC and GPU-SAM papers: which share of random task sets each policy makes
// schedulable, over the GPU utilisation U_G or over the probability P_D of dependent kernels. The papers'
// generator is generator/paper_sets.h.
//
//   fig7   GPU-SPARC: over U_G          fig9   GPU-SAM: over U_G
//   fig8   GPU-SPARC: over P_D          fig10  GPU-SAM: over P_D
//
// Sets come in chains: two tasks, then one more, and so on until U_G exceeds a target; every set on the way
// counts. There are two readings of "the sets of utilisation u":
//
//   chain   all sets of chains that end when U_G exceeds u, as the papers' generator is described
//   class   the sets whose own U_G is within a class that ends at u
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "analysis/generator/paper_sets.h"
#include "analysis/modes/choice.h"

namespace samcl::analysis {

enum class Axis { gpu_utilisation, dependency };
const char* name(Axis axis);

enum class Reading { chain, set_class };
inline constexpr std::array<Reading, 2> kReadings = {Reading::chain, Reading::set_class};
const char* name(Reading reading);  // "chain", "class"

inline constexpr double kTargetStep = 0.2;  // a class is that wide

struct Figure {
  std::string name;
  std::string title;
  Form form = Form::gpu_sam;
  Axis axis = Axis::gpu_utilisation;
  std::vector<double> targets;       // of U_G, ascending
  std::vector<double> dependencies;  // P_D
  PaperSet sets;                     // what does not vary
  std::vector<ModePolicy> policies;  // the last one is OPTIMAL

  // Of what varies.
  const std::vector<double>& points() const { return axis == Axis::dependency ? dependencies : targets; }
};

inline constexpr std::array<const char*, 4> kFigures = {"fig7", "fig8", "fig9", "fig10"};
// Nothing if there is no such figure.
std::optional<Figure> find_figure(const std::string& name);

// The n-th chain for a P_D: its last set, of which the first 2, 3, ... tasks are the others. The same for the
// same seed, whatever else is drawn.
TaskSet chain_at(const Figure& figure, size_t dependency, uint64_t seed, uint64_t n);

}  // namespace samcl::analysis
