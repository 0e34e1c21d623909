#include "tests/differential/sequences/ordering.h"

#include <algorithm>
#include <map>
#include <set>

namespace sequences {
namespace {

// Bytes of one root whose contents nobody knows: disjoint intervals by their begin.
class Undefined {
 public:
  void add(size_t begin, size_t end) {
    remove(begin, end);
    if (begin < end) intervals_[begin] = end;
  }
  void remove(size_t begin, size_t end) {
    for (auto [from, to] : within(begin, end, false)) {
      intervals_.erase(from);
      if (from < begin) intervals_[from] = begin;
      if (to > end) intervals_[end] = to;
    }
  }
  // Those that overlap [begin, end), cut to it if `cut`.
  std::vector<std::pair<size_t, size_t>> within(size_t begin, size_t end, bool cut = true) const {
    std::vector<std::pair<size_t, size_t>> found;
    for (auto [from, to] : intervals_)
      if (from < end && begin < to)
        found.push_back(cut ? std::pair(std::max(from, begin), std::min(to, end)) : std::pair(from, to));
    return found;
  }

 private:
  std::map<size_t, size_t> intervals_;
};

struct Object {
  Place place;
  bool is_index = false, is_sub = false;
};

struct OpenMap {
  Step step;
  size_t action;
  Access access;
};

struct Gate {
  size_t action;
  bool open = true;
};

struct QueueState {
  std::vector<size_t> commands;  // all of it since it was made
  std::optional<size_t> fence;   // later commands begin after it
  size_t flushed = 0;            // actions below are flushed
};

// Bytes that a rectangle spans from `origin` on; 0: the pitches do not allow it.
size_t span_of(const Triple& region, size_t row_pitch, size_t slice_pitch) {
  if (!region[0] || !region[1] || !region[2]) return 0;
  if (row_pitch < region[0] || slice_pitch < region[1] * row_pitch || slice_pitch % row_pitch) return 0;
  return (region[2] - 1) * slice_pitch + (region[1] - 1) * row_pitch + region[0];
}
size_t offset_of(const Triple& origin, size_t row_pitch, size_t slice_pitch) {
  return origin[2] * slice_pitch + origin[1] * row_pitch + origin[0];
}

class Orderer {
 public:
  explicit Orderer(const Sequence& sequence) : sequence_(sequence) {}

  Ordering order() {
    for (size_t i = 0; i < sequence_.size(); ++i) {
      from_step_ = i;
      take(sequence_[i]);
    }
    from_step_ = std::nullopt;
    end();
    return std::move(ordering_);
  }

 private:
  void take(const Step& step) {
    if (step.queue >= kQueues) return;
    switch (step.kind) {
      case StepKind::create:
      case StepKind::create_index:
      case StepKind::sub_buffer: return make(step);
      case StepKind::release: return release(step);
      case StepKind::renew_queue: return renew(step);
      case StepKind::map: return map(step);
      case StepKind::unmap: return unmap(step.number);
      case StepKind::gate: return gate(step);
      case StepKind::complete: return complete(step.number, step.late);
      case StepKind::finish: return finish(step);
      case StepKind::wait: return wait_for_last(step);
      case StepKind::flush: push({.step = step}); return flushed(step.queue);
      case StepKind::failing:
        if (const Object* object = find(step.to); object && !object->is_index && fits(step, *object))
          push({.step = step, .to = object->place});
        return;
      case StepKind::barrier:
      case StepKind::marker: all_before(step); return;
      default: return command(step);
    }
  }

  // Objects.

  const Object* find(unsigned number) const {
    const auto found = objects_.find(number);
    return found == objects_.end() ? nullptr : &found->second;
  }
  static bool fits(const Step& step, const Object& object) {
    return step.bytes > 0 && step.offset < object.place.bytes && step.bytes <= object.place.bytes - step.offset;
  }

  void make(const Step& step) {
    if (step.to == 0 || find(step.to) || step.bytes == 0) return;
    Object made;
    if (step.kind == StepKind::sub_buffer) {
      const Object* parent = find(step.from);
      if (!parent || parent->is_sub || parent->is_index || !fits(step, *parent)) return;
      made.place = {parent->place.root, step.offset, step.bytes};
      made.is_sub = true;
    } else {
      if (step.kind == StepKind::create_index && step.bytes % sizeof(uint32_t)) return;
      made.place = {ordering_.roots.size(), 0, step.bytes};
      made.is_index = step.kind == StepKind::create_index;
      ordering_.roots.push_back(step.bytes);
      undefined_.emplace_back();
      if (step.kind == StepKind::create && (step.home == Home::plain || step.home == Home::alloc_host))
        undefined_.back().add(0, step.bytes);
    }
    objects_[step.to] = made;
    push({.step = step, .to = made.place});
  }

  void release(const Step& step) {
    const Object* object = find(step.to);
    if (!object) return;
    while (true) {  // of a released object nothing can be unmapped
      const auto mapped = std::ranges::find(maps_, step.to, [](const auto& entry) { return entry.second.step.to; });
      if (mapped == maps_.end()) break;
      unmap(mapped->first);
    }
    push({.step = step, .to = object->place});
    objects_.erase(step.to);
  }

  // Releasing a queue may wait for its commands, in some implementations.
  void renew(const Step& step) {
    open_gates_before(queues_[step.queue].commands, false);
    push({.step = step});
    queues_[step.queue] = {};
  }

  // Commands.

  void command(Step step) {
    Action action{.step = step};
    const Object* to = find(step.to);
    const Object* from = find(step.from);
    const Object* index = find(step.index);
    if (!to || to->is_index) return;
    action.to = to->place;
    if (from) action.from = from->place;
    if (index) action.index = index->place;
    bool overwrites = true;  // all that it accesses in `to`
    switch (step.kind) {
      case StepKind::write:
      case StepKind::read:
        if (!fits(step, *to)) return;
        add_access(action, to, step.offset, step.bytes, step.kind == StepKind::write);
        break;
      case StepKind::fill:
      case StepKind::follow:
        if (!fits(step, *to) || !step.pattern || step.offset % step.pattern || step.bytes % step.pattern) return;
        add_access(action, to, step.offset, step.bytes, true);
        break;
      case StepKind::copy: {
        if (!from || from->is_index || !fits(step, *to)) return;
        if (step.from_offset >= from->place.bytes || step.bytes > from->place.bytes - step.from_offset) return;
        add_access(action, to, step.offset, step.bytes, true);
        add_access(action, from, step.from_offset, step.bytes, false);
        if (action.accesses[0].conflicts(action.accesses[1])) return;
        break;
      }
      case StepKind::write_rect:
      case StepKind::read_rect:
      case StepKind::copy_rect: {
        const size_t span = span_of(step.region, step.row_pitch, step.slice_pitch);
        const size_t other = span_of(step.region, step.from_row_pitch, step.from_slice_pitch);
        const size_t start = offset_of(step.origin, step.row_pitch, step.slice_pitch);
        if (!span || !other || start >= to->place.bytes || span > to->place.bytes - start) return;
        overwrites = span == step.region[0] * step.region[1] * step.region[2];
        add_access(action, to, start, span, step.kind != StepKind::read_rect);
        if (step.kind == StepKind::copy_rect) {
          const size_t from_start = offset_of(step.from_origin, step.from_row_pitch, step.from_slice_pitch);
          if (!from || from->is_index || from_start >= from->place.bytes || other > from->place.bytes - from_start)
            return;
          // Within one buffer both sides have the same pitches, and no row is beyond its slice, or the
          // standard calls it an overlap.
          if (from->place.root == to->place.root &&
              (step.row_pitch != step.from_row_pitch || step.slice_pitch != step.from_slice_pitch ||
               (step.origin[1] + step.region[1]) * step.row_pitch > step.slice_pitch ||
               (step.from_origin[1] + step.region[1]) * step.row_pitch > step.slice_pitch))
            return;
          add_access(action, from, from_start, other, false);
          if (action.accesses[0].conflicts(action.accesses[1])) return;
        }
        break;
      }
      case StepKind::launch:
        if (!launch(action, to, from, index, overwrites)) return;
        break;
      default: return;
    }
    define(action, overwrites);
    if (step.kind == StepKind::launch && find_kernel(step.kernel)->drawn_numbers) return launch_and_check(action);
    if (step.kind == StepKind::follow) return follow(action);
    enqueue(action);
  }

  // No queue's order is its own: what comes after it waits for its event.
  void follow(Action action) {
    for (const Access& t : action.accesses) unmap_where(t);
    std::vector<size_t> waits = fewest(conflicts(action));
    if (const auto gate = gates_.find(action.step.gate); gate != gates_.end() && gate->second.open)
      waits.push_back(gate->second.action);
    const Step marker{.kind = StepKind::marker, .queue = action.step.queue, .blocking = false, .event = true};
    const size_t before =
        waits.empty() ? all_before(marker, true) : push_command({.step = marker, .waits = waits}, true);
    action.waits = {before};
    action.after.resize(ordering_.actions.size());
    add(action.after, before);
    push(std::move(action));
  }

  bool launch(Action& action, const Object* to, const Object* from, const Object* index, bool& overwrites) {
    const Step& step = action.step;
    if ((from && from->is_index) || (index && !index->is_index)) return false;
    const auto reached = reach(step, to->place.bytes, from ? from->place.bytes : 0, index ? index->place.bytes : 0);
    if (!reached) return false;
    add_access(action, to, reached->to_begin, reached->to_end - reached->to_begin, true);
    if (reached->from_end > reached->from_begin)
      add_access(action, from, reached->from_begin, reached->from_end - reached->from_begin, false);
    // Through two arguments the same bytes only if they are one buffer; then the kernel is made for it.
    if (action.accesses.size() > 1 && step.to != step.from && action.accesses[0].conflicts(action.accesses[1]))
      return false;
    if (reached->index_end) add_access(action, index, 0, reached->index_end, false);
    overwrites = reached->overwrites;
    return true;
  }

  // The counter at the start, the check that takes any order, and contents that are known again.
  void launch_and_check(const Action& action) {
    const size_t bytes = action.accesses[0].end - action.accesses[0].begin;
    Action zero{
        .step = {.kind = StepKind::fill, .queue = action.step.queue, .to = action.step.to, .bytes = 4, .pattern = 4},
        .to = action.to};
    add_access(zero, find(action.step.to), 0, 4, true);
    zero.step.blocking = false;
    enqueue(zero, true);
    enqueue(action);
    Action check{.step = {.kind = StepKind::read, .queue = action.step.queue, .to = action.step.to, .bytes = bytes},
                 .to = action.to,
                 .as_set = true};
    add_access(check, find(action.step.to), 0, bytes, false);
    enqueue(check);
    undefined_[action.to.root].add(action.to.begin + sizeof(uint32_t), action.to.begin + bytes);
  }

  static void add_access(Action& action, const Object* object, size_t offset, size_t bytes, bool writes) {
    if (bytes == 0) return;
    const size_t begin = object->place.begin + offset;
    action.accesses.push_back({object->place.root, begin, begin + bytes, writes});
  }

  // Bytes that the action reads get contents, if they have none; those it overwrites have some from now on.
  void define(const Action& action, bool overwrites) {
    for (const Access& t : action.accesses) {
      if (t.writes && overwrites && !reads_too(action, t)) continue;
      const bool is_to =
          t.root == action.to.root && t.begin >= action.to.begin && t.end <= action.to.begin + action.to.bytes;
      const Place& place = is_to ? action.to : action.from;
      for (auto [begin, end] : undefined_[t.root].within(t.begin, t.end)) {
        Action contents{.step = {.kind = StepKind::write,
                                 .queue = action.step.queue,
                                 .to = is_to ? action.step.to : action.step.from,
                                 .offset = begin - place.begin,
                                 .bytes = end - begin,
                                 .seed = begin + 77},
                        .to = place};
        contents.accesses = {{t.root, begin, end, true}};
        enqueue(contents, true);
        undefined_[t.root].remove(begin, end);
      }
    }
    for (const Access& t : action.accesses)
      if (t.writes) undefined_[t.root].remove(t.begin, t.end);
  }
  static bool reads_too(const Action& action, const Access& written) {
    return std::ranges::any_of(action.accesses, [&](const Access& t) { return !t.writes && t.conflicts(written); });
  }

  void enqueue(Action action, bool inserted = false) {
    for (const Access& t : action.accesses) unmap_where(t);
    const std::vector<size_t> needed = conflicts(action);
    if (!needed.empty()) tie(action, needed);
    if (const auto gate = gates_.find(action.step.gate); gate != gates_.end() && gate->second.open)
      action.waits.push_back(gate->second.action);
    const bool blocking = action.step.blocking, late = action.step.late;
    if (blocking) {
      std::vector<size_t> before = action.waits;
      if (const auto fence = queues_[action.step.queue].fence) before.push_back(*fence);
      open_gates_before(before, late);
    }
    const unsigned queue = action.step.queue;
    const size_t made = push_command(std::move(action), inserted);
    if (!blocking) return;
    is_complete(made);
    flushed(queue);
  }

  // What must be complete before it begins and is not known to be.
  std::vector<size_t> conflicts(const Action& action) {
    const std::vector<bool> before = ensured(action.step.queue);
    std::vector<size_t> needed;
    for (size_t i = ordering_.actions.size(); i-- > 0;) {
      if (complete_[i] || before[i]) continue;
      for (const Access& a : ordering_.actions[i].accesses)
        if (std::ranges::any_of(action.accesses, [&](const Access& b) { return a.conflicts(b); })) {
          needed.push_back(i);
          break;
        }
    }
    return needed;  // latest first
  }

  // What the queue's order ensures for its next command.
  std::vector<bool> ensured(unsigned number) const {
    const QueueState& queue = queues_[number];
    std::vector<bool> before(ordering_.actions.size());
    if (queue.fence) add(before, *queue.fence);
    return before;
  }
  void add(std::vector<bool>& set, size_t action) const {
    set[action] = true;
    const std::vector<bool>& after = ordering_.actions[action].after;
    for (size_t i = 0; i < after.size(); ++i)
      if (after[i]) set[i] = true;
  }

  // Without those that others of them come after.
  std::vector<size_t> fewest(const std::vector<size_t>& needed) const {
    std::vector<size_t> fewest;
    std::vector<bool> before(ordering_.actions.size());
    for (size_t i : needed) {
      if (before[i]) continue;
      fewest.push_back(i);
      add(before, i);
    }
    return fewest;
  }

  void tie(Action& action, const std::vector<size_t>& needed) {
    const std::vector<size_t> fewest = this->fewest(needed);
    switch (action.step.tie) {
      case Tie::events: action.waits = fewest; return;
      case Tie::all_events: action.waits = needed; return;
      case Tie::barrier:
        push_command(
            {.step = {.kind = StepKind::barrier, .queue = action.step.queue, .blocking = false}, .waits = fewest},
            true);
        return;
      case Tie::marker: {
        // In another queue.
        const unsigned queue = (action.step.queue + 1) % kQueues;
        action.waits = {push_command(
            {.step = {.kind = StepKind::marker, .queue = queue, .blocking = false}, .waits = fewest}, true)};
        return;
      }
      case Tie::host:
        open_gates_before(fewest, false);
        for (size_t i : fewest) ordering_.actions[i].has_event = true;
        push({.step = {.kind = StepKind::wait, .queue = action.step.queue, .poll = action.step.poll}, .waits = fewest},
             true);
        for (size_t i : fewest) is_complete(i);
        return;
    }
  }

  // A barrier or marker that waits for all before it in its queue.
  size_t all_before(const Step& step, bool inserted = false) {
    Action action{.step = step};
    action.step.blocking = false;
    action.step.gate = 0;
    const size_t made = push_command(action, inserted);
    for (size_t i : queues_[step.queue].commands)
      if (i != made) add(ordering_.actions[made].after, i);
    return made;
  }

  size_t push_command(Action action, bool inserted = false) {
    QueueState& queue = queues_[action.step.queue];
    std::vector<bool> after = ensured(action.step.queue);
    for (size_t i : action.waits) {
      add(after, i);
      ordering_.actions[i].has_event = true;
      const Action& other = ordering_.actions[i];
      if (other.step.kind != StepKind::gate && other.step.queue != action.step.queue &&
          i >= queues_[other.step.queue].flushed) {
        action.flushes.push_back(other.step.queue);
        flushed(other.step.queue);
      }
    }
    action.after = std::move(after);
    action.has_event = action.step.callback || action.step.event;
    const bool is_fence = !is_out_of_order(action.step.queue) || action.step.kind == StepKind::barrier;
    const size_t made = push(std::move(action), inserted);
    queue.commands.push_back(made);
    if (is_fence) queue.fence = made;
    return made;
  }

  size_t push(Action action, bool inserted = false) {
    if (!inserted) action.made_from = from_step_;
    action.after.resize(ordering_.actions.size() + 1);
    ordering_.actions.push_back(std::move(action));
    complete_.push_back(false);
    return ordering_.actions.size() - 1;
  }

  void flushed(unsigned queue) { queues_[queue].flushed = ordering_.actions.size(); }

  // Maps.

  void map(const Step& step) {
    const Object* to = find(step.to);
    if (!to || to->is_index || step.number == 0 || maps_.contains(step.number) || !fits(step, *to)) return;
    Action action{.step = step, .to = to->place};
    add_access(action, to, step.offset, step.bytes, step.access != MapAccess::read);
    define(action, step.access == MapAccess::invalidate);
    enqueue(action);
    maps_[step.number] = {step, ordering_.actions.size() - 1, action.accesses[0]};
  }

  void unmap_where(const Access& access) {
    for (bool again = true; again;) {
      again = false;
      for (const auto& [number, open] : maps_)
        if (open.access.conflicts(access)) {
          unmap(number);
          again = true;
          break;
        }
    }
  }

  // The host waits for the mapping, works on the memory, and unmaps.
  void unmap(unsigned number) {
    const auto found = maps_.find(number);
    if (found == maps_.end()) return;
    const OpenMap open = found->second;
    maps_.erase(found);
    if (!complete_[open.action]) {
      open_gates_before({open.action}, false);
      ordering_.actions[open.action].has_event = true;
      push({.step = {.kind = StepKind::wait, .queue = open.step.queue, .poll = open.step.poll}, .waits = {open.action}},
           true);
      is_complete(open.action);
    }
    Action action{.step = open.step, .to = ordering_.actions[open.action].to};
    action.step.kind = StepKind::unmap;
    action.step.blocking = false;
    action.step.callback = action.step.event = false;
    action.step.gate = 0;
    action.step.tie = Tie::events;
    action.accesses = {open.access};
    enqueue(action, true);
  }

  // Gates.

  void gate(const Step& step) {
    if (step.number == 0 || gates_.contains(step.number)) return;
    gates_[step.number] = {push({.step = step})};
  }
  void complete(unsigned number, bool late) {
    const auto found = gates_.find(number);
    if (found == gates_.end() || !found->second.open) return;
    Step step{.kind = StepKind::complete, .number = number};
    step.late = late;
    push({.step = step, .waits = {found->second.action}});
    found->second.open = false;
  }
  // The host is going to wait for these; what they wait for must come.
  void open_gates_before(const std::vector<size_t>& commands, bool late) {
    std::vector<bool> before(ordering_.actions.size());
    for (size_t i : commands) add(before, i);
    std::vector<unsigned> numbers;
    for (const auto& [number, gate] : gates_)
      if (gate.open && before[gate.action]) numbers.push_back(number);
    for (unsigned number : numbers) complete(number, late);
  }

  // Synchronisation.

  // The host knows it after the latest action.
  void is_complete(size_t action) {
    std::vector<bool> done(ordering_.actions.size());
    add(done, action);
    for (size_t i = 0; i < done.size(); ++i)
      if (done[i] && !complete_[i]) {
        complete_[i] = true;
        ordering_.actions.back().completes.push_back(i);
      }
  }
  void finish(const Step& step) {
    open_gates_before(queues_[step.queue].commands, step.late);
    push({.step = step});
    for (size_t i : queues_[step.queue].commands) is_complete(i);
    flushed(step.queue);
  }
  void wait_for_last(const Step& step) {
    const std::vector<size_t>& commands = queues_[step.queue].commands;
    if (commands.empty()) return;
    const size_t last = commands.back();
    open_gates_before({last}, step.late);
    ordering_.actions[last].has_event = true;
    push({.step = step, .waits = {last}});
    is_complete(last);
    flushed(step.queue);
  }

  void end() {
    while (!maps_.empty()) unmap(maps_.begin()->first);
    for (const auto& [number, object] : objects_) {
      Step step{.kind = StepKind::read, .to = number, .bytes = object.place.bytes};
      if (object.is_sub || object.is_index) continue;
      command(step);
    }
    std::vector<unsigned> open;
    for (const auto& [number, gate] : gates_)
      if (gate.open) open.push_back(number);
    for (unsigned number : open) complete(number, false);
    for (unsigned queue = 0; queue < kQueues; ++queue) finish({.kind = StepKind::finish, .queue = queue});
  }

  const Sequence& sequence_;
  std::optional<size_t> from_step_;
  Ordering ordering_;
  std::vector<bool> complete_;  // known to the host
  std::map<unsigned, Object> objects_;
  std::vector<Undefined> undefined_;  // per root
  std::map<unsigned, OpenMap> maps_;
  std::map<unsigned, Gate> gates_;
  std::array<QueueState, kQueues> queues_;
};

}  // namespace

Ordering order(const Sequence& sequence) { return Orderer(sequence).order(); }

std::string text(const Ordering& ordering, size_t number) {
  const Action& action = ordering.actions[number];
  std::string line = "action " + std::to_string(number) + ": " + text(action.step);
  if (action.as_set) line += " (in any order)";
  if (!action.made_from) line += " (inserted)";
  for (size_t i = 0; i < action.waits.size(); ++i) line += (i ? " " : " after ") + std::to_string(action.waits[i]);
  for (unsigned queue : action.flushes) line += ", flushing queue " + std::to_string(queue) + " first";
  return line;
}

}  // namespace sequences
