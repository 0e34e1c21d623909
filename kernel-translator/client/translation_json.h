// The translator's answer as text, and as the Translation it means.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "kernel-translator/client/translation.h"

namespace samcl {

// The macros that one source asks the device's compiler about, and the build options that may change the answers.
struct MacroQuestion {
  std::set<std::string> names;
  std::string options;
};

// What must be answered first, for each source; none if the text is a translation.
Result<std::vector<MacroQuestion>> parse_questions(const std::string& json);

// Errors name what is missing or of the wrong type.
Result<Translation> parse_translation(const std::string& json);

}  // namespace samcl
