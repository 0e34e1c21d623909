// CSV as text (RFC 4180): cells may be quoted, a quote within is doubled; lines that begin with # are
// skipped.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"

namespace samcl::analysis {

struct CsvRow {
  int line = 0;  // of the text, from 1
  std::vector<std::string> cells;
};

Result<std::vector<CsvRow>> parse_rows(const std::string& text);

// One line, quoted where needed.
std::string format_row(const std::vector<std::string>& cells);

}  // namespace samcl::analysis
