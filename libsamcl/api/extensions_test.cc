#include "libsamcl/api/extensions.h"

#include <gtest/gtest.h>

namespace samcl {
namespace {

TEST(FilterExtensions, KeepsWhatChangesTheLanguageAndHidesOtherApisObjects) {
  EXPECT_EQ(filter_extensions("cl_khr_fp64 cl_khr_gl_sharing cl_khr_icd cl_intel_va_api_media_sharing cl_khr_gl_event"),
            "cl_khr_fp64 cl_khr_icd");
}

// What is made of these is the first device's; their functions are ours.
TEST(FilterExtensions, ShowsIntermediateLanguageImportedMemoryAndSemaphores) {
  const std::string shown =
      "cl_khr_il_program cl_khr_spir cl_khr_external_memory cl_khr_external_memory_opaque_fd cl_khr_semaphore "
      "cl_khr_external_semaphore cl_khr_external_semaphore_opaque_fd cl_khr_external_semaphore_sync_fd";
  EXPECT_EQ(filter_extensions(shown), shown);
}

TEST(FilterExtensions, HidesObjectsOfOtherInterfaces) {
  EXPECT_EQ(filter_extensions("cl_khr_gl_sharing cl_khr_external_semaphore_win32 cl_khr_d3d11_sharing"), "");
}

TEST(FilterExtensions, HidesWhatNobodyHasLookedAt) {
  EXPECT_EQ(filter_extensions("cl_new_thing cl_khr_fp16"), "cl_khr_fp16");
}

// PoCL 3.1 puts three between some, and programs print the list.
TEST(FilterExtensions, KeepsTheDriversBlanks) {
  const std::string list = "  cl_khr_byte_addressable_store   cl_khr_int64_base_atomics ";
  EXPECT_EQ(filter_extensions(list), list);
}

TEST(FilterExtensions, TheBlanksBeforeWhatIsHiddenGoWithIt) {
  EXPECT_EQ(filter_extensions("cl_hidden   cl_khr_fp16  cl_hidden cl_khr_fp64   cl_hidden"), "cl_khr_fp16 cl_khr_fp64");
  EXPECT_EQ(filter_extensions("cl_khr_fp16 cl_hidden   cl_khr_fp64 "), "cl_khr_fp16   cl_khr_fp64 ");
}

TEST(FilterExtensions, EndsWhereTheStringEnds) {
  EXPECT_EQ(filter_extensions(std::string_view("cl_khr_fp16\0cl_khr_fp64", 23)), "cl_khr_fp16");
}

TEST(Extensions, OfTheFirstDeviceAloneAreThoseWithoutKernels) {
  EXPECT_TRUE(is_of_first_device("cl_khr_semaphore"));
  EXPECT_TRUE(is_of_first_device("cl_khr_external_memory_opaque_fd"));
  EXPECT_FALSE(is_of_first_device("cl_khr_fp64"));
}

TEST(FilterExtensions, OfNothingIsNothing) { EXPECT_EQ(filter_extensions(""), ""); }

}  // namespace
}  // namespace samcl
