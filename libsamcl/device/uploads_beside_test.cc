#include "libsamcl/device/uploads_beside.h"

#include <gtest/gtest.h>

namespace samcl {
namespace {

TEST(UploadsBeside, AreTheFirstOfAnIdleQueue) {
  UploadsBeside uploads(1000);
  EXPECT_TRUE(uploads.take(400, 0));
  EXPECT_TRUE(uploads.take(500, 1));
  EXPECT_FALSE(uploads.take(50, 3)) << "something else is there";
  EXPECT_FALSE(uploads.take(200, 1)) << "they are too many bytes";
  EXPECT_TRUE(uploads.take(100, 1));
  EXPECT_FALSE(uploads.take(1, 2));
  EXPECT_FALSE(uploads.take(1001, 0));
  EXPECT_TRUE(uploads.take(1000, 0));
}

TEST(UploadsBeside, AreNoneOfADriverThatCopiesInTheCall) {
  UploadsBeside uploads(0);
  EXPECT_FALSE(uploads.take(1, 0));
}

}  // namespace
}  // namespace samcl
