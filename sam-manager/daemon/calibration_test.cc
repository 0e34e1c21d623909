#include "sam-manager/daemon/calibration.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace samcl::daemon {
namespace {

using ::testing::HasSubstr;

const std::string kFile =
    std::filesystem::temp_directory_path() / ("samcl-calibration." + std::to_string(getpid()) + ".json");

TEST(Calibration, MeasuresWhatHandOversCost) {
  const auto measured = calibrate(50);
  ASSERT_TRUE(measured) << measured.error().message;
  EXPECT_EQ(measured->rounds, 50u);
  for (const Measured& kind : {measured->request, measured->section, measured->wake}) {
    EXPECT_GT(kind.p50_ns, 500u) << "no thread wakes in less";
    EXPECT_LE(kind.p50_ns, kind.p99_ns);
    EXPECT_LE(kind.p99_ns, kind.max_ns);
  }
  EXPECT_EQ(measured->handovers().request, static_cast<analysis::Time>(measured->request.max_ns));
}

TEST(Calibration, IsKeptForTheSameSystem) {
  Calibration known = calibrate(1).value();
  known.request.max_ns = 12345;
  ASSERT_TRUE(save(kFile, known));
  const auto read = load_calibration(kFile);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->request.max_ns, 12345u);
  EXPECT_EQ(read->describe(), known.describe());
  known.system = "another one";
  ASSERT_TRUE(save(kFile, known));
  EXPECT_THAT(load_calibration(kFile).error().message, HasSubstr("another system"));
  std::ofstream(kFile) << "{}";
  EXPECT_FALSE(load_calibration(kFile));
  std::filesystem::remove(kFile);
  EXPECT_FALSE(load_calibration(kFile));
}

}  // namespace
}  // namespace samcl::daemon
