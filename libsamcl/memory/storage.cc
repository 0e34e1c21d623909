#include "libsamcl/memory/storage.h"

#include <sys/mman.h>

#include <atomic>
#include <bit>
#include <new>
#include <utility>

#include "base/pages.h"
#include "libsamcl/device/device_set.h"
#include "libsamcl/driver/driver.h"
#include "libsamcl/driver/vendor.h"
#include "libsamcl/observe/traffic.h"

namespace samcl {
namespace {

// Smaller host copies are not worth locking, but where the program maps them that often: to lock one takes 0.2 ms, to
// read into one that is not 12 us more behind a kernel (H200).
constexpr uint64_t kLeastLocked = 64 << 10;
constexpr uint32_t kOften = 32;
// Where in its first page a block begins that processors compute in: each elsewhere than the ones before. Of blocks
// that all begin at a page, elements of one index lie at the same place of their caches, and push each other out:
// sweeps along columns of two matrices, whose rows are 8 KiB, took 1.5 times as long. A multiple of what drivers want
// blocks to begin at.
uint64_t next_stagger(uint64_t size) {
  constexpr uint64_t kLeastStaggered = 64 << 10, kUnit = 128, kPlaces = 4096 / kUnit;
  if (size < kLeastStaggered) return 0;
  static std::atomic<uint64_t> next{0};
  return next.fetch_add(5, std::memory_order_relaxed) % kPlaces * kUnit;
}

// To make a replica anew takes its bytes to the host and back.
constexpr uint64_t kMostMadeAnew = 1 << 20;

// In a queue of its own: the lanes' may be held by who waits for a storage's mutex.
template <typename Call>
cl_int in_own_queue(const RealDevice& on, const Call& call) {
  const auto& cl = driver::real();
  cl_int error = CL_SUCCESS;
  const cl_command_queue queue = cl.clCreateCommandQueue(on.context(), on.id, 0, &error);
  if (!queue) return error;
  error = call(queue);
  cl.clReleaseCommandQueue(queue);
  return error;
}

// The driver does what it has left for the first command that uses it: NVIDIA's allocates there, which takes 0.13 ms
// for 4 MiB and 0.4 ms for 1 GiB in the call (two H200).
void allocate(const RealDevice& on, cl_mem memory) {
  in_own_queue(on, [&](cl_command_queue queue) {
    const auto& cl = driver::real();
    const cl_int error =
        cl.clEnqueueMigrateMemObjects(queue, 1, &memory, CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED, 0, nullptr, nullptr);
    return error == CL_SUCCESS ? cl.clFinish(queue) : error;
  });
}

// With more, bytes from the host go wherever the buffer is used.
constexpr size_t kMostDestinations = 64;

}  // namespace

Storage::Storage(std::shared_ptr<DeviceSet> set, uint64_t size, void* host_ptr)
    : Storage(std::move(set), size, std::nullopt, std::nullopt, host_ptr) {}

Storage::Storage(std::shared_ptr<DeviceSet> set, const ImageReplicas& image, cl_mem first, void* host_ptr)
    : Storage(std::move(set), image.layout.bytes(), image, std::nullopt, host_ptr) {
  replicas_[0] = first;
  tell_memory(0, static_cast<int64_t>(size_));
}

Storage::Storage(const std::shared_ptr<DeviceSet>& set, uint64_t size, const SvmMemory& svm)
    : Storage(set, size, std::nullopt, svm, set->shares_host_memory() ? svm.begin : nullptr) {
  written_by_program({0, size}, only(place_of(0)));
}

Storage::Storage(std::shared_ptr<DeviceSet> set, uint64_t size, std::optional<ImageReplicas> image,
                 std::optional<SvmMemory> svm, void* host_ptr)
    : set_(std::move(set)),
      size_(size),
      image_(image),
      svm_(svm),
      shared_(!image_ && set_->shares_host_memory()),
      sub_buffers_(set_->devices.size()),
      replicas_(set_->devices.size(), nullptr),
      peers_(set_->devices.size()),
      aside_(set_->devices.size()),
      host_(static_cast<std::byte*>(host_ptr)),
      directory_(size),
      users_at_(kHost + 1),
      other_(size),
      expected_(size) {
  if (set_->lists_storages()) set_->storages.add(*this);
  if (!image_ && !svm_ && !shared_) foresee();
  for (const auto& device : set_->devices) device->expect_transfers(size);
  if (!image_ && !svm_) set_->expect_memory(size);
  if (!host_) return;
  written_by_program({0, size}, only(kHost));
  lock_host_copy(false);
}

void Storage::foresee() {
  const auto made = set_->placements.made(size_);
  if (!made) return;
  placement_number_ = made->number;
  if (!made->placement) return;
  bool are_there = true;
  for_each_place(made->placement->devices,
                 [&](Place device) { are_there &= set_->devices[device]->open() == CL_SUCCESS; });
  if (!are_there) return;
  is_placed_ = true;
  users_ = made->placement->devices;
  expected_.written({0, size_}, only(kZeros));
  for (const auto& [range, devices] : made->placement->needed)
    for_each_place(devices, [&](Place device) { expected_.copied(range, device); });
}

Storage::~Storage() {
  if (set_->lists_storages()) set_->storages.remove(*this);
  for (unsigned device = 0; device < replicas_.size(); ++device) {
    if (replicas_[device]) tell_memory(device, -static_cast<int64_t>(size_));
    if (replicas_[device] && !peers_[device]) driver::real().clReleaseMemObject(replicas_[device]);
  }
  if (host_lock_) {
    set_->locked_memory.remove(host_, size_);
    driver::real().clReleaseMemObject(host_lock_);
  }
  if (owns_host_) munmap(host_ - stagger_, size_ + stagger_);
  if (svm_) driver::real().clSVMFree(set_->devices[0]->context(), svm_->begin);
}

cl_mem Storage::replica(unsigned device, cl_int* error) {
  std::lock_guard lock(mutex_);
  return replica_locked(device, error);
}

cl_mem Storage::replica_locked(unsigned device, cl_int* error) {
  *error = CL_SUCCESS;
  if (!replicas_[device]) {
    replicas_[device] = aside_[device] ? bring_back(device, error) : make_replica(device, error);
    if (replicas_[device]) tell_memory(device, static_cast<int64_t>(size_));
  }
  return replicas_[device];
}

// What lies in host memory, or is allocated there by the driver, is no device's.
void Storage::tell_memory(unsigned device, int64_t bytes) const {
  const LeaseTarget& lease = set_->devices[device]->lease;
  if (lease.client && !shared_ && !(svm_ && device == 0)) lease.client->memory_changed(lease.index, bytes);
}

cl_mem Storage::make_replica(unsigned device, cl_int* error) {
  const auto& cl = driver::real();
  const cl_context context = set_->devices[device]->context();
  if (image_) return cl.clCreateImage(context, image_->flags, &image_->format, &image_->description, nullptr, error);
  if (svm_ && device == 0)
    return cl.clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, size_, svm_->begin, error);
  if (!shared_) {
    using Size = PeerMemory::Size;
    const Size wanted = is_to_be_seen_ ? Size::however_small : Size::worth_it;
    if (set_->peers) peers_[device] = set_->peers->allocate(device, size_, wanted);
    if (peers_[device]) return peers_[device]->seen_by(device);
    return cl.clCreateBuffer(context, CL_MEM_READ_WRITE, size_, nullptr, error);
  }
  if (!host_locked()) {
    *error = CL_MEM_OBJECT_ALLOCATION_FAILURE;
    return nullptr;
  }
  return cl.clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, size_, host_, error);
}

cl_mem Storage::bring_back(unsigned device, cl_int* error) {
  const cl_mem made = make_replica(device, error);
  if (!made) return nullptr;
  *error = copy_all(device, made, Direction::up, aside_[device].get());
  if (*error == CL_SUCCESS) {
    aside_[device] = nullptr;
    return made;
  }
  release_replica(device, made);
  return nullptr;
}

cl_int Storage::copy_all(unsigned device, cl_mem replica, Direction direction, std::byte* host) {
  const cl_int error = in_own_queue(*set_->devices[device], [&](cl_command_queue queue) {
    const auto& cl = driver::real();
    return direction == Direction::up
               ? cl.clEnqueueWriteBuffer(queue, replica, CL_TRUE, 0, size_, host, 0, nullptr, nullptr)
               : cl.clEnqueueReadBuffer(queue, replica, CL_TRUE, 0, size_, host, 0, nullptr, nullptr);
  });
  Traffic& traffic = eviction_traffic();
  if (error == CL_SUCCESS) (direction == Direction::up ? traffic.uploaded_bytes : traffic.downloaded_bytes) += size_;
  return error;
}

// Replicas are given back under mutex_, under which who has pinned them gets them then.
Storage::Pin::Pin(Storage& storage) : storage_(storage) { ++storage_.pins_; }
Storage::Pin::~Pin() { --storage_.pins_; }

bool Storage::has_replica(unsigned device) const {
  std::lock_guard lock(mutex_);
  return replicas_[device] != nullptr;
}

// Images stay, and what the program itself sees in host memory.
bool Storage::can_evict() const {
  std::lock_guard lock(mutex_);
  return !shared_ && !image_ && !svm_ && pins_ == 0 && (!host_ || owns_host_) && kept_.empty();
}

void Storage::drop_replica(unsigned device) {
  std::lock_guard lock(mutex_);
  if (pins_ > 0) return;
  aside_[device] = nullptr;
  if (!replicas_[device]) return;
  release_replica(device, std::exchange(replicas_[device], nullptr));
  dropped_.fetch_add(1, std::memory_order_release);
  tell_memory(device, -static_cast<int64_t>(size_));
}

void Storage::release_replica(unsigned device, cl_mem replica) {
  if (!std::exchange(peers_[device], nullptr)) driver::real().clReleaseMemObject(replica);
}

// What other devices see stays.
bool Storage::set_aside(unsigned device) {
  if (!can_evict()) return false;
  std::lock_guard lock(mutex_);
  if (pins_ > 0 || !replicas_[device] || peers_[device]) return false;
  std::unique_ptr<std::byte[]> bytes(new (std::nothrow) std::byte[size_]);
  if (!bytes || copy_all(device, replicas_[device], Direction::down, bytes.get()) != CL_SUCCESS) return false;
  aside_[device] = std::move(bytes);
  release_replica(device, std::exchange(replicas_[device], nullptr));
  dropped_.fetch_add(1, std::memory_order_release);
  tell_memory(device, -static_cast<int64_t>(size_));
  return true;
}

cl_mem Storage::replica_seen_by(unsigned owner, unsigned device) {
  std::lock_guard lock(mutex_);
  return peers_[owner] ? peers_[owner]->seen_by(device) : nullptr;
}

bool Storage::may_be_held(unsigned device, Holding how) const {
  if (shared_ || image_ || svm_ || !set_->peers || !set_->peers->serves_all(size_)) return false;
  if (how == Holding::made_anew && (size_ > kMostMadeAnew || !can_evict())) return false;
  std::lock_guard lock(mutex_);
  return !aside_[device] && (!replicas_[device] || peers_[device] || how == Holding::made_anew);
}

bool Storage::hold(unsigned device, std::span<const unsigned> devices) {
  expect_holding();
  if (!may_be_held(device, Holding::as_it_is) && (!is_idle_replica(device) || !give_back_idle(device))) return false;
  cl_int error = CL_SUCCESS;
  return replica(device, &error) &&
         std::ranges::all_of(devices, [&](unsigned other) { return replica_seen_by(device, other) != nullptr; });
}

bool Storage::passes_beside_kernels() const {
  if (!set_->windows) return true;
  std::lock_guard lock(mutex_);
  return std::ranges::any_of(peers_, [](const auto& peer) { return peer != nullptr; });
}

std::byte* Storage::host_locked() {
  if (host_) return host_;
  const uint64_t stagger = shared_ ? next_stagger(size_) : 0;
  std::byte* const block = size_ <= SIZE_MAX - stagger ? map_pages(size_ + stagger) : nullptr;
  if (!block) return nullptr;
  stagger_ = stagger;
  owns_host_ = true;
  return host_ = block + stagger;
}

std::byte* Storage::host() {
  std::byte* host = nullptr;
  {
    std::lock_guard lock(mutex_);
    host = host_locked();
    if (!host || kept_.empty()) return host;
  }
  return bring_kept() ? host : nullptr;
}

// Of a replica and a host copy that are there. Not under mutex_: others may have the queue that it needs, and wait for
// that.
cl_int Storage::copy_to_host(unsigned device, const std::vector<Range>& ranges) {
  cl_int error = CL_SUCCESS;
  const cl_mem real = replica(device, &error);
  if (!real) return error;
  std::byte* host = nullptr;
  {
    std::lock_guard lock(mutex_);
    host = host_;
  }
  RealDevice& from = *set_->devices[device];
  const DeviceMemory memory{real, nullptr, false, from.packs_host_rows};
  for (const Range& range : ranges) {
    const auto rows = Rectangle::run(range.begin, range.size());
    error = from.transfer(engine::LaneKind::down, Direction::down, memory, rows, host, rows, eviction_traffic());
    if (error != CL_SUCCESS) return error;
  }
  return CL_SUCCESS;
}

cl_int Storage::evict_replica(unsigned device, const std::vector<Range>& only_here) {
  const cl_int error = copy_to_host(device, only_here);
  if (error == CL_SUCCESS) {
    drop_replica(device);
    --evictions_;
    return CL_SUCCESS;
  }
  std::lock_guard lock(mutex_);
  kept_.emplace_back(device, only_here);
  return error;
}

void Storage::lose_copies(Range range, Place place) {
  for (const auto& piece : directory_.pieces(range)) {
    const Places others = piece.valid & ~only(place);
    if (others != 0) directory_.written(piece.range, others);
  }
}

bool Storage::is_idle_replica(unsigned device) {
  if (!has_replica(device) || !will_have_replica(device)) return false;
  engine::NodeList users;
  for (const Place place : {Place{device}, kHost}) users_at_[place].find_conflicts({0, size_}, true, users);
  return users.empty();
}

bool Storage::give_back_idle(unsigned device) {
  std::vector<Range> only_here;
  for (const auto& piece : directory_.pieces({0, size_}))
    if (piece.valid == only(device)) only_here.push_back(piece.range);
  if (!only_here.empty()) {
    ++host_changes_;
    ++all_host_changes_;
  }
  if (!only_here.empty() && (!host() || copy_to_host(device, only_here) != CL_SUCCESS)) return false;
  for (const Range& range : only_here) directory_.copied(range, kHost);
  forget_replica(device);
  drop_replica(device);
  return true;
}

bool Storage::bring_kept() {
  std::lock_guard one_at_a_time(keeping_);
  while (true) {
    std::pair<unsigned, std::vector<Range>> next;
    {
      std::lock_guard lock(mutex_);
      if (kept_.empty()) return true;
      next = kept_.front();
    }
    if (copy_to_host(next.first, next.second) != CL_SUCCESS) return false;
    std::lock_guard lock(mutex_);
    kept_.erase(kept_.begin());
    --evictions_;
  }
}

bool Storage::has_host_copy() const {
  std::lock_guard lock(mutex_);
  return host_ != nullptr;
}

// Under mutex_. Of short memory of the program's others may lie in the same page.
bool Storage::is_worth_locking(bool is_wanted) const {
  if (shared_ || host_lock_tried_) return false;
  const bool is_ours = !host_ || owns_host_;
  return size_ >= kLeastLocked || (is_ours && (is_wanted || host_maps_ >= kOften));
}

bool Storage::is_to_be_locked(bool is_wanted) const {
  std::lock_guard lock(mutex_);
  return is_worth_locking(is_wanted);
}

void Storage::lock_host_copy(bool is_wanted) {
  std::lock_guard lock(mutex_);
  if (!is_worth_locking(is_wanted)) return;
  host_lock_tried_ = true;
  if (!host_locked()) return;
  const RealDevice& device = *set_->devices[0];
  if (!driver::vendor_facts(device.id).locks_host_memory) return;
  cl_int error;
  host_lock_ =
      driver::real().clCreateBuffer(device.context(), CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, size_, host_, &error);
  if (host_lock_) set_->locked_memory.add(host_, size_);
}

Directory& Storage::directory() {
  used_by(set_->planned_group);
  return directory_;
}

void Storage::written(Range range, Places places) {
  ++version_;
  directory_.written(range, shared_ && places != 0 ? only(kHost) : places);
}

void Storage::unmapped(const Rectangle& rows) {
  const auto found = std::ranges::find(mapped_, rows);
  if (found != mapped_.end()) mapped_.erase(found);
}

std::vector<ImaginedDirectory>& Storage::imagined(size_t machines) {
  if (!imagined_.empty()) return imagined_;
  ImaginedDirectory first(size_);
  for (const auto& piece : directory_.pieces({0, size_})) {
    if (piece.valid != 0) first.written(piece.range, ManyPlaces(contains(piece.valid, kZeros) ? kZeros : kHost));
  }
  return imagined_ = std::vector<ImaginedDirectory>(machines, first);
}

ImaginedDirectory& Storage::imagined_otherwise(size_t machines, size_t machine, uint64_t epoch) {
  const std::vector<ImaginedDirectory>& present = imagined(machines);
  for (size_t m = imagined_otherwise_.size(); m < machines; ++m) imagined_otherwise_.emplace_back(epoch, present[m]);
  auto& [as_of, directory] = imagined_otherwise_[machine];
  if (std::exchange(as_of, epoch) != epoch) directory = present[machine];
  return directory;
}

// Where nothing is known yet and launches are not split for certain, the first of them will be whole.
Places Storage::expected_users() const {
  if (users_) return users_;
  const Places in_use = set_->places_in_use();
  return set_->splits_always() ? in_use : only(set_->devices_in_use().front());
}

Places Storage::destination() const {
  if (svm_) return only(place_of(0));
  if (shared_ || has_host_copy() || set_->survives()) return only(kHost);
  return expected_users();
}

Places Storage::destination(uint64_t bytes) const {
  const Places places = destination();
  return image_ ? places : set_->entrances(places, bytes);
}

Places Storage::to_be_filled() const {
  const bool may_be_merged = !needs_known_ && std::popcount(users_) > 1;
  return svm_ || shared_ || set_->survives() || may_be_merged ? destination() : expected_users();
}

Place Storage::source_for(unsigned device, Places valid, uint64_t bytes) const {
  return set_->source_for(device, valid, image_ ? 0 : bytes);
}

std::vector<Directory::Piece> Storage::destinations(Range range) {
  if (svm_ || shared_) return {{range, only(place_of(0))}};
  expectation_due_ = true;
  const bool host_is_passed = owns_host_ && (needs_known_ || std::has_single_bit(users_));
  if ((has_host_copy() && !host_is_passed) || set_->survives()) return {{range, only(kHost)}};
  const Places users = expected_users();
  std::vector<Directory::Piece> pieces = expected_.pieces(range);
  if (pieces.size() > kMostDestinations) return {{range, users}};
  for (auto& piece : pieces) {
    if (piece.valid == 0) piece.valid = users;
    if (piece.valid != only(kZeros)) piece.valid &= ~only(kZeros);
    if (piece.valid == only(kZeros)) piece.valid = only(lowest(users));
    if (!image_) piece.valid = set_->entrances(piece.valid, piece.range.size());
  }
  return pieces;
}

void Storage::begin_as_placed() {
  if (as_placed_) return;
  as_placed_.emplace(size_);
  as_placed_->written({0, size_}, kAnyDevice | only(kHost));
}

void Storage::make_placed_replicas() {
  if (!is_placed_) return;
  for_each_place(users_, [&](Place device) {
    set_->devices[device]->worker(engine::LaneKind::up).post([storage = weak_from_this(), device] {
      if (const auto living = storage.lock()) living->make_replica_ahead(device);
    });
  });
}

// Nobody else uses it until it is there.
void Storage::make_replica_ahead(unsigned device) {
  const RealDevice& on = *set_->devices[device];
  std::lock_guard lock(mutex_);
  if (replicas_[device]) return;
  cl_int error = CL_SUCCESS;
  const cl_mem made = replica_locked(device, &error);
  if (made && !peers_[device] && gains_by_pinned_chunks(on.id)) allocate(on, made);
}

void Storage::used_on(Places devices) {
  users_ = devices;
  needs_known_ = false;
  if (!std::exchange(expectation_due_, false)) return;
  expected_.written({0, size_}, Places{0});
}

void Storage::used_on(Range range, std::span<const Need> needs) {
  users_ = 0;
  needs_known_ = true;
  for (const auto& [device, ranges] : needs) users_ |= only(device);
  if (!std::exchange(expectation_due_, false)) return;
  expected_.written(range, only(kZeros));
  for (const auto& [device, ranges] : needs) {
    for (const Range& needed : ranges) expected_.copied(needed, device);
  }
}

}  // namespace samcl
