#include "libsamcl/observe/observed.h"

#include <CL/cl_ext.h>

namespace samcl::observe {
namespace {

struct Name {
  const char* operator()(const engine::Exchange& o) const {
    if (o.from == kHost) return "upload";
    return o.to == kHost ? "download" : "peer copy";
  }
  const char* operator()(const engine::WindowCopy& o) const { return o.fills ? "fill window" : "peer copy"; }
  const char* operator()(const engine::ProgramCopy& o) const {
    if (o.replica.place == kHost) return "host copy";
    return o.to_program ? "download" : "upload";
  }
  const char* operator()(const engine::LocalCopy&) const { return "copy"; }
  const char* operator()(const engine::Fill&) const { return "fill"; }
  const char* operator()(const engine::RunKernel&) const { return "kernel"; }
  const char* operator()(const engine::HostCall& o) const { return o.call ? "call" : "join"; }
};

}  // namespace

const char* name_of(const engine::Operation& operation) { return std::visit(Name{}, operation); }

const char* name_of(cl_command_type type) {
  switch (type) {
    case CL_COMMAND_NDRANGE_KERNEL: return "kernel";
    case CL_COMMAND_TASK: return "task";
    case CL_COMMAND_NATIVE_KERNEL: return "native kernel";
    case CL_COMMAND_READ_BUFFER: return "read buffer";
    case CL_COMMAND_WRITE_BUFFER: return "write buffer";
    case CL_COMMAND_COPY_BUFFER: return "copy buffer";
    case CL_COMMAND_READ_IMAGE: return "read image";
    case CL_COMMAND_WRITE_IMAGE: return "write image";
    case CL_COMMAND_COPY_IMAGE: return "copy image";
    case CL_COMMAND_COPY_IMAGE_TO_BUFFER: return "copy image to buffer";
    case CL_COMMAND_COPY_BUFFER_TO_IMAGE: return "copy buffer to image";
    case CL_COMMAND_MAP_BUFFER: return "map buffer";
    case CL_COMMAND_MAP_IMAGE: return "map image";
    case CL_COMMAND_UNMAP_MEM_OBJECT: return "unmap";
    case CL_COMMAND_MARKER: return "marker";
    case CL_COMMAND_READ_BUFFER_RECT: return "read rectangle";
    case CL_COMMAND_WRITE_BUFFER_RECT: return "write rectangle";
    case CL_COMMAND_COPY_BUFFER_RECT: return "copy rectangle";
    case CL_COMMAND_USER: return "user event";
    case CL_COMMAND_BARRIER: return "barrier";
    case CL_COMMAND_MIGRATE_MEM_OBJECTS: return "migrate";
    case CL_COMMAND_FILL_BUFFER: return "fill buffer";
    case CL_COMMAND_FILL_IMAGE: return "fill image";
    case CL_COMMAND_SVM_FREE: return "free shared memory";
    case CL_COMMAND_SVM_MEMCPY: return "copy shared memory";
    case CL_COMMAND_SVM_MEMFILL: return "fill shared memory";
    case CL_COMMAND_SVM_MAP: return "map shared memory";
    case CL_COMMAND_SVM_UNMAP: return "unmap shared memory";
    case CL_COMMAND_ACQUIRE_EXTERNAL_MEM_OBJECTS_KHR: return "acquire external memory";
    case CL_COMMAND_RELEASE_EXTERNAL_MEM_OBJECTS_KHR: return "release external memory";
    case CL_COMMAND_SEMAPHORE_WAIT_KHR: return "wait for semaphores";
    case CL_COMMAND_SEMAPHORE_SIGNAL_KHR: return "signal semaphores";
    default: return "command";
  }
}

}  // namespace samcl::observe
