// The translator's answer as text, and as the Translation it means.
#pragma once

#include <string>
#include <vector>

#include "kernel-translator/client/translation.h"

namespace samcl {

// Errors name what is missing or of the wrong type. The included files have no stamps yet.
Result<Translation> parse_translation(const std::string& json);

}  // namespace samcl
