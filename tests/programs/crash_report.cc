// A case that dies says which one it was and where, also where nobody kept a core file: addresses are those that
// `addr2line -f -i -e FILE ADDRESS` takes. Under a sanitizer its own report comes instead.
#include <execinfo.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstring>

namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kHasReports = true;
#else
constexpr bool kHasReports = false;
#endif

std::array<char, 256> running_case{};

void print(const char* text) { static_cast<void>(!write(STDERR_FILENO, text, strlen(text))); }

// Only what may be called in a signal's handler; backtrace() may, once it has been called before.
void report_and_die(int signal) {
  print("\nsamcl: the case ");
  print(running_case.data());
  print(" died of signal ");
  print(sigabbrev_np(signal));
  print(", in a thread that was here:\n");
  std::array<void*, 64> frames;
  backtrace_symbols_fd(frames.data(), backtrace(frames.data(), frames.size()), STDERR_FILENO);
  raise(signal);  // its default action, as the handler was for one time
}

class CaseNames : public testing::EmptyTestEventListener {
  void OnTestStart(const testing::TestInfo& test) override {
    const std::string name = std::string(test.test_suite_name()) + "." + test.name();
    strncpy(running_case.data(), name.c_str(), running_case.size() - 1);
  }
};

const bool is_ready = [] {
  if (kHasReports) return true;
  testing::UnitTest::GetInstance()->listeners().Append(new CaseNames);
  static std::array<char, 1 << 16> stack;  // a stack may be what has run out
  const stack_t other{.ss_sp = stack.data(), .ss_flags = 0, .ss_size = stack.size()};
  sigaltstack(&other, nullptr);
  struct sigaction action = {};
  action.sa_handler = report_and_die;
  action.sa_flags = SA_ONSTACK | static_cast<int>(SA_RESETHAND);
  for (const int signal : {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT}) sigaction(signal, &action, nullptr);
  std::array<void*, 1> frame;
  return backtrace(frame.data(), frame.size()) > 0;
}();

}  // namespace
