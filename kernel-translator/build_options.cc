#include "kernel-translator/build_options.h"

#include <array>

namespace samcl::translator {

std::vector<std::string> split_options(const std::string& options) {
  std::vector<std::string> words;
  std::string word;
  bool in_word = false, quoted = false;
  for (size_t i = 0; i < options.size(); ++i) {
    const char c = options[i];
    if (c == '\\' && i + 1 < options.size()) {
      word += options[++i];
      in_word = true;
    } else if (c == '"') {
      quoted = !quoted;
      in_word = true;
    } else if (!quoted && (c == ' ' || c == '\t' || c == '\n' || c == '\r')) {
      if (in_word) words.push_back(word);
      word.clear();
      in_word = false;
    } else {
      word += c;
      in_word = true;
    }
  }
  if (in_word) words.push_back(word);
  return words;
}

std::vector<std::string> options_for_clang(const std::vector<std::string>& words) {
  static const std::array<std::string, 4> kPassed = {"-cl-fast-relaxed-math", "-cl-finite-math-only",
                                                     "-cl-unsafe-math-optimizations",
                                                     "-cl-single-precision-constant"};
  std::vector<std::string> passed;
  for (size_t i = 0; i < words.size(); ++i) {
    const std::string kind = words[i].substr(0, 2);
    if (kind == "-D" || kind == "-U" || kind == "-I") {
      if (words[i].size() > 2)
        passed.push_back(words[i]);
      else if (i + 1 < words.size())
        passed.push_back(kind + words[++i]);
    } else {
      for (const std::string& option : kPassed)
        if (words[i] == option) passed.push_back(option);
    }
  }
  return passed;
}

std::string options_after_preprocessing(const std::vector<std::string>& words) {
  std::string options;
  for (size_t i = 0; i < words.size(); ++i) {
    const std::string kind = words[i].substr(0, 2);
    if (kind == "-D" || kind == "-U" || kind == "-I") {
      if (words[i].size() == 2) ++i;
      continue;
    }
    const bool quote = words[i].find(' ') != std::string::npos;
    options += (options.empty() ? "" : " ") + (quote ? "\"" + words[i] + "\"" : words[i]);
  }
  return options;
}

std::string language_version(const std::vector<std::string>& words) {
  const std::string prefix = "-cl-std=";
  std::string version;
  for (const std::string& word : words)
    if (word.compare(0, prefix.size(), prefix) == 0) version = word.substr(prefix.size());
  return version;
}

}  // namespace samcl::translator
