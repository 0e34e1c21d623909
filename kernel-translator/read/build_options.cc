#include "kernel-translator/read/build_options.h"

#include <array>

namespace samcl::translator {

std::string join_options(const std::vector<std::string>& words) {
  std::string options;
  for (const std::string& word : words) {
    if (!options.empty()) options += ' ';
    if (!word.empty() && word.find_first_of(" \t\n\r\"\\") == std::string::npos) {
      options += word;
      continue;
    }
    options += '"';
    for (const char c : word) {
      if (c == '"' || c == '\\') options += '\\';
      options += c;
    }
    options += '"';
  }
  return options;
}

std::vector<std::string> options_for_clang(const std::vector<std::string>& words) {
  static const std::array<std::string, 4> kPassed = {"-cl-fast-relaxed-math", "-cl-finite-math-only",
                                                     "-cl-unsafe-math-optimizations", "-cl-single-precision-constant"};
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

std::vector<std::string> options_after_preprocessing(const std::vector<std::string>& words) {
  std::vector<std::string> left;
  for (size_t i = 0; i < words.size(); ++i) {
    const std::string kind = words[i].substr(0, 2);
    if (kind != "-D" && kind != "-U" && kind != "-I")
      left.push_back(words[i]);
    else if (words[i].size() == 2)
      ++i;
  }
  return left;
}

std::vector<std::string> macros_named(const std::vector<std::string>& words) {
  std::vector<std::string> names;
  for (const std::string& option : options_for_clang(words))
    if (option.starts_with("-D") || option.starts_with("-U"))
      names.push_back(option.substr(2, option.find_first_of("=( ", 2) - 2));
  return names;
}

std::string language_version(const std::vector<std::string>& words) {
  const std::string prefix = "-cl-std=";
  std::string version;
  for (const std::string& word : words)
    if (word.compare(0, prefix.size(), prefix) == 0) version = word.substr(prefix.size());
  return version;
}

}  // namespace samcl::translator
