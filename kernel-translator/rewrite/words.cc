#include "kernel-translator/rewrite/words.h"

#include <cctype>

namespace samcl::translator {

size_t count_word(std::string_view text, std::string_view word) {
  const auto is_part = [&](size_t at) {
    return at < text.size() && (std::isalnum(static_cast<unsigned char>(text[at])) || text[at] == '_');
  };
  size_t count = 0;
  for (size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1))
    if (!(at > 0 && is_part(at - 1)) && !is_part(at + word.size())) ++count;
  return count;
}

}  // namespace samcl::translator
