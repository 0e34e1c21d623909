// Text within XML, HTML and SVG. Pure; any thread.
#pragma once

#include <string>

namespace samcl {

/// As text or as an attribute between double quotes.
inline std::string xml_escaped(const std::string& plain) {
  std::string text;
  for (const char c : plain) {
    switch (c) {
      case '&': text += "&amp;"; break;
      case '<': text += "&lt;"; break;
      case '>': text += "&gt;"; break;
      case '"': text += "&quot;"; break;
      default: text += c;
    }
  }
  return text;
}

}  // namespace samcl
