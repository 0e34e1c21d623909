// Turns what a command wants into operations: which bytes have to come from where, on which lanes, and behind which
// earlier operations. Directories are brought up to date at once, so that the next command is planned on what will be.
//
// One Planner lives for the planning of one command, under the lock of the context's graph. No OpenCL here.
#pragma once

#include <CL/cl.h>

#include <memory>
#include <span>
#include <vector>

#include "libsamcl/engine/access_map.h"
#include "libsamcl/engine/engine.h"
#include "libsamcl/memory/storage.h"
#include "libsamcl/objects/strands.h"

namespace samcl {

class Context;
struct Traffic;

// Which lane a transfer takes. Short ones stay with the kernels that they come after or before; long ones have lanes
// of their own, so that both links and the devices work at once.
engine::Lane transfer_lane(Place from, Place to, uint64_t bytes);
// The same for one that the program's thread is going to wait for. It may take the lane's part, and hear of the
// kernels' end by itself; a driver takes 13 us for that where it takes 43 for a read that it is given behind them.
engine::Lane transfer_lane(const DeviceSet& devices, Place from, Place to, uint64_t bytes, bool is_awaited);

class Planner {
 public:
  // program_memory: who uses which addresses of the program's own memory. next_group: the context's counter. owner: of
  // the operations (engine::Node).
  // strand: of its short operations (objects/strands.h), where devices have it.
  Planner(engine::Engine& engine, engine::AccessMap& program_memory, uint64_t& next_group, uint32_t command,
          bool observed, bool is_awaited, std::shared_ptr<engine::Owner> owner, Context& context, unsigned strand)
      : engine_(engine),
        program_memory_(program_memory),
        next_group_(next_group),
        command_(command),
        observed_(observed),
        is_awaited_(is_awaited),
        owner_(std::move(owner)),
        context_(context),
        strand_(strand) {}

  // One use of memory by an operation. memory: nullptr for the program's own, whose range is its addresses.
  struct Access {
    Access(const std::shared_ptr<Storage>& of, Place at, Range which, bool writes)
        : memory(of.get()), place(at), range(which), write(writes) {}
    Storage* memory;  // what the operation itself keeps alive
    Place place;
    Range range;
    bool write;
  };
  using Accesses = SmallVector<Access, 4>;
  // Of an operation of which nobody knows what memory of the program's or of the driver's own it touches (shared
  // virtual memory, native kernels): it comes after all others that touch such memory, and before later ones.
  static Access untracked() { return {nullptr, kHost, {0, UINT64_MAX}, true}; }

  struct Planned {
    engine::Lane lane;
    engine::Operation operation;
    Accesses accesses;
    bool is_handed_on = false;  // see engine::Node, as the next
    bool has_own_end = false;
  };
  using Together = SmallVector<Planned, 2>;

  // Enters what gives back replicas on a device until that many bytes are free there, or none is left that may be given
  // back; those first that have not been used for longest, those never that this command has used. What only the
  // device holds is brought to host memory before.
  void evict(const DeviceSet& set, unsigned device, uint64_t bytes);

  // Enters operations that do not wait for each other: the parts of a launch. They come after all earlier ones that
  // use the same bytes, if one of the two writes them. Directories are the caller's.
  SmallVector<engine::NodePtr, 2> add(Together together);
  // after: it comes after these, too.
  engine::NodePtr add(engine::Lane lane, engine::Operation operation, Accesses accesses,
                      std::span<const engine::NodePtr> after = {});

  // Ends when the bytes are no longer in use otherwise: for those that the program itself is about to touch.
  void join(Accesses accesses) { add({engine::LaneKind::host, 0}, engine::HostCall{}, std::move(accesses)); }

  // The command has one more operation, which is none of the engine's: Graph::awaited_ended() is called at its end.
  void await() { ++operations_; }

  // What of these ranges is defined and not valid at `place` is brought there. For a device of a shared storage: use
  // Storage::place_of().
  void bring(const std::shared_ptr<Storage>& memory, std::span<const Range> ranges, Place place, Traffic* traffic);

  // Undefined bytes become zeros, so that all places start from the same.
  void define(const std::shared_ptr<Storage>& memory, Range range);

  // Tells the operations of this command from those of others.
  uint64_t first_group() const { return first_group_; }

  // Who is ahead (engine::Owner) of what operations of this command come after.
  const std::vector<std::shared_ptr<engine::Owner>>& counts_on() const { return counts_on_; }

  // How many operations were entered, and are awaited.
  size_t operations() const { return operations_; }
  // The strand on that device that the command goes to.
  unsigned strand(unsigned device) const;
  // It goes to another one instead, which is made.
  void goes_to(unsigned its_strand) { strand_ = its_strand; }
  // Which lane an upload takes, as the next operation.
  engine::Lane upload_lane(Place to, uint64_t bytes) const;
  // The strands of that device with operations that one with these accesses would come after.
  Strands::Set strands_before(const Accesses& accesses, unsigned device);
  // What its strands have to do.
  Strands::Loads loads(unsigned device) const;
  // Whether any of them has, but those.
  bool has_busy_strands(unsigned device, Strands::Set but) const;
  // The thread that enqueues the command waits for it.
  bool is_awaited() const { return is_awaited_; }

 private:
  SmallVector<engine::NodePtr, 2> enter(Together together, std::span<const engine::NodePtr> after);
  bool pass_through_window(const engine::Exchange& exchange);
  static uint64_t missing_together(Storage& memory, std::span<const Range> ranges, Place place);
  void note_counts_on(const engine::NodeList& before);
  engine::Lane lane_of(const Planned& planned, bool is_alone) const;
  void note_strands(const engine::Node& node, const engine::NodeList& before);
  void make_room(const Access& access, engine::NodeList& before);
  void evict(const std::shared_ptr<Storage>& memory, unsigned device);
  static engine::HostCall eviction(const std::shared_ptr<Storage>& memory, unsigned device,
                                   std::vector<Range> only_here);
  void finish_evictions(const std::shared_ptr<Storage>& memory, std::span<const Range> ranges);

  engine::AccessMap& users_of(const Access& access) {
    return access.memory ? access.memory->users(access.place) : program_memory_;
  }

  engine::Engine& engine_;
  engine::AccessMap& program_memory_;
  uint64_t& next_group_;
  const uint32_t command_;
  const bool observed_, is_awaited_;
  const std::shared_ptr<engine::Owner> owner_;
  Context& context_;
  unsigned strand_;
  size_t operations_ = 0;
  const uint64_t first_group_ = next_group_ + 1;  // of this command
  std::vector<std::shared_ptr<engine::Owner>> counts_on_;
  engine::NodeList evictions_;  // what gives back replicas: what needs new ones comes after it
  bool evicting_ = false;
};

}  // namespace samcl
