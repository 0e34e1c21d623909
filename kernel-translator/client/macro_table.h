// What a device's compiler makes of the macros that sources ask about, learned by asking it and kept on disk.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "base/result.h"
#include "kernel-translator/client/cache.h"

namespace samcl {

// By name: what the macro stands for, or nullopt: it is not defined.
using MacroAnswers = std::map<std::string, std::optional<std::string>>;

// Asks the compiler under these build options. Names that it gives no answer for are missing in what it returns. An
// error: this time it could not be asked.
using AskCompiler = std::function<Result<MacroAnswers>(const std::set<std::string>& names, const std::string& options)>;

class MacroTable {
 public:
  // compiler: which one it is, with its version; options: the build options that may change its answers.
  MacroTable(TranslationCache cache, const std::string& compiler, std::string options);

  // The answers for all names; what is not on disk is asked for, and then kept. An error names a macro that has no
  // answer.
  Result<MacroAnswers> answers(const std::set<std::string>& names, const AskCompiler& ask) const;

 private:
  // nullopt for the value's own optional: asked, without an answer.
  using Entries = std::map<std::string, std::optional<std::optional<std::string>>>;
  Entries load() const;
  void keep(const Entries& entries) const;

  const TranslationCache cache_;
  const std::string options_;
  const std::string question_;
};

}  // namespace samcl
