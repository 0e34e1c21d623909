#include "libsamcl/program/known_binaries.h"

#include <nlohmann/json.hpp>

#include "base/json_document.h"
#include "base/json_text.h"
#include "kernel-translator/client/cache.h"
#include "libsamcl/settings/config.h"

namespace samcl {
namespace {

using Json = nlohmann::json;

TranslationCache cache() { return TranslationCache(Config::get().cache_directory); }

std::string question(std::span<const unsigned char> binary) {
  std::string text = "the origin of a binary\n";
  text.append(reinterpret_cast<const char*>(binary.data()), binary.size());
  return text;
}

}  // namespace

void remember_binary(std::span<const unsigned char> binary, const BinaryOrigin& origin) {
  const std::string asked = question(binary);
  if (cache().find(asked)) return;
  JsonDocument kept(Json::object());
  (*kept)["specification"] = Json::binary(to_bytes(*origin.specification));
  Json& includes = (*kept)["includes"] = Json::array();
  for (const IncludedFile& file : origin.includes) {
    Json& each = includes.emplace_back(Json::array());
    each.push_back(file.path);
    each.push_back(file.stamp);
  }
  cache().keep(asked, cbor_string(*kept), {});
}

std::optional<BinaryOrigin> origin_of(std::span<const unsigned char> binary) {
  const auto answer = cache().find(question(binary));
  if (!answer) return std::nullopt;
  try {
    const JsonDocument document(read_cbor(*answer));
    const Json& kept = *document;
    auto specification = build_specification_from_bytes(kept.at("specification").get_binary());
    if (!specification) return std::nullopt;
    BinaryOrigin origin{*std::move(specification), {}};
    for (const Json& file : kept.at("includes")) {
      origin.includes.push_back({file.at(0).get<std::string>(), file.at(1).get<std::string>()});
    }
    return origin;
  } catch (const Json::exception&) {
    return std::nullopt;  // a file of another version
  }
}

}  // namespace samcl
