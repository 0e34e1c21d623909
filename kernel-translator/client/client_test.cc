// The client against translators that misbehave (shell scripts), host programs with odd settings, and its
// cache.
#include <gtest/gtest.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <thread>

#include "contract/translation_json.h"
#include "kernel-translator/client/cache.h"
#include "kernel-translator/client/file_stamp.h"
#include "kernel-translator/client/translation.h"
#include "kernel-translator/client/translation_json.h"

namespace samcl {
namespace {

namespace fs = std::filesystem;

constexpr char kAnswer[] =
    R"({"source": "rewritten", "options": "-w", "gathered": null, "includes": [], "kernels": []})";

class Client : public ::testing::Test {
 protected:
  Client() {
    char name[] = "/tmp/samcl-client-XXXXXX";
    folder_ = mkdtemp(name);
  }
  ~Client() override {
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
  }

  std::string path(const std::string& name) const { return folder_ + "/" + name; }

  // Makes the translator a shell script; it may write into the test's folder, which is its $folder.
  void translator_is(const std::string& script) {
    settings_.program = path("translator");
    std::ofstream(settings_.program) << "#!/bin/sh\nfolder=" << folder_ << "\n" << script << "\n";
    chmod(settings_.program.c_str(), 0755);
  }

  void answers(const std::string& json, const std::string& before = "cat >/dev/null; echo run >>$folder/runs") {
    translator_is(before + "\ncat <<'END'\n" + json + "\nEND");
  }

  void answers_with_includes(const std::map<std::string, std::string>& stamps) {
    std::string list;
    for (const auto& [name, stamp] : stamps) list += (list.empty() ? "\"" : ", \"") + name + "\": \"" + stamp + "\"";
    answers(R"({"source": null, "options": "", "gathered": null, "includes": {)" + list + R"(}, "kernels": []})");
    settings_.cache_directory = path("cache");
  }

  int runs() const {
    std::ifstream file(path("runs"));
    int count = 0;
    for (std::string line; std::getline(file, line);) ++count;
    return count;
  }

  Result<Translation> ask(const std::string& source = "kernel void k() {}", const std::string& options = "-w -DN=1") {
    return translate(source, options, DeviceFacts{}, settings_);
  }

  std::string folder_;
  TranslatorSettings settings_{.program = "", .cache_directory = "", .timeout_ms = 20000, .ask_compiler = {}};
};

using Cache = Client;

TEST_F(Client, gives_what_the_translator_printed) {
  answers(kAnswer);
  const auto translation = ask();
  ASSERT_TRUE(translation) << translation.error().message;
  EXPECT_EQ(translation->sources[0].source, "rewritten");
  EXPECT_EQ(translation->sources[0].options, "-w");
}

TEST_F(Client, keeps_the_programs_options_with_the_programs_source) {
  answers(R"({"source": null, "options": "-w", "gathered": null, "includes": [], "kernels": []})");
  const auto translation = ask("source", "-w -D 'N=1'");
  ASSERT_TRUE(translation);
  EXPECT_EQ(translation->sources[0].source, std::nullopt);
  EXPECT_EQ(translation->sources[0].options, "-w -D 'N=1'");
}

TEST_F(Client, asks_about_all_sources_of_a_linked_program_at_once) {
  answers(
      R"({"sources": [{"source": "first", "options": "-w", "gathered": null}, {"source": null, "options": "-DB=1", "gathered": null}],
              "includes": {"/dev/null": "special"}, "kernels": []})",
      "cat >$folder/input");
  const std::vector<LinkedSource> sources = {{"\xe9 a", "-w -DA", {{"h.h", "header"}}}, {"b", "-D 'B=1'", {}}};
  const auto translation = translate_linked(sources, DeviceFacts{}, settings_);
  ASSERT_TRUE(translation) << translation.error().message;
  ASSERT_EQ(translation->sources.size(), 2u);
  EXPECT_EQ(translation->sources[0].source, "first");
  EXPECT_EQ(translation->sources[0].options, "-w");
  EXPECT_EQ(translation->sources[1].source, std::nullopt);
  EXPECT_EQ(translation->sources[1].options, "-D 'B=1'");
  ASSERT_EQ(translation->includes.size(), 1u);
  EXPECT_EQ(translation->includes[0].path, "/dev/null");
  EXPECT_FALSE(translation->includes[0].stamp.empty());
  std::ifstream file(path("input"), std::ios::binary);
  const std::string input{std::istreambuf_iterator<char>(file), {}};
  for (const char* part : {"\xe9 a", "-DA", "h.h", "header", "B=1"})
    EXPECT_NE(input.find(part), std::string::npos) << part;
}

TEST_F(Client, refuses_an_answer_about_another_number_of_sources) {
  answers(R"({"sources": [{"source": null, "options": "", "gathered": null}], "includes": [], "kernels": []})");
  EXPECT_FALSE(translate_linked(std::vector<LinkedSource>(2), DeviceFacts{}, settings_));
}

TEST_F(Client, says_that_the_translator_is_missing) {
  settings_.program = path("nowhere");
  const auto translation = ask();
  ASSERT_FALSE(translation);
  EXPECT_NE(translation.error().message.find(path("nowhere")), std::string::npos);
}

TEST_F(Client, tells_the_first_diagnostic) {
  translator_is("cat >/dev/null; echo 'program.cl:3:7: error: use of undeclared identifier x' >&2; exit 1");
  const auto translation = ask();
  ASSERT_FALSE(translation);
  EXPECT_NE(translation.error().message.find("program.cl:3:7"), std::string::npos) << translation.error().message;
}

TEST_F(Client, survives_a_crash_with_half_an_answer) {
  translator_is("cat >/dev/null; printf '{\"source\": \"half'; kill -SEGV $$");
  EXPECT_FALSE(ask());
}

TEST_F(Client, says_that_the_translator_crashed) {
  translator_is("cat >/dev/null; kill -SEGV $$");
  const auto translation = ask();
  ASSERT_FALSE(translation);
  EXPECT_NE(translation.error().message.find("crashed (signal 11)"), std::string::npos) << translation.error().message;
}

TEST_F(Client, asks_for_each_kernel_apart_when_the_translator_dies) {
  const std::string answer = "case \"$*\" in *--apart*) echo '" + std::string(kAnswer) + "'; exit;; esac; ";
  translator_is("cat >/dev/null; " + answer + "kill -SEGV $$");
  EXPECT_TRUE(ask());
  translator_is("cat >/dev/null; " + answer + "exec sleep 100");
  settings_.timeout_ms = 500;
  EXPECT_TRUE(ask());
  // One that says what is wrong is believed.
  translator_is("cat >/dev/null; " + answer + "echo 'error: x' >&2; exit 1");
  EXPECT_FALSE(ask());
}

TEST_F(Client, stops_a_translator_that_does_not_stop_printing) {
  translator_is("exec yes");
  const auto answer = ask();
  ASSERT_FALSE(answer);
  EXPECT_NE(answer.error().message.find("longer"), std::string::npos) << answer.error().message;
  translator_is("yes | head -c 200000000 >&2; exit 1");
  const auto diagnostics = ask();
  ASSERT_FALSE(diagnostics);
  EXPECT_LT(diagnostics.error().message.size(), 1000u);
}

TEST_F(Client, survives_garbage) {
  translator_is("cat >/dev/null; head -c 100000 /dev/urandom");
  EXPECT_FALSE(ask());
}

TEST_F(Client, survives_an_answer_of_the_wrong_shape) {
  answers(R"({"source": 7, "options": [], "kernels": {}})");
  EXPECT_FALSE(ask());
}

// A kernel of a pointer and an int gathers by these; the source has such variants or not.
bool takes_gathering(const std::string& by, const std::string& gathered) {
  KernelTranslation kernel;
  kernel.name = "k";
  kernel.arguments = {{.name = "p", .type_name = "int*", .kind = ArgumentKind::global_buffer},
                      {.name = "z", .type_name = "int", .kind = ArgumentKind::value, .size = 4},
                      {.name = "v", .type_name = "int4", .kind = ArgumentKind::value, .size = 16},
                      {.name = "w", .type_name = "long", .kind = ArgumentKind::value, .size = 8}};
  nlohmann::json kernels = {kernel};
  kernels[0]["gathers_by"] = nlohmann::json::parse(by);
  const nlohmann::json source = {{"source", nullptr}, {"options", ""}, {"gathered", nlohmann::json::parse(gathered)}};
  return parse_translation(
             nlohmann::json{{"sources", {source}}, {"includes", nlohmann::json::object()}, {"kernels", kernels}}.dump())
      .has_value();
}

TEST(ClientGathering, is_by_integers_that_ascend_and_has_a_source) {
  EXPECT_TRUE(takes_gathering("[1, 3]", "\"text\""));
  EXPECT_TRUE(takes_gathering("[]", "null"));
  EXPECT_FALSE(takes_gathering("[1]", "null"));
  EXPECT_FALSE(takes_gathering("[3, 1]", "\"text\""));
  EXPECT_FALSE(takes_gathering("[1, 1]", "\"text\""));
  EXPECT_FALSE(takes_gathering("[0]", "\"text\"")) << "a pointer";
  EXPECT_FALSE(takes_gathering("[2]", "\"text\"")) << "a vector";
  EXPECT_FALSE(takes_gathering("[4]", "\"text\"")) << "there is no such argument";
}

TEST_F(Client, survives_a_translator_that_does_not_read) {
  answers(kAnswer, "exec </dev/null");
  EXPECT_TRUE(ask(std::string(4 << 20, 'x')));
}

TEST_F(Client, does_not_deadlock_on_large_sources_answered_while_they_are_read) {
  translator_is("cat >&2; echo '" + std::string(kAnswer) + "'");
  EXPECT_TRUE(ask(std::string(4 << 20, 'x')));
}

TEST_F(Client, kills_and_reaps_a_translator_that_hangs) {
  translator_is("echo $$ >$folder/pid; exec sleep 100");
  settings_.timeout_ms = 500;
  const auto translation = ask();
  ASSERT_FALSE(translation);
  EXPECT_NE(translation.error().message.find("500 ms"), std::string::npos) << translation.error().message;
  int pid = 0;
  std::ifstream(path("pid")) >> pid;
  ASSERT_GT(pid, 0);
  EXPECT_EQ(kill(pid, 0), -1) << "still there, or not reaped";
}

TEST_F(Client, does_not_wait_for_a_translator_that_hangs_after_its_answer) {
  translator_is("cat >/dev/null; echo '" + std::string(kAnswer) + "'; exec >&- 2>&-; exec sleep 100");
  settings_.timeout_ms = 500;
  const auto begin = std::chrono::steady_clock::now();
  ask();
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(20));
}

// As one that the host program forked while they were open here, and that goes on.
TEST_F(Client, does_not_wait_for_another_process_that_has_the_translators_streams) {
  translator_is(
      "cat >/dev/null; (for i in $(seq 1000); do sleep 0.1; done; touch $folder/over) & echo $! >$folder/pid; "
      "head -c 1000000 /dev/zero | tr '\\0' ' '; echo '" +
      std::string(kAnswer) + "'");
  settings_.timeout_ms = 250'000;
  const auto translation = ask();
  EXPECT_FALSE(fs::exists(path("over")));
  pid_t pid = 0;
  std::ifstream(path("pid")) >> pid;
  ASSERT_GT(pid, 0);
  kill(pid, SIGKILL);
  ASSERT_TRUE(translation) << translation.error().message;
  EXPECT_EQ(translation->sources[0].source, "rewritten");
}

TEST_F(Client, ends_the_translators_input_though_the_program_forks_while_it_is_given) {
  translator_is("touch $folder/begun; until [ -e $folder/forked ]; do sleep 0.01; done; cat >/dev/null; echo '" +
                std::string(kAnswer) + "'");
  pid_t forked = -1;
  std::thread forking([&] {
    while (!fs::exists(path("begun"))) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    forked = fork();
    if (forked == 0) {
      sleep(100);
      _exit(0);
    }
    std::ofstream(path("forked")) << 1;
  });
  settings_.timeout_ms = 250'000;
  const auto translation = ask(std::string(4 << 20, 'x'));
  forking.join();
  EXPECT_EQ(waitpid(forked, nullptr, WNOHANG), 0) << "its end was waited for";
  kill(forked, SIGKILL);
  waitpid(forked, nullptr, 0);
  EXPECT_TRUE(translation) << translation.error().message;
}

TEST_F(Client, works_in_a_program_that_ignores_child_and_pipe_signals) {
  answers(kAnswer, "exec </dev/null");
  const auto child = signal(SIGCHLD, SIG_IGN);
  const auto pipe = signal(SIGPIPE, SIG_DFL);
  EXPECT_TRUE(ask(std::string(1 << 20, 'x')));
  signal(SIGPIPE, pipe);
  signal(SIGCHLD, child);
}

// Whoever waits for all children does not get it, and no signal tells of its end.
TEST_F(Client, is_not_seen_by_a_program_that_waits_for_its_children) {
  static std::atomic<int> signals = 0;
  const auto before = signal(SIGCHLD, [](int) { ++signals; });
  std::atomic<bool> over = false;
  int found = 0;
  std::thread waiter([&] {
    while (!over) found += wait(nullptr) > 0;
  });
  translator_is("cat >/dev/null; sleep 0.1; kill -SEGV $$");
  const auto translation = ask();
  over = true;
  waiter.join();
  signal(SIGCHLD, before);
  ASSERT_FALSE(translation);
  EXPECT_NE(translation.error().message.find("crashed (signal 11)"), std::string::npos) << translation.error().message;
  EXPECT_EQ(found, 0);
  EXPECT_EQ(signals, 0);
}

TEST_F(Client, works_in_a_program_that_closed_its_standard_descriptors) {
  answers(kAnswer);
  const pid_t pid = fork();
  if (pid == 0) {
    for (int fd = 0; fd < 3; ++fd) close(fd);
    _exit(ask() ? 0 : 1);
  }
  int status = 0;
  waitpid(pid, &status, 0);
  EXPECT_EQ(status, 0);
}

TEST_F(Client, hides_the_shim_from_the_translator) {
  answers(kAnswer, "cat >/dev/null; env >$folder/environment");
  setenv("OPENCL_LAYERS", "/none", 1);
  setenv("SAMCL_TASK", "x", 1);
  setenv("LIKE_SAMCL_TASK", "kept", 1);
  EXPECT_TRUE(ask());
  unsetenv("OPENCL_LAYERS");
  unsetenv("SAMCL_TASK");
  std::ifstream file(path("environment"));
  const std::string seen{std::istreambuf_iterator<char>(file), {}};
  EXPECT_EQ(seen.find("OPENCL_LAYERS"), std::string::npos);
  EXPECT_EQ(seen.find("\nSAMCL_TASK"), std::string::npos);
  EXPECT_NE(seen.find("LIKE_SAMCL_TASK=kept"), std::string::npos);
}

TEST_F(Client, serves_several_threads_at_once) {
  answers(kAnswer);
  settings_.cache_directory = path("cache");
  std::atomic<int> good{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i)
    threads.emplace_back([&, i] { good += ask("source " + std::to_string(i % 2)).has_value(); });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(good, 8);
}

TEST_F(Cache, answers_the_same_question_with_the_same_answer) {
  answers(kAnswer);
  settings_.cache_directory = path("cache");
  const auto first = ask(), second = ask();
  ASSERT_TRUE(first && second);
  EXPECT_EQ(runs(), 1);
  EXPECT_EQ(first->sources[0].source, second->sources[0].source);
  EXPECT_EQ(first->sources[0].options, second->sources[0].options);
}

TEST_F(Cache, keeps_questions_apart) {
  answers(kAnswer);
  settings_.cache_directory = path("cache");
  ask("a", "-w");
  ask("b", "-w");
  ask("a", "");
  EXPECT_EQ(runs(), 3);
}

TEST_F(Cache, forgets_when_an_included_file_changes) {
  std::ofstream(path("included.h")) << "1";
  answers_with_includes({{path("included.h"), stamp_of_bytes("1")}});
  ask();
  ask();
  EXPECT_EQ(runs(), 1);
  std::ofstream(path("included.h")) << "22";
  ask();
  EXPECT_EQ(runs(), 2);
}

TEST_F(Cache, forgets_when_an_included_file_of_the_same_size_and_time_holds_something_else) {
  std::ofstream(path("included.h")) << "1";
  const auto time = fs::last_write_time(path("included.h"));
  answers_with_includes({{path("included.h"), stamp_of_bytes("1")}});
  ask();
  std::ofstream(path("included.h")) << "2";
  fs::last_write_time(path("included.h"), time);
  ask();
  EXPECT_EQ(runs(), 2);
}

TEST_F(Cache, forgets_when_a_file_appears_where_one_was_looked_for) {
  answers_with_includes({{path("first"), "absent"}, {path("first/a.h"), "absent"}});
  ask();
  ask();
  EXPECT_EQ(runs(), 1);
  fs::create_directory(path("first"));
  ask();
  EXPECT_EQ(runs(), 2);
}

TEST_F(Client, answers_what_the_translator_asks_and_remembers_it) {
  translator_is("cat >$folder/input; echo run >>$folder/runs; grep -q 120 $folder/input && echo '" +
                std::string(kAnswer) +
                "' || echo '{\"questions\": [{\"names\": [\"A\", \"B\"], \"options\": \"-w\"}]}'");
  settings_.cache_directory = path("cache");
  int asked = 0;
  settings_.ask_compiler = [&](const std::set<std::string>& names, const std::string& options) -> Result<MacroAnswers> {
    ++asked;
    EXPECT_EQ(names, (std::set<std::string>{"A", "B"}));
    EXPECT_EQ(options, "-w");
    return MacroAnswers{{"A", "120"}, {"B", std::nullopt}};
  };
  EXPECT_TRUE(ask("a"));
  EXPECT_EQ(runs(), 2);
  EXPECT_TRUE(ask("b"));
  EXPECT_EQ(runs(), 4);
  EXPECT_EQ(asked, 1);
}

TEST_F(Client, fails_where_the_compiler_has_no_answer) {
  translator_is("cat >/dev/null; echo '{\"questions\": [{\"names\": [\"A\"], \"options\": \"\"}]}'");
  settings_.cache_directory = path("cache");
  int asked = 0;
  settings_.ask_compiler = [&](const auto&, const auto&) -> Result<MacroAnswers> { return ++asked, MacroAnswers{}; };
  for (int i = 0; i < 2; ++i) {
    const auto translation = ask();
    ASSERT_FALSE(translation);
    EXPECT_EQ(translation.error().message,
              "it depends on the macro A, of which the device's compiler does not tell the value");
  }
  EXPECT_EQ(asked, 1);
}

TEST_F(Client, does_not_remember_that_the_compiler_could_not_be_asked) {
  translator_is("cat >/dev/null; echo '{\"questions\": [{\"names\": [\"A\"], \"options\": \"\"}]}'");
  settings_.cache_directory = path("cache");
  int asked = 0;
  settings_.ask_compiler = [&](const auto&, const auto&) -> Result<MacroAnswers> { return ++asked, fail("no memory"); };
  EXPECT_EQ(ask().error().message, "no memory");
  EXPECT_EQ(ask().error().message, "no memory");
  EXPECT_EQ(asked, 2);
}

TEST_F(Client, gives_up_on_a_translator_that_asks_without_end) {
  translator_is("cat >/dev/null; echo '{\"questions\": [{\"names\": [\"A\"], \"options\": \"\"}]}'");
  settings_.ask_compiler = [](const auto&, const auto&) -> Result<MacroAnswers> { return MacroAnswers{{"A", "1"}}; };
  EXPECT_FALSE(ask());
}

TEST_F(Cache, ignores_entries_cut_short) {
  answers(kAnswer);
  settings_.cache_directory = path("cache");
  ask();
  for (const auto& entry : fs::directory_iterator(path("cache"))) fs::resize_file(entry, entry.file_size() / 2);
  EXPECT_TRUE(ask());
  EXPECT_EQ(runs(), 2);
}

TEST_F(Cache, removes_the_oldest_entries_of_a_full_folder) {
  fs::create_directory(path("cache"));
  const auto name = [this](int i) { return path("cache/" + std::to_string(i)); };
  for (int i = 0; i < 600; ++i) {
    std::ofstream{name(i)};
    fs::resize_file(name(i), 1u << 20);
    fs::last_write_time(name(i), fs::file_time_type::clock::now() - std::chrono::hours(2) + std::chrono::seconds(i));
  }
  const TranslationCache cache(path("cache"));
  for (int i = 0; i < 300; ++i) cache.keep("question " + std::to_string(i), "answer", {});
  uintmax_t bytes = 0;
  for (const auto& entry : fs::directory_iterator(path("cache"))) bytes += entry.file_size();
  EXPECT_LE(bytes, (256u << 20) + (44u << 10));  // 44: kept since it was counted
  EXPECT_FALSE(fs::exists(name(0)));
  EXPECT_TRUE(fs::exists(name(599)));
  for (int i = 0; i < 300; ++i) EXPECT_TRUE(cache.find("question " + std::to_string(i))) << i;
}

TEST_F(Cache, is_not_needed) {
  answers(kAnswer);
  std::ofstream(path("file")) << "not a directory";
  settings_.cache_directory = path("file/cache");
  EXPECT_TRUE(ask());
  EXPECT_TRUE(ask());
  EXPECT_EQ(runs(), 2);
}

TEST_F(Cache, does_not_keep_failures) {
  translator_is("cat >/dev/null; echo run >>$folder/runs; exit 1");
  settings_.cache_directory = path("cache");
  EXPECT_FALSE(ask());
  EXPECT_FALSE(ask());
  EXPECT_EQ(runs(), 2);
}

}  // namespace
}  // namespace samcl
