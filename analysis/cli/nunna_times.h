// Times of the implementations of Algorithm 1 (analysis/dbf/intervals.h) for random graphs, beside those that
// the paper gives for its GPU: measured, and shown.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "analysis/cli/nunna_opencl.h"
#include "analysis/dbf/random_graph.h"
#include "analysis/experiment/chart.h"

namespace samcl::analysis::cli {

struct NunnaOptions {
  std::vector<size_t> vertices = {10, 20, 30, 40, 50};
  dbf::RandomGraph graph;
  int percent = 100;  // density
  uint64_t seed = 1;
  int threads = 1;
  int repeats = 5;
  std::string program;                       // of OpenCL; empty: none
  std::vector<std::string> program_options;  // more of its options
  double limit_s = 600;                      // of each of its runs
};

// The columns of the paper's Table I; then the table as it stands, with vectors and only reachable demands on one core
// and on all, by fronts of paths instead of a table, and by an OpenCL program with and without local memory.
enum Way { kPaperCpu, kPaperGpu, kPaperGpuSm, kPlain, kFast, kThreads, kFronts, kLocal, kGlobal, kWays };
struct WayName {
  const char* field;
  const char* label;
};
inline constexpr std::array<WayName, kWays> kWayNames = {{{"paper_cpu", "paper's CPU"},
                                                          {"paper_gpu", "paper's GPU"},
                                                          {"paper_gpu_sm", "paper's GPU-SM"},
                                                          {"plain", "plain"},
                                                          {"fast", "fast, one core"},
                                                          {"threads", "fast, all threads"},
                                                          {"fronts", "fronts"},
                                                          {"opencl_local", "OpenCL, local"},
                                                          {"opencl_global", "OpenCL, global"}}};

struct NunnaTimes {
  size_t vertices = 0, demands = 0, edges = 0;  // edges of the doubled graph
  // Medians but for the paper's, of CPU time where one thread computes; nothing where it could not be measured.
  std::array<std::optional<double>, kWays> ms;
  std::optional<OpenClTimes> local, global;  // of what ms has for OpenCL (its jobs with all transfers)
  bool agree = true;                         // all found the same intervals
};

// What is known of the OpenCL device after measuring.
struct NunnaDevice {
  std::string name, error;  // one of them
};

// Runs everything, the OpenCL program by its name. An error of that program goes into `device`.
Result<NunnaTimes> measure_nunna(const NunnaOptions& options, size_t vertices, NunnaDevice& device);

// What was found: for people, for tools, and as curves.
std::string nunna_text(const NunnaOptions& options, const std::vector<NunnaTimes>& all, const NunnaDevice& device);
std::string nunna_json(const NunnaOptions& options, const std::vector<NunnaTimes>& all, const NunnaDevice& device);
std::string nunna_csv(const std::vector<NunnaTimes>& all);
Chart nunna_chart(const std::vector<NunnaTimes>& all);

}  // namespace samcl::analysis::cli
