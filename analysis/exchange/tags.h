// The tags of an XML text, one after the other, with their attributes: all that files of attributes need.
// Text between tags, comments and declarations are skipped; entities in values are not.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "analysis/model/result.h"

namespace samcl::analysis {

struct Tag {
  std::string name;  // "task"; of an end tag "/task"
  std::map<std::string, std::string> attributes;
  bool closed = false;  // <task ... />
  int line = 0;
};

Result<std::vector<Tag>> parse_tags(const std::string& text);

}  // namespace samcl::analysis
