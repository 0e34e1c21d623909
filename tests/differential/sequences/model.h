// What an ordering's actions must show, computed on the host: the actions in their order, on arrays of bytes.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "tests/differential/sequences/ordering.h"

namespace sequences {

inline constexpr std::byte kUntouched{0xa5};  // what host memory holds where nothing is read into it

// Per action what the host sees: for read and map the bytes, for read_rect the host memory as
// host_rectangle_bytes() counts it, all others nothing.
using Sights = std::vector<std::vector<std::byte>>;

// `left_out`: the number of an action that does nothing.
Sights see(const Ordering& ordering, std::optional<size_t> left_out = {});

// Whether two sights of the action are alike: equal, for reads "in any order" up to the order.
bool alike(const Action& action, std::vector<std::byte> one, std::vector<std::byte> other);

}  // namespace sequences
