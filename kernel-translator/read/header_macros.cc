#include "kernel-translator/read/header_macros.h"

#include <cctype>
#include <sstream>
#include <string_view>

extern const char* const kOpenClHeader;

namespace samcl::translator {
namespace {

bool ends_with_one_of(const std::string& name, std::initializer_list<std::string_view> endings) {
  for (const std::string_view ending : endings)
    if (name.ends_with(ending)) return true;
  return false;
}

bool is_directive(const std::string& line, std::string_view name) {
  size_t at = line.find_first_not_of(" \t");
  if (at == std::string::npos || line[at] != '#') return false;
  at = line.find_first_not_of(" \t", at + 1);
  return at != std::string::npos && line.compare(at, name.size(), name) == 0;
}

// Limits of the integer types, and of the floating types what is an integer.
bool has_a_fixed_integer(const std::string& name, const std::string& value) {
  const bool limit = ends_with_one_of(name, {"_BIT", "_DIG", "_RADIX", "_EXP", "CHAR_MAX", "CHAR_MIN", "SHRT_MAX",
                                             "SHRT_MIN", "INT_MAX", "INT_MIN", "LONG_MAX", "LONG_MIN"});
  return limit && value.find('.') == std::string::npos;
}

// What to keep of one logical line of the header.
std::string kept(const std::string& line) {
  if (is_directive(line, "if") || is_directive(line, "el") || is_directive(line, "endif")) return line + "\n";
  if (!is_directive(line, "define")) return "";
  std::istringstream words(line.substr(line.find("define") + 6));
  std::string name, value;
  words >> name;
  std::getline(words, value);
  // Its own helpers, extensions (the device's are told otherwise) and macros with parameters are left out.
  if (name.starts_with("_") || name.starts_with("cl_") || name.find('(') != std::string::npos) return "";
  return "#define " + name + " " + (has_a_fixed_integer(name, value) ? value : name) + "\n";
}

std::string macros_of(std::string_view header) {
  std::string text, line;
  for (size_t at = 0; at < header.size();) {
    const size_t end = std::min(header.find('\n', at), header.size());
    line += header.substr(at, end - at);
    at = end + 1;
    if (line.ends_with("\\")) {
      line.pop_back();
      continue;
    }
    text += kept(line);
    line.clear();
  }
  return text;
}

}  // namespace

const std::string& header_macros() {
  static const std::string text = macros_of(kOpenClHeader);
  return text;
}

}  // namespace samcl::translator
