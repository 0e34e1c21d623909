#include "analysis/generator/mode_costs.h"

namespace samcl::analysis {
namespace {

// Growth per further GPU in tenths, so that whole numbers suffice.
struct Growth {
  Time alone;
  Time dependent;
};
constexpr Growth kUpload = {15, 37};
constexpr Growth kDownload = {11, 107};
constexpr Growth kMerge = {22, 127};

// `single`, and of `more` so many tenths again for each further GPU.
std::vector<Time> growing(Time single, Time more, int gpus, Time tenths) {
  std::vector<Time> times;
  for (int k = 1; k <= gpus; ++k) times.push_back(single + (more * tenths * (k - 1) + 9) / 10);
  return times;
}

}  // namespace

std::vector<Time> kernel_times(Time single, int gpus) {
  std::vector<Time> times;
  for (int k = 1; k <= gpus; ++k) times.push_back((single + k - 1) / k);
  return times;
}

std::vector<Time> upload_times(Time single, int gpus, bool dependent) {
  return growing(single, single, gpus, dependent ? kUpload.dependent : kUpload.alone);
}

std::vector<Time> download_times(Time single, int gpus, bool dependent) {
  return growing(single, single, gpus, dependent ? kDownload.dependent : kDownload.alone);
}

std::vector<Time> merging_times(Time single, Time download, int gpus, bool dependent) {
  return growing(single, download, gpus, dependent ? kMerge.dependent : kMerge.alone);
}

}  // namespace samcl::analysis
