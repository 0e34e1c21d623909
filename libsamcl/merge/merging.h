// Brings together what several devices changed of memory objects, on the host: compared, chunk by chunk, with what all
// of them started from, the host copy, or summed up where a kernel only accumulates.
#pragma once

#include <CL/cl.h>

#include <memory>
#include <vector>

#include "libsamcl/memory/storage.h"
#include "libsamcl/merge/accumulate.h"
#include "libsamcl/observe/traffic.h"

namespace samcl {

// One memory object that several devices may have changed.
struct Merged {
  std::shared_ptr<Storage> memory;
  Range range;
  unsigned width = 1;  // bytes of the narrowest store
  Accumulation accumulates = Accumulation::none;
  uint64_t version = 0;  // of the memory when its merging was planned
};

class Merging {
 public:
  Merging(const DeviceSet& set, std::vector<unsigned> devices, std::vector<Merged> objects, Traffic& traffic)
      : set_(set),
        devices_(std::move(devices)),
        objects_(std::move(objects)),
        traffic_(traffic),
        changes_(devices_.size()) {}

  size_t workers() const { return devices_.size(); }
  const std::vector<unsigned>& devices() const { return devices_; }
  const std::vector<Merged>& objects() const { return objects_; }

  // The chunks of one worker: each workers()-th of all objects. Blocks; several workers may run at once.
  cl_int merge_chunks(size_t worker);

  // Where the bytes are valid, now that all workers have ended. Under the context's lock. What was written anew since
  // the merging was planned is left alone.
  void note_valid();

 private:
  struct Change {
    size_t object;
    Range range;
    Places devices;  // that changed it
  };
  cl_int merge_chunk(size_t object, Range chunk, std::vector<std::vector<std::byte>>& staging,
                     std::vector<Change>& found);

  const DeviceSet& set_;
  const std::vector<unsigned> devices_;
  const std::vector<Merged> objects_;
  Traffic& traffic_;
  std::vector<std::vector<Change>> changes_;  // by worker
};

}  // namespace samcl
