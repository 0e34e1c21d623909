#include "libsamcl/commands/buffer_commands.h"

#include <algorithm>
#include <cstring>

#include "libsamcl/coherence/rows_by_place.h"
#include "libsamcl/objects/context.h"
#include "libsamcl/objects/links.h"
#include "libsamcl/objects/planner.h"
#include "libsamcl/objects/svm.h"
#include "libsamcl/observe/traffic.h"
#include "libsamcl/plan/what_if.h"

namespace samcl {
namespace {

using engine::Lane;
using engine::LaneKind;
using Access = Planner::Access;
using EventPtr = std::shared_ptr<Event>;

constexpr Lane kHostLane{LaneKind::host, 0};

Range of_program(const void* memory, const Rectangle& rows) {
  const auto begin = reinterpret_cast<uintptr_t>(memory);
  const Range bounds = rows.bounds();
  return {begin + bounds.begin, begin + bounds.end};
}

// Memory of the program's that a command reads or writes. If it is shared virtual memory, kernels know it, too: what
// others than the first device have of it is brought there, and then the same bytes are in use twice.
class ProgramMemory {
 public:
  ProgramMemory(const Context& context, const void* memory, const Rectangle& rows, bool written)
      : range_(of_program(memory, rows)), written_(written), allocation_(svm::at(context, memory)) {}

  bool is_shared_virtual() const { return allocation_ != nullptr; }

  void prepare(Planner& planner) const {
    if (!allocation_) return;
    const std::shared_ptr<Storage>& storage = allocation_->storage;
    const Range range = in_storage(range_);
    planner.bring(storage, {&range, 1}, storage->place_of(0), &program_traffic());
    if (written_) storage->written_by_program(range, only(storage->place_of(0)));
  }
  // A part of it.
  void add(Range range, Planner::Accesses& accesses) const {
    accesses.push_back({nullptr, kHost, range, written_});
    if (!allocation_) return;
    accesses.push_back({allocation_->storage, allocation_->storage->place_of(0), in_storage(range), written_});
  }

 private:
  Range in_storage(Range range) const {
    const auto begin = reinterpret_cast<uintptr_t>(allocation_->host_ptr);
    return intersect({range.begin - begin, range.end - begin}, allocation_->range);
  }

  const Range range_;
  const bool written_;
  const BufferPtr allocation_;  // nullptr: it is the program's own
};

// Whether it stays on the lane of the kernels that it comes after or before.
bool is_short(const Rectangle& rows) {
  return rows.bytes() > 0 && transfer_lane(kHost, 0, rows.bytes()).kind == LaneKind::compute;
}

// The rows as ranges, as few as there can be.
std::vector<Range> ranges_of(const Rectangle& rows) {
  std::vector<Range> ranges;
  rows.joined().for_each_row([&](uint64_t, Range row) { ranges.push_back(row); });
  return ranges;
}

// The same on machines that are imagined, where there are such.
void read_on_imagined(const Buffer& buffer, const Rectangle& rows, bool keep) {
  WhatIf* const what_if = WhatIf::wanted();
  if (!what_if) return;
  what_if->read(*buffer.storage, ranges_of(rows), buffer.context->rates(), keep);
}

void copied_on_imagined(const Buffer& from, const Buffer& to, const Rectangle& source, const Rectangle& target) {
  WhatIf* const what_if = WhatIf::wanted();
  if (!what_if) return;
  source.for_each_row(
      [&](uint64_t index, Range row) { what_if->copied(*from.storage, row, *to.storage, target.row(index)); });
}

// What lies between the rows is not touched: where it is valid there as well, all is one piece.
void written(Storage& storage, const Rectangle& rows, Places places) {
  const Range bounds = rows.bounds();
  bool is_whole = places != 0 && !storage.shared();
  for_each_place(places,
                 [&](Place place) { is_whole = is_whole && storage.directory().missing_bytes(bounds, place) == 0; });
  if (is_whole) return storage.written_by_program(bounds, places);
  for (const Range& row : ranges_of(rows)) storage.written_by_program(row, places);
}

bool are_defined(Storage& storage, Range range) {
  return std::ranges::none_of(storage.directory().pieces(range),
                              [](const Directory::Piece& piece) { return piece.valid == 0; });
}

// As which what is read is taken from the devices that have it, at most: each is a command.
constexpr size_t kMostRectangles = 16;

// The devices that have all defined bytes between the first and the last of the rows.
Places holders(Storage& storage, const Rectangle& rows) {
  if (storage.shared()) return 0;
  Places result = 0;
  for (unsigned device = 0; device < storage.devices().devices.size(); ++device) {
    if (storage.directory().missing_bytes(rows.bounds(), device) == 0) result |= only(device);
  }
  return result;
}

bool at_host(Storage& storage, const Rectangle& rows) {
  return storage.shared() || (storage.has_host_copy() && storage.directory().missing_bytes(rows.bounds(), kHost) == 0);
}

// What of the target is zero and nowhere yet is filled first where rows go that are written into it, or these would
// leave thousands of pieces to be filled one by one; from then on it is valid there like them, one piece with them. At
// several places what is undefined becomes zeros, too: it would pass for valid, and be other bytes at each.
void fill_around(Planner& planner, const std::shared_ptr<Storage>& storage, const Rectangle& rows, Places places) {
  if (rows.is_run()) return;
  if (std::popcount(places) > 1) planner.define(storage, rows.bounds());
  std::vector<Range> zeros;
  for (const Directory::Piece& piece : storage->directory().pieces(rows.bounds())) {
    if (contains(piece.valid, kZeros)) zeros.push_back(piece.range);
  }
  for_each_place(places, [&](Place place) { planner.bring(storage, zeros, place, nullptr); });
  for (const Range& range : zeros) storage->written_by_program(range, places);
}

// What a command of the program's reads and writes of buffers.
void add_read(Uses& uses, const Buffer& buffer, const Rectangle& rows) {
  const Range bounds = rows.bounds();
  uses.read(buffer.storage, {&bounds, 1}, kHost);
}
void add_written(Uses& uses, const Buffer& buffer, const Rectangle& rows) {
  uses.write(buffer.storage, ranges_of(rows));
}

class Read : public Command {
 public:
  Read(BufferPtr buffer, Rectangle rows, Rectangle host, void* to)
      : buffer_(std::move(buffer)),
        rows_(rows.moved(buffer_->range.begin)),
        host_(host),
        to_(static_cast<std::byte*>(to)),
        memory_(*buffer_->context, to, host, true) {}

  void uses(Uses& uses) override { add_read(uses, *buffer_, rows_); }

  std::optional<OnDevice> on_device(unsigned device) const override {
    if (memory_.is_shared_virtual() || !is_short(rows_)) return std::nullopt;
    return OnDevice{copy_from(buffer_->storage->place_of(device), rows_, host_), {buffer_}};
  }

  cl_int plan(Planner& planner, const EventPtr& event) override {
    event->set_running();
    if (rows_.bytes() == 0) return CL_SUCCESS;
    memory_.prepare(planner);
    read_on_imagined(*buffer_, rows_, false);
    Planner::Together together;
    if (rows_.is_run() && host_.is_run()) {
      read_run(planner, together);
    } else {
      read_rows(planner, together);
    }
    planner.add(std::move(together));
    return CL_SUCCESS;
  }

 private:
  void read_run(const Planner& planner, Planner::Together& together) {
    Storage& storage = *buffer_->storage;
    const Range all{rows_.offset, rows_.offset + rows_.bytes()};
    if (storage.shared()) return together.push_back(copy_of(planner, all, kHost));
    for (const auto& piece : storage.directory().pieces(all)) {
      if (piece.valid == 0 || contains(piece.valid, kZeros)) {
        together.push_back(zeros_of(piece.range));
      } else if (contains(piece.valid, kHost)) {
        together.push_back(copy_of(planner, piece.range, kHost));
      } else {
        for (const auto& part : spread_over_links(piece.range, piece.valid, storage.devices().places_in_use())) {
          together.push_back(copy_of(planner, part.range, lowest(part.valid)));
        }
      }
    }
  }

  void read_rows(Planner& planner, Planner::Together& together) {
    const std::shared_ptr<Storage>& storage = buffer_->storage;
    std::vector<RowsAt> parts;
    if (!at_host(*storage, rows_)) parts = rows_by_place(storage->directory(), rows_, kMostRectangles);
    for (const RowsAt& part : parts)
      together.push_back(copy(planner, part.of(rows_), part.of(host_), lowest(part.valid)));
    if (!parts.empty()) return;
    const Range bounds = rows_.bounds();
    planner.bring(storage, {&bounds, 1}, kHost, &program_traffic());
    together.push_back(copy(planner, rows_, host_, kHost));
  }

  Planner::Planned copy_of(const Planner& planner, Range range, Place place) const {
    const uint64_t done = range.begin - rows_.offset;
    return copy(planner, Rectangle::run(range.begin, range.size()), Rectangle::run(host_.offset + done, range.size()),
                place);
  }

  Planner::Planned copy(const Planner& planner, const Rectangle& rows, const Rectangle& host, Place place) const {
    Planner::Planned planned{
        transfer_lane(buffer_->storage->devices(), place, kHost, rows.bytes(), planner.is_awaited()),
        copy_from(place, rows, host),
        {{buffer_->storage, place, rows.bounds(), false}}};
    memory_.add(of_program(to_, host), planned.accesses);
    return planned;
  }

  engine::ProgramCopy copy_from(Place place, const Rectangle& rows, const Rectangle& host) const {
    return {{buffer_->storage, place}, rows, to_, host, true, &program_traffic()};
  }

  Planner::Planned zeros_of(Range range) const {
    std::byte* to = to_ + host_.offset + (range.begin - rows_.offset);
    const auto begin = reinterpret_cast<uintptr_t>(to);
    Planner::Planned planned{kHostLane,
                             engine::HostCall{[to, bytes = range.size()] {
                               std::memset(to, 0, bytes);
                               return CL_SUCCESS;
                             }},
                             {}};
    memory_.add({begin, begin + range.size()}, planned.accesses);
    return planned;
  }

  const BufferPtr buffer_;
  const Rectangle rows_, host_;
  std::byte* const to_;
  const ProgramMemory memory_;
};

class Write : public Command {
 public:
  Write(BufferPtr buffer, Rectangle rows, Rectangle host, const void* from)
      : buffer_(std::move(buffer)),
        rows_(rows.moved(buffer_->range.begin)),
        host_(host),
        from_(static_cast<std::byte*>(const_cast<void*>(from))),
        memory_(*buffer_->context, from, host, false) {}

  void uses(Uses& uses) override { add_written(uses, *buffer_, rows_); }

  std::optional<OnDevice> on_device(unsigned device) const override {
    if (memory_.is_shared_virtual() || !is_short(rows_)) return std::nullopt;
    return OnDevice{copy_to(buffer_->storage->place_of(device), rows_, host_), {buffer_}};
  }

  cl_int plan(Planner& planner, const EventPtr& event) override {
    event->set_running();
    if (rows_.bytes() == 0) return CL_SUCCESS;
    memory_.prepare(planner);
    const std::shared_ptr<Storage>& storage = buffer_->storage;
    Planner::Together together;
    if (rows_.is_run() && host_.is_run()) {
      for (const auto& piece : storage->destinations({rows_.offset, rows_.offset + rows_.bytes()})) {
        const uint64_t done = piece.range.begin - rows_.offset;
        add(planner, together, Rectangle::run(piece.range.begin, piece.range.size()),
            Rectangle::run(host_.offset + done, piece.range.size()), piece.valid);
        storage->written_by_program(piece.range, piece.valid);
      }
    } else {
      const Places places = storage->destination(rows_.bytes());
      fill_around(planner, storage, rows_, places);
      add(planner, together, rows_, host_, places);
      written(*storage, rows_, places);
    }
    planner.add(std::move(together));
    return CL_SUCCESS;
  }

 private:
  void add(const Planner& planner, Planner::Together& together, const Rectangle& rows, const Rectangle& host,
           Places places) const {
    const bool is_run = rows.is_run() && host.is_run();
    for_each_place(places, [&](Place place) {
      together.push_back({is_run ? planner.upload_lane(place, rows.bytes()) : transfer_lane(kHost, place, rows.bytes()),
                          copy_to(place, rows, host),
                          {{buffer_->storage, place, rows.bounds(), true}}});
      memory_.add(of_program(from_, host), together.back().accesses);
    });
  }

  engine::ProgramCopy copy_to(Place place, const Rectangle& rows, const Rectangle& host) const {
    return {{buffer_->storage, place}, rows, from_, host, false, &program_traffic()};
  }

  const BufferPtr buffer_;
  const Rectangle rows_, host_;
  std::byte* const from_;
  const ProgramMemory memory_;
};

class Fill : public Command {
 public:
  Fill(BufferPtr buffer, Range range, std::vector<std::byte> pattern)
      : buffer_(std::move(buffer)), range_(range), pattern_(std::move(pattern)) {}

  void uses(Uses& uses) override { uses.write(buffer_->storage, {&range_, 1}); }

  std::optional<OnDevice> on_device(unsigned device) const override {
    if (range_.empty()) return std::nullopt;
    return OnDevice{fill(buffer_->storage->place_of(device)), {buffer_}};
  }

  cl_int plan(Planner& planner, const EventPtr& event) override {
    event->set_running();
    if (range_.empty()) return CL_SUCCESS;
    const std::shared_ptr<Storage>& storage = buffer_->storage;
    const bool zeros = std::all_of(pattern_.begin(), pattern_.end(), [](std::byte b) { return b == std::byte{0}; });
    const Places places = zeros && !storage->shared() && !storage->svm() ? only(kZeros) : storage->to_be_filled();
    Planner::Together together;
    for_each_place(places & ~only(kZeros), [&](Place place) {
      together.push_back({transfer_lane(place, place, range_.size()), fill(place), {{storage, place, range_, true}}});
    });
    storage->written(range_, places);
    if (WhatIf* const what_if = WhatIf::wanted()) what_if->filled_with_zeros(*storage, range_);
    planner.add(std::move(together));
    return CL_SUCCESS;
  }

 private:
  engine::Fill fill(Place place) const { return {{buffer_->storage, place}, {range_}, pattern_}; }

  const BufferPtr buffer_;
  const Range range_;
  const std::vector<std::byte> pattern_;
};

class Copy : public Command {
 public:
  Copy(BufferPtr from, BufferPtr to, Rectangle source, Rectangle target)
      : from_(std::move(from)),
        to_(std::move(to)),
        source_(source.moved(from_->range.begin)),
        target_(target.moved(to_->range.begin)) {}

  void uses(Uses& uses) override {
    add_read(uses, *from_, source_);
    add_written(uses, *to_, target_);
  }

  std::optional<OnDevice> on_device(unsigned device) const override {
    const Place place = to_->storage->place_of(device);
    if (source_.bytes() == 0 || from_->storage->place_of(device) != place) return std::nullopt;
    return OnDevice{local_copy(source_, target_, place), {from_, to_}};
  }

  cl_int plan(Planner& planner, const EventPtr& event) override {
    event->set_running();
    if (source_.bytes() == 0) return CL_SUCCESS;
    Planner::Together together;
    if (source_.is_run() && target_.is_run()) {
      copy_run(planner, together);
    } else {
      copy_rows(planner, together);
    }
    copied_on_imagined(*from_, *to_, source_, target_);
    planner.add(std::move(together));
    return CL_SUCCESS;
  }

 private:
  // Where the source is, the target will be; or where it is used, if the source has to come from the host anyway.
  void copy_run(Planner& planner, Planner::Together& together) {
    const Range all{source_.offset, source_.offset + source_.bytes()};
    Storage& source = *from_->storage;
    Storage& target = *to_->storage;
    if (target.svm()) return copy_at(target.place_of(0), planner, together);
    if (source.shared() || target.shared()) return copy_at(kHost, planner, together);
    for (const auto& piece : source.directory().pieces(all)) {
      Places places = piece.valid;
      if (contains(places, kZeros))
        places = only(kZeros);
      else if (source.devices().survives() && contains(places, kHost))
        places = only(kHost);  // a copy on a device that is lost would be lost with it
      else if (places & kAnyDevice)
        places &= kAnyDevice;
      const Range to{target_.offset + (piece.range.begin - all.begin), target_.offset + (piece.range.end - all.begin)};
      if (const Places user = places == only(kHost) ? goes_up_to() : Places{0}; user != 0) {
        together.push_back(from_host(planner, piece.range, to, lowest(user)));
        target.written_by_program(to, user);
        continue;
      }
      for_each_place(places & ~only(kZeros), [&](Place place) {
        together.push_back(
            copy(Rectangle::run(piece.range.begin, piece.range.size()), Rectangle::run(to.begin, to.size()), place));
      });
      target.written_by_program(to, places);
    }
  }

  void copy_rows(Planner& planner, Planner::Together& together) {
    if (to_->storage->svm()) return copy_at(to_->storage->place_of(0), planner, together);
    const bool at_host = to_->storage->shared() || to_->storage->devices().survives();
    Places devices = at_host ? 0 : holders(*from_->storage, source_);
    // Undefined bytes are other ones at each place, and would pass for the same in the target.
    if (devices != 0 && !are_defined(*from_->storage, source_.bounds())) devices = only(lowest(devices));
    if (devices == 0) return copy_at(kHost, planner, together);
    fill_around(planner, to_->storage, target_, devices);
    for_each_place(devices, [&](Place place) { together.push_back(copy(source_, target_, place)); });
    written(*to_->storage, target_, devices);
  }

  void copy_at(Place place, Planner& planner, Planner::Together& together) {
    const Range bounds = source_.bounds();
    planner.bring(from_->storage, {&bounds, 1}, place, &program_traffic());
    fill_around(planner, to_->storage, target_, only(place));
    together.push_back(copy(source_, target_, place));
    written(*to_->storage, target_, only(place));
  }

  // The device to which bytes go that only the host has; 0: they are copied there.
  Places goes_up_to() const {
    Storage& source = *from_->storage;
    const Storage& target = *to_->storage;
    if (source.devices().survives()) return 0;
    if (!source.is_mapped_at_times()) return target.only_user();
    const Places there = target.to_be_filled() & kAnyDevice;
    return std::has_single_bit(there) && !source.is_being_evicted() && source.host() ? there : 0;
  }

  // The program may have a buffer only to bring others their bytes, which it maps to write them: that needs no memory
  // of a device. Its host copy is read, which this command keeps. Others are brought, so that the next copy finds them.
  Planner::Planned from_host(Planner& planner, Range source, Range target, Place to) const {
    const Rectangle from = Rectangle::run(source.begin, source.size()),
                    rows = Rectangle::run(target.begin, target.size());
    if (!from_->storage->is_mapped_at_times()) {
      planner.bring(from_->storage, {&source, 1}, to, &program_traffic());
      return copy(from, rows, to);
    }
    return {planner.upload_lane(to, target.size()),
            engine::ProgramCopy{{to_->storage, to}, rows, from_->storage->host(), from, false, &program_traffic()},
            {{from_->storage, kHost, source, false}, {to_->storage, to, target, true}}};
  }

  Planner::Planned copy(const Rectangle& source, const Rectangle& target, Place place) const {
    return {transfer_lane(place, place, source.bytes()),
            local_copy(source, target, place),
            {{from_->storage, place, source.bounds(), false}, {to_->storage, place, target.bounds(), true}}};
  }

  engine::LocalCopy local_copy(const Rectangle& source, const Rectangle& target, Place place) const {
    return {from_->storage, to_->storage, place, source, target, &program_traffic()};
  }

  const BufferPtr from_, to_;
  const Rectangle source_, target_;
};

// Brings bytes to the host copy, and says that they are valid nowhere else if they were mapped to be written.
class Map : public Command {
 public:
  Map(BufferPtr buffer, Rectangle rows, cl_map_flags flags)
      : buffer_(std::move(buffer)), rows_(rows.joined()), flags_(flags) {
    buffer_->storage->note_mapped();
  }

  void uses(Uses& uses) override {
    if (!(flags_ & CL_MAP_WRITE_INVALIDATE_REGION)) add_read(uses, *buffer_, rows_);
    if (flags_ & (CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION)) add_written(uses, *buffer_, rows_);
  }

  std::optional<OnDevice> on_device(unsigned device) const override {
    const std::shared_ptr<Storage>& storage = buffer_->storage;
    if (flags_ != CL_MAP_READ || !rows_.is_run() || !is_short(rows_) || storage->is_to_be_locked(wants_lock()))
      return std::nullopt;
    std::byte* const host = storage->host();
    if (!host) return std::nullopt;
    return OnDevice{
        engine::ProgramCopy{{storage, storage->place_of(device)}, rows_, host, rows_, true, &program_traffic()},
        {buffer_},
        true};
  }

  cl_int plan(Planner& planner, const EventPtr& event) override {
    event->set_running();
    const std::shared_ptr<Storage>& storage = buffer_->storage;
    storage->lock_host_copy(wants_lock());
    const Range bounds = rows_.bounds();
    if (!(flags_ & CL_MAP_WRITE_INVALIDATE_REGION)) {
      read_on_imagined(*buffer_, rows_, true);
      planner.bring(storage, {&bounds, 1}, kHost, &program_traffic());
    }
    const bool writes = flags_ & (CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION);
    planner.join({{storage, kHost, bounds, writes}});
    if (writes) {
      written(*storage, rows_, only(kHost));
      storage->mapped_to_write(rows_);
    }
    return CL_SUCCESS;
  }

 private:
  bool wants_lock() const { return buffer_->flags & CL_MEM_ALLOC_HOST_PTR; }

  const BufferPtr buffer_;
  const Rectangle rows_;
  const cl_map_flags flags_;
};

class Unmap : public Command {
 public:
  Unmap(BufferPtr buffer, Buffer::Mapping mapping) : buffer_(std::move(buffer)), mapping_(std::move(mapping)) {}

  void uses(Uses& uses) override {
    if (mapping_.flags & (CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION)) add_written(uses, *buffer_, mapping_.rows);
  }

  cl_int plan(Planner&, const EventPtr& event) override {
    event->set_running();
    if (mapping_.flags & (CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION)) {
      written(*buffer_->storage, mapping_.rows, only(kHost));
      buffer_->storage->unmapped(mapping_.rows.joined());
    }
    return CL_SUCCESS;
  }

 private:
  const BufferPtr buffer_;
  const Buffer::Mapping mapping_;
};

}  // namespace

CommandPtr read_rectangle(BufferPtr buffer, Rectangle rectangle, Rectangle host, void* to) {
  return std::make_unique<Read>(std::move(buffer), rectangle, host, to);
}

CommandPtr write_rectangle(BufferPtr buffer, Rectangle rectangle, Rectangle host, const void* from) {
  return std::make_unique<Write>(std::move(buffer), rectangle, host, from);
}

CommandPtr copy_rectangle(BufferPtr from, BufferPtr to, Rectangle source, Rectangle target) {
  return std::make_unique<Copy>(std::move(from), std::move(to), source, target);
}

CommandPtr read_buffer(BufferPtr buffer, uint64_t offset, uint64_t bytes, void* to) {
  return read_rectangle(std::move(buffer), Rectangle::run(offset, bytes), Rectangle::run(0, bytes), to);
}

CommandPtr write_buffer(BufferPtr buffer, uint64_t offset, uint64_t bytes, const void* from) {
  return write_rectangle(std::move(buffer), Rectangle::run(offset, bytes), Rectangle::run(0, bytes), from);
}

CommandPtr copy_buffer(BufferPtr from, BufferPtr to, uint64_t from_offset, uint64_t to_offset, uint64_t bytes) {
  return copy_rectangle(std::move(from), std::move(to), Rectangle::run(from_offset, bytes),
                        Rectangle::run(to_offset, bytes));
}

CommandPtr fill_buffer(BufferPtr buffer, uint64_t offset, uint64_t bytes, std::vector<std::byte> pattern) {
  const Range range = buffer->part(offset, bytes);
  return std::make_unique<Fill>(std::move(buffer), range, std::move(pattern));
}

CommandPtr map_buffer(BufferPtr buffer, Rectangle rows_of_storage, cl_map_flags flags) {
  return std::make_unique<Map>(std::move(buffer), rows_of_storage, flags);
}

CommandPtr unmap_buffer(BufferPtr buffer, Buffer::Mapping mapping) {
  return std::make_unique<Unmap>(std::move(buffer), std::move(mapping));
}

}  // namespace samcl
