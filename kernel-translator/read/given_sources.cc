#include "kernel-translator/read/given_sources.h"

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/json_text.h"

namespace samcl::translator {
namespace {

using Json = nlohmann::json;

bool stays_within(const std::filesystem::path& name) {
  return !name.empty() && name.is_relative() &&
         std::none_of(name.begin(), name.end(), [](const auto& part) { return part == ".."; });
}

GivenSource source_of(const Json& json) {
  GivenSource source;
  source.text = json.at("source").get<std::string>();
  source.options = json.value("options", std::vector<std::string>());
  source.headers = json.value("headers", Headers());
  if (json.contains("macros")) {
    source.macros.emplace();
    for (const auto& [name, value] : json.at("macros").items())
      (*source.macros)[name] = value.is_null() ? std::nullopt : std::optional(value.get<std::string>());
  }
  return source;
}

}  // namespace

Result<std::vector<GivenSource>> parse_sources(const std::string& document) {
  const size_t first = document.find_first_not_of(" \t\r\n");
  const bool as_text = first != std::string::npos && document[first] == '{';
  try {
    const Json json = as_text ? read_json(document) : read_cbor(document);
    std::vector<GivenSource> sources;
    for (const Json& each : json.at("sources")) sources.push_back(source_of(each));
    if (sources.empty()) return fail("there are no sources, expected one or more");
    for (const GivenSource& source : sources)
      for (const auto& [name, text] : source.headers)
        if (!stays_within(name))
          return fail("a header's name is '" + name + "', expected a path below the folder of headers");
    return sources;
  } catch (const Json::exception& error) {
    return fail(std::string("expected {\"sources\": [{\"source\": TEXT, ...}, ...]} in JSON or CBOR: ") + error.what());
  }
}

}  // namespace samcl::translator
