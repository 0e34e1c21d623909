// What sam-translate is asked about: the source of a program, or the sources of one that is compiled in several
// pieces and linked.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "kernel-translator/read/frontend.h"

namespace samcl::translator {

struct GivenSource {
  std::string text;
  std::vector<std::string> options;  // of clBuildProgram or clCompileProgram, taken apart
  Headers headers;                   // of clCompileProgram
  // What the device's compiler has said so far; nullopt: it can't be asked.
  std::optional<MacroAnswers> macros;
};

// Reads
//   {"sources": [{"source": "...", "options": ["-D", "N=1"], "headers": {"name.h": "..."},
//                "macros": {"NAME": "...", "NONE": null}}, ...]}
// in JSON, or in CBOR, whose strings may be of any bytes. All but the source may be missing. Errors name what is
// wrong; a header's name must stay within the folder of given headers.
Result<std::vector<GivenSource>> parse_sources(const std::string& document);

}  // namespace samcl::translator
