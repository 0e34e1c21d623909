// JSON as text and as CBOR. The library's parsers and writers are templates that take seconds to compile wherever they
// are used, so they are compiled here, once. Pure; any thread.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace samcl {

/// The value that a text describes; throws nlohmann::json::parse_error where it is no JSON.
nlohmann::json read_json(std::string_view text);
nlohmann::ordered_json read_ordered_json(std::string_view text);

/// Likewise, but a "discarded" value (nlohmann's word) where it is no JSON: is_discarded(), and no other kind.
nlohmann::json try_read_json(std::string_view text);

/// On one line, or with `indent` spaces per level. Bytes that are no UTF-8 become U+FFFD.
std::string json_text(const nlohmann::json& value, int indent = -1);
std::string json_text(const nlohmann::ordered_json& value, int indent = -1);

/// Throws nlohmann::json::parse_error where the bytes are no CBOR.
nlohmann::json read_cbor(std::span<const uint8_t> bytes);
nlohmann::json read_cbor(const std::string& bytes);
std::vector<uint8_t> cbor_of(const nlohmann::json& value);
std::string cbor_string(const nlohmann::json& value);

}  // namespace samcl
