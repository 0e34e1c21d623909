// The memory behind a virtual buffer or image: one replica per device, made when it is first needed, perhaps a copy in
// host memory, and the directory that says what is valid where. Sub-buffers share their parent's storage.
//
// Threads: commands hold a storage, exclusively or shared, before they touch it (Graph). What the holds do
// not order is guarded by mutex_: replicas, the host pointer, the directory. host_copy_mutex_ lets one thread
// at a time bring bytes to the host copy; mutex_ may be taken under it, never the other way round.
#pragma once

#include <CL/cl.h>

#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "libsamcl/coherence/directory.h"
#include "libsamcl/transfer/real_device.h"

namespace samcl {

class Context;

// How the replicas of an image are made. Its bytes are those of the packed layout; all ranges consist of whole pixels.
struct ImageReplicas {
  cl_mem_flags flags;  // kernels' access
  cl_image_format format;
  cl_image_desc description;
  ImageLayout layout;
};

class Storage {
 public:
  // host_ptr: the program's memory with CL_MEM_USE_HOST_PTR, which then is the host copy; else nullptr.
  Storage(std::shared_ptr<Context> context, uint64_t size, void* host_ptr);
  // An image's. first: its replica on device 0, the storage's from now on.
  Storage(std::shared_ptr<Context> context, const ImageReplicas& image, cl_mem first, void* host_ptr);
  ~Storage();
  Storage(const Storage&) = delete;
  Storage& operator=(const Storage&) = delete;

  uint64_t size() const { return size_; }
  const std::shared_ptr<Context>& context() const { return context_; }

  // Holds; called by the Graph only, whose lock guards them.
  bool can_hold(bool exclusive) const { return writers_.holds == 0 && (!exclusive || readers_.holds == 0); }
  // The same for a command that the devices' own order puts behind every launch which they have already.
  bool can_hold_behind(bool exclusive) const {
    return writers_.all_issued() && (!exclusive || readers_.all_issued());
  }
  void hold(bool exclusive) { ++(exclusive ? writers_ : readers_).holds; }
  void hold_is_issued(bool exclusive) { ++(exclusive ? writers_ : readers_).issued; }
  void release_hold(bool exclusive, bool issued) {
    Holders& holders = exclusive ? writers_ : readers_;
    --holders.holds;
    holders.issued -= issued ? 1 : 0;
  }

  // The real buffer on a device, of the whole size, or the real image; nullptr and the driver's code if it can't be
  // had.
  cl_mem replica(unsigned device, cl_int* error);

  // Moves bytes between host memory and the replica on a device; blocks, returns the driver's code. What the
  // directory says then is the caller's to note.
  cl_int upload(unsigned device, Range range, const void* from, Traffic& traffic);
  cl_int download(unsigned device, Range range, void* to, Traffic& traffic);

  // The host copy, made on first use; nullptr if memory is short. Stays where it is for the storage's life.
  std::byte* host();
  bool has_host_copy() const;
  // The program is about to use the host copy itself, and will again: has the driver lock it in memory, where that
  // makes transfers faster.
  void lock_host_copy();

  // What the directory says; see Directory.
  uint64_t missing_bytes(Range range, Place place) const;
  std::vector<Directory::Piece> pieces(Range range) const;
  void written(Range range, Places places);
  void copied(Range range, Place place);

  // Undefined bytes of `range` become zeros, so that all replicas start from the same.
  void define(Range range);

  // Moves what is missing, so that `range` may be read at `place` (a device or kHost). Blocks; returns the
  // driver's code, or CL_OUT_OF_HOST_MEMORY.
  cl_int make_valid(Range range, Place place, Traffic& traffic);

  // Brings a piece that the host copy lacks to it. For commands that hold the storage exclusively: several
  // threads may fetch different pieces at once.
  cl_int fetch(const Directory::Piece& piece, Traffic& traffic);

  // Where bytes that come from the host should go now: to the host copy if there is one, else to the devices
  // that are expected to use them.
  Places destination() const;

  // The same for each part of a range: only the devices that needed it in the first launch after the last such
  // bytes came, since programs do the same again and again; also past a host copy that is only ours, unless the
  // last launch needed one for merging.
  std::vector<Directory::Piece> destinations(Range range);

  // What destinations go by: a launch uses the buffer on these devices,
  void used_on(Places devices);
  // and of `range` each of them needs no more than its own ranges, by device.
  void used_on(Range range, const std::vector<std::pair<unsigned, std::vector<Range>>>& needs);

 private:
  Storage(std::shared_ptr<Context> context, uint64_t size, std::optional<ImageReplicas> image, void* host_ptr);
  const ImageLayout* layout() const { return image_ ? &image_->layout : nullptr; }
  cl_int zero(unsigned device, Range range, Traffic& traffic);
  cl_int bring_to_device(const Directory::Piece& piece, unsigned device, Traffic& traffic);
  std::byte* host_locked();

  const std::shared_ptr<Context> context_;
  const uint64_t size_;
  const std::optional<ImageReplicas> image_;

  struct Holders {
    unsigned holds = 0;
    unsigned issued = 0;  // of these, by launches that the devices have
    bool all_issued() const { return holds == issued; }
  };
  Holders readers_, writers_;

  mutable std::mutex mutex_;
  std::mutex host_copy_mutex_;
  Directory directory_;
  std::vector<cl_mem> replicas_;  // by device; nullptr: not made yet
  std::byte* host_ = nullptr;
  bool owns_host_ = false;
  cl_mem host_lock_ = nullptr;  // a real buffer on the host copy that no command uses
  bool host_lock_tried_ = false;
  Places users_ = 0;
  Directory expected_;           // where bytes from the host will be needed; kZeros: by nobody
  bool expectation_due_ = true;  // such bytes came, and no launch since
  bool needs_known_ = false;     // of the last launch
};

}  // namespace samcl
