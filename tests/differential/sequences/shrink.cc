#include "tests/differential/sequences/shrink.h"

#include <algorithm>

namespace sequences {
namespace {

// A launch of about half as many items in dimension d, in whole groups.
void halve_launch(Step& step, unsigned d) {
  const size_t group = step.null_local ? 1 : step.local[d];
  step.global[d] = std::max<size_t>(1, step.global[d] / group / 2) * group;
}

void halve(Step& step) {
  step.bytes = (step.bytes + 1) / 2;
  for (size_t* offset : {&step.offset, &step.from_offset}) *offset /= 2;
  if (step.kind == StepKind::sub_buffer) step.offset = step.offset / 512 * 512;
  if (step.kind == StepKind::create_index || step.kind == StepKind::create) step.bytes = (step.bytes + 15) / 16 * 16;
  if (step.pattern) {
    step.offset = step.offset / step.pattern * step.pattern;
    step.bytes = std::max<size_t>(1, step.bytes / step.pattern) * step.pattern;
  }
  step.n = (step.n + 1) / 2;
  step.height = (step.height + 1) / 2;
  step.region[1] = (step.region[1] + 1) / 2;
  for (unsigned d = 0; d < 3; ++d) {
    step.start[d] /= 2;
    step.origin[d] /= 2;
    step.from_origin[d] /= 2;
  }
  halve_launch(step, step.dimensions > 1 ? 1 : 0);
}

using Change = void (*)(Step&);

// Each makes a step plainer; one that changes nothing is not tried.
constexpr Change kChanges[] = {
    [](Step& s) { s.gate = 0; },
    [](Step& s) { s.callback = false; },
    [](Step& s) { s.late = false; },
    [](Step& s) { s.tie = Tie::events; },
    [](Step& s) { s.queue = 0; },
    [](Step& s) { s.queue = std::min(s.queue, 1u); },
    [](Step& s) { s.home = Home::plain; },
    [](Step& s) {
      if (s.kind == StepKind::write || s.kind == StepKind::read || s.kind == StepKind::map) s.blocking = true;
    },
    [](Step& s) { s.start = {}; },
    [](Step& s) { s.a = 1; },
    [](Step& s) { s.b = 0; },
    [](Step& s) { s.offset = 0; },
    [](Step& s) { s.from_offset = 0; },
    [](Step& s) { s.origin = {}; },
    [](Step& s) { s.from_origin = {}; },
    [](Step& s) { s.region[2] = std::min<size_t>(s.region[2], 1); },
    [](Step& s) { s.region[1] = (s.region[1] + 1) / 2; },
    [](Step& s) { s.region[0] = (s.region[0] + 1) / 2; },
    [](Step& s) { s.bytes = s.pattern ? s.pattern : s.bytes; },
    [](Step& s) { s.bytes = (s.bytes + 1) / 2; },
    [](Step& s) { s.bytes -= s.bytes / 4; },
    [](Step& s) { s.bytes -= s.bytes / 16; },
    [](Step& s) { s.bytes = (s.bytes + 4095) / 4096 * 4096; },
    [](Step& s) { s.n = (s.n + 1) / 2; },
    [](Step& s) { s.n -= s.n / 8; },
    [](Step& s) { s.width = (s.width + 1) / 2; },
    [](Step& s) { s.height = (s.height + 1) / 2; },
    [](Step& s) { halve_launch(s, 0); },
    [](Step& s) { halve_launch(s, 1); },
    [](Step& s) { halve_launch(s, 2); },
};

class Shrinker {
 public:
  Shrinker(Sequence sequence, const Fails& fails, unsigned tries)
      : best_(std::move(sequence)), fails_(fails), left_(tries) {}

  Sequence shrink() {
    for (bool again = true; again && left_;) {
      again = drop_steps();
      while (change_all(halve)) again = true;
      again |= change_steps();
    }
    return std::move(best_);
  }

 private:
  // Takes the candidate if it fails, too.
  bool better(const Sequence& candidate) {
    if (left_ == 0 || candidate == best_) return false;
    --left_;
    if (!fails_(candidate)) return false;
    best_ = candidate;
    return true;
  }

  bool drop_steps() {
    bool dropped = false;
    for (size_t length = std::max<size_t>(1, best_.size() / 2);; length = std::max<size_t>(1, length / 2)) {
      // From the end: what comes late depends on what comes early.
      for (size_t end = best_.size(); end > 0;) {
        const size_t begin = end > length ? end - length : 0;
        Sequence candidate = best_;
        candidate.erase(candidate.begin() + static_cast<ptrdiff_t>(begin),
                        candidate.begin() + static_cast<ptrdiff_t>(end));
        dropped |= better(candidate);
        end = begin;
      }
      if (length == 1) return dropped;
    }
  }

  bool change_all(Change change) {
    Sequence candidate = best_;
    std::ranges::for_each(candidate, change);
    return better(candidate);
  }

  bool change_steps() {
    bool changed = false;
    for (const Change change : kChanges) {
      changed |= change_all(change);
      for (size_t i = 0; i < best_.size(); ++i) {
        Sequence candidate = best_;
        change(candidate[i]);
        changed |= better(candidate);
      }
    }
    return changed;
  }

  Sequence best_;
  const Fails& fails_;
  unsigned left_;
};

}  // namespace

Sequence shrink(Sequence sequence, const Fails& fails, unsigned most_tries) {
  return Shrinker(std::move(sequence), fails, most_tries).shrink();
}

}  // namespace sequences
