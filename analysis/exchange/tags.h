// The tags of an XML text, one after the other, with their attributes and the text behind them. Comments and
// declarations are skipped; of entities &amp;, &lt;, &gt; and &quot; are known.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/result.h"

namespace samcl::analysis {

struct Tag {
  std::string name;  // "task"; of an end tag "/task"
  std::map<std::string, std::string> attributes;
  std::string text;     // up to the next tag, without blanks at its ends
  bool closed = false;  // <task ... />
  int line = 0;
};

std::string where(const Tag& tag);  // "line 3, <task>, "

Result<std::vector<Tag>> parse_tags(const std::string& text);

}  // namespace samcl::analysis
