// Text of others for a terminal or a log, which would take parts of it for more than text.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace samcl {

// How many bytes the control character has with which the text begins, if it does; else 0. Of UTF-8: C0, C1, DEL, and
// those that turn the direction of what follows.
inline size_t control_character(std::string_view text) {
  const auto byte = [text](size_t at) { return at < text.size() ? static_cast<unsigned char>(text[at]) : 0u; };
  const auto is_between = [&byte](size_t at, unsigned first, unsigned last) {
    return byte(at) >= first && byte(at) <= last;
  };
  if (text.empty()) return 0;
  if (byte(0) < 0x20 || byte(0) == 0x7f) return 1;
  if (byte(0) == 0xc2 && is_between(1, 0x80, 0x9f)) return 2;
  const bool turns =
      byte(0) == 0xe2 && ((byte(1) == 0x80 && (is_between(2, 0xaa, 0xae) || is_between(2, 0x8e, 0x8f))) ||
                          (byte(1) == 0x81 && is_between(2, 0xa6, 0xa9)));
  return turns ? 3 : 0;
}

// With their bytes as \xNN.
inline std::string visible(std::string_view text) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string shown;
  while (!text.empty()) {
    const size_t control = control_character(text);
    for (size_t i = 0; i < control; ++i) {
      const auto byte = static_cast<unsigned char>(text[i]);
      shown += {'\\', 'x', kDigits[byte >> 4], kDigits[byte & 15]};
    }
    if (control == 0) shown += text[0];
    text.remove_prefix(control > 0 ? control : 1);
  }
  return shown;
}

}  // namespace samcl
