// sam-analyze experiment elliott, and any experiment on several processes, as a user runs them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/cli/testing/command.h"
#include "analysis/cli/testing/folder.h"

namespace samcl::analysis {
namespace {

using testing::HasSubstr;

using Elliott = InFolder;

TEST_F(Elliott, WritesTheSameNumbersForTheSameSeed) {
  const Outcome outcome = run("experiment elliott --sets 30 --threads 2 --out " + path("a"));
  EXPECT_EQ(outcome.code, 0) << outcome.output;
  EXPECT_THAT(outcome.output, HasSubstr("810 of 810 scenarios, 30 sets drawn of each"));
  EXPECT_EQ(run("experiment elliott --sets 30 --threads 1 --out " + path("b")).code, 0);
  EXPECT_EQ(run("experiment elliott --sets 30 --seed 2 --out " + path("c")).code, 0);
  EXPECT_EQ(text("a.csv"), text("b.csv"));
  EXPECT_NE(text("a.csv"), text("c.csv"));
  for (int figure = 6; figure <= 13; ++figure)
    EXPECT_THAT(text("a-fig" + std::to_string(figure) + ".json"), HasSubstr("Fig. " + std::to_string(figure) + "("));
  EXPECT_FALSE(std::filesystem::exists(path("a.part")));
}

TEST_F(Elliott, DrawsOneInsetFromItsOwnScenariosAlone) {
  const Outcome outcome = run("experiment elliott --figure 8 --inset g --period 15-60ms --sets 50 --out " + path("a"));
  EXPECT_EQ(outcome.code, 0) << outcome.output;
  EXPECT_THAT(outcome.output, HasSubstr("1 of 810 scenarios"));
  const std::string charts = text("a-fig8.json");
  EXPECT_THAT(charts, HasSubstr("Fig. 8(g): heavy, GPU usage 25 %"));
  EXPECT_THAT(charts, testing::Not(HasSubstr("Fig. 8(a)")));
  EXPECT_THAT(text("a.csv"), testing::Not(HasSubstr("3-33ms")));
  EXPECT_EQ(run("experiment elliott --figure 9 --inset g --sets 5 --out " + path("b")).code, 2);
  EXPECT_EQ(run("experiment elliott --inset a --sets 5 --out " + path("b")).code, 2);
}

TEST_F(Elliott, GoesOnFromWhatIsFinished) {
  EXPECT_EQ(run("experiment elliott --sets 5 --out " + path("whole")).code, 0);
  // Scenario 0 with a million sets in its first class, on purpose: they show that it was not counted again.
  std::ofstream part(path("part.part"));
  part << "sam-analyze elliott least sets 5 seed 1\n0 1000000";
  for (int n = 1; n < 6 * 5 * 112; ++n) part << " 0";
  part << " .\n1 5 5";
  part.close();
  EXPECT_EQ(run("experiment elliott --sets 5 --out " + path("part")).code, 0);
  EXPECT_THAT(text("part.csv"), HasSubstr("\nlight,3-33ms,25,0-10,4,1,0.25,1000000,0,0,0,0,0\n"));
  const std::string rest = text("whole.csv").substr(text("whole.csv").find("\nlight,3-33ms,25,0-10,8,"));
  EXPECT_THAT(text("part.csv"), testing::EndsWith(rest)) << "the line cut off is counted again";
}

TEST_F(Elliott, IsNamedWithTheOthersWhereNoneIsMeant) {
  const Outcome outcome = run("experiment foo");
  EXPECT_EQ(outcome.code, 2);
  EXPECT_NE(outcome.output.find(
                "'foo', expected one of fig7, fig8, fig9, fig10, fig11, elliott, access, gap, berezovskyi, reductions "
                "or nunna"),
            std::string::npos)
      << outcome.output;
}

TEST_F(Elliott, RefusesWhatOtherExperimentsHave) {
  for (const std::string option : {"--classes", "--dependency 0.5", "--share 0.5", "--analysis safe", "--sets 0"})
    EXPECT_EQ(run("experiment elliott --out " + path("x") + " " + option).code, 2) << option;
  EXPECT_EQ(run("experiment fig9 --tardiness devi-anderson --out " + path("x")).code, 2);
}

TEST_F(Elliott, RefusesAnInsetThatTheFigureDoesNotHaveBeforeItCounts) {
  const Outcome outcome = run("experiment elliott --figure 7 --inset d --out " + path("x"));
  EXPECT_EQ(outcome.code, 2);
  EXPECT_THAT(outcome.output, HasSubstr("--inset: Fig. 7 has no (d)"));
  EXPECT_EQ(text("x.part"), "");
}

// Several processes on this machine: more than it has cores, and as root if the test is.
Outcome run_on(int processes, const std::string& arguments) {
  return run_shell("OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 timeout 60 mpirun --oversubscribe -np " +
                   std::to_string(processes) + " " SAM_ANALYZE " " + arguments);
}

TEST_F(Elliott, CountsTheSameOnSeveralProcesses) {
  if (run_shell("command -v mpirun").code != 0) GTEST_SKIP() << "no mpirun";
  for (const std::string figure : {"elliott --sets 30", "fig9 --sets 60"}) {
    EXPECT_EQ(run("experiment " + figure + " --out " + path("alone")).code, 0);
    const Outcome outcome = run_on(3, "experiment " + figure + " --mpi --threads 2 --out " + path("together"));
    EXPECT_EQ(outcome.code, 0) << outcome.output;
    EXPECT_EQ(text("together.csv"), text("alone.csv"));
  }
}

TEST_F(Elliott, AllProcessesEndWhereTheJournalIsOfAnother) {
  if (run_shell("command -v mpirun").code != 0) GTEST_SKIP() << "no mpirun";
  std::ofstream(path("x.part")) << "sam-analyze elliott least sets 6 seed 1\n";
  const Outcome outcome = run_on(2, "experiment elliott --mpi --sets 5 --out " + path("x"));
  EXPECT_EQ(outcome.code, 2) << outcome.output;
  EXPECT_THAT(outcome.output, HasSubstr("of another experiment"));
}

}  // namespace
}  // namespace samcl::analysis
