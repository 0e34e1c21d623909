// Asks the translator about a program. It is a program of its own (sam-translate), so that no LLVM lives in the host
// program; contract/translation.h is what the two agree on. translate() runs it, or takes its answer from the cache on
// disk.
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "contract/translation.h"
#include "kernel-translator/client/macro_table.h"

namespace samcl {

struct TranslatorSettings {
  std::string program;            // path of sam-translate
  std::string cache_directory;    // empty: no cache
  int timeout_ms = 30000;         // after it the translator is killed, and asked once more to study each kernel apart
  bool split_printf = false;      // kernels that use printf may be split
  AskCompiler ask_compiler = {};  // of the device; if empty, macros are what Clang makes of them
};

// One of several sources that are compiled apart and then linked.
struct LinkedSource {
  std::string source;
  std::string options;                         // of clCompileProgram
  std::map<std::string, std::string> headers;  // of clCompileProgram: texts by name
};

// Translates `source`, a whole program. Thread-safe. The program's environment is given to sam-translate less
// LD_PRELOAD and OPENCL_LAYERS. Errors: the translator is missing, crashed, timed out, or could not parse the source
// (its first diagnostic is in the message).
Result<Translation> translate(const std::string& source, const std::string& build_options, const DeviceFacts& device,
                              const TranslatorSettings& settings);

// The same for a program of several sources. Errors are also: what linking does with them is not certain.
Result<Translation> translate_linked(std::span<const LinkedSource> sources, const DeviceFacts& device,
                                     const TranslatorSettings& settings);

// The text that one source is to the device's compiler, here and now, without macros and files, and the build options
// that go with it. Errors are those of translate().
Result<TranslatedSource> preprocess(const LinkedSource& source, const DeviceFacts& device,
                                    const TranslatorSettings& settings);

}  // namespace samcl
