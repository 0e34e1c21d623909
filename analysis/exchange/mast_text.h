// MAST's text format as a tree: every object, and every list in one, is a list of named values.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"

namespace samcl::analysis {

struct MastValue {
  std::string name;             // in lower case, as MAST does not tell letters apart; empty in plain lists
  std::string text;             // of a value that is no list
  std::vector<MastValue> list;  // of one that is
  int line = 0;

  // The one of this name, which is in lower case; or none.
  const MastValue* find(const std::string& wanted) const;
  // Its text in lower case; empty where there is none.
  std::string lower(const std::string& wanted) const;
};

// The file's objects, each named as what it is ("transaction"). Comments begin with "--".
Result<std::vector<MastValue>> parse_mast_text(const std::string& text);

}  // namespace samcl::analysis
