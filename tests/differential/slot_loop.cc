#include "tests/differential/slot_loop.h"

namespace differential {

std::string write_slot_loop(const Slots& slots, bench::Random& random) {
  const std::string count = std::to_string(slots.elements), type = "(" + slots.type + ")";
  const std::string step = std::to_string(1 + random.below(3));
  const std::string value = type + "(a ^ (b + " + std::to_string(1 + random.below(99)) + "u * i))";
  const std::string first = "slot * " + count + "u",
                    pointer = slots.qualifier + " " + slots.type + "* at = " + slots.array + " + " + first;
  const std::string bit = "((c >> (i & 31u)) & 1u) != 0u";
  switch (random.below(8)) {
    case 0:
      return "for (uint i = 0; i < " + count + "u; i += " + step + "u) " + slots.array + "[" + first +
             " + i] = " + value + ";";
    case 1:
      return "for (int i = " + count + " - 1; i >= 0; i -= " + step + ") " + slots.array + "[" + first +
             " + (uint)i] = " + value + ";";
    case 2: return "{ " + pointer + "; for (uint i = 0; i < " + count + "u; ++i) *at++ = " + value + "; }";
    case 3:
      return "{ " + pointer + " + " + count + "u; for (uint i = " + count + "u; i-- > 0;) *--at = " + value + "; }";
    case 4:
      return "{ uint at = " + first + "; for (uint i = 0; i < " + count + "u; ++i) if (" + bit + ") " + slots.array +
             "[at++] = " + value + "; }";
    case 5:
      return "{ uint at = " + first + " + " + count + "u; for (uint i = 0; i < " + count + "u; ++i) { if (" + bit +
             ") --at; else continue; " + slots.array + "[at] = " + value + "; } }";
    case 6:
      return "for (uint i = 0; i < min(s % 9u, " + count + "u); ++i) " + slots.array + "[" + first +
             " + i] = " + value + ";";
    default:
      return "{ uint i = 0; do { " + slots.array + "[" + first + " + i] = " + value + "; i += " + step +
             "u; } while (i < " + count + "u && " + bit + "); }";
  }
}

}  // namespace differential
