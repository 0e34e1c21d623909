#include "sam-manager/daemon/config.h"

#include <gmock/gmock.h>
#include <grp.h>

#include <fstream>
#include <sstream>

namespace samcl::daemon {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string problem(const std::string& text) {
  const auto config = parse_config(text, "m.toml");
  return config ? "none" : config.error().message;
}

TEST(Config, EveryKeyIsRead) {
  const auto config = parse_config(
      "instance = 'lab'\ngroup = 'video'\ndefault_priority = -3\ndefault_weight = 4\nstate_file = '/x.json'\n"
      "log_level = 'warn'\nrealtime = false\nadmission = 'strict'\noverrun = 'demote'\npolicy = 'edf'\nmodes "
      "= 'gpa'\ncpu_watch = '250us'\nearly_jobs = 'throttle'\nhold = '10s'\ndevice_memory = '2GiB'\ncpus = 3\ngpus = "
      "2\n"
      "other_slice = '500us'\nother_chunk = '1.5ms'\nhandovers = '40us'\nmetrics = "
      "'/run/samcl/metrics'\n[access]\n"
      "administrators = ['root', '@7']\nprograms_per_user = 5\n[[access.allow]]\nwho = ['1000', '@root']\n"
      "devices = ['a']\nhighest_priority = 9\n",
      "m.toml");
  ASSERT_TRUE(config) << config.error().message;
  EXPECT_EQ(config->instance, "lab");
  EXPECT_EQ(config->group, "video");
  EXPECT_EQ(config->default_priority, -3);
  EXPECT_EQ(config->default_weight, 4u);
  EXPECT_EQ(config->state_file, "/x.json");
  EXPECT_EQ(config->log_level, "warn");
  EXPECT_FALSE(config->realtime);
  EXPECT_TRUE(config->strict);
  EXPECT_EQ(config->overrun, OverrunPolicy::demote);
  EXPECT_EQ(config->planning.modes, analysis::ModePolicy::gpa);
  EXPECT_EQ(config->policy, "edf");
  EXPECT_TRUE(config->throttle);
  EXPECT_EQ(config->hold_ns, 10'000'000'000u);
  EXPECT_EQ(config->cpu_watch_ns, 250'000u);
  EXPECT_EQ(config->device_memory, uint64_t{2} << 30);
  EXPECT_EQ(config->planning.default_priority, -3);
  EXPECT_EQ(config->cpus, 3);
  EXPECT_EQ(config->gpus, 2);
  EXPECT_EQ(config->planning.other_slice_ns, 500'000u);
  EXPECT_EQ(config->planning.other_chunk_ns, 1'500'000u);
  EXPECT_FALSE(config->measure_handovers);
  EXPECT_EQ(config->planning.handovers, (analysis::Handovers{40'000, 40'000, 40'000}));
  EXPECT_EQ(config->metrics, "/run/samcl/metrics");
  const AccessRules& access = config->access;
  EXPECT_THAT(access.administrators.users, ElementsAre(0));
  EXPECT_THAT(access.administrators.groups, ElementsAre(7));
  EXPECT_EQ(access.programs_per_user, 5u);
  ASSERT_EQ(access.allow.size(), 2u) << "the one named, and the group";
  EXPECT_THAT(access.allow[0].who.users, ElementsAre(1000));
  EXPECT_THAT(access.allow[0].who.groups, ElementsAre(0));
  EXPECT_THAT(access.allow[0].devices, ElementsAre("a"));
  EXPECT_EQ(access.allow[0].highest_priority, 9);
  EXPECT_TRUE(access.allow[1].devices.empty());
}

TEST(Config, MistakesAreNamedWithTheirLine) {
  EXPECT_THAT(problem("\nprioritty = 3\n"), StartsWith("m.toml:2: unknown key \"prioritty\""));
  EXPECT_EQ(problem("\n\nrealtime = 'yes'\n"), "m.toml:3: realtime: expected true or false");
  EXPECT_EQ(problem("overrun = 'kill'\n"), "m.toml:1: overrun: \"kill\" is unknown: expected log, demote or end");
  EXPECT_THAT(problem("metrics = '0.0.0.0:80'\n"), StartsWith("m.toml:1: metrics: "));
  EXPECT_THAT(problem("[access]\nadministrators = ['no-such-user']\n"),
              StartsWith("m.toml:2: access: there is no user \"no-such-user\""));
  EXPECT_THAT(problem("[access]\nadministrators = 'root'\n"), HasSubstr("expected an array of strings"));
  EXPECT_THAT(problem("[access]\nprograms_per_user = 0\n"), HasSubstr("expected 1 to 1024"));
  EXPECT_THAT(problem("[access]\nx = 0\n"), HasSubstr("access: unknown key \"x\""));
  EXPECT_THAT(problem("[[access.allow]]\nwho = ['@no-such-group']\n"), HasSubstr("there is no group"));
  EXPECT_THAT(problem("[[access.allow]]\nx = 1\n"), HasSubstr("access.allow: unknown key \"x\""));
  EXPECT_THAT(problem("access = 1\n"), HasSubstr("expected a table"));
  EXPECT_THAT(problem("group = 'no-such-group'\n"), HasSubstr("there is no group \"no-such-group\""));
  EXPECT_THAT(problem("log_level = 'loud'\n"), HasSubstr("expected debug, info, warn, error or off"));
  EXPECT_THAT(problem("instance = 'a/b'\n"), StartsWith("m.toml:1: instance:"));
  EXPECT_THAT(problem("admission = 'open'\n"), HasSubstr("expected strict or advisory"));
  EXPECT_THAT(problem("policy = 'gpa'\n"),
              HasSubstr("the key for that is modes; policy is one of fixed-priority, edf, fmlp-long, omlp"));
  EXPECT_THAT(problem("policy = 'best'\n"),
              HasSubstr("\"best\" is unknown: expected one of fixed-priority, edf, fmlp-long, omlp"));
  EXPECT_THAT(problem("modes = 'best'\n"), HasSubstr("expected one of single, local, gema, gpa, search, optimal"));
  EXPECT_EQ(problem("cpu_watch = '50us'\n"), "m.toml:1: cpu_watch: expected off, or 100us to 1s");
  EXPECT_EQ(problem("cpu_watch = 1\n"), "m.toml:1: cpu_watch: expected off, or a time such as \"1ms\"");
  EXPECT_EQ(parse_config("cpu_watch = 'off'\n", "m.toml")->cpu_watch_ns, 0u);
  EXPECT_EQ(problem("hold = '2min'\n").substr(0, 14), "m.toml:1: hold");
  EXPECT_EQ(problem("hold = '61s'\n"), "m.toml:1: hold: expected off, or 1ns to 60s");
  EXPECT_EQ(problem("early_jobs = 'no'\n"), "m.toml:1: early_jobs: \"no\" is unknown: expected log or throttle");
  EXPECT_THAT(problem("device_memory = '2GB'\n"), StartsWith("m.toml:1: device_memory: \"2GB\" is no size of memory"));
  EXPECT_EQ(problem("default_weight = 0\n"), "m.toml:1: default_weight: expected 1 to 1000");
  EXPECT_THAT(problem("gpus = 0\n"), StartsWith("m.toml:1: gpus: expected 1 to 64"));
  EXPECT_THAT(problem("other_slice = '2'\n"), StartsWith("m.toml:1: other_slice: "));
  EXPECT_THAT(problem("instance = \n"), StartsWith("m.toml:1: "));
  EXPECT_THAT(read_config("/no/such.toml").error().message, HasSubstr("/no/such.toml"));
}

// The example shows every key with its default, commented out.
TEST(Config, ExampleIsRightOnceUncommented) {
  std::ifstream in(EXAMPLE);
  ASSERT_TRUE(in);
  std::string line;
  std::string text;
  int keys = 0;
  const bool has_group = getgrnam("samcl") != nullptr;
  while (std::getline(in, line)) {
    const bool is_key = line.starts_with("#") && line.find(" = ") != std::string::npos && line[1] != ' ';
    if (has_group || !line.starts_with("#group"))
      text += is_key || line.starts_with("#[") ? line.substr(1) + "\n" : line + "\n";
    keys += is_key;
    if (!has_group && line.starts_with("#group")) text += "group = 'root'\n";
  }
  EXPECT_EQ(keys, 26);
  EXPECT_EQ(problem(text), "none");
}

}  // namespace
}  // namespace samcl::daemon
