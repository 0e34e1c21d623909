#include "sam-manager/protocol/messages.h"

#include <gmock/gmock.h>

#include <cstring>
#include <random>

#include "sam-manager/protocol/names.h"

namespace samcl::protocol {
namespace {

using ::testing::HasSubstr;

Request good(Kind kind) {
  Request request;
  request.header.kind = kind;
  request.header.pid = 1;
  request.tid = 1;
  request.period_ns = request.deadline_ns = 1;
  request.device_count = 1;
  store("task", request.task);
  store("pocl:0", request.devices[0]);
  return request;
}

std::string problem(const Request& request, size_t bytes = sizeof(Request)) {
  const auto checked = check(request, bytes);
  return checked ? "none" : checked.error().message;
}

TEST(Messages, GoodOnesPass) {
  for (Kind kind : {Kind::hello, Kind::goodbye, Kind::acquire, Kind::release, Kind::adopt, Kind::enroll,
                    Kind::withdraw, Kind::list, Kind::status})
    EXPECT_EQ(problem(good(kind)), "none") << static_cast<int>(kind);
}

TEST(Messages, EveryFaultIsNamed) {
  Request request = good(Kind::list);
  EXPECT_THAT(problem(request, 3), HasSubstr("it has 3 bytes"));
  request.header.magic = 1;
  EXPECT_THAT(problem(request), HasSubstr("mark"));
  request = good(Kind::list);
  request.header.version = 77;
  EXPECT_THAT(problem(request), HasSubstr("version 77, expected 3"));
  request = good(Kind::list);
  request.header.pid = -4;
  EXPECT_THAT(problem(request), HasSubstr("process id is -4"));
  request = good(Kind::acquire);
  request.resource = 64;
  EXPECT_THAT(problem(request), HasSubstr("resource 64, expected less than 64"));
  request = good(Kind::hello);
  request.device_count = 33;
  EXPECT_THAT(problem(request), HasSubstr("33 devices, expected 1 to 32"));
  request = good(Kind::enroll);
  request.device_count = 33;
  EXPECT_THAT(problem(request), HasSubstr("33 devices, expected 0 to 32"));
  request = good(Kind::hello);
  std::memset(request.devices[0], 'x', kNameBytes);
  EXPECT_THAT(problem(request), HasSubstr("device 0 is empty or has no end"));
  request = good(Kind::withdraw);
  std::memset(request.task, 'x', kNameBytes);
  EXPECT_THAT(problem(request), HasSubstr("no end"));
  request = good(Kind::enroll);
  request.period_ns = 0;
  EXPECT_THAT(problem(request), HasSubstr("must be positive"));
  request = good(Kind::reply);
  EXPECT_THAT(problem(request), HasSubstr("no request"));
  request.header.kind = static_cast<Kind>(999);
  EXPECT_THAT(problem(request), HasSubstr("kind is 999"));
}

TEST(Messages, ReplyToAnotherRequestIsNotTaken) {
  Reply reply;
  reply.header.kind = Kind::reply;
  reply.header.pid = 1;
  reply.header.sequence = 5;
  EXPECT_TRUE(check(reply, sizeof reply, 5));
  EXPECT_FALSE(check(reply, sizeof reply, 6));
  reply.length = sizeof(reply.text) + 1;
  EXPECT_FALSE(check(reply, sizeof reply, 5));
}

TEST(Messages, StringsThatDoNotFitAreRefused) {
  char small[4];
  EXPECT_TRUE(store("abc", small));
  EXPECT_STREQ(small, "abc");
  EXPECT_FALSE(store("abcd", small));
  EXPECT_FALSE(store(std::string_view("a\0b", 3), small));
}

TEST(Names, InstancesStayInsideTheirFileNames) {
  EXPECT_TRUE(check_instance("run.123_a-b"));
  for (const auto& bad : {std::string(), std::string("a/b"), std::string(65, 'x'), std::string("a b")})
    EXPECT_FALSE(check_instance(bad)) << bad;
  EXPECT_EQ(request_queue("x"), "/samcl.x.requests");
  EXPECT_EQ(reply_queue("x", 7), "/samcl.x.reply.7");
  EXPECT_EQ(state_segment("x"), "/samcl.x.state");
}

}  // namespace
}  // namespace samcl::protocol
