// Products of two times, and quotients of them, without overflow.
#pragma once

namespace samcl::analysis::locking {

using Wide = unsigned __int128;

constexpr Wide ceil_divide(Wide numerator, Wide denominator) { return (numerator + denominator - 1) / denominator; }

}  // namespace samcl::analysis::locking
