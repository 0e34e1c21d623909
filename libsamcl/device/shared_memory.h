// Whether devices compute in host memory, found out by trying.
#pragma once

#include <memory>
#include <vector>

namespace samcl {

class RealDevice;

// Whether a buffer that each device makes over one block of host memory (CL_MEM_USE_HOST_PTR) is the same bytes for all
// of them and for the host, without mapping. Only devices that are CPUs are tried: a GPU that can do it has a memory of
// its own that is faster.
bool devices_share_host_memory(const std::vector<std::unique_ptr<RealDevice>>& devices);

}  // namespace samcl
