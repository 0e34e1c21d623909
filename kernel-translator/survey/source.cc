// One source in a process of its own, with macros guessed if asked for.
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <iterator>
#include <regex>
#include <sstream>

#include "base/files.h"
#include "kernel-translator/client/run_translator.h"
#include "kernel-translator/client/translation_json.h"
#include "kernel-translator/survey/survey.h"

namespace samcl::survey {
namespace {

constexpr int kMostGuesses = 60;

std::string contents(const std::string& file) { return read_file(file).value_or(""); }

// The build option that might cure the error; empty if it names nothing that is missing. The host program of a
// source out of its context would have defined a type, a number or a function of that name.
std::string guess_for(const std::string& error) {
  static const std::regex kType("unknown type name '(\\w+)'"), kNumber("use of undeclared identifier '(\\w+)'"),
      kFunction("(?:implicit declaration of function|use of undeclared function) '(\\w+)'");
  std::smatch found;
  if (std::regex_search(error, found, kType)) return "-D" + found[1].str() + "=float";
  if (std::regex_search(error, found, kFunction)) return "-D" + found[1].str() + "(...)=(__VA_ARGS__)";
  if (std::regex_search(error, found, kNumber)) return "-D" + found[1].str() + "=16";
  return "";
}

Result<Translation> translate_in_a_process(const std::string& source, const std::vector<std::string>& options,
                                           const Question& question) {
  std::vector<std::string> command{question.translator, "-", "--json", "--images", "--"};
  command.insert(command.end(), options.begin(), options.end());
  const auto answer = run_translator(command, source, question.timeout_ms);
  if (!answer) return tl::unexpected(answer.error());
  return parse_translation(*answer);
}

}  // namespace

SourceVerdict survey_source(const std::string& file, const Question& question) {
  SourceVerdict verdict;
  verdict.file = file;
  const std::string source = contents(file);
  std::vector<std::string> options = question.options;
  std::istringstream further(contents(file + ".options"));
  options.insert(options.end(), std::istream_iterator<std::string>(further), {});
  options.push_back("-I" + std::filesystem::path(file).parent_path().string());
  for (;;) {
    const auto start = std::chrono::steady_clock::now();
    const auto translation = translate_in_a_process(source, options, question);
    verdict.milliseconds = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
    if (translation) {
      verdict.error.clear();
      for (const KernelTranslation& kernel : translation->kernels) verdict.kernels.push_back(judge(kernel));
      return verdict;
    }
    if (verdict.error.empty()) verdict.error = translation.error().message;
    if (!question.guess_macros || verdict.guessed.size() >= kMostGuesses) return verdict;
    const std::string guess = guess_for(translation.error().message);
    if (guess.empty() || std::find(options.begin(), options.end(), guess) != options.end()) return verdict;
    options.push_back(guess);
    verdict.guessed.push_back(guess);
  }
}

std::vector<std::string> sources_below(const std::string& path) {
  namespace fs = std::filesystem;
  std::error_code error;
  if (!fs::is_directory(path, error)) return {path};
  std::vector<std::string> files;
  for (auto it = fs::recursive_directory_iterator(path, fs::directory_options::skip_permission_denied, error);
       it != fs::recursive_directory_iterator(); it.increment(error)) {
    if (error) break;
    if (it->path().extension() == ".cl" && it->is_regular_file(error)) files.push_back(it->path().string());
  }
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace samcl::survey
