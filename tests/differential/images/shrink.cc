#include "tests/differential/images/shrink.h"

#include <algorithm>

namespace image_sequences {
namespace {

bool is_map(const Step& step) { return step.kind == StepKind::map || step.kind == StepKind::unmap; }

// Without steps [begin, end), and without the other halves of their maps.
Sequence without(const Sequence& sequence, size_t begin, size_t end) {
  const auto is_in = [&](size_t i) { return i >= begin && i < end; };
  Sequence shorter{sequence.objects, {}};
  for (size_t i = 0; i < sequence.steps.size(); ++i) {
    const Step& step = sequence.steps[i];
    bool stays = !is_in(i);
    for (size_t other = begin; other < end && is_map(step); ++other)
      stays &= !(is_map(sequence.steps[other]) && sequence.steps[other].number == step.number);
    if (stays) shorter.steps.push_back(step);
  }
  return shorter;
}

}  // namespace

Sequence shrink(Sequence sequence, const std::function<bool(const Sequence&)>& fails, unsigned tries) {
  for (size_t length = std::max<size_t>(1, sequence.steps.size() / 2); length > 0; length /= 2) {
    bool shrank = true;
    while (shrank) {
      shrank = false;
      for (size_t begin = 0; begin < sequence.steps.size() && tries > 0;) {
        Sequence shorter = without(sequence, begin, std::min(begin + length, sequence.steps.size()));
        --tries;
        if (fails(shorter)) {
          sequence = std::move(shorter);
          shrank = true;
        } else {
          begin += length;
        }
      }
    }
  }
  return sequence;
}

}  // namespace image_sequences
