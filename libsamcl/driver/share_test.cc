#include "libsamcl/driver/share.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace samcl::driver {
namespace {

using testing::HasSubstr;

TEST(Share, IsWrittenAsAFractionOrInPercent) {
  EXPECT_EQ(parse_share("0.5").value(), 0.5);
  EXPECT_EQ(parse_share("25%").value(), 0.25);
}

TEST(Share, OfNothingOfAllOrOfNonsenseIsAnError) {
  for (const char* text : {"0", "1", "1.5", "-0.5", "100%", "", "%", "half", "0.5x", "nan", "0.5 "}) {
    ASSERT_FALSE(parse_share(text)) << text;
    EXPECT_THAT(parse_share(text).error().message,
                HasSubstr("less than 1 (0.5 or 50%), not '" + std::string(text) + "'"));
  }
}

TEST(Share, HasAtLeastOneUnitAndNoMoreThanItsPart) {
  EXPECT_EQ(units_of_share(132, 0.5), 66u);
  EXPECT_EQ(units_of_share(7, 0.5), 3u);
  EXPECT_EQ(units_of_share(4, 0.1), 1u);
  EXPECT_EQ(units_of_share(1, 0.5), 1u);
}

TEST(Share, AnMpsServerIsKnownByItsPipe) {
  namespace fs = std::filesystem;
  const fs::path folder = fs::temp_directory_path() / ("share_test." + std::to_string(getpid()));
  fs::create_directories(folder);
  setenv("CUDA_MPS_PIPE_DIRECTORY", folder.c_str(), 1);
  EXPECT_FALSE(mps_runs());
  std::ofstream(folder / "control") << "";
  EXPECT_TRUE(mps_runs());
  unsetenv("CUDA_MPS_PIPE_DIRECTORY");
  fs::remove_all(folder);
}

}  // namespace
}  // namespace samcl::driver
