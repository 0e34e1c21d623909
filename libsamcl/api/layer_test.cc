#include "libsamcl/api/layer.h"

#include <gtest/gtest.h>

namespace samcl {
namespace {

TEST(WithOurLayer, IsAloneWhereNoLayerWas) { EXPECT_EQ(with_our_layer("", "/a/libsamcl.so"), "/a/libsamcl.so"); }

TEST(WithOurLayer, ComesAfterTheUsersLayers) {
  EXPECT_EQ(with_our_layer("/b/trace.so:/c/check.so", "/a/libsamcl.so"), "/b/trace.so:/c/check.so:/a/libsamcl.so");
}

TEST(WithOurLayer, IsAddedOnce) {
  const std::string layers = "/a/libsamcl.so:/b/trace.so";
  EXPECT_EQ(with_our_layer(layers, "/a/libsamcl.so"), layers);
}

TEST(WithOurLayer, KnowsItselfUnderAnotherSpelling) {
  EXPECT_EQ(with_our_layer("/proc/self/../self/exe", "/proc/self/exe"), "/proc/self/../self/exe");
}

}  // namespace
}  // namespace samcl
