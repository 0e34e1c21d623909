// The JSON in which the translator tells what it found out about kernels: generated from their fields, which stand here
// once for those who write it and those who read it. Reading throws nlohmann::json::exception or std::invalid_argument,
// whose message names what is missing, of the wrong type or unknown.
#pragma once

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <utility>

#include "contract/translation.h"

template <typename T>
struct nlohmann::adl_serializer<std::optional<T>> {
  static void to_json(json& to, const std::optional<T>& value) { to = value ? json(*value) : json(); }
  static void from_json(const json& from, std::optional<T>& value) {
    value = from.is_null() ? std::nullopt : std::optional<T>(from.get<T>());
  }
};

namespace samcl {

// The names of an enumeration's values, in their order.
template <typename Enum, size_t count>
Enum value_named(const nlohmann::json& name, const std::array<const char*, count>& names) {
  const auto text = name.get<std::string>();
  const auto found = std::find(names.begin(), names.end(), text);
  if (found == names.end()) throw std::invalid_argument("\"" + text + "\" is unknown");
  return static_cast<Enum>(found - names.begin());
}

inline constexpr std::array kArgumentKinds = {"global_buffer", "constant_buffer", "local_memory", "value",
                                              "image",         "sampler",         "pipe",         "other"};
inline void to_json(nlohmann::json& to, ArgumentKind kind) { to = kArgumentKinds.at(static_cast<size_t>(kind)); }
inline void from_json(const nlohmann::json& from, ArgumentKind& kind) {
  kind = value_named<ArgumentKind>(from, kArgumentKinds);
}

inline constexpr std::array kAccumulations = {"",           "add",          "and",        "or",          "xor",
                                              "min_signed", "min_unsigned", "max_signed", "max_unsigned"};
inline void to_json(nlohmann::json& to, Accumulation how) { to = kAccumulations.at(static_cast<size_t>(how)); }
inline void from_json(const nlohmann::json& from, Accumulation& how) {
  how = value_named<Accumulation>(from, kAccumulations);
}

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(KernelArgument, name, type_name, kind, size, may_read, may_write, store_width,
                                   accumulates, loads, stores)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(KernelTranslation, name, arguments, affected_builtins, needs_ndrange_argument,
                                   may_split, may_split_disjoint, may_slice, splits_in_one_memory, exchanges,
                                   orders_memory, why_not_split, why_not_slice, depends_on_local_size,
                                   depends_on_addresses, has_program_variables, may_print, required_work_group_size,
                                   gathers_by, footprint)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(TranslatedSource, source, options, gathered)

}  // namespace samcl
