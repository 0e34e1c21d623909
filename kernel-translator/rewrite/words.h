// Names in a source's text.
#pragma once

#include <cstddef>
#include <string_view>

namespace samcl::translator {

// How often `word` stands in the text as a word of its own.
size_t count_word(std::string_view text, std::string_view word);

}  // namespace samcl::translator
