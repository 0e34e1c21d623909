#include "base/json_text.h"

namespace samcl {
namespace {

template <typename Json>
std::string text_of(const Json& value, int indent) {
  return value.dump(indent, ' ', false, Json::error_handler_t::replace);
}

}  // namespace

nlohmann::json read_json(std::string_view text) { return nlohmann::json::parse(text); }

nlohmann::ordered_json read_ordered_json(std::string_view text) { return nlohmann::ordered_json::parse(text); }

nlohmann::json try_read_json(std::string_view text) { return nlohmann::json::parse(text, nullptr, false); }

std::string json_text(const nlohmann::json& value, int indent) { return text_of(value, indent); }
std::string json_text(const nlohmann::ordered_json& value, int indent) { return text_of(value, indent); }

nlohmann::json read_cbor(std::span<const uint8_t> bytes) {
  return nlohmann::json::from_cbor(bytes.data(), bytes.data() + bytes.size());
}

nlohmann::json read_cbor(const std::string& bytes) {
  return read_cbor(std::span(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()));
}

std::vector<uint8_t> cbor_of(const nlohmann::json& value) { return nlohmann::json::to_cbor(value); }

std::string cbor_string(const nlohmann::json& value) {
  const std::vector<uint8_t> bytes = cbor_of(value);
  return {bytes.begin(), bytes.end()};
}

}  // namespace samcl
