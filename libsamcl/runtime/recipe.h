// How a program came to be, so that it can be translated, made again for another device or of other text, and
// remembered on disk. Recipes do not change; a linked program shares those of its inputs.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "kernel-translator/client/translation.h"
#include "libsamcl/device/real_device.h"

namespace samcl {

struct Recipe {
  enum class Step : uint8_t { build, compile, link };  // clBuildProgram of a source, clCompileProgram, clLinkProgram
  Step step = Step::build;
  std::string options = {};  // of that function

  // build, compile:
  std::string source = {};
  std::map<std::string, std::string> headers = {};  // given to clCompileProgram: texts by name
  int64_t begun = 0;                                // when it was compiled, ns since 1970
  std::string folder = {};                          // the process's then, where relative names of files start

  std::vector<std::shared_ptr<const Recipe>> inputs = {};  // link

  // It makes kernels, not what is to be linked further.
  bool is_executable() const;
};

// Ns since 1970, by the clock of Recipe::begun.
int64_t time_of_day();

// A build or compilation that begins now and here. options: null if there are none.
std::shared_ptr<Recipe> begin_recipe(Recipe::Step step, const char* options, const std::string& source);

// The recipes with sources, in the order of linking; one that takes part more than once comes once.
std::vector<const Recipe*> sources_of(const Recipe& recipe);

// As samcl::translate(). Errors are also: a file that was included has changed since the program was compiled, or
// the process has changed its folder.
Result<Translation> translate(const Recipe& recipe, const DeviceFacts& device, const TranslatorSettings& settings);

// Makes the program for one device. translated: what to take instead of sources_of(recipe), in their order;
// empty: the program's own. nullptr if the driver refuses. Any thread.
cl_program make(const Recipe& recipe, std::span<const TranslatedSource> translated, const RealDevice& device);

// A recipe as bytes, for the disk. An error if the bytes are not one.
std::vector<uint8_t> to_bytes(const Recipe& recipe);
Result<std::shared_ptr<const Recipe>> recipe_from_bytes(std::span<const uint8_t> bytes);

}  // namespace samcl
