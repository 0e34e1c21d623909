// How the analysis reports what it cannot accept: a value, or one sentence naming the place and what was
// expected there. Nothing in analysis/ throws across its border.
#pragma once

#include <string>
#include <tl/expected.hpp>
#include <utility>

namespace samcl::analysis {

struct Error {
  std::string message;
};

template <typename T>
using Result = tl::expected<T, Error>;

inline tl::unexpected<Error> fail(std::string message) { return tl::unexpected<Error>(Error{std::move(message)}); }

}  // namespace samcl::analysis
