#include "tests/differential/sequences/model.h"

#include <algorithm>
#include <cstring>

#include "tests/differential/sequences/contents.h"

namespace sequences {
namespace {

using Bytes = std::vector<std::byte>;

class Model {
 public:
  explicit Model(const Ordering& ordering) : ordering_(ordering) {
    for (size_t bytes : ordering.roots) roots_.emplace_back(bytes);
  }

  Sights run(std::optional<size_t> left_out) {
    Sights sights(ordering_.actions.size());
    for (size_t i = 0; i < ordering_.actions.size(); ++i) {
      const Action& action = ordering_.actions[i];
      // A read is seen even if it is left out: what was there before.
      if (i == left_out) {
        if (action.step.kind == StepKind::read) sights[i].assign(action.step.bytes, kUntouched);
        if (action.step.kind == StepKind::read_rect) sights[i].assign(host_rectangle_bytes(action.step), kUntouched);
        continue;
      }
      sights[i] = take(action);
    }
    return sights;
  }

 private:
  std::span<std::byte> view(const Place& place) {
    if (place.bytes == 0) return {};
    return std::span(roots_[place.root]).subspan(place.begin, place.bytes);
  }

  Bytes take(const Action& action) {
    const Step& step = action.step;
    const std::span<std::byte> to = view(action.to), from = view(action.from);
    switch (step.kind) {
      case StepKind::create:
        if (step.home != Home::plain && step.home != Home::alloc_host)
          std::ranges::copy(random_bytes(step.seed, step.bytes), to.begin());
        return {};
      case StepKind::create_index:
        std::ranges::copy(permutation(step.seed, step.bytes / sizeof(uint32_t)), to.begin());
        return {};
      case StepKind::write:
        std::ranges::copy(random_bytes(step.seed, step.bytes), to.begin() + static_cast<ptrdiff_t>(step.offset));
        return {};
      case StepKind::read:
      case StepKind::map: {
        const auto part = to.subspan(step.offset, step.bytes);
        return Bytes(part.begin(), part.end());
      }
      case StepKind::fill:
      case StepKind::follow: {
        const Bytes pattern = random_bytes(step.seed, step.pattern);
        for (size_t at = 0; at < step.bytes; at += step.pattern)
          std::memcpy(to.data() + step.offset + at, pattern.data(), step.pattern);
        return {};
      }
      case StepKind::copy: std::memcpy(to.data() + step.offset, from.data() + step.from_offset, step.bytes); return {};
      case StepKind::write_rect:
      case StepKind::read_rect:
      case StepKind::copy_rect: return rectangle(step, to, from);
      case StepKind::unmap: {
        const auto [begin, end] = changed_through_map(step.access, step.bytes);
        const Bytes written = random_bytes(step.seed, end - begin);
        std::ranges::copy(written, to.begin() + static_cast<ptrdiff_t>(step.offset + begin));
        return {};
      }
      case StepKind::launch: run_on_host(step, to, from, view(action.index)); return {};
      default: return {};
    }
  }

  static Bytes rectangle(const Step& step, std::span<std::byte> to, std::span<std::byte> from) {
    Bytes host;
    if (step.kind == StepKind::write_rect) host = random_bytes(step.seed, host_rectangle_bytes(step));
    if (step.kind == StepKind::read_rect) host.assign(host_rectangle_bytes(step), kUntouched);
    std::byte* const other = step.kind == StepKind::copy_rect ? from.data() : host.data();
    for (size_t z = 0; z < step.region[2]; ++z)
      for (size_t y = 0; y < step.region[1]; ++y) {
        std::byte* const row = to.data() + (step.origin[2] + z) * step.slice_pitch +
                               (step.origin[1] + y) * step.row_pitch + step.origin[0];
        std::byte* const other_row = other + host_row(step, y, z);
        if (step.kind == StepKind::read_rect)
          std::memcpy(other_row, row, step.region[0]);
        else
          std::memcpy(row, other_row, step.region[0]);
      }
    return step.kind == StepKind::read_rect ? host : Bytes();
  }

  const Ordering& ordering_;
  std::vector<Bytes> roots_;
};

}  // namespace

Sights see(const Ordering& ordering, std::optional<size_t> left_out) { return Model(ordering).run(left_out); }

bool alike(const Action& action, Bytes one, Bytes other) {
  if (one.size() != other.size()) return false;
  if (action.as_set)
    for (Bytes* bytes : {&one, &other}) {
      std::vector<uint32_t> words(bytes->size() / sizeof(uint32_t));
      std::memcpy(words.data(), bytes->data(), bytes->size());
      const size_t count = std::min<size_t>(words[0], words.size() - 1);
      std::sort(words.begin() + 1, words.begin() + 1 + static_cast<ptrdiff_t>(count));
      std::memcpy(bytes->data(), words.data(), bytes->size());
    }
  return one == other;
}

}  // namespace sequences
