#include "base/visible.h"

#include <gtest/gtest.h>

namespace samcl {
namespace {

TEST(Visible, EscapesAre) {
  EXPECT_EQ(visible("a\x1b[31mb\nc\x7f"), "a\\x1b[31mb\\x0ac\\x7f");
  EXPECT_EQ(visible("\u009b31m"), "\\xc2\\x9b31m") << "what begins an escape sequence by itself";
  EXPECT_EQ(visible("a\u202eb"), "a\\xe2\\x80\\xaeb") << "what turns the direction";
}

TEST(Visible, TextStaysAsItIs) {
  for (const char* text : {"", "k\u00e4se", "\u20ac\u2026", "\xe2\x80", "\xc2"}) EXPECT_EQ(visible(text), text);
}

}  // namespace
}  // namespace samcl
