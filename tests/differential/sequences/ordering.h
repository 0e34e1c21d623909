// From steps to actions whose result is determined. Steps are taken in their order; a command waits for
// exactly those earlier ones that touch the same bytes, unless both only read: by its queue's own order where
// that is enough, else in the way that its step names (events, a barrier, a marker, the host). So whatever
// order the implementation takes, what every action sees is what it would see if all ran one after the other,
// and that is how model.h computes it.
//
// Inserted where needed: unmapping before a mapped range is touched, completing gates before the host would
// wait for ever, flushing a queue before another waits for it, contents before undefined bytes are read, and
// reads of everything at the end.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tests/differential/sequences/kernels.h"
#include "tests/differential/sequences/sequence.h"

namespace sequences {

// A byte range of a root, the memory of a buffer that is no sub-buffer.
struct Access {
  size_t root = 0;
  size_t begin = 0, end = 0;
  bool writes = false;

  bool conflicts(const Access& other) const {
    return root == other.root && begin < other.end && other.begin < end && (writes || other.writes);
  }
};

// Where a buffer lies.
struct Place {
  size_t root = 0, begin = 0, bytes = 0;
};

struct Action {
  Step step;                          // what to do; ranges fit
  std::optional<size_t> made_from{};  // which step of the sequence; none: inserted
  Place to{}, from{}, index{};        // those that the step names
  std::vector<Access> accesses{};
  std::vector<size_t> waits{};      // the actions whose events are its wait list, or that the host waits for
  std::vector<unsigned> flushes{};  // queues to flush first
  bool has_event = false;           // something waits for its event, or a callback hangs on it
  bool as_set = false;              // read: the uint at 0 counts those behind it, whose order is free
  std::vector<bool> after{};        // the actions that are complete before this one begins
  std::vector<size_t> completes{};  // those that the host knows to be complete once it has done this one
};

struct Ordering {
  std::vector<Action> actions;
  std::vector<size_t> roots;  // bytes of each
};

// Steps that are not possible are left out. Maps and gates that the sequence leaves open are closed.
Ordering order(const Sequence& sequence);

// For people: the action, and what it waits for.
std::string text(const Ordering& ordering, size_t action);

}  // namespace sequences
