// The translator's answer as text, and as the Translation it means.
#pragma once

#include <string>
#include <vector>

#include "kernel-translator/client/translation.h"

namespace samcl {

// Errors name what is missing or of the wrong type.
Result<Translation> parse_translation(const std::string& json);

// The files the source included, as the answer names them; empty if it can't be read.
std::vector<std::string> included_files(const std::string& json);

}  // namespace samcl
