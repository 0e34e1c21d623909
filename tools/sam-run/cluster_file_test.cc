#include "tools/sam-run/cluster_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

namespace samcl::run {
namespace {

using testing::HasSubstr;

TEST(ClusterFile, NamesEachDeviceOfEachServerToPocl) {
  const auto cluster = parse_cluster(
      "# made by sam-cluster up\n"
      "vendors /p/etc/OpenCL/vendors\n"
      "server 127.0.0.1:7700 devices 2 host a pid 1 started 2\n"
      "\n"
      "server 10.0.0.2:7710 devices 1 host b pid 3 started 4\n");
  ASSERT_TRUE(cluster);
  EXPECT_EQ(cluster->devices, 3u);
  EXPECT_FALSE(cluster->is_tunnelled);
  EXPECT_THAT(cluster->servers, testing::ElementsAre("127.0.0.1:7700", "10.0.0.2:7710"));
  EXPECT_EQ(cluster->environment, (std::map<std::string, std::string>{{"OCL_ICD_VENDORS", "/p/etc/OpenCL/vendors"},
                                                                      {"POCL_DEVICES", "remote remote remote"},
                                                                      {"POCL_REMOTE0_PARAMETERS", "127.0.0.1:7700/0"},
                                                                      {"POCL_REMOTE1_PARAMETERS", "127.0.0.1:7700/1"},
                                                                      {"POCL_REMOTE2_PARAMETERS", "10.0.0.2:7710/0"}}));
}

TEST(ClusterFile, MaySayThatItsServersAreReachedByTunnels) {
  const auto cluster = parse_cluster("vendors /v\ntunnelled\nserver a:1 devices 1\n");
  ASSERT_TRUE(cluster);
  EXPECT_TRUE(cluster->is_tunnelled);
  EXPECT_EQ(cluster->environment.at("POCL_REMOTE0_PARAMETERS"), "a:1/0#-") << "no server is to look for another";
}

TEST(ClusterFile, MaySayThatTheMachinesManagersGrantTheirDevices) {
  EXPECT_TRUE(parse_cluster("vendors /v\nmanaged\nserver a:1 devices 1\n")->is_managed);
  EXPECT_FALSE(parse_cluster("vendors /v\nserver a:1 devices 1\n")->is_managed);
}

TEST(ClusterFile, SaysWhichLineIsWrong) {
  for (const char* line :
       {"sever 127.0.0.1:7700 devices 1", "server 127.0.0.1:7700", "server a:1 devices x", "server a:1 devices 0"}) {
    const auto cluster = parse_cluster(std::string("vendors /v\n") + line + "\n");
    ASSERT_FALSE(cluster) << line;
    EXPECT_THAT(cluster.error().message, HasSubstr(std::string("line 2 is not one of sam-cluster's: ") + line));
  }
}

TEST(ClusterFile, NeedsServersAndVendors) {
  EXPECT_THAT(parse_cluster("vendors /v\n").error().message, HasSubstr("no line 'server"));
  EXPECT_THAT(parse_cluster("server a:1 devices 1\n").error().message, HasSubstr("no line 'vendors"));
  EXPECT_THAT(read_cluster("/no/such/cluster").error().message, HasSubstr("/no/such/cluster"));
}

TEST(ClusterFile, AServerAnswersWhereSomebodyListens) {
  const int fd = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  ASSERT_EQ(bind(fd, reinterpret_cast<sockaddr*>(&address), size), 0);
  ASSERT_EQ(getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size), 0);
  const std::string server = "127.0.0.1:" + std::to_string(ntohs(address.sin_port));
  EXPECT_FALSE(answers(server)) << "nobody listens yet";
  ASSERT_EQ(listen(fd, 1), 0);
  EXPECT_TRUE(answers(server));
  close(fd);
  EXPECT_FALSE(answers("no port"));
}

}  // namespace
}  // namespace samcl::run
