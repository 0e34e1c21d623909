// How a program came to be, so that it can be translated, made again for another device or of other text, and
// remembered on disk. Recipes do not change; a linked program shares those of its inputs.
#pragma once

#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "kernel-translator/client/translation.h"
#include "libsamcl/device/real_device.h"

namespace samcl {

struct Recipe {
  enum class Step : unsigned char { build, compile, link };  // clBuildProgram of a source, clCompileProgram, clLinkProgram
  Step step = Step::build;
  std::string options = {};  // of that function

  // build, compile:
  std::string source = {};
  std::map<std::string, std::string> headers = {};  // given to clCompileProgram: texts by name

  std::vector<std::shared_ptr<const Recipe>> inputs = {};  // link

  // It makes kernels, not what is to be linked further.
  bool is_executable() const;
};

// A compilation as it is here and now: by the time of linking, the files that it includes may be others or gone, and
// the process may have changed its folder. Where it includes any, its source is the preprocessed text. Errors as those
// of samcl::translate().
Result<std::shared_ptr<const Recipe>> without_files(Recipe compilation, const DeviceFacts& device,
                                                    const TranslatorSettings& settings);

// The recipes with sources, in the order of linking; one that takes part more than once comes once.
std::vector<const Recipe*> sources_of(const Recipe& recipe);

// As samcl::translate().
Result<Translation> translate(const Recipe& recipe, const DeviceFacts& device, const TranslatorSettings& settings);

// Makes the program for one device. translated: what to take instead of sources_of(recipe), in their order;
// empty: the program's own. nullptr if the driver refuses. Any thread.
cl_program make(const Recipe& recipe, std::span<const TranslatedSource> translated, const RealDevice& device);

// A recipe as bytes, for the disk. An error if the bytes are not one.
std::vector<uint8_t> to_bytes(const Recipe& recipe);
Result<std::shared_ptr<const Recipe>> recipe_from_bytes(std::span<const uint8_t> bytes);

}  // namespace samcl
