// The command as a user runs it, with programs that are shell scripts: what is tested is the harness.
#include <gmock/gmock.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "tools/process/child.h"

namespace samcl::bench {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::Not;

// Prints a job's times and the checksum given.
std::string result(const std::string& checksum, bool passed = true) {
  return R"(echo '{"program":"P","size":"7","passed":)" + std::string(passed ? "true" : "false") +
         R"(,"wrong":"element 7","checksum":")" + checksum +
         R"(","median":{"upload":{"device_ms":1},"kernel":{"device_ms":2},"download":{"device_ms":1},)"
         R"("total":{"host_ms":5}}}')" +
         (passed ? "" : "; exit 1");
}

struct SamBench : ::testing::Test {
  const fs::path folder = fs::path(::testing::TempDir()) / ("sam_bench." + std::to_string(getpid()));
  const std::string out = folder / "out";

  SamBench() {
    fs::create_directory(folder);
    fs::create_directory(folder / "programs");
  }
  ~SamBench() override { fs::remove_all(folder); }

  void add(const std::string& name, const std::string& script) const {
    const fs::path file = folder / "programs" / name;
    std::ofstream(file) << "#!/bin/sh\nif [ \"$1\" = --help ]; then echo '  --iterations'; exit; fi\n"
                        << script << "\n";
    fs::permissions(file, fs::perms::owner_all);
  }

  process::Ending bench(std::vector<std::string> words) const {
    words.insert(words.begin(), {SAM_BENCH, "--programs", folder / "programs"});
    return process::run(words, {{"POCL_DEVICES", "basic basic"}}, 100).value();
  }
  std::string file(const std::string& name) const {
    std::ifstream in(folder / name);
    return {std::istreambuf_iterator<char>(in), {}};
  }
};

TEST_F(SamBench, ComparesShowsKeepsAndDrawsAgain) {
  add("Good", result("0x1"));
  const auto compared = bench({"compare", "all", "--devices", "2", "--repeat", "2", "--out", out});
  EXPECT_EQ(compared.exit_code, 0) << compared.err;
  EXPECT_THAT(compared.out, HasSubstr("Good"));
  EXPECT_THAT(compared.err, HasSubstr("[4/4] Good, bare, round 2"));
  EXPECT_EQ(json::parse(file("out.json")).at("runs").size(), 4u);
  EXPECT_EQ(json::parse(file("out.json")).at("machine").at("devices").size(), 2u);
  const std::string svg = file("out.svg");
  EXPECT_THAT(svg, HasSubstr("Good, 2 devices: kernel 2 ms"));
  fs::remove(folder / "out.svg");
  EXPECT_EQ(bench({"draw", out + ".json"}).exit_code, 0);
  EXPECT_EQ(file("out.svg"), svg);
}

TEST_F(SamBench, WhatFailsOrCrashesIsARowAndTheRestGoesOn) {
  add("Crashes", "kill -SEGV $$");
  add("Fails", result("0x1", false));
  add("Other", "if [ -n \"$SAMCL_GPUS\" ]; then " + result("0x2") + "; else " + result("0x1") + "; fi");
  const auto compared = bench({"compare", "all", "--devices", "2", "--repeat", "1", "--json"});
  EXPECT_EQ(compared.exit_code, 1);
  const json rows = json::parse(compared.out).at("rows");
  ASSERT_EQ(rows.size(), 6u);
  EXPECT_EQ(rows[0]["outcome"], "CRASH");
  EXPECT_EQ(rows[2]["outcome"], "FAIL");
  EXPECT_EQ(rows[2]["note"], "element 7");
  EXPECT_EQ(rows[4]["outcome"], "PASS");
  EXPECT_EQ(rows[5]["outcome"], "PASS");
  EXPECT_EQ(rows[5]["same_result"], false);
}

TEST_F(SamBench, WhatHangsIsKilledAtTheLimit) {
  add("Hangs", "exec sleep 60");
  const auto compared = bench({"compare", "all", "--devices", "1", "--repeat", "2", "--timeout", "0.2", "--json"});
  EXPECT_EQ(compared.exit_code, 1);
  const json answer = json::parse(compared.out);
  for (const json& row : answer.at("rows")) EXPECT_EQ(row["outcome"], "TIMEOUT");
}

TEST_F(SamBench, MoreDevicesThanThereAreIsAnErrorOfThatRow) {
  add("Good", result("0x1"));
  const auto ran = bench({"run", "Good", "--devices", "1,9", "--repeat", "1", "--json"});
  EXPECT_EQ(ran.exit_code, 1);
  const json rows = json::parse(ran.out).at("rows");
  EXPECT_EQ(rows[0]["outcome"], "PASS");
  EXPECT_EQ(rows[1]["outcome"], "ERROR");
  EXPECT_THAT(rows[1]["note"], HasSubstr("only 2 devices are chosen"));
}

TEST_F(SamBench, AFigureGivesTheSizesToTheProgram) {
  add("MatrixMultiplication", "echo \"$@\" >> " + (folder / "calls").string() + "\n" + result("0x1"));
  const auto drawn = bench({"figure", "5", "--sizes", "64,128", "--repeat", "1", "--out", out});
  EXPECT_EQ(drawn.exit_code, 0) << drawn.err;
  EXPECT_THAT(file("calls"), HasSubstr("--rows 64 --inner 64 --columns 64\n"));
  EXPECT_THAT(file("calls"), HasSubstr("--rows 128 --inner 128 --columns 128\n"));
  EXPECT_THAT(file("out.svg"), HasSubstr("2 devices, 128: 5 ms"));
}

TEST_F(SamBench, WhatFollowsTheDashesIsTheProgramsOwn) {
  add("Good", "echo \"$@\" > " + (folder / "calls").string() + "\n" + result("0x1"));
  EXPECT_EQ(bench({"run", "Good", "--devices", "1", "--repeat", "1", "--small", "--", "--size", "9"}).exit_code, 0);
  EXPECT_THAT(file("calls"), HasSubstr("--json --warmup 2 --iterations 10 --small --size 9\n"));
}

TEST_F(SamBench, WrongUseIsExitCodeTwo) {
  add("Good", result("0x1"));
  EXPECT_EQ(bench({"compare", "Bad"}).exit_code, 2);
  EXPECT_EQ(bench({"figure", "4"}).exit_code, 2);
  EXPECT_EQ(bench({"run", "Good", "--devices", "0"}).exit_code, 2);
  EXPECT_EQ(bench({"draw", "/no/such/file"}).exit_code, 2);
  EXPECT_EQ(bench({}).exit_code, 2);
  std::ofstream(out) << "{}";
  const auto drawn = bench({"draw", out});
  EXPECT_EQ(drawn.exit_code, 2);
  EXPECT_THAT(drawn.err, HasSubstr("expected \"format\": \"sam-bench 1\""));
}

}  // namespace
}  // namespace samcl::bench
