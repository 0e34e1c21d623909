// Memory that daemon and clients share: a memfd that nobody can shrink or grow, so that no mapping of it can
// fail later. It has no name, and ends with the last process that uses it.
#pragma once

#include <cstddef>
#include <memory>

#include "base/result.h"
#include "sam-manager/protocol/descriptor.h"

namespace samcl::protocol {

enum class Protection { read_only, read_write };

// A mapping of a whole memfd, unmapped with this object.
class Mapping {
 public:
  Mapping();
  ~Mapping();
  Mapping(Mapping&&) noexcept;
  Mapping& operator=(Mapping&&) noexcept;

  void* address() const;

  // Errors: `memory` is no sealed memfd of exactly `bytes`, or may not be mapped that way.
  static Result<Mapping> of(int memory, size_t bytes, Protection protection);

 private:
  struct Region;
  std::unique_ptr<Region> region_;
};

// Zeros, with their memory allocated. The size is sealed. Errors: there is not so much memory.
Result<Descriptor> make_shared_memory(const char* name, size_t bytes);

// From now on nobody gets a mapping that can be written; those there are stay.
Result<void> forbid_new_writers(int memory);

// An object of type T that fills a shared memory.
template <typename T>
class Shared {
 public:
  Shared() = default;

  // Its own: made and constructed.
  static Result<Shared> make(const char* name) {
    auto memory = make_shared_memory(name, sizeof(T));
    if (!memory) return tl::unexpected(memory.error());
    auto mapping = Mapping::of(memory->get(), sizeof(T), Protection::read_write);
    if (!mapping) return tl::unexpected(mapping.error());
    new (mapping->address()) T{};
    return Shared(*std::move(memory), *std::move(mapping));
  }

  // Another process's. The descriptor is not needed any more once it is mapped.
  static Result<Shared> map(const Descriptor& memory, Protection protection) {
    auto mapping = Mapping::of(memory.get(), sizeof(T), protection);
    if (!mapping) return tl::unexpected(mapping.error());
    return Shared({}, *std::move(mapping));
  }

  T* operator->() const { return static_cast<T*>(mapping_.address()); }
  T& operator*() const { return *static_cast<T*>(mapping_.address()); }
  int descriptor() const { return memory_.get(); }

 private:
  Shared(Descriptor memory, Mapping mapping) : memory_(std::move(memory)), mapping_(std::move(mapping)) {}

  Descriptor memory_;
  Mapping mapping_;
};

}  // namespace samcl::protocol
