#include "kernel-translator/client/translation_json.h"

#include <map>
#include <nlohmann/json.hpp>

namespace samcl {
namespace {

using Json = nlohmann::json;

ArgumentKind kind_of(const std::string& name) {
  if (name == "global_buffer") return ArgumentKind::global_buffer;
  if (name == "constant_buffer") return ArgumentKind::constant_buffer;
  if (name == "local_memory") return ArgumentKind::local_memory;
  if (name == "value") return ArgumentKind::value;
  if (name == "image") return ArgumentKind::image;
  if (name == "sampler") return ArgumentKind::sampler;
  if (name == "pipe") return ArgumentKind::pipe;
  return ArgumentKind::other;
}

Accumulation accumulation_of(const std::string& name) {
  static const std::map<std::string, Accumulation> kNames = {{"", Accumulation::none},
                                                             {"add", Accumulation::add},
                                                             {"and", Accumulation::bit_and},
                                                             {"or", Accumulation::bit_or},
                                                             {"xor", Accumulation::bit_xor},
                                                             {"min_signed", Accumulation::min_signed},
                                                             {"min_unsigned", Accumulation::min_unsigned},
                                                             {"max_signed", Accumulation::max_signed},
                                                             {"max_unsigned", Accumulation::max_unsigned}};
  return kNames.at(name);
}

KernelArgument argument_of(const Json& json) {
  KernelArgument argument;
  argument.name = json.at("name").get<std::string>();
  argument.type_name = json.at("type_name").get<std::string>();
  argument.kind = kind_of(json.at("kind").get<std::string>());
  argument.size = json.at("size").get<uint64_t>();
  argument.may_read = json.at("may_read").get<bool>();
  argument.may_write = json.at("may_write").get<bool>();
  argument.store_width = json.at("store_width").get<uint32_t>();
  argument.accumulates = accumulation_of(json.at("accumulates").get<std::string>());
  return argument;
}

KernelTranslation kernel_of(const Json& json) {
  KernelTranslation kernel;
  kernel.name = json.at("name").get<std::string>();
  for (const Json& argument : json.at("arguments")) kernel.arguments.push_back(argument_of(argument));
  kernel.affected_builtins = json.at("affected_builtins").get<std::vector<std::string>>();
  kernel.needs_ndrange_argument = json.at("needs_ndrange_argument").get<bool>();
  kernel.may_split = json.at("may_split").get<bool>();
  kernel.may_slice = json.at("may_slice").get<bool>();
  kernel.splits_in_one_memory = json.at("splits_in_one_memory").get<bool>();
  kernel.may_split_disjoint = json.at("may_split_disjoint").get<bool>();
  kernel.why_not_split = json.at("why_not_split").get<std::string>();
  kernel.why_not_slice = json.at("why_not_slice").get<std::string>();
  kernel.depends_on_local_size = json.at("depends_on_local_size").get<bool>();
  kernel.depends_on_addresses = json.at("depends_on_addresses").get<bool>();
  kernel.footprint = json.at("footprint").get<std::string>();
  if (const Json& size = json.at("required_work_group_size"); !size.is_null()) {
    kernel.required_work_group_size = size.get<std::array<uint64_t, 3>>();
  }
  return kernel;
}

TranslatedSource source_of(const Json& json) {
  TranslatedSource translated;
  if (const Json& source = json.at("source"); !source.is_null()) translated.source = source.get<std::string>();
  translated.options = json.at("options").get<std::string>();
  return translated;
}

}  // namespace

Result<std::vector<MacroQuestion>> parse_questions(const std::string& text) {
  std::vector<MacroQuestion> questions;
  if (!text.starts_with("{\"questions\"")) return questions;
  try {
    const Json document = Json::parse(text);
    for (const Json& each : document.at("questions"))
      questions.push_back({each.at("names").get<std::set<std::string>>(), each.at("options").get<std::string>()});
    return questions;
  } catch (const std::exception& error) {
    return fail(std::string("the translator's questions can't be read: ") + error.what());
  }
}

Result<Translation> parse_translation(const std::string& text) {
  try {
    const Json json = Json::parse(text);
    Translation translation;
    if (json.contains("sources")) {
      for (const Json& source : json.at("sources")) translation.sources.push_back(source_of(source));
    } else {
      translation.sources.push_back(source_of(json));
    }
    for (const auto& [path, stamp] : json.at("includes").items())
      translation.includes.push_back({path, stamp.get<std::string>()});
    for (const Json& kernel : json.at("kernels")) translation.kernels.push_back(kernel_of(kernel));
    return translation;
  } catch (const std::exception& error) {
    return fail(std::string("the translator's answer can't be read: ") + error.what());
  }
}

}  // namespace samcl
