#include "tools/sam-run/environment.h"

#include <fstream>
#include <iterator>
#include <sstream>

namespace samcl::run {
namespace {

std::string value(const Environment& present, const std::string& name) {
  const auto found = present.find(name);
  return found == present.end() ? "" : found->second;
}

std::string in_front(const std::string& first, const std::string& rest) {
  return rest.empty() ? first : first + ":" + rest;
}

std::string number(double value) {
  std::ostringstream text;
  text << value;
  return text.str();
}

std::string text(Manager manager) {
  switch (manager) {
    case Manager::off: return "off";
    case Manager::required: return "required";
    case Manager::embedded:
    case Manager::automatic: break;
  }
  return "auto";
}

}  // namespace

Result<Environment> environment_changes(const Options& options, const Parts& parts, const Environment& present,
                                        const std::string& instance, bool needs_links) {
  if (parts.library.find_first_of(" :") != std::string::npos)
    return fail("libsamcl.so cannot be preloaded from a path with blanks or colons: " + parts.library);
  Environment changes;
  const std::string preloaded = value(present, "LD_PRELOAD");
  const bool nested = preloaded == parts.library || preloaded.starts_with(parts.library + ":");
  changes["LD_PRELOAD"] = nested ? preloaded : in_front(parts.library, preloaded);
  if (needs_links) changes["LD_LIBRARY_PATH"] = in_front(parts.link_directory, value(present, "LD_LIBRARY_PATH"));
  if (!options.devices.empty()) changes["SAMCL_DEVICES"] = options.devices;
  if (options.gpus) changes["SAMCL_GPUS"] = std::to_string(*options.gpus);
  if (options.survive) changes["SAMCL_SURVIVE"] = "on";
  if (options.mix != Mix::off) changes["SAMCL_MIX"] = options.mix == Mix::exact ? "exact" : "on";
  if (options.share) {
    // An MPS server obeys it where it serves a device; nothing else looks at it.
    changes["SAMCL_SHARE"] = number(*options.share);
    changes["CUDA_MPS_ACTIVE_THREAD_PERCENTAGE"] = number(100 * *options.share);
  }
  if (options.manager) changes["SAMCL_MANAGER"] = text(*options.manager);
  if (!options.task.empty()) changes["SAMCL_TASK"] = options.task;
  if (options.report) changes["SAMCL_REPORT"] = *options.report;
  if (options.trace) changes["SAMCL_TRACE"] = *options.trace;
  if (options.plan) changes["SAMCL_PLAN"] = "dot:" + *options.plan;
  if (!options.what_if.empty()) {
    // One device, through the planner, whose memory is nobody else's.
    changes["SAMCL_WHAT_IF"] = options.what_if;
    changes["SAMCL_WHAT_IF_TO"] = options.what_if_to;
    changes["SAMCL_GPUS"] = "1";
    changes["SAMCL_DIRECT"] = "off";
    changes["SAMCL_SPLIT"] = "auto";
    changes["SAMCL_TRANSPORT"] = "staged";
    changes["SAMCL_MANAGER"] = "off";
  }
  if (!instance.empty()) changes["SAMCL_INSTANCE"] = instance;
  if (value(present, "SAMCL_TRANSLATOR").empty() && !parts.translator.empty())
    changes["SAMCL_TRANSLATOR"] = parts.translator;
  // pyopencl would load binaries that it kept from runs without samcl: no source, so nothing to split.
  if (value(present, "PYOPENCL_NO_CACHE").empty()) changes.emplace("PYOPENCL_NO_CACHE", "1");
  return changes;
}

bool loader_knows_layers(const std::string& loader) {
  std::ifstream in(loader, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(in), {}};
  return bytes.empty() || bytes.find("OPENCL_LAYERS") != std::string::npos;
}

}  // namespace samcl::run
