// What PoCL's compiler makes of macros, asked of it; and that odd texts come through.
#include "libsamcl/driver/macro_probe.h"

#include <gtest/gtest.h>

#include "libsamcl/driver/devices.h"
#include "libsamcl/driver/driver.h"

namespace samcl::driver {
namespace {

struct MacroProbe : ::testing::Test {
  MacroProbe() {
    setenv("POCL_DEVICES", "basic", 1);
    const auto devices = list_devices();
    if (devices.empty()) return;
    device = devices[0].id;
    cl_int error;
    context = real().clCreateContext(nullptr, 1, &device, nullptr, nullptr, &error);
  }
  ~MacroProbe() override {
    if (context) real().clReleaseContext(context);
  }
  MacroAnswers ask(const std::set<std::string>& names, const std::string& options = "") const {
    const auto answers = ask_about_macros(context, device, names, options);
    EXPECT_TRUE(answers) << answers.error().message;
    return answers ? *answers : MacroAnswers{};
  }

  cl_device_id device = nullptr;
  cl_context context = nullptr;
};

TEST_F(MacroProbe, TellsTheLanguagesVersionByTheOptions) {
  if (!context) GTEST_SKIP() << "no OpenCL device";
  EXPECT_EQ(ask({"__OPENCL_C_VERSION__"}, "-cl-std=CL1.1").at("__OPENCL_C_VERSION__"), "110");
  EXPECT_EQ(ask({"__OPENCL_C_VERSION__"}, "-cl-std=CL1.2").at("__OPENCL_C_VERSION__"), "120");
}

TEST_F(MacroProbe, TellsWhatIsNotDefined) {
  if (!context) GTEST_SKIP() << "no OpenCL device";
  const MacroAnswers answers = ask({"NO_SUCH_MACRO", "__OPENCL_VERSION__"});
  ASSERT_EQ(answers.size(), 2u);
  EXPECT_EQ(answers.at("NO_SUCH_MACRO"), std::nullopt);
  EXPECT_NE(answers.at("__OPENCL_VERSION__"), std::nullopt);
}

TEST_F(MacroProbe, BringsTextsThatAreNoNumbers) {
  if (!context) GTEST_SKIP() << "no OpenCL device";
  const MacroAnswers answers = ask({"__VERSION__", "B", "C", "D"}, "-DB=1,2 -DC= -D\"D(x)=x\"");
  // PoCL's compiler is Clang, whose version is a string.
  ASSERT_TRUE(answers.at("__VERSION__"));
  EXPECT_EQ(answers.at("__VERSION__")->front(), '"');
  EXPECT_EQ(answers.at("__VERSION__")->back(), '"');
  EXPECT_EQ(answers.at("B"), "1,2");
  EXPECT_EQ(answers.at("C"), "");
  EXPECT_EQ(answers.at("D"), "D");
}

TEST_F(MacroProbe, LeavesOutOneThatBreaksTheProgramAndTellsTheOthers) {
  if (!context) GTEST_SKIP() << "no OpenCL device";
  const MacroAnswers answers = ask({"A", "B", "1bad", "C"}, "-DA=1 -DB=2");
  EXPECT_EQ(answers, (MacroAnswers{{"A", "1"}, {"B", "2"}, {"C", std::nullopt}}));
}

TEST_F(MacroProbe, EvaluatesOperatorsOfTheCompiler) {
  if (!context) GTEST_SKIP() << "no OpenCL device";
  const MacroAnswers answers =
      ask({"__has_builtin(__builtin_trap)", "__has_builtin(no_such_builtin)", "__has_builtin"});
  // PoCL's compiler is Clang, which has them.
  EXPECT_EQ(answers.at("__has_builtin(__builtin_trap)"), "1");
  EXPECT_EQ(answers.at("__has_builtin(no_such_builtin)"), "0");
  EXPECT_EQ(answers.at("__has_builtin"), "__has_builtin");
  EXPECT_TRUE(ask({"__has_no_such_operator(f)"}).empty());
}

TEST(MacroAnswers, AreBetweenParentheses) {
  const MacroAnswers answers{{"A", "1,2"}, {"B", ""}, {"C", "(f)(x)"}, {"D", std::nullopt}, {"__has_f", "__has_f"}};
  EXPECT_EQ(macro_answers({"A", "B", "C", "D", "__has_f"}, "+(1,2)\n+()\n+((f)(x))\n-\n+__has_f\n"), answers);
}

TEST(MacroAnswers, AreRefusedWhereTheOutputIsNotTheirs) {
  EXPECT_FALSE(macro_answers({"A", "B"}, "+1\n"));
  EXPECT_FALSE(macro_answers({"A"}, "+1\n+2\n"));
  EXPECT_FALSE(macro_answers({"A"}, "+1"));
  EXPECT_FALSE(macro_answers({"A"}, "?\n"));
}

}  // namespace
}  // namespace samcl::driver
