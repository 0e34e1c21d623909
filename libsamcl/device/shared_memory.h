// Whether devices compute in host memory, found out by trying.
#pragma once

namespace samcl {

class Context;

// Whether a buffer that each device makes over one block of host memory (CL_MEM_USE_HOST_PTR) is the same bytes for all
// of them and for the host, without mapping. Only devices that are CPUs are tried: a GPU that can do it has a memory of
// its own that is faster.
bool devices_share_host_memory(const Context& context);

}  // namespace samcl
