// How parts of samcl report failure to each other: a value, or an Error that names what was wrong.
// OpenCL's own error codes appear at the API only; exceptions never cross a part's border.
#pragma once

#include <string>
#include <tl/expected.hpp>
#include <utility>

namespace samcl {

// What was wrong and what was expected, in one sentence for a person.
struct Error {
  std::string message;
};

template <typename T>
using Result = tl::expected<T, Error>;

inline tl::unexpected<Error> fail(std::string message) { return tl::unexpected<Error>(Error{std::move(message)}); }

}  // namespace samcl
