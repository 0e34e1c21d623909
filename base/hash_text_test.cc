#include "base/hash_text.h"

#include <gtest/gtest.h>

namespace samcl {
namespace {

// As its authors publish it for 128 bits.
TEST(HashText, IsFnv1a) {
  EXPECT_EQ(hash_text(""), "6c62272e07bb014262b821756295c58d");
  EXPECT_EQ(hash_text("a"), "d228cb696f1a8caf78912b704e4a8964");
  EXPECT_EQ(hash_text("foobar"), "343e1662793c64bf6f0d3597ba446f18");
}

}  // namespace
}  // namespace samcl
