// How a program came to be, so that it can be translated, made again for another device or of other text, and
// remembered on disk. Build specifications do not change; a linked program shares those of its inputs.
#pragma once

#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "kernel-translator/client/translation.h"
#include "libsamcl/device/real_device.h"

namespace samcl {

struct BuildSpecification {
  enum class Function : unsigned char {
    build,
    compile,
    link
  };  // clBuildProgram of a source, clCompileProgram, clLinkProgram
  Function function = Function::build;
  std::string options = {};  // of that function

  // build, compile:
  std::string source = {};
  std::map<std::string, std::string> headers = {};  // given to clCompileProgram: texts by name

  std::vector<std::shared_ptr<const BuildSpecification>> inputs = {};  // link

  // It makes kernels, not what is to be linked further.
  bool is_executable() const;
};

// A compilation as it is here and now: by the time of linking, the files that it includes may be others or gone, and
// the process may have changed its folder. Where it includes any, its source is the preprocessed text. Errors as those
// of samcl::translate().
Result<std::shared_ptr<const BuildSpecification>> without_files(BuildSpecification compilation,
                                                                const DeviceFacts& device,
                                                                const TranslatorSettings& settings);

// The specifications with sources, in the order of linking; one that takes part more than once comes once.
std::vector<const BuildSpecification*> sources_of(const BuildSpecification& specification);

// As samcl::translate().
Result<Translation> translate(const BuildSpecification& specification, const DeviceFacts& device,
                              const TranslatorSettings& settings);

// Makes the program for one device. translated: what to take instead of sources_of(specification), in their order;
// empty: the program's own. nullptr if the driver refuses. Any thread.
cl_program make(const BuildSpecification& specification, std::span<const TranslatedSource> translated,
                const RealDevice& device);

// A specification as bytes, for the disk. An error if the bytes are not one.
std::vector<uint8_t> to_bytes(const BuildSpecification& specification);
Result<std::shared_ptr<const BuildSpecification>> build_specification_from_bytes(std::span<const uint8_t> bytes);

}  // namespace samcl
