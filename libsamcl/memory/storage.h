// The memory behind a virtual buffer or image: one replica per device, made when it is first needed, perhaps a copy in
// host memory, the directory that says what is valid where, and who uses it at present. Sub-buffers share their
// parent's storage.
//
// Where all devices compute in host memory (see shared()), there is one replica for all of them and the host: no byte
// ever moves, and the directory knows one place, kHost.
//
// Threads: replicas and the host copy are made under a mutex of their own, by any thread. All else is guarded by the
// lock of the context's graph: the directory says what will be valid when the operations that are planned have ended.
#pragma once

#include <CL/cl.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "base/rectangle.h"
#include "libsamcl/coherence/directory.h"
#include "libsamcl/coherence/halo.h"
#include "libsamcl/coherence/image_layout.h"
#include "libsamcl/device/peer_memory.h"
#include "libsamcl/engine/access_map.h"
#include "libsamcl/memory/sub_buffers.h"

namespace samcl {

enum class Direction : bool;

class DeviceSet;

// How the replicas of an image are made. Its bytes are those of the packed layout; all ranges consist of whole pixels.
struct ImageReplicas {
  cl_mem_flags flags;  // kernels' access
  cl_image_format format;
  cl_image_desc description;
  ImageLayout layout;
};

// Memory from clSVMAlloc of the first device's real context.
struct SvmMemory {
  void* begin;
  bool stays;  // on the first device: the host may use it without mapping it, or the driver's buffers do not share it
};

class Storage : public std::enable_shared_from_this<Storage> {
 public:
  // host_ptr: the program's memory with CL_MEM_USE_HOST_PTR, which then is the host copy; else nullptr.
  Storage(std::shared_ptr<DeviceSet> set, uint64_t size, void* host_ptr);
  // An image's. first: its replica on device 0, the storage's from now on.
  Storage(std::shared_ptr<DeviceSet> set, const ImageReplicas& image, cl_mem first, void* host_ptr);
  // Shared virtual memory, the storage's from now on: it is what the first device finds there.
  Storage(const std::shared_ptr<DeviceSet>& set, uint64_t size, const SvmMemory& svm);
  ~Storage();
  Storage(const Storage&) = delete;
  Storage& operator=(const Storage&) = delete;

  uint64_t size() const { return size_; }
  // From 1, in the order of making: what people see of it.
  uint64_t number() const { return number_; }
  const DeviceSet& devices() const { return *set_; }
  // What the bytes of an image are; nullptr for buffers.
  const ImageLayout* layout() const { return image_ ? &image_->layout : nullptr; }

  bool is_1d_array() const { return image_ && image_->description.image_type == CL_MEM_OBJECT_IMAGE1D_ARRAY; }

  // Whether all devices and the host use the same bytes.
  bool shared() const { return shared_; }
  // What it was made of, if that is shared virtual memory. Commands other than kernels leave its bytes on the first
  // device.
  const std::optional<SvmMemory>& svm() const { return svm_; }
  // Where a device finds its bytes.
  Place place_of(unsigned device) const { return shared_ ? kHost : device; }

  // The real buffer on a device, of the whole size, or the real image; nullptr and the driver's code if it can't be
  // had. Any thread.
  cl_mem replica(unsigned device, cl_int* error);

  // The replica of a device as another device sees it, that may copy from it; nullptr if it cannot. Any thread.
  cl_mem replica_seen_by(unsigned owner, unsigned device);

  // Whether the device's replica may be the one copy that kernels on all devices use at once: as it is, or made anew,
  // which is for short ones. Any thread.
  enum class Holding : uint8_t { as_it_is, made_anew };
  bool may_be_held(unsigned device, Holding how) const;
  // It is likely to be: replicas that are made from now on can be, however small they are. Any thread.
  void expect_holding() { is_to_be_seen_ = true; }

  // Whether bytes pass from a device to another beside kernels that run on both: straight from memory that the other
  // sees, or over links to the host. What copies into windows waits for the kernels of its device. Any thread.
  bool passes_beside_kernels() const;

  // On replicas, or on real buffers on a part of them. For who holds a Pin.
  SubBuffers& sub_buffers() { return sub_buffers_; }

  // While one lives, replicas stay: somebody has real objects of his own on one, or the program may write the host
  // copy.
  class Pin {
   public:
    explicit Pin(Storage& storage);
    ~Pin();
    Pin(const Pin&) = delete;
    Pin& operator=(const Pin&) = delete;

   private:
    Storage& storage_;
  };

  bool has_replica(unsigned device) const;  // any thread
  // Whether replicas may be given back: what only they hold can be kept in a host copy of ours, and nobody has pinned
  // them. Any thread.
  bool can_evict() const;
  // Gives it back, unless it may not be now. After all that uses it, and when the directory has forgotten it.
  void drop_replica(unsigned device);
  // Brings these ranges of a device's replica to the host copy, which is there, and then gives the replica back; as
  // drop_replica(). The driver's code if they cannot be brought now: then the replica stays, and whoever needs the host
  // copy brings them first. On a thread that may wait.
  cl_int evict_replica(unsigned device, const std::vector<Range>& only_here);
  // Whether the host copy's bytes may not all be there, though the directory says so: an eviction of a replica with
  // bytes of its own has not ended well yet. Then they are once host() was called after it. Any thread.
  void begin_eviction() { ++evictions_; }
  bool is_being_evicted() const { return evictions_ > 0; }
  // How often that has happened: real objects that came of a replica before are no longer right. Any thread.
  uint32_t dropped() const { return dropped_.load(std::memory_order_acquire); }

  // The host copy, made on first use; nullptr if memory is short, or what an eviction left on a device cannot be had
  // from there. Stays where it is for the storage's life. Any thread.
  std::byte* host();
  bool has_host_copy() const;
  // The program is about to use the host copy itself, and will again: has the driver lock it in memory, where that
  // makes transfers faster (LockedMemory): a short one where the program has mapped it often, or wants that
  // (CL_MEM_ALLOC_HOST_PTR). Any thread.
  void lock_host_copy(bool is_wanted);
  // Whether that would do something. Any thread.
  bool is_to_be_locked(bool is_wanted) const;
  void note_mapped() { ++host_maps_; }
  bool is_mapped_at_times() const { return host_maps_ > 0; }

  // ---- Under the lock of the context's graph ----

  // Who asks where bytes are counts on their staying there as long as his command is planned.
  Directory& directory();
  // From where a device gets bytes that are valid at these places and not there, with so many others.
  Place source_for(unsigned device, Places valid, uint64_t bytes) const;
  // Who uses the bytes at a place.
  engine::AccessMap& users(Place place) { return users_at_[place]; }
  // That operation of the context's uses it; when the last one did.
  void used_by(uint64_t group) { last_use_ = std::max(last_use_, group); }
  uint64_t last_use() const { return last_use_; }
  // A replica there is needed from now on. Whether none was before.
  bool expect_replica(unsigned device) {
    given_back_ &= ~only(device);
    return !contains(std::exchange(expected_replicas_, expected_replicas_ | only(device)), device);
  }
  // Whether there is one, when all that is planned has run.
  bool will_have_replica(unsigned device) const {
    return contains(expected_replicas_, device) || (!contains(given_back_, device) && has_replica(device));
  }
  // The device's replica will be given back: its bytes are, or will be, valid elsewhere.
  void forget_replica(unsigned device) {
    ++version_;
    directory_.forget(device);
    expected_replicas_ &= ~only(device);
    given_back_ |= only(device);
  }

  // Whether there is a replica that nothing planned uses, nor its bytes in the host copy.
  bool is_idle_replica(unsigned device);
  // Gives one back now, having brought to the host copy what only it has. False: that can't be done.
  bool give_back_idle(unsigned device);

  // Makes a replica that may be held the one copy for these devices. False: one that is not seen is in use, memory is
  // short, or the driver refuses.
  bool hold(unsigned device, std::span<const unsigned> devices);

  // Keeps the bytes of a replica in host memory and gives it back, although what is planned uses it: replica() makes it
  // anew and brings them. While no operation that uses it runs. False: that can't be done.
  bool set_aside(unsigned device);

  // Whether it has bytes on that device alone that nobody can compute again, although the device may be lost.
  bool stays_on(unsigned device) const {
    return (image_ || svm_) && std::ranges::any_of(directory_.pieces({0, size_}),
                                                   [device](const auto& piece) { return piece.valid == only(device); });
  }

  // The device is lost: its bytes are valid there no more.
  void lose_replica(unsigned device) {
    ++version_;
    directory_.forget(device);
    other_.forget(device);
    expected_.forget(device);
    users_ &= ~only(device);
  }

  // How often bytes came to the host copy otherwise than by a command: what it had there before is gone.
  uint64_t host_changes() const { return host_changes_; }
  // The same of all storages there are. Any thread.
  static uint64_t all_host_changes() { return all_host_changes_.load(std::memory_order_relaxed); }

  // What the directory would say had the launches run the other way (cost/ways.h), as of that epoch.
  Directory& other_directory(uint64_t epoch) {
    if (std::exchange(other_epoch_, epoch) != epoch) other_ = directory_;
    return other_;
  }

  // What the directories of so many imagined machines would say: as of the first call what is defined is the host's.
  std::vector<ImaginedDirectory>& imagined(size_t machines);
  // The same of one machine had its launches run the other way, as of that epoch of its ways.
  ImaginedDirectory& imagined_otherwise(size_t machines, size_t machine, uint64_t epoch);

  // What of it goes from device to device.
  Halo& halo() { return halo_; }
  const Halo& halo() const { return halo_; }
  // What was copied there may not have arrived. Bytes that are valid nowhere else stay valid there.
  void lose_copies(Range range, Place place);

  // Changes with every write that is planned.
  uint64_t version() const { return version_; }

  // `range` was, or will be, overwritten by a launch; its contents are valid at exactly these places. For a shared
  // storage these count as the one place there is.
  void written(Range range, Places places);
  // The same by the program itself, whichever way its launches run.
  void written_by_program(Range range, Places places) {
    written(range, places);
    if (as_placed_) as_placed_->written(range, kAnyDevice | only(kHost));
    if (!shared_) other_.written(range, kAnyDevice | only(kHost));
    written_on_imagined(range, ManyPlaces(kHost));
  }

  // The same on imagined machines, if there are any, whichever way launches run there.
  void written_on_imagined(Range range, const ManyPlaces& places) {
    for (ImaginedDirectory& directory : imagined_) directory.written(range, places);
    for (auto& [epoch, directory] : imagined_otherwise_) directory.written(range, places);
  }

  // The program has mapped these bytes to write them, and does so in the host copy whenever it likes until it has
  // unmapped them. Whether any are.
  void mapped_to_write(const Rectangle& rows) { mapped_.push_back(rows); }
  void unmapped(const Rectangle& rows);
  bool is_mapped_to_write() const { return !mapped_.empty(); }

  // Where bytes that come from the host should go now: to the host copy if there is one, else to the devices
  // that are expected to use them.
  Places destination() const;
  // The same for so many bytes of the program's: to one device where others get them from that one.
  Places destination(uint64_t bytes) const;
  // Where a fill writes, which brings nothing from the host: on the devices that are expected to use it, also past a
  // host copy, unless that may be needed for merging.
  Places to_be_filled() const;
  // The device that used it last, if it was one; else none.
  Places only_user() const { return std::has_single_bit(users_) ? users_ : 0; }

  // The same for each part of a range: only the devices that needed it in the first launch after the last such
  // bytes came, since programs do the same again and again; also past a host copy that is only ours, unless the
  // last launch was on several devices and may need one for merging. One device where others get them from that one.
  std::vector<Directory::Piece> destinations(Range range);

  // Its number among those whose use is foreseen; whether its is; makes the replicas that will be needed then, on other
  // threads.
  std::optional<uint32_t> placement_number() const { return placement_number_; }
  bool is_placed() const { return is_placed_; }
  void make_placed_replicas();
  // What the directory would say had all that the program wrote been everywhere from the start. Before the first launch
  // that uses it begins.
  void begin_as_placed();
  Directory& as_placed() { return *as_placed_; }
  const Directory& as_placed() const { return *as_placed_; }

  // What destinations go by: a launch uses the buffer on these devices,
  void used_on(Places devices);
  // and of `range` each of them needs no more than its own ranges.
  using Need = Halo::Need;
  void used_on(Range range, std::span<const Need> needs);

 private:
  Storage(std::shared_ptr<DeviceSet> set, uint64_t size, std::optional<ImageReplicas> image,
          std::optional<SvmMemory> svm, void* host_ptr);
  cl_mem replica_locked(unsigned device, cl_int* error);
  cl_mem make_replica(unsigned device, cl_int* error);
  void make_replica_ahead(unsigned device);
  void release_replica(unsigned device, cl_mem replica);
  cl_mem bring_back(unsigned device, cl_int* error);
  cl_int copy_all(unsigned device, cl_mem replica, Direction direction, std::byte* host);
  void tell_memory(unsigned device, int64_t bytes) const;
  std::byte* host_locked();
  bool is_worth_locking(bool is_wanted) const;
  cl_int copy_to_host(unsigned device, const std::vector<Range>& ranges);
  bool bring_kept();
  Places expected_users() const;
  void foresee();

  const std::shared_ptr<DeviceSet> set_;
  const uint64_t size_;
  static inline std::atomic<uint64_t> last_number_{0};
  const uint64_t number_ = ++last_number_;
  const std::optional<ImageReplicas> image_;
  const std::optional<SvmMemory> svm_;
  const bool shared_;
  SubBuffers sub_buffers_;

  mutable std::mutex mutex_;                         // guards what follows, up to the next blank line
  std::vector<cl_mem> replicas_;                     // by device; nullptr: not made yet
  std::vector<std::unique_ptr<PeerBuffer>> peers_;   // by device: what its replica belongs to, if others can see it
  std::vector<std::unique_ptr<std::byte[]>> aside_;  // by device: all bytes of the replica that was set aside
  std::atomic<bool> is_to_be_seen_{false};           // by other devices
  std::byte* host_ = nullptr;
  bool owns_host_ = false;
  uint64_t stagger_ = 0;        // bytes of its block before it
  cl_mem host_lock_ = nullptr;  // a real buffer on the host copy that no command uses
  bool host_lock_tried_ = false;
  std::atomic<uint32_t> host_maps_{0};
  std::atomic<unsigned> pins_{0};
  std::atomic<uint32_t> dropped_{0};
  // What evictions could not bring to the host copy: by device, whatever the directory says.
  std::vector<std::pair<unsigned, std::vector<Range>>> kept_;

  std::mutex keeping_;  // one at a time brings what was kept. Before mutex_
  std::atomic<unsigned> evictions_{0};

  Directory directory_;
  std::vector<engine::AccessMap> users_at_;  // by place
  uint64_t version_ = 0, last_use_ = 0, host_changes_ = 0;
  static inline std::atomic<uint64_t> all_host_changes_{0};
  Halo halo_;
  std::vector<Rectangle> mapped_;
  Places expected_replicas_ = 0, given_back_ = 0;
  Directory other_;
  uint64_t other_epoch_ = 0;
  std::vector<ImaginedDirectory> imagined_;
  std::vector<std::pair<uint64_t, ImaginedDirectory>> imagined_otherwise_;  // with their epochs
  Places users_ = 0;
  Directory expected_;           // where bytes from the host will be needed; kZeros: by nobody
  bool expectation_due_ = true;  // such bytes came, and no launch since
  bool needs_known_ = false;     // of the last launch
  std::optional<uint32_t> placement_number_;
  bool is_placed_ = false;
  std::optional<Directory> as_placed_;
};

}  // namespace samcl
