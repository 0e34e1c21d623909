#include "libsamcl/program/remembered_times.h"

#include <nlohmann/json.hpp>

#include "base/json_text.h"
#include "kernel-translator/client/cache.h"
#include "libsamcl/settings/config.h"

namespace samcl {
namespace {

using Json = nlohmann::json;

std::string question(const BuildSpecification& specification, const DeviceFacts& device) {
  const std::vector<uint8_t> bytes = to_bytes(specification);
  return "times of kernels\n" + device.device_version + "\n" + device.compiler + "\n" +
         std::string(bytes.begin(), bytes.end());
}

}  // namespace

void remember_times(const BuildSpecification& specification, const DeviceFacts& device, const RememberedTimes& times) {
  Json kernels = Json::object();
  for (const auto& [name, by_size] : times.kernels) kernels[name] = by_size;
  const Json kept = {{"parts_build_ns", times.parts_build_ns}, {"kernels", kernels}};
  TranslationCache(Config::get().cache_directory).keep(question(specification, device), json_text(kept), {});
}

std::optional<RememberedTimes> remembered_times(const BuildSpecification& specification, const DeviceFacts& device) {
  const auto kept = TranslationCache(Config::get().cache_directory).find(question(specification, device));
  if (!kept) return std::nullopt;
  try {
    const Json read = read_json(*kept);
    RememberedTimes times{.parts_build_ns = read.at("parts_build_ns").get<uint64_t>(), .kernels = {}};
    for (const auto& [name, by_size] : read.at("kernels").items())
      times.kernels[name] = by_size.get<KernelTimes::BySize>();
    return times;
  } catch (const Json::exception&) {
    return std::nullopt;  // a file of another version
  }
}

}  // namespace samcl
