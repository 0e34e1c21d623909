#include "tools/process/child.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>

#include <csignal>

namespace samcl::process {
namespace {

Ending shell(const std::string& script, double limit_s = 20) {
  return run({"/bin/sh", "-c", script}, {{"GREETING", "hello"}, {"HOME", ""}}, limit_s).value();
}

TEST(Child, TellsWhatWasWrittenAndTheExitCode) {
  const Ending ending = shell("echo $GREETING${HOME-, homeless}; echo no >&2; exit 3");
  EXPECT_EQ(ending.out, "hello, homeless\n");
  EXPECT_EQ(ending.err, "no\n");
  EXPECT_EQ(ending.exit_code, 3);
  EXPECT_EQ(ending.signal, 0);
  EXPECT_FALSE(ending.timed_out);
}

TEST(Child, MuchOutputOnBothStreamsIsReadWhole) {
  const Ending ending = shell("head -c 300000 /dev/zero; head -c 300001 /dev/zero >&2");
  EXPECT_EQ(ending.out.size(), 300000u);
  EXPECT_EQ(ending.err.size(), 300001u);
}

TEST(Child, ACrashIsItsSignal) {
  const Ending ending = shell("echo before; kill -SEGV $$");
  EXPECT_EQ(ending.signal, SIGSEGV);
  EXPECT_EQ(ending.out, "before\n");
}

TEST(Child, OneThatHangsIsKilledAtTheLimit) {
  const Ending ending = shell("echo working; exec >&- 2>&-; exec sleep 60", 0.2);
  EXPECT_TRUE(ending.timed_out);
  EXPECT_EQ(ending.out, "working\n");
  EXPECT_LT(ending.seconds, 20);
}

TEST(Child, WhatItLeavesBehindIsNotWaitedFor) {
  const Ending ending = shell("sleep 5 & echo done");
  EXPECT_EQ(ending.exit_code, 0);
  EXPECT_EQ(ending.out, "done\n");
  EXPECT_LT(ending.seconds, 4);
}

TEST(Child, HasARealTimePriorityIfWantedAndAllowed) {
  const auto policy = [](bool realtime) { return run({"sh", "-c", "chrt -p $$ | head -1"}, {}, 10, realtime); };
  EXPECT_THAT(policy(false)->out, testing::EndsWith("SCHED_OTHER\n"));
  const auto ending = policy(true);
  ASSERT_TRUE(ending) << ending.error().message;
  EXPECT_THAT(ending->out, testing::EndsWith(ending->realtime ? "SCHED_FIFO\n" : "SCHED_OTHER\n"));
  EXPECT_EQ(sched_getscheduler(0), SCHED_OTHER) << "as it was";
}

TEST(Child, OneThatIsNotThereIsAnError) {
  const auto ending = run({"/no/such/program"}, {}, 1);
  ASSERT_FALSE(ending);
  EXPECT_EQ(ending.error().message, "cannot run /no/such/program: No such file or directory");
}

}  // namespace
}  // namespace samcl::process
