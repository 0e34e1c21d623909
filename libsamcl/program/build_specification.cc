#include "libsamcl/program/build_specification.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>

#include "base/cbor_text.h"
#include "base/json_document.h"
#include "base/json_text.h"

namespace samcl {
namespace {

using Json = nlohmann::json;

void collect(const BuildSpecification& specification, std::vector<const BuildSpecification*>& found) {
  if (specification.function == BuildSpecification::Function::link) {
    for (const auto& input : specification.inputs) collect(*input, found);
  } else if (std::find(found.begin(), found.end(), &specification) == found.end()) {
    found.push_back(&specification);
  }
}

LinkedSource source_of(const BuildSpecification& specification) {
  return {specification.source, specification.options, specification.headers};
}

// What headers are called can be made of macros, but this word cannot.
bool may_include(const BuildSpecification& specification) {
  const auto mentions = [](const std::string& text) { return text.find("include") != std::string::npos; };
  return mentions(specification.source) || std::any_of(specification.headers.begin(), specification.headers.end(),
                                                       [&](const auto& header) { return mentions(header.second); });
}

void write(const BuildSpecification& specification, CborText& to) {
  const bool is_link = specification.function == BuildSpecification::Function::link;
  to.map(is_link ? 3 : 4).text("step").number(static_cast<uint64_t>(specification.function));
  to.text("options").text(specification.options);
  if (is_link) {
    to.text("inputs").list(specification.inputs.size());
    for (const auto& input : specification.inputs) write(*input, to);
  } else {
    to.text("source").text(specification.source).text("headers").map(specification.headers.size());
    for (const auto& [name, text] : specification.headers) to.text(name).text(text);
  }
}

std::shared_ptr<const BuildSpecification> from_json(const Json& json) {
  auto specification = std::make_shared<BuildSpecification>();
  specification->function = json.at("step").get<BuildSpecification::Function>();
  specification->options = json.at("options").get<std::string>();
  if (specification->function == BuildSpecification::Function::link) {
    for (const Json& input : json.at("inputs")) specification->inputs.push_back(from_json(input));
  } else {
    specification->source = json.at("source").get<std::string>();
    specification->headers = json.at("headers").get<std::map<std::string, std::string>>();
  }
  return specification;
}

}  // namespace

bool BuildSpecification::is_executable() const {
  if (function != Function::link) return function == Function::build;
  std::istringstream words(options);
  for (std::string word; words >> word;) {
    if (word == "-create-library") return false;
  }
  return true;
}

std::vector<const BuildSpecification*> sources_of(const BuildSpecification& specification) {
  std::vector<const BuildSpecification*> found;
  collect(specification, found);
  return found;
}

Result<Translation> translate(const BuildSpecification& specification, const DeviceFacts& device,
                              const TranslatorSettings& settings) {
  std::vector<LinkedSource> sources;
  for (const BuildSpecification* each : sources_of(specification)) sources.push_back(source_of(*each));
  return translate_linked(sources, device, settings);
}

Result<std::shared_ptr<const BuildSpecification>> without_files(BuildSpecification compilation,
                                                                const DeviceFacts& device,
                                                                const TranslatorSettings& settings) {
  if (may_include(compilation)) {
    Result<TranslatedSource> text = preprocess(source_of(compilation), device, settings);
    if (!text) return tl::unexpected(text.error());
    compilation.source = *std::move(text->source);
    compilation.options = std::move(text->options);
    compilation.headers.clear();
  }
  return std::make_shared<const BuildSpecification>(std::move(compilation));
}

std::vector<uint8_t> to_bytes(const BuildSpecification& specification) {
  CborText written;
  write(specification, written);
  const std::string bytes = written.take();
  return {bytes.begin(), bytes.end()};
}

Result<std::shared_ptr<const BuildSpecification>> build_specification_from_bytes(std::span<const uint8_t> bytes) {
  try {
    const JsonDocument document(read_cbor(bytes));
    return from_json(*document);
  } catch (const Json::exception& error) {
    return fail(std::string("not a specification: ") + error.what());
  }
}

}  // namespace samcl
