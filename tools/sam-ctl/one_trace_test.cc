#include "tools/sam-ctl/one_trace.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "tests/support/trace_check.h"

namespace samcl::ctl {
namespace {

using nlohmann::json;
using testing::events_of;
using ::testing::IsEmpty;
using ::testing::SizeIs;

std::string slice(int pid, const char* name, int begin_us, int length_us, const char* category, const char* arguments) {
  return "{\"ph\":\"X\",\"name\":\"" + std::string(name) + "\",\"pid\":" + std::to_string(pid) +
         ",\"tid\":8388610,\"ts\":" + std::to_string(begin_us) + ".000,\"dur\":" + std::to_string(length_us) +
         ".000,\"cat\":\"" + category + "\",\"args\":" + arguments + "},\n";
}
std::string kernel(int pid, int begin_us, int length_us) {
  return slice(pid, "smooth", begin_us, length_us, "operation,resource",
               R"({"of":"smooth","command":1,"activity":"kernel","device":0})");
}
std::string arrow(int pid) {
  std::string text;
  for (const char* end : {"s", "f"})
    text += "{\"ph\":\"" + std::string(end) + "\",\"name\":\"then\",\"pid\":" + std::to_string(pid) +
            ",\"tid\":8388610,\"ts\":101.000,\"cat\":\"arrow\",\"id\":1,\"bp\":\"e\"},\n";
  return text;
}

std::vector<json> events(const std::vector<ProgramTrace>& programs) {
  const OneTrace whole = one_trace(programs);
  EXPECT_THAT(whole.left_out, IsEmpty());
  const json all = json::parse(whole.text, nullptr, false);
  EXPECT_TRUE(all.is_array()) << whole.text;
  return all.get<std::vector<json>>();
}

TEST(OneTrace, ShowsWhoHadADeviceWhen) {
  const auto merged = events({{"camera (1)", {"pocl:0"}, "[\n" + kernel(1, 100, 50)},
                              {"radar (2)", {"pocl:0"}, "[\n" + kernel(2, 150, 20) + "]\n"}});
  EXPECT_THAT(testing::faults_of(merged), IsEmpty());
  const auto leases = events_of(merged, 'X', "lease");
  ASSERT_THAT(leases, SizeIs(2));
  EXPECT_EQ(leases[0]["name"], "camera (1)");
  EXPECT_EQ(leases[1]["name"], "radar (2)");
  EXPECT_EQ(leases[0]["args"]["for"], "smooth");
  EXPECT_EQ(leases[0]["tid"], leases[1]["tid"]);
  EXPECT_THAT(events_of(merged, 'X', "operation"), SizeIs(2)) << "the programs' own rows stay";
}

TEST(OneTrace, WhoGivesWayHasItNot) {
  const std::string gap = slice(1, "give way", 120, 10, "wait", "{}");
  const auto merged =
      events({{"a", {"pocl:0"}, "[\n" + kernel(1, 100, 50) + gap}, {"b", {"pocl:0"}, "[\n" + kernel(2, 121, 8)}});
  const auto leases = events_of(merged, 'X', "lease");
  ASSERT_THAT(leases, SizeIs(3));
  EXPECT_EQ(leases[0]["dur"], 20.0);
  EXPECT_EQ(leases[1]["name"], "b");
  EXPECT_EQ(leases[2]["ts"], 130.0);
  EXPECT_THAT(testing::faults_of(merged), IsEmpty());
}

TEST(OneTrace, ArrowsOfDifferentProgramsStayApart) {
  const auto merged = events({{"a", {"pocl:0"}, "[\n" + kernel(1, 100, 50) + arrow(1)},
                              {"b", {"pocl:0"}, "[\n" + kernel(2, 100, 50) + arrow(2)}});
  EXPECT_THAT(testing::faults_of(merged), IsEmpty());
  EXPECT_NE(events_of(merged, 's')[0]["id"], events_of(merged, 's')[1]["id"]);
}

TEST(OneTrace, LinksAndDevicesAreDifferentRows) {
  const auto merged =
      events({{"a",
               {"x", "pocl:1"},
               "[\n" + slice(1, "upload", 10, 5, "resource", R"({"command":1,"activity":"upload","device":1})") +
                   kernel(1, 20, 5)}});
  std::vector<std::string> rows;
  for (const json& event : events_of(merged, 'M'))
    if (event["name"] == "thread_name") rows.push_back(event["args"]["name"]);
  EXPECT_THAT(rows, ::testing::ElementsAre("pocl:1: link", "x: device"));
}

TEST(OneTrace, NoProgramIsATraceToo) { EXPECT_THAT(testing::faults_of(events({})), IsEmpty()); }

TEST(OneTrace, LeavesOutWhoWritesNonsense) {
  const OneTrace whole = one_trace({{"camera", {}, "hello"},
                                    {"spoiler", {"pocl:0"}, "[\n" + kernel(1, 100, 50) + "{\"ph\":\"X\"},\n"},
                                    {"radar", {"pocl:0"}, "[\n" + kernel(2, 150, 20)}});
  EXPECT_THAT(whole.left_out, ::testing::ElementsAre(::testing::HasSubstr("camera: no trace"),
                                                     ::testing::HasSubstr("spoiler: its trace is not as expected")));
  const auto merged = json::parse(whole.text).get<std::vector<json>>();
  EXPECT_THAT(testing::faults_of(merged), IsEmpty());
  EXPECT_THAT(events_of(merged, 'X', "operation"), SizeIs(1));
}

}  // namespace
}  // namespace samcl::ctl
