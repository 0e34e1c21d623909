#include "sam-manager/protocol/shared_memory.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <boost/interprocess/mapped_region.hpp>
#include <cerrno>
#include <cstring>
#include <string>

#ifndef F_SEAL_FUTURE_WRITE
#define F_SEAL_FUTURE_WRITE 0x0010
#endif

namespace samcl::protocol {

namespace ipc = boost::interprocess;

namespace {

// What Boost.Interprocess maps.
struct Mappable {
  int memory;
  ipc::mapping_handle_t get_mapping_handle() const { return {memory, false}; }
};

}  // namespace

struct Mapping::Region {
  ipc::mapped_region mapped;
};

Mapping::Mapping() = default;
Mapping::~Mapping() = default;
Mapping::Mapping(Mapping&&) noexcept = default;
Mapping& Mapping::operator=(Mapping&&) noexcept = default;

void* Mapping::address() const { return region_->mapped.get_address(); }

Result<Mapping> Mapping::of(int memory, size_t bytes, Protection protection) {
  const int seals = fcntl(memory, F_GET_SEALS);
  if (seals < 0 || (seals & F_SEAL_SHRINK) == 0) return fail("it is no memory whose size is sealed");
  struct stat facts{};
  if (fstat(memory, &facts) != 0 || facts.st_size != static_cast<off_t>(bytes))
    return fail("it has " + std::to_string(facts.st_size) + " bytes, expected " + std::to_string(bytes));
  try {
    Mapping mapping;
    mapping.region_ = std::make_unique<Region>(
        Region{{Mappable{memory}, protection == Protection::read_only ? ipc::read_only : ipc::read_write, 0, bytes}});
    return mapping;
  } catch (const ipc::interprocess_exception& problem) {
    return fail(std::string("it can't be mapped: ") + problem.what());
  }
}

Result<Descriptor> make_shared_memory(const char* name, size_t bytes) {
  Descriptor memory(memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!memory) return fail(std::string("no memory can be shared: ") + std::strerror(errno));
  if (ftruncate(memory.get(), static_cast<off_t>(bytes)) != 0)
    return fail(std::string("no memory can be shared: ") + std::strerror(errno));
  // Allocated now: a write to memory that is not there would end the process.
  if (const int error = posix_fallocate(memory.get(), 0, static_cast<off_t>(bytes)); error != 0)
    return fail(std::string("no memory can be shared: ") + std::strerror(error));
  if (fcntl(memory.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW) != 0)
    return fail(std::string("shared memory can't be sealed: ") + std::strerror(errno));
  return memory;
}

Result<void> forbid_new_writers(int memory) {
  if (fcntl(memory, F_ADD_SEALS, F_SEAL_FUTURE_WRITE | F_SEAL_SEAL) == 0) return {};
  return fail(std::string("shared memory can't be sealed: ") + std::strerror(errno));
}

}  // namespace samcl::protocol
