#include "kernel-translator/check/launch_case.h"

#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <random>

#include "base/files.h"
#include "base/json_text.h"

namespace samcl::check {
namespace {

using Json = nlohmann::json;

constexpr uint64_t kPixelBytes = 4;

template <typename T>
void append(std::vector<std::byte>& bytes, T value) {
  const size_t at = bytes.size();
  bytes.resize(at + sizeof value);
  std::memcpy(bytes.data() + at, &value, sizeof value);
}

std::vector<std::byte> contents(uint64_t size, const std::string& type, uint64_t below) {
  std::mt19937_64 random(size);
  std::vector<std::byte> bytes;
  while (bytes.size() < size) {
    if (type == "float")
      append(bytes, static_cast<float>(random() % 1000) / 500 - 1);
    else if (type == "uint")
      append(bytes, static_cast<uint32_t>(random() % below));
    else
      append(bytes, static_cast<uint8_t>(random() % std::min<uint64_t>(below, 256)));
  }
  bytes.resize(size);
  return bytes;
}

CaseArgument argument_of(const Json& json) {
  CaseArgument argument;
  if (json.contains("buffer")) {
    argument.kind = CaseArgument::Kind::buffer;
    argument.bytes =
        contents(json.at("buffer").get<uint64_t>(), json.value("of", "uint"), json.value("below", uint64_t{1} << 32));
  } else if (json.contains("image")) {
    argument.kind = CaseArgument::Kind::image;
    argument.width = json.at("image").at(0).get<uint64_t>();
    argument.height = json.at("image").at(1).get<uint64_t>();
    argument.bytes = contents(argument.width * argument.height * kPixelBytes, "uchar", 256);
  } else if (json.contains("sampler")) {
    if (json.at("sampler") != "edge") throw std::runtime_error("a sampler other than \"edge\"");
    argument.kind = CaseArgument::Kind::sampler;
  } else if (json.contains("local")) {
    argument.kind = CaseArgument::Kind::local;
    argument.local_bytes = json.at("local").get<uint64_t>();
  } else if (json.contains("float")) {
    append(argument.bytes, json.at("float").get<float>());
  } else if (json.contains("uint")) {
    append(argument.bytes, json.at("uint").get<uint32_t>());
  } else {
    append(argument.bytes, json.at("int").get<int32_t>());
  }
  return argument;
}

LaunchCase case_of(const Json& json, const std::string& folder) {
  LaunchCase result;
  const std::string file = folder + "/" + json.at("file").get<std::string>();
  result.source = read_file(file).value_or("");
  if (result.source.empty()) throw std::runtime_error(file + " can't be read");
  result.program = std::filesystem::path(file).stem();
  result.options = json.value("options", "");
  result.kernel = json.at("kernel").get<std::string>();
  const auto global = json.at("global").get<std::vector<uint64_t>>();
  const auto local = json.at("local").get<std::vector<uint64_t>>();
  const auto offset = json.value("offset", std::vector<uint64_t>(global.size()));
  if (global.empty() || global.size() > 3 || global.size() != local.size() || global.size() != offset.size())
    throw std::runtime_error("\"global\", \"local\" and \"offset\" need one to three sizes each");
  result.ndrange.dimensions = static_cast<unsigned>(global.size());
  for (size_t d = 0; d < global.size(); ++d) {
    result.ndrange.global[d] = global[d];
    result.ndrange.local[d] = local[d];
    result.ndrange.offset[d] = offset[d];
    if (local[d] == 0 || global[d] == 0) throw std::runtime_error("a size of 0");
  }
  for (const Json& argument : json.at("arguments")) result.arguments.push_back(argument_of(argument));
  return result;
}

}  // namespace

ArgumentValue CaseArgument::value(ImageNumbers& numbers) const {
  ArgumentValue value;
  value.buffer_bytes = has_contents() ? bytes.size() : 0;
  if (kind == Kind::value) value.value = bytes;
  if (kind != Kind::image) return value;
  const uint64_t row = width * kPixelBytes;
  numbers = {kPixelBytes, row, row * height, width, height, 1};
  value.value = std::as_bytes(std::span(&numbers, 1));
  return value;
}

Result<std::vector<LaunchCase>> read_cases(const std::string& text, const std::string& folder) {
  try {
    std::vector<LaunchCase> cases;
    for (const Json& each : read_json(text)) cases.push_back(case_of(each, folder));
    return cases;
  } catch (const std::exception& error) {
    return fail(std::string("the cases can't be read: ") + error.what());
  }
}

}  // namespace samcl::check
