#include "libsamcl/coherence/storage.h"

#include <sys/mman.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "libsamcl/driver/driver.h"
#include "libsamcl/driver/vendor.h"
#include "libsamcl/runtime/context.h"

namespace samcl {
namespace {

// Bytes in flight when they pass from device to device without a host copy.
constexpr uint64_t kStaging = 4 << 20;
// Smaller host copies are not worth locking.
constexpr uint64_t kLeastLocked = 64 << 10;
// With more, bytes from the host go wherever the buffer is used.
constexpr size_t kMostDestinations = 64;

unsigned lowest(Places places) { return static_cast<unsigned>(std::countr_zero(places)); }

}  // namespace

Storage::Storage(std::shared_ptr<Context> context, uint64_t size, void* host_ptr)
    : Storage(std::move(context), size, std::nullopt, host_ptr) {}

Storage::Storage(std::shared_ptr<Context> context, const ImageReplicas& image, cl_mem first, void* host_ptr)
    : Storage(std::move(context), image.layout.bytes(), image, host_ptr) {
  replicas_[0] = first;
}

Storage::Storage(std::shared_ptr<Context> context, uint64_t size, std::optional<ImageReplicas> image, void* host_ptr)
    : context_(std::move(context)),
      size_(size),
      image_(std::move(image)),
      directory_(size),
      replicas_(context_->devices.size(), nullptr),
      host_(static_cast<std::byte*>(host_ptr)),
      expected_(size) {
  if (!host_) return;
  directory_.written({0, size}, only(kHost));
  lock_host_copy();
}

Storage::~Storage() {
  for (cl_mem replica : replicas_) {
    if (replica) driver::real().clReleaseMemObject(replica);
  }
  if (host_lock_) driver::real().clReleaseMemObject(host_lock_);
  if (owns_host_) munmap(host_, size_);
}

cl_mem Storage::replica(unsigned device, cl_int* error) {
  std::lock_guard lock(mutex_);
  *error = CL_SUCCESS;
  cl_mem& replica = replicas_[device];
  if (replica) return replica;
  const cl_context context = context_->devices[device]->context();
  if (image_) {
    replica = driver::real().clCreateImage(context, image_->flags, &image_->format, &image_->description, nullptr, error);
  } else {
    replica = driver::real().clCreateBuffer(context, CL_MEM_READ_WRITE, size_, nullptr, error);
  }
  return replica;
}

cl_int Storage::upload(unsigned device, Range range, const void* from, Traffic& traffic) {
  cl_int error;
  cl_mem to = replica(device, &error);
  return to ? context_->devices[device]->upload(to, range.begin, range.size(), from, traffic, layout()) : error;
}

cl_int Storage::download(unsigned device, Range range, void* to, Traffic& traffic) {
  cl_int error;
  cl_mem from = replica(device, &error);
  return from ? context_->devices[device]->download(from, range.begin, range.size(), to, traffic, layout()) : error;
}

cl_int Storage::zero(unsigned device, Range range, Traffic& traffic) {
  cl_int error = CL_SUCCESS;
  if (image_) {
    const std::vector<std::byte> zeros(std::min(kStaging, range.size()));
    for (uint64_t at = range.begin; at < range.end && error == CL_SUCCESS; at += kStaging) {
      error = upload(device, {at, std::min(at + kStaging, range.end)}, zeros.data(), traffic);
    }
    return error;
  }
  cl_mem to = replica(device, &error);
  if (!to) return error;
  const uint64_t pattern = 0;
  const size_t width = (range.begin | range.end) % 8 == 0 ? 8 : 1;
  return context_->devices[device]->fill(to, range.begin, range.size(), &pattern, width);
}

std::byte* Storage::host_locked() {
  if (host_) return host_;
  void* memory = mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return nullptr;
  host_ = static_cast<std::byte*>(memory);
  owns_host_ = true;
  // Fresh pages are zeros already.
  for (const auto& piece : directory_.pieces({0, size_})) {
    if (contains(piece.valid, kZeros)) directory_.copied(piece.range, kHost);
  }
  return host_;
}

std::byte* Storage::host() {
  std::lock_guard lock(mutex_);
  return host_locked();
}

bool Storage::has_host_copy() const {
  std::lock_guard lock(mutex_);
  return host_ != nullptr;
}

void Storage::lock_host_copy() {
  std::lock_guard lock(mutex_);
  if (std::exchange(host_lock_tried_, true) || size_ < kLeastLocked || !host_locked()) return;
  const RealDevice& device = *context_->devices[0];
  if (!driver::vendor_facts(device.id).locks_host_memory) return;
  cl_int error;
  host_lock_ = driver::real().clCreateBuffer(device.context(), CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, size_, host_,
                                             &error);
}

uint64_t Storage::missing_bytes(Range range, Place place) const {
  std::lock_guard lock(mutex_);
  return directory_.missing_bytes(range, place);
}

std::vector<Directory::Piece> Storage::pieces(Range range) const {
  std::lock_guard lock(mutex_);
  return directory_.pieces(range);
}

void Storage::written(Range range, Places places) {
  std::lock_guard lock(mutex_);
  directory_.written(range, places);
}

void Storage::copied(Range range, Place place) {
  std::lock_guard lock(mutex_);
  directory_.copied(range, place);
}

void Storage::define(Range range) {
  std::lock_guard lock(mutex_);
  directory_.define_as_zeros(range, only(kZeros));
}

Places Storage::destination() const {
  std::lock_guard lock(mutex_);
  if (host_) return only(kHost);
  return users_ ? users_ : context_->places_in_use();
}

std::vector<Directory::Piece> Storage::destinations(Range range) {
  std::lock_guard lock(mutex_);
  expectation_due_ = true;
  if (host_ && (!owns_host_ || !needs_known_)) return {{range, only(kHost)}};
  const Places users = users_ ? users_ : context_->places_in_use();
  std::vector<Directory::Piece> pieces = expected_.pieces(range);
  if (pieces.size() > kMostDestinations) return {{range, users}};
  for (auto& piece : pieces) {
    if (piece.valid == 0) piece.valid = users;
    if (piece.valid != only(kZeros)) piece.valid &= ~only(kZeros);
    if (piece.valid == only(kZeros)) piece.valid = only(lowest(users));
  }
  return pieces;
}

void Storage::used_on(Places devices) {
  std::lock_guard lock(mutex_);
  users_ = devices;
  needs_known_ = false;
  if (!std::exchange(expectation_due_, false)) return;
  expected_.written({0, size_}, Places{0});
}

void Storage::used_on(Range range, const std::vector<std::pair<unsigned, std::vector<Range>>>& needs) {
  std::lock_guard lock(mutex_);
  users_ = 0;
  needs_known_ = true;
  for (const auto& [device, ranges] : needs) users_ |= only(device);
  if (!std::exchange(expectation_due_, false)) return;
  expected_.written(range, only(kZeros));
  for (const auto& [device, ranges] : needs) {
    for (const Range& needed : ranges) expected_.copied(needed, device);
  }
}

cl_int Storage::make_valid(Range range, Place place, Traffic& traffic) {
  if (place == kHost) {
    std::lock_guard one_at_a_time(host_copy_mutex_);
    if (!host()) return CL_OUT_OF_HOST_MEMORY;
    std::vector<Directory::Piece> missing;
    {
      std::lock_guard lock(mutex_);
      missing = directory_.missing(range, kHost);
    }
    for (const auto& piece : missing) {
      if (cl_int error = fetch(piece, traffic); error != CL_SUCCESS) return error;
    }
    return CL_SUCCESS;
  }
  cl_int error;
  if (!replica(place, &error)) return error;
  std::vector<Directory::Piece> missing;
  {
    std::lock_guard lock(mutex_);
    missing = directory_.missing(range, place);
  }
  for (const auto& piece : missing) {
    error = bring_to_device(piece, place, traffic);
    if (error != CL_SUCCESS) return error;
  }
  return CL_SUCCESS;
}

cl_int Storage::fetch(const Directory::Piece& piece, Traffic& traffic) {
  if (!host()) return CL_OUT_OF_HOST_MEMORY;
  std::byte* to = host_ + piece.range.begin;
  if (contains(piece.valid, kZeros)) {
    std::memset(to, 0, piece.range.size());
  } else {
    const cl_int error = download(lowest(piece.valid), piece.range, to, traffic);
    if (error != CL_SUCCESS) return error;
  }
  copied(piece.range, kHost);
  return CL_SUCCESS;
}

cl_int Storage::bring_to_device(const Directory::Piece& piece, unsigned device, Traffic& traffic) {
  const Range range = piece.range;
  cl_int error = CL_SUCCESS;
  if (contains(piece.valid, kZeros)) {
    error = zero(device, range, traffic);
  } else if (contains(piece.valid, kHost)) {
    error = upload(device, range, host_ + range.begin, traffic);
  } else {
    std::vector<std::byte> staging(std::min(kStaging, range.size()));
    for (uint64_t at = range.begin; at < range.end && error == CL_SUCCESS; at += kStaging) {
      const Range part{at, std::min(at + kStaging, range.end)};
      error = download(lowest(piece.valid), part, staging.data(), traffic);
      if (error == CL_SUCCESS) error = upload(device, part, staging.data(), traffic);
    }
  }
  if (error == CL_SUCCESS) copied(range, device);
  return error;
}

}  // namespace samcl
