// Spatial partitions: how many of a GPU's parts (streaming multiprocessors) each task has for itself, after
// the federated scheduling of Zou et al., "RTGPU", IEEE TPDS 34 (2023). There all splits are searched; here
// the most urgent task that would be late gets one part more, and then all are looked at again.
#pragma once

#include "analysis/access/access.h"

namespace samcl::analysis::access {

// The modes that make the set schedulable by `analysis`, which asks for a device per task; or none found. The
// platform is not bound; `worst` in mode k is on k of its `gpus` parts.
std::optional<Modes> partition(const analysis::TaskSet& set, Analysis analysis);

}  // namespace samcl::analysis::access
