#include "sam-manager/daemon/log.h"

#include <gtest/gtest.h>
#include <poll.h>
#include <spdlog/spdlog.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "sam-manager/protocol/descriptor.h"

namespace samcl::daemon {
namespace {

TEST(Log, RateHoldsInTheLongRun) {
  LineRate rate(10, 2);
  int passed = 0;
  for (int i = 0; i < 1000; ++i) passed += rate.pass(0);
  EXPECT_EQ(passed, 10) << "a burst";
  for (int i = 0; i < 100; ++i) passed += rate.pass(i);
  EXPECT_EQ(passed, 10 + 99);
  // Saved by then: a burst; and ten seconds' share.
  for (int i = 0; i < 1000; ++i) passed += rate.pass(100 + i / 100.0);
  EXPECT_NEAR(passed, 10 + 99 + 10 + 20, 2);
}

TEST(Log, JournalHasFields) {
  const std::string path = ::testing::TempDir() + "samcl-journal." + std::to_string(getpid());
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  path.copy(address.sun_path, sizeof address.sun_path - 1);
  const protocol::Descriptor journal(socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  ASSERT_EQ(bind(journal.get(), reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  const auto next = [&] {
    std::string text(1024, '\0');
    pollfd ready{journal.get(), POLLIN, 0};
    if (poll(&ready, 1, 5000) != 1) return std::string("nothing");
    text.resize(static_cast<size_t>(recv(journal.get(), text.data(), text.size(), 0)));
    return text;
  };
  {
    const Log log(LogTarget::journal, "info", "lab", path);
    {
      const LogSubject about(7, "camera");
      spdlog::warn("it is\nlate");
    }
    EXPECT_EQ(next(),
              "PRIORITY=4\nSYSLOG_IDENTIFIER=sam-managerd\nSAMCL_INSTANCE=lab\nSAMCL_PID=7\nSAMCL_TASK=camera\n"
              "MESSAGE=it is\\x0alate\n");
    spdlog::info("ending");
    EXPECT_EQ(next(), "PRIORITY=6\nSYSLOG_IDENTIFIER=sam-managerd\nSAMCL_INSTANCE=lab\nMESSAGE=ending\n");
  }
  unlink(path.c_str());
}

}  // namespace
}  // namespace samcl::daemon
