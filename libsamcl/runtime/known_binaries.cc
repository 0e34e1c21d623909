#include "libsamcl/runtime/known_binaries.h"

#include <charconv>

#include "kernel-translator/client/cache.h"
#include "libsamcl/runtime/config.h"

namespace samcl {
namespace {

TranslationCache cache() { return TranslationCache(Config::get().cache_directory); }

std::string question(std::span<const unsigned char> binary) {
  std::string text = "the origin of a binary\n";
  text.append(reinterpret_cast<const char*>(binary.data()), binary.size());
  return text;
}

}  // namespace

void remember_binary(std::span<const unsigned char> binary, const BinaryOrigin& origin) {
  if (origin.source.find("include") != std::string::npos) return;
  const std::string asked = question(binary);
  if (cache().find(asked)) return;
  cache().keep(asked, std::to_string(origin.options.size()) + "\n" + origin.options + origin.source, {});
}

std::optional<BinaryOrigin> origin_of(std::span<const unsigned char> binary) {
  const auto answer = cache().find(question(binary));
  if (!answer) return std::nullopt;
  size_t length = 0;
  const char* end = answer->data() + answer->size();
  const auto [rest, error] = std::from_chars(answer->data(), end, length);
  if (error != std::errc() || rest == end || length > static_cast<size_t>(end - rest - 1)) return std::nullopt;
  return BinaryOrigin{std::string(rest + 1 + length, end), std::string(rest + 1, length)};
}

}  // namespace samcl
