#include "tools/sam-ctl/registration.h"

#include <gmock/gmock.h>

#include "sam-manager/planning/profile.h"

namespace samcl::ctl {
namespace {

using protocol::Kind;
using protocol::Request;
using ::testing::HasSubstr;

std::string profile_of(int stages) {
  std::string text = R"({"platform": {"cpus": 1, "gpus": 2}, "tasks": [{"name": "camera", "period": "40ms",
      "deadline": "30ms", "stages": [)";
  for (int i = 0; i < stages; ++i)
    text += std::string(i == 0 ? "" : ", ") + R"({"resource": "GPU", "worst": ["9ms", "5ms"]})";
  return text + "]}]}";
}

Registration registration(const std::string& profile) {
  Registration camera;
  camera.name = "camera";
  camera.priority = 7;
  camera.profile = profile;
  return camera;
}

TEST(Registration, TimesComeFromTheProfileUnlessGiven) {
  Registration camera = registration(profile_of(1));
  auto requests = make_requests(camera);
  ASSERT_TRUE(requests) << requests.error().message;
  EXPECT_EQ(requests->back().period_ns, 40'000'000u);
  EXPECT_EQ(requests->back().deadline_ns, 30'000'000u);
  camera.period = "20ms";
  requests = make_requests(camera);
  ASSERT_TRUE(requests) << requests.error().message;
  EXPECT_EQ(requests->back().deadline_ns, 20'000'000u) << "the profile's deadline belongs to its own period";
}

TEST(Registration, ProfileGoesInPiecesThatMakeTheWhole) {
  const auto requests = make_requests(registration(profile_of(200)));
  ASSERT_TRUE(requests) << requests.error().message;
  ASSERT_GT(requests->size(), 2u);
  std::string text;
  for (const Request& request : *requests) {
    EXPECT_TRUE(protocol::check([&] {
      Request sent = request;
      sent.header.pid = 1;
      return sent;
    }(), sizeof request));
    if (request.header.kind != Kind::profile) continue;
    EXPECT_EQ(request.offset, text.size());
    text.append(request.text, request.length);
  }
  EXPECT_EQ(requests->back().header.kind, Kind::enroll);
  EXPECT_EQ(requests->back().profile_bytes, text.size());
  const auto profile = planning::parse_profile(text);
  ASSERT_TRUE(profile) << profile.error().message;
  EXPECT_EQ(profile->stages.size(), 200u);
}

TEST(Registration, WhatIsWrongIsNamedByItsOption) {
  const auto message = [](const Registration& wrong) {
    const auto requests = make_requests(wrong);
    return requests ? "none" : requests.error().message;
  };
  Registration camera = registration("");
  EXPECT_EQ(message(camera), "--period is needed without --profile");
  camera.period = "40";
  EXPECT_THAT(message(camera), HasSubstr("--period: "));
  camera.period = "40ms";
  EXPECT_EQ(message(camera), "--deadline is needed without --profile");
  camera.deadline = "40ms";
  camera.devices = {"0", "0"};
  EXPECT_EQ(message(camera), "--devices: 0 is named twice");
  EXPECT_THAT(message(registration("{}")), HasSubstr("--profile: /platform: missing"));
  EXPECT_THAT(message(registration(profile_of(0))), HasSubstr("--profile: task \"camera\", stages: none"));
  EXPECT_THAT(message(registration(profile_of(8000))), HasSubstr("--profile: it has too many stages"));
}

TEST(Registration, ProfileOfOneTaskServesUnderAnyName) {
  Registration radar = registration(profile_of(1));
  radar.name = "radar";
  EXPECT_TRUE(make_requests(radar));
}

}  // namespace
}  // namespace samcl::ctl
