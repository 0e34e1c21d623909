#include "libsamcl/program/remembered_times.h"

#include <nlohmann/json.hpp>

#include "base/json_document.h"
#include "base/json_text.h"
#include "kernel-translator/client/cache.h"
#include "libsamcl/settings/config.h"

namespace samcl {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(KnownParts, ns_per_item, taken, kept_whole, stay)

namespace {

using Json = nlohmann::json;

std::string question(const BuildSpecification& specification, const DeviceFacts& device) {
  const std::vector<uint8_t> bytes = to_bytes(specification);
  return "times of kernels\n" + device.device_version + "\n" + device.compiler + "\n" +
         std::string(bytes.begin(), bytes.end());
}

}  // namespace

void remember_times(const BuildSpecification& specification, const DeviceFacts& device, const RememberedTimes& times) {
  JsonDocument kept(Json::object());
  (*kept)["parts_build_ns"] = times.parts_build_ns;
  (*kept)["promising_ns"] = times.promising_ns;
  (*kept)["rented_ns"] = times.rented_ns;
  (*kept)["gathers"] = times.gathers;
  (*kept)["built"] = times.built;
  Json& kernels = (*kept)["kernels"] = Json::object();
  for (const auto& [name, known] : times.kernels) {
    Json& kernel = kernels[name];
    kernel["whole"] = known.times.whole;
    kernel["in_parts"] = known.times.in_parts;
    kernel["written_per_item"] = known.times.written_per_item;
    kernel["promised_ns"] = known.promise.most;
    kernel["vain_ns"] = known.promise.vain;
    kernel["compiling_ns"] = known.compiling_ns;
  }
  TranslationCache(Config::get().cache_directory).keep(question(specification, device), json_text(*kept), {});
}

std::optional<RememberedTimes> remembered_times(const BuildSpecification& specification, const DeviceFacts& device) {
  const auto kept = TranslationCache(Config::get().cache_directory).find(question(specification, device));
  if (!kept) return std::nullopt;
  try {
    const JsonDocument read(read_json(*kept));
    RememberedTimes times{.parts_build_ns = read->at("parts_build_ns").get<uint64_t>(),
                          .promising_ns = read->value("promising_ns", uint64_t{0}),
                          .rented_ns = read->value("rented_ns", uint64_t{0}),
                          .gathers = read->value("gathers", uint32_t{0}),
                          .built = read->value("built", uint32_t{0})};
    for (const auto& [name, known] : read->at("kernels").items()) {
      times.kernels[name] = {
          {known.at("whole").get<KernelTimes::BySize>(), known.at("in_parts").get<std::map<unsigned, KnownParts>>(),
           known.at("written_per_item").get<double>()},
          {known.value("promised_ns", uint64_t{0}), known.value("vain_ns", uint64_t{0})},
          known.value("compiling_ns", uint64_t{0})};
    }
    return times;
  } catch (const Json::exception&) {
    return std::nullopt;  // a file of another version
  }
}

}  // namespace samcl
