// What sam-translate is asked about: the source of a program, or the sources of one that is compiled in several
// pieces and linked.
#pragma once

#include <string>
#include <vector>

#include "kernel-translator/frontend.h"
#include "libsamcl/result.h"

namespace samcl::translator {

struct GivenSource {
  std::string text;
  std::vector<std::string> options;  // of clBuildProgram or clCompileProgram, taken apart
  Headers headers;                   // of clCompileProgram
};

// Reads
//   {"sources": [{"source": "...", "options": ["-D", "N=1"], "headers": {"name.h": "..."}}, ...]}
// in JSON, or in CBOR, whose strings may be of any bytes. Options and headers may be missing. Errors name what is
// wrong; a header's name must stay within the folder of given headers.
Result<std::vector<GivenSource>> parse_sources(const std::string& document);

}  // namespace samcl::translator
