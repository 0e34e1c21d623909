// CSV as text (RFC 4180): cells may be quoted, a quote within is doubled; lines that begin with # are
// skipped, as are blank ones, and blanks around cells without quotes.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"

namespace samcl::analysis {

struct CsvRow {
  int line = 0;  // of the text, from 1
  std::vector<std::string> cells;

  tl::unexpected<Error> wrong(const std::string& what) const {
    return fail("line " + std::to_string(line) + ": " + what);
  }
};

Result<std::vector<CsvRow>> parse_rows(const std::string& text);

// One line, quoted where needed.
std::string format_row(const std::vector<std::string>& cells);

}  // namespace samcl::analysis
