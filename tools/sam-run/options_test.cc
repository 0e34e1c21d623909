#include "tools/sam-run/options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace samcl::run {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Options parsed(const std::vector<std::string>& arguments) {
  const auto options = parse_options(arguments, "/tmp");
  return options ? *options : throw std::runtime_error(options.error().message);
}

std::string error(const std::vector<std::string>& arguments) {
  const auto options = parse_options(arguments, "/tmp");
  return options ? "no error" : options.error().message;
}

TEST(Options, EndAtTheDoubleDash) {
  const Options options = parsed({"--gpus", "2", "--", "./app", "--gpus", "3", "--", "x"});
  EXPECT_EQ(options.gpus, 2u);
  EXPECT_THAT(options.program, ElementsAre("./app", "--gpus", "3", "--", "x"));
}

TEST(Options, EndAtTheFirstWord) {
  EXPECT_THAT(parsed({"--gpus=2", "./app", "--help", "--", "x"}).program, ElementsAre("./app", "--help", "--", "x"));
}

TEST(Options, LeaveUnsetWhatIsNotGiven) {
  const Options options = parsed({"--", "./app"});
  EXPECT_EQ(options.devices, "");
  EXPECT_FALSE(options.gpus);
  EXPECT_FALSE(options.manager);
  EXPECT_FALSE(options.report);
}

TEST(Options, ReportAloneIsATableAndTakesNoWordFromTheProgram) {
  const Options options = parsed({"--report", "./app", "x"});
  EXPECT_EQ(options.report, "-");
  EXPECT_THAT(options.program, ElementsAre("./app", "x"));
}

TEST(Options, AReportFileIsMadeAbsolute) {
  EXPECT_EQ(parsed({"--report=r.json", "--", "./app"}).report, "/tmp/r.json");
  EXPECT_EQ(parsed({"--trace", "t.json", "--", "./app"}).trace, "/tmp/t.json");
  EXPECT_EQ(parsed({"--plan", "p.dot", "--", "./app"}).plan, "/tmp/p.dot");
}

TEST(Options, AllTogether) {
  const Options options = parsed({"--devices", "0,1", "--gpus", "2", "--manager", "embedded", "--task", "vision",
                                  "--report=/tmp/r.json", "--", "a"});
  EXPECT_EQ(options.devices, "0,1");
  EXPECT_EQ(options.manager, Manager::embedded);
  EXPECT_EQ(options.task, "vision");
}

TEST(Options, MachineTakesNoProgram) {
  EXPECT_TRUE(parsed({"--machine", "--devices", "0"}).machine);
  EXPECT_THAT(parse_options({"--machine", "--", "./app"}, "/").error().message,
              HasSubstr("--machine runs no program, but './app' is given"));
}
TEST(Options, WhatIfGoesWithWhatIsPredictedFromOneDevice) {
  const std::string machines = "devices=2,64,link=12GB/s,latency=60us";
  const Options options = parsed({"--what-if", machines, "--json", "w.json", "--", "./app"});
  EXPECT_EQ(options.what_if, machines);
  EXPECT_EQ(options.what_if_to, "/tmp/w.json");
  EXPECT_THAT(error({"--what-if", "devices=x", "./app"}),
              HasSubstr("expects numbers of devices from 1 to 1024, not 'x'"));
  EXPECT_THAT(error({"--what-if", "devices=2", "--gpus", "2", "./app"}), HasSubstr("--gpus says more"));
  EXPECT_THAT(error({"--what-if", "devices=2", "--mix", "./app"}), HasSubstr("neither --share nor --mix"));
  EXPECT_THAT(error({"--what-if", "devices=2", "--manager", "required", "./app"}), HasSubstr("without a manager"));
  EXPECT_THAT(error({"--json", "w.json", "./app"}), HasSubstr("without it there is nothing to write"));
}

TEST(Options, DevicesThatAreNotAlikeAreJoinedWherePossibleOrExactly) {
  EXPECT_EQ(parsed({"./app"}).mix, Mix::off);
  EXPECT_EQ(parsed({"--mix", "--", "./app"}).mix, Mix::on);
  EXPECT_EQ(parsed({"--mix=exact", "./app"}).mix, Mix::exact);
  EXPECT_THAT(error({"--mix=nearly", "./app"}), HasSubstr("nothing or =exact, not 'nearly'"));
}

TEST(Options, HelpNeedsNoProgram) { EXPECT_TRUE(parsed({"--help"}).help); }

TEST(Options, ErrorsNameWhatWasWrongAndWhatWasExpected) {
  EXPECT_THAT(error({"--gpus", "two", "--", "a"}),
              HasSubstr("--gpus expects a number of devices, 1 or more, not 'two'"));
  EXPECT_THAT(error({"--gpus", "0", "--", "a"}), HasSubstr("not '0'"));
  EXPECT_THAT(error({"--gpus", "-1", "--", "a"}), HasSubstr("not '-1'"));
  EXPECT_THAT(error({"--gpus", "99999999999", "--", "a"}), HasSubstr("not '99999999999'"));
  EXPECT_THAT(error({"--share", "2", "--", "a"}), HasSubstr("--share expects a part of each device"));
  EXPECT_THAT(error({"--manager", "yes", "--", "a"}), HasSubstr("auto, off, embedded or required, not 'yes'"));
  EXPECT_THAT(error({"--devices", " ", "--", "a"}), HasSubstr("--devices expects a list"));
  EXPECT_THAT(error({"--task", "", "--", "a"}), HasSubstr("--task expects a name"));
  EXPECT_THAT(error({"--report=/no/such/dir/r.json", "--", "a"}), HasSubstr("no directory /no/such/dir"));
  EXPECT_THAT(error({"--report=/tmp", "--", "a"}), HasSubstr("is a directory"));
  EXPECT_THAT(error({"--trace", "/no/such/dir/t.json", "--", "a"}), HasSubstr("--trace=/no/such/dir/t.json: there is"));
  EXPECT_THAT(error({"--plan", "/tmp", "--", "a"}), HasSubstr("--plan=/tmp is a directory"));
  EXPECT_THAT(error({"--device", "0", "--", "a"}), HasSubstr("unknown option '--device'"));
  EXPECT_THAT(error({"--gpus"}), HasSubstr("--gpus"));
  EXPECT_THAT(error({}), HasSubstr("no program given"));
  EXPECT_THAT(error({"--"}), HasSubstr("no program given"));
}

}  // namespace
}  // namespace samcl::run
