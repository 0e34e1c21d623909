// The daemon as a service: what it tells the service manager, the socket it is given, the numbers it shows.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <sstream>

#include "sam-manager/protocol/descriptor.h"
#include "sam-manager/protocol/names.h"
#include "sam-manager/tests/testbed.h"

namespace samcl {
namespace {

using protocol::Descriptor;
using testing::Child;
using testing::Daemon;
using ::testing::HasSubstr;

Descriptor socket_at(const std::string& path, int type, bool listens) {
  Descriptor socket(::socket(AF_UNIX, type | SOCK_CLOEXEC, 0));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  path.copy(address.sun_path, sizeof address.sun_path - 1);
  EXPECT_EQ(bind(socket.get(), reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  if (listens) {
    EXPECT_EQ(listen(socket.get(), 9), 0);
  }
  return socket;
}

struct ServiceTest : ::testing::Test {
  Daemon daemon;
  const std::string folder =
      std::filesystem::temp_directory_path() / ("samcl-service." + std::to_string(getpid()) + "." +
                                                ::testing::UnitTest::GetInstance()->current_test_info()->name());
  void SetUp() override { std::filesystem::create_directories(folder); }
  ~ServiceTest() override { std::filesystem::remove_all(folder); }
};

TEST_F(ServiceTest, ServiceManagerIsToldWhatHappens) {
  const Descriptor notices = socket_at(folder + "/notify", SOCK_DGRAM, false);
  const auto next_but = [&](const std::string& ignored) {
    std::string text;
    do {
      pollfd fd{notices.get(), POLLIN, 0};
      if (poll(&fd, 1, 10'000) != 1) return std::string("nothing");
      text.resize(512);
      text.resize(static_cast<size_t>(recv(notices.get(), text.data(), text.size(), 0)));
    } while (text == ignored);
    return text;
  };
  setenv("NOTIFY_SOCKET", (folder + "/notify").c_str(), 1);
  setenv("WATCHDOG_USEC", "400000", 1);
  const bool started = daemon.start();
  unsetenv("NOTIFY_SOCKET");
  unsetenv("WATCHDOG_USEC");
  ASSERT_TRUE(started);
  EXPECT_EQ(next_but(""), "READY=1");
  EXPECT_EQ(next_but(""), "WATCHDOG=1");
  EXPECT_EQ(next_but(""), "WATCHDOG=1") << "also while nobody is connected";
  kill(daemon.pid(), SIGHUP);
  EXPECT_THAT(next_but("WATCHDOG=1"), HasSubstr("RELOADING=1\nMONOTONIC_USEC="));
  EXPECT_EQ(next_but("WATCHDOG=1"), "READY=1");
  EXPECT_EQ(daemon.stop(SIGTERM), 0);
  EXPECT_EQ(next_but("WATCHDOG=1"), "STOPPING=1");
}

TEST_F(ServiceTest, GivenSocketIsServed) {
  setenv("SAMCL_RUNTIME_DIR", folder.c_str(), 1);
  const std::string path = protocol::socket_path(folder, "given");
  const Descriptor given = socket_at(path, SOCK_SEQPACKET, true);
  Child service([&](const Child::Line&) {
    dup2(given.get(), 3);
    fcntl(3, F_SETFD, 0);
    setenv("LISTEN_FDS", "1", 1);
    setenv("LISTEN_PID", std::to_string(getpid()).c_str(), 1);
    execl(SAM_MANAGERD, SAM_MANAGERD, "--foreground", "--instance", "given", "--exit-with",
          std::to_string(getppid()).c_str(), nullptr);
    return 127;
  });
  // Served however early it comes.
  const auto client = lease::Client::connect({"given", "", 20'000, 0}, {"a"});
  EXPECT_TRUE(client) << client.error().message;
  kill(service.pid(), SIGTERM);
  EXPECT_EQ(service.join(), 0);
  EXPECT_TRUE(std::filesystem::exists(path)) << "it is the service manager's";
  unsetenv("SAMCL_RUNTIME_DIR");
}

struct MetricsTest : ServiceTest {
  void SetUp() override {
    ServiceTest::SetUp();
    std::ofstream(folder + "/m.toml") << "log_level = 'warn'\nmetrics = '" << folder << "/metrics'\n";
    ASSERT_TRUE(daemon.start({"--config", folder + "/m.toml"}));
  }

  // What a reader gets who asks, and reads only after `wait_ms`.
  std::string scrape(int wait_ms = 0) const {
    const Descriptor reader(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    (folder + "/metrics").copy(address.sun_path, sizeof address.sun_path - 1);
    EXPECT_EQ(connect(reader.get(), reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
    const std::string question = "GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n";
    EXPECT_GT(send(reader.get(), question.data(), question.size(), 0), 0);
    usleep(static_cast<useconds_t>(wait_ms) * 1000);
    std::string answer;
    std::string part(4096, '\0');
    for (ssize_t got; (got = recv(reader.get(), part.data(), part.size(), 0)) > 0;)
      answer.append(part, 0, static_cast<size_t>(got));
    return answer;
  }

  void run_a_job_of(const std::string& task) const {
    ASSERT_EQ(daemon.register_task(task, 5), "");
    const auto client = daemon.connect(task);
    ASSERT_TRUE(client);
    client->job_ended(1'000'000);
  }
};

std::string body_of(const std::string& answer) { return answer.substr(answer.find("\r\n\r\n") + 4); }

// How many samples each metric has. Where "# TYPE name kind" begins them, all of them follow, and nothing of another.
std::map<std::string, int> samples_by_metric(const std::string& text) {
  std::map<std::string, int> samples;
  std::istringstream lines(text);
  std::string metric;
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string first, second, third;
    words >> first >> second >> third;
    if (first == "#" && second == "TYPE") {
      EXPECT_FALSE(samples.contains(third)) << third << " begins twice";
      metric = third;
      samples[metric] = 0;
    } else if (first != "#") {
      const std::string name = first.substr(0, first.find('{'));
      EXPECT_TRUE(name == metric || name == metric + "_count") << line << " stands below " << metric;
      ++samples[metric];
    }
  }
  return samples;
}

TEST_F(MetricsTest, PrometheusReadsNumbers) {
  ASSERT_EQ(daemon.register_task("camera", 5), "");
  const auto client = daemon.connect("camera");
  ASSERT_TRUE(client);
  const lease::Lease gpu(client.get(), lease::ResourceKind::gpu, 0);
  const std::string answer = scrape();
  EXPECT_THAT(answer, ::testing::StartsWith("HTTP/1.0 200 OK\r\n"));
  EXPECT_THAT(answer, HasSubstr("\nsamcl_programs 1\n"));
  EXPECT_THAT(answer, HasSubstr("\nsamcl_resource_held{device=\"a\",resource=\"gpu\"} 1\n"));
  EXPECT_THAT(answer, HasSubstr("\nsamcl_resource_held{device=\"a\",resource=\"link\"} 0\n"));
}

TEST_F(MetricsTest, SamplesOfAMetricStandTogether) {
  run_a_job_of("camera");
  run_a_job_of("lidar \"two\"");
  const std::string answer = scrape();
  const auto samples = samples_by_metric(body_of(answer));
  EXPECT_EQ(samples.at("samcl_response_seconds"), 6) << answer;
  EXPECT_EQ(samples.at("samcl_deadline_misses_total"), 2);
  EXPECT_EQ(samples.at("samcl_overruns_total"), 14)
      << "sections, early, long, greedy, asking and computing jobs, and memory of each";
  EXPECT_THAT(answer, HasSubstr("{task=\"lidar \\\"two\\\"\",quantile=\"0.5\"}"));
}

TEST_F(MetricsTest, SlowReaderGetsAllOfALongAnswer) {
  for (int i = 0; i < 300; ++i) run_a_job_of(std::string(60, 'x') + std::to_string(i));
  const std::string answer = scrape(50), body = body_of(answer);
  EXPECT_THAT(answer, HasSubstr("Content-Length: " + std::to_string(body.size()) + "\r\n"));
  EXPECT_GT(body.size(), 225'000) << "more than a socket takes at once";
  EXPECT_EQ(samples_by_metric(body).at("samcl_deadline_misses_total"), 300);
}

TEST_F(MetricsTest, DashboardAsksForWhatThereIs) {
  run_a_job_of("camera");
  const auto samples = samples_by_metric(body_of(scrape()));
  std::ifstream in(DASHBOARD);
  const std::string dashboard((std::istreambuf_iterator<char>(in)), {});
  ASSERT_TRUE(nlohmann::json::accept(dashboard));
  const std::regex name("samcl_[a-z_]+");
  int asked = 0;
  for (std::sregex_iterator at(dashboard.begin(), dashboard.end(), name), end; at != end; ++at, ++asked)
    EXPECT_TRUE(samples.contains(at->str())) << at->str();
  EXPECT_GE(asked, 4);
}

}  // namespace
}  // namespace samcl
