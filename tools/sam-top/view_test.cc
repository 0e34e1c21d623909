#include "tools/sam-top/view.h"

#include <gmock/gmock.h>

namespace samcl::top {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::SizeIs;

json program(const std::string& task, int pid, int priority, int jobs, int misses, uint64_t p99) {
  return {{"task", task},
          {"pid", pid},
          {"priority", priority},
          {"gpus", 0},
          {"jobs", jobs},
          {"misses", misses},
          {"p50_ns", p99 / 2},
          {"p99_ns", p99},
          {"bound_ns", {}},
          {"gpu_leases", 123456},
          {"memory_bytes", task.empty() ? uint64_t{0} : uint64_t{1} << 32},
          {"longest_response_ns", p99 + 1'000'000},
          {"executable", "/usr/bin/x" + task}};
}

json status() {
  return {{"instance", "lab"},
          {"programs",
           {program("radar", 12, 5, 900, 0, 20'000'000), program("camera", 7, 30, 100, 2, 8'000'000),
            program("", 3, 0, 0, 0, 0)}},
          {"memory", {{{"device", "pocl:0"}, {"bytes", uint64_t{80} << 30}, {"reserved_bytes", uint64_t{1} << 33}}}},
          {"resources",
           {{{"device", "pocl:0"},
             {"kind", "gpu"},
             {"holder", {{"pid", 7}, {"task", "camera"}, {"held_ns_at_least", 2'000'000'000}}},
             {"waiting", {{{"pid", 12}, {"task", "radar"}}, {{"pid", 3}, {"task", ""}}}}},
            {{"device", "pocl:0"}, {"kind", "link"}, {"holder", nullptr}, {"waiting", json::array()}}}}};
}

std::vector<int> pids(const View& view) {
  std::vector<int> found;
  for (const Row& row : view.programs) found.push_back(row.pid);
  return found;
}

TEST(View, ShowsAProgramInALine) {
  const View view = make_view(status(), {}, 80);
  EXPECT_EQ(view.head, "sam-managerd \"lab\": 3 programs, by priority");
  EXPECT_EQ(view.columns, "TASK        PROCESS PRIO GPU  JOBS   HALF    99%    MAX  BOUND LATE SLICES   MEM");
  ASSERT_THAT(view.programs, SizeIs(3));
  EXPECT_EQ(view.programs[0].text, "camera            7   30 all   100 4.00ms 8.00ms 9.00ms      -    2   123k  4.0G");
  EXPECT_EQ(view.columns.size(), 80u);
  EXPECT_TRUE(view.programs[0].late);
  EXPECT_EQ(view.programs[2].text.substr(0, 12), "(x)         ");
}

TEST(View, OrderAndFilterAreTheUsers) {
  EXPECT_THAT(pids(make_view(status(), {Order::priority, "", 0}, 80)), ElementsAre(7, 12, 3));
  EXPECT_THAT(pids(make_view(status(), {Order::slowest, "", 0}, 80)), ElementsAre(12, 7, 3));
  EXPECT_THAT(pids(make_view(status(), {Order::misses, "", 0}, 80)), ElementsAre(7, 12, 3));
  EXPECT_THAT(pids(make_view(status(), {Order::jobs, "", 0}, 80)), ElementsAre(12, 7, 3));
  EXPECT_THAT(pids(make_view(status(), {Order::jobs, "cam", 0}, 80)), ElementsAre(7));
  EXPECT_EQ(next(Order::jobs), Order::priority);
}

TEST(View, DevicesShowWhoHoldsAndWaits) {
  EXPECT_THAT(make_view(status(), {}, 80).devices,
              ElementsAre("DEVICE               USE  HELD BY        FOR    RESERVED    WAITING",
                          "pocl:0               gpu  camera         2.00s  8.0G/80G    radar, 3",
                          "pocl:0               link -              -                  -"));
}

TEST(View, NoLineIsWiderThanTheTerminal) {
  json wide = status();
  wide["programs"][0]["task"] = std::string(60, 'x');
  wide["resources"][0]["device"] = std::string(60, 'y');
  const View view = make_view(wide, {}, 40);
  for (const Row& row : view.programs) EXPECT_LE(row.text.size(), 40u);
  for (const std::string& line : view.devices) EXPECT_LE(line.size(), 40u);
}

TEST(View, EscapesInAnExecutableAreVisible) {
  json other = status();
  other["programs"][2]["executable"] = "/tmp/\x1b[2J";
  EXPECT_EQ(make_view(other, {}, 80).programs[2].text.substr(0, 10), "(\\x1b[2J) ");
}

TEST(View, NamesAreCutBetweenCharacters) {
  json other = status();
  other["programs"][1]["task"] = "K\u00e4m\u00e4r\u00e4 \u00e4\u00e4\u00e4\u00e4\u00e4\u00e4";
  EXPECT_EQ(make_view(other, {}, 80).programs[0].text.substr(0, 25),
            "K\u00e4m\u00e4r\u00e4 \u00e4\u00e4\u00e4~       7");
}

TEST(View, WideTerminalsShowLongerNames) {
  json wide = status();
  wide["programs"][1]["task"] = "camera of the second robot";
  EXPECT_EQ(make_view(wide, {}, 120).programs[0].text.substr(0, 34), "camera of the second robot        ");
}

TEST(ShortCount, HasFiveCharactersAtMost) {
  EXPECT_EQ(short_count(99'999), "99999");
  EXPECT_EQ(short_count(100'000), "100k");
  EXPECT_EQ(short_count(12'345'678), "12M");
}

TEST(ShortBytes, AreOf1024) {
  EXPECT_EQ(short_bytes(512), "512B");
  EXPECT_EQ(short_bytes(uint64_t{3} << 29), "1.5G");
  EXPECT_EQ(short_bytes(uint64_t{80} << 30), "80G");
}

TEST(ShortTime, HasThreeDigits) {
  EXPECT_EQ(short_time(7), "7ns");
  EXPECT_EQ(short_time(1'234), "1.23us");
  EXPECT_EQ(short_time(12'345'678), "12.3ms");
  EXPECT_EQ(short_time(123'456'789), "123ms");
  EXPECT_EQ(short_time(999'999'999), "1.00s");
}

}  // namespace
}  // namespace samcl::top
