// A document with something else in it, for tests.
#pragma once

#include <gtest/gtest.h>

#include <string>

namespace samcl::analysis {

inline std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

}  // namespace samcl::analysis
