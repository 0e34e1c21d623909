// sam-translate's answer: its questions, its translations, and the footprints in these.
#include <cstdint>
#include <string>

#include "contract/footprint/footprint.h"
#include "kernel-translator/client/translation_json.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  if (!samcl::parse_questions(text)) return 0;
  const auto translation = samcl::parse_translation(text);
  if (!translation) return 0;
  for (const auto& kernel : translation->kernels) samcl::Footprint::parse(kernel.footprint);
  return 0;
}
