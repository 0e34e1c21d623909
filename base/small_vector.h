// A vector that holds its first elements in place: for what is made anew with every command and is nearly always short.
#pragma once

#pragma GCC diagnostic push
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wstringop-overread"  // GCC 12 sees lengths there that there are not
#pragma GCC diagnostic ignored "-Wstringop-overflow"
#pragma GCC diagnostic ignored "-Warray-bounds"
#endif
#include <boost/container/small_vector.hpp>
#pragma GCC diagnostic pop

namespace samcl {

template <typename T, size_t kInPlace>
using SmallVector = boost::container::small_vector<T, kInPlace>;

}  // namespace samcl
