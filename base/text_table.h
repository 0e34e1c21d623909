// Text tables with aligned columns.
#pragma once

#include <string>
#include <vector>

namespace samcl {

// Columns as wide as their widest cell, two blanks apart; the first `left` columns are aligned to the
// left, the others (numbers) to the right.
std::string table(const std::vector<std::vector<std::string>>& rows, size_t left = 1);

}  // namespace samcl
