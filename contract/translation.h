// What the translator finds out about the OpenCL C of one program, as libsamcl uses it.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "contract/accumulation.h"

namespace samcl {

// The auxiliary kernel parameter, passed by value as the last argument of every kernel that needs it.
// All counts are per dimension; dimensions the program did not use hold 1 (counts) or 0 (offsets).
// The rewritten source declares the same structure with OpenCL C's ulong.
struct NdrangeArgument {
  uint64_t group_offset[3];   // first work-group of this sub-kernel, in work-groups of the original NDRange
  uint64_t num_groups[3];     // work-groups of the original NDRange
  uint64_t global_size[3];    // work-items of the original NDRange
  uint64_t global_offset[3];  // the program's own global_work_offset, in work-items
};
static_assert(sizeof(NdrangeArgument) == 96);

enum class ArgumentKind : uint8_t { global_buffer, constant_buffer, local_memory, value, image, sampler, pipe, other };

// One argument of a kernel, as the program declared it.
struct KernelArgument {
  std::string name;
  std::string type_name;
  ArgumentKind kind = ArgumentKind::other;
  uint64_t size = 0;         // bytes of a value argument; 0 otherwise
  bool may_read = false;     // buffers and images: the kernel may load through it
  bool may_write = false;    // buffers and images: the kernel may store through it
  uint32_t store_width = 0;  // written buffers: bytes of the narrowest store (1, 2, 4, 8 or 16); 0 if never written
  // Not none: the kernel does nothing else with the buffer, to integers of store_width bytes, and uses no result.
  Accumulation accumulates = Accumulation::none;
  // Buffers and images: the kernel may read, or write, through it otherwise than by atomic operations.
  bool loads = false, stores = false;

  bool operator==(const KernelArgument&) const = default;
};

// One kernel of a program.
struct KernelTranslation {
  std::string name;
  std::vector<KernelArgument> arguments;
  std::set<std::string> affected_builtins;  // e.g. "get_group_id": those that a sub-kernel would get wrong
  bool needs_ndrange_argument = false;      // the rewritten kernel has NdrangeArgument as its last parameter
  bool may_split = false;                   // parts of its NDRange may run on several devices
  // Not may_split, but where no part touches what another one writes (parts_are_apart() in part_conflict.h): it uses
  // volatile memory, and no work-group waits for another.
  bool may_split_disjoint = false;
  bool may_slice = false;  // parts of its NDRange may run one after another on one device
  // Parts may run on several devices where these see one memory: there atomics and volatile stores mean what they say.
  bool splits_in_one_memory = false;
  // It exchanges words, or compares and exchanges them, in global memory: what it leaves may depend on the order in
  // which its work-groups come (sums of floating-point numbers).
  bool exchanges = false;
  // It has a fence of global memory, or an atomic operation that is not relaxed: its work-groups may count on the order
  // in which they see what others write, which devices that compute in each other's memory do not keep.
  bool orders_memory = false;
  std::string why_not_split;  // empty if may_split; else one short reason for people
  std::string why_not_slice;  // empty if may_slice
  // True if the result may depend on the local size: it uses local memory, a barrier, or a built-in about
  // groups (get_group_id, get_local_id, get_local_size, get_num_groups, sub-group and work-group functions).
  bool depends_on_local_size = true;
  // It stores, compares or follows addresses kept in memory: all such kernels run whole, on one and the same device.
  bool depends_on_addresses = false;
  // Its program has variables in global memory, which launches of all its kernels share; it may print. Such launches
  // come one after another, also where none uses what others do of their arguments.
  bool has_program_variables = true, may_print = true;
  std::optional<std::array<uint64_t, 3>> required_work_group_size;  // reqd_work_group_size, if declared
  // Arguments by their numbers, ascending, each an integer by value of 1, 2, 4 or 8 bytes. Launches that differ in
  // nothing but these, from one to the next always by the same, can be made as one launch of the kernel's variant,
  // which has its name in TranslatedSource::gathered: the variant's NDRange has as many work-groups in the third
  // dimension, each one work-item deep, as there are launches. It takes the first launch's arguments, and behind them a
  // ulong for each of these: by how much the argument grows from launch to launch, modulo 2 to the bits of its type.
  // Whether the launches may run at the same time is another question. Empty: the kernel has no variant.
  std::vector<uint32_t> gathers_by;
  // What it reads and writes, for samcl::Footprint::parse (contract/footprint/footprint.h).
  std::string footprint;

  // Some launch of it, on some devices, may be split.
  bool may_have_parts() const { return may_split || may_split_disjoint || splits_in_one_memory; }

  bool operator==(const KernelTranslation&) const = default;
};

// What to give the driver in place of one source of the program.
struct TranslatedSource {
  std::optional<std::string> source;  // nullopt: nothing needed rewriting
  // Build options to use with it (the program's own, less what preprocessing has consumed).
  std::string options;
  // The source with a variant in place of each kernel that has gathers_by, and every other function as the program
  // wrote it; to be built with the same options. A program's sources have such texts all together, or none has:
  // nullopt.
  std::optional<std::string> gathered;
};

// What stood at a path where a source included a file, or looked for one in vain; see stamp_of_path() in file_stamp.h.
struct IncludedFile {
  std::string path, stamp;
};

// The answer for a program.
struct Translation {
  std::vector<TranslatedSource> sources;  // in the order in which they were given
  std::vector<KernelTranslation> kernels;
  std::vector<IncludedFile> includes;

  // The kernel of that name, or nullptr.
  const KernelTranslation* find(const std::string& kernel_name) const {
    for (const KernelTranslation& kernel : kernels) {
      if (kernel.name == kernel_name) return &kernel;
    }
    return nullptr;
  }
};

// What the real device would show to a source; decides which branches of #ifdef are taken.
struct DeviceFacts {
  std::string device_version;    // CL_DEVICE_VERSION, e.g. "OpenCL 3.0 PoCL HSTR: ..."
  std::string opencl_c_version;  // CL_DEVICE_OPENCL_C_VERSION, e.g. "OpenCL C 1.2 PoCL"
  std::string extensions;        // CL_DEVICE_EXTENSIONS, separated by blanks
  uint32_t address_bits = 64;    // CL_DEVICE_ADDRESS_BITS
  bool image_support = false;    // CL_DEVICE_IMAGE_SUPPORT
  bool little_endian = true;     // CL_DEVICE_ENDIAN_LITTLE
  std::string compiler;          // all that tells this device's compiler from others: names, versions, settings
};

}  // namespace samcl
