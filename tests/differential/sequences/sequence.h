// A random sequence of OpenCL host commands as plain data: the steps that generator.h makes, ordering.h ties
// together so that their result is determined, model.h computes on the host, and player.h plays through the
// OpenCL C API. Steps are independent of each other: any subset, in the same order, is a sequence again,
// which is what lets shrink.h delete them. A step whose objects do not exist, or are too small for it, is
// left out when it is ordered.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sequences {

using Triple = std::array<size_t, 3>;

enum class StepKind {
  // Objects. A buffer is known by a number that the step gives it; 0 is none.
  create,        // buffer `to` of `bytes` bytes, in `home`
  create_index,  // buffer `to` of `bytes` / 4 uints, a permutation; only kernels' index arguments use it
  sub_buffer,    // buffer `to`: `bytes` bytes of buffer `from` from `offset`
  release,       // buffer `to`, even if commands that use it are still to run
  renew_queue,   // release the queue, create another in its place
  // Commands.
  write,
  read,
  fill,
  copy,
  write_rect,
  read_rect,
  copy_rect,
  map,    // known as map `number`; read or changed by the host until it is unmapped
  unmap,  // map `number`
  launch,
  barrier,  // without a wait list
  marker,   // without a wait list
  follow,   // fills that callbacks enqueue, in queues of their own: the first when a marker in `queue` is complete
  // Synchronisation.
  gate,      // a user event, known as gate `number`; commands with that `gate` wait for it
  complete,  // gate `number`
  finish,
  flush,
  wait,     // on the host, for the last command of the queue
  failing,  // commands on `to` behind a user event that ends with an error: none of them may run
};

enum class Home { plain, copy_host, use_host, use_host_shifted, alloc_host, alloc_copy };
enum class MapAccess { read, write, invalidate };  // of a map
// How a command waits for the commands that it must come after, beyond what its queue ensures.
enum class Tie { events, all_events, barrier, marker, host };

struct Step {
  StepKind kind = StepKind::finish;
  unsigned queue = 0;
  unsigned to = 0, from = 0, index = 0;  // buffers
  unsigned number = 0;                   // of a map or gate
  Home home = Home::plain;
  size_t offset = 0, from_offset = 0, bytes = 0;
  // Rectangles. `origin`, `row_pitch` and `slice_pitch` are those of `to` (of the buffer); `from_...` those
  // of the other side, buffer or host memory. origin[0] and region[0] in bytes.
  Triple origin{}, from_origin{}, region{};
  size_t row_pitch = 0, slice_pitch = 0, from_row_pitch = 0, from_slice_pitch = 0;
  size_t pattern = 0;  // bytes, of a fill
  uint64_t seed = 0;   // contents that the host writes
  bool blocking = true;
  MapAccess access = MapAccess::read;
  Tie tie = Tie::events;
  unsigned gate = 0;
  bool late = false;      // complete: by another thread, while the host already waits
  bool callback = false;  // ask to be called when the command is complete, or also at the stages before
  bool event = false;     // take an event, also where nothing waits for it
  bool poll = false;      // wait for events by asking for their status again and again
  // Launches.
  std::string kernel{};
  unsigned dimensions = 1;
  Triple global{1, 1, 1}, local{1, 1, 1}, start{};
  bool null_local = false;
  uint32_t n = 0, width = 0, height = 0, a = 0, b = 0;

  bool operator==(const Step&) const = default;
};

using Sequence = std::vector<Step>;

// Only queues 0 .. kQueues - 1 exist; odd ones are out of order, the last two take the times of their commands.
inline constexpr unsigned kQueues = 6;
inline bool is_out_of_order(unsigned queue) { return queue % 2 == 1; }
inline bool is_profiling(unsigned queue) { return queue >= 4; }

std::string_view name(StepKind kind);

// One line: the kind, then what differs from a default step, e.g. "write to=2 offset=7 bytes=100 seed=5".
std::string text(const Step& step);
std::string text(const Sequence& sequence);  // a line per step

// The inverse. Empty lines and those that begin with '#' are skipped. Throws std::runtime_error naming the
// line and the word that is not understood.
Sequence parse(const std::string& text);

}  // namespace sequences
