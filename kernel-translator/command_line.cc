#include "kernel-translator/command_line.h"

#include <charconv>
#include <iterator>
#include <sstream>

#include "kernel-translator/instructions/instruction_json.h"

namespace samcl::translator {
namespace {

constexpr char kUsage[] = "usage: sam-translate FILE.cl|-... [OPTIONS] [-- BUILD OPTIONS...]   (--help tells more)\n";

constexpr char kHelp[] =
    R"(Rewrites the kernels of an OpenCL C source so that a part of their NDRange can be launched alone, with
global_work_offset, and still sees the whole; tells which kernels may run in parts. Several files are compiled
apart and linked, as by clCompileProgram and clLinkProgram.

  --instructions KERNEL   print, as JSON, what a warp executes of the kernel, as a string over types of units
                          (for sam-analyze makespan)
  --loop-bounds L=N,...   for it: the loop in line L makes at most N rounds
  --json                  print all that was found, and the source to use, as JSON; needed for several files
  --sources               the file is no source but a list of sources, each with its own build options and headers:
                          {"sources": [{"source": "...", "options": ["-DN=1"], "headers": {"a.h": "..."},
                          "macros": {"__AVX__": "1", "__FMA__": null}}]} in JSON or CBOR. With "macros", what the
                          device's compiler makes of these names, none is guessed: the answer may be
                          {"questions": [{"names": [...], "options": "..."}]}, one for each source
  --device-version S      CL_DEVICE_VERSION, e.g. "OpenCL 3.0 PoCL"
  --opencl-c-version S    CL_DEVICE_OPENCL_C_VERSION, e.g. "OpenCL C 1.2 PoCL"
  --extensions "A B"      CL_DEVICE_EXTENSIONS: only their macros are defined
  --address-bits 32|64    CL_DEVICE_ADDRESS_BITS
  --images                the device supports images (__IMAGE_SUPPORT__)
  --preprocess            print the text alone that each source is after preprocessing, with the options that are left
  --apart MS              study each kernel in a process of its own, all of them together at most so long: one on which
                          the study fails or takes too long is whole, the others are as they would be
  --split-printf          kernels that use printf may be split: the order of their lines does not matter
  --help, --version
  --check CASES.json      run kernels on the installed OpenCL driver, and on the simulator Oclgrind if it is there,
                          and compare what they do with their footprints
  -- BUILD OPTIONS...     those of clBuildProgram, one word each: -D N=16 -cl-std=CL1.2

Without --json it prints the source to use: the given one where nothing needs rewriting.
Exit status: 0 done, 1 the source has errors (file:line on stderr), 2 wrong usage or an unreadable file.

  sam-translate kernels.cl --json -- -DBLOCK=16 | python3 -m json.tool
  sam-translate main.cl helpers.cl --json
)";

// Options that stand alone, and what they set.
bool* flag_named(const std::string& word, CommandLine& command) {
  if (word == "--json") return &command.json;
  if (word == "--sources") return &command.sources;
  if (word == "--preprocess") return &command.preprocess;
  if (word == "--images") return &command.device.images;
  return word == "--split-printf" ? &command.split_printf : nullptr;
}

bool takes_a_value(const std::string& word) {
  for (const char* each : {"--device-version", "--opencl-c-version", "--extensions", "--address-bits", "--apart",
                           "--instructions", "--loop-bounds"})
    if (word == each) return true;
  return false;
}

// Empty, or what would have been right.
std::string set_option(const std::string& word, const std::string& value, CommandLine& command) {
  if (word == "--device-version") command.device.version = value;
  if (word == "--opencl-c-version") command.device.opencl_c_version = value;
  if (word == "--instructions") command.instructions = value;
  if (word == "--extensions") {
    std::istringstream names(value);
    command.device.extensions.emplace(std::istream_iterator<std::string>(names), std::istream_iterator<std::string>());
  }
  if (word == "--address-bits") {
    if (value != "32" && value != "64") return "32 or 64";
    command.device.address_bits = value == "32" ? 32 : 64;
  }
  if (word == "--loop-bounds") {
    const auto bounds = parse_loop_bounds(value);
    if (!bounds) return "LINE=ROUNDS, several with commas between them";
    command.loop_bounds = *bounds;
  }
  if (word == "--apart") {
    int& most = command.apart_ms.emplace();
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), most);
    if (error != std::errc() || *end != 0 || most <= 0) return "milliseconds";
  }
  return "";
}

}  // namespace

Result<CommandLine> parse_command(const std::vector<std::string>& words) {
  CommandLine command;
  size_t i = 0;
  for (; i < words.size() && words[i] != "--"; ++i) {
    const std::string& word = words[i];
    if (bool* flag = flag_named(word, command)) {
      *flag = true;
    } else if (word.size() < 2 || word[0] != '-') {
      command.files.push_back(word);
    } else {
      if (!takes_a_value(word)) return fail("unknown option " + word);
      if (++i == words.size()) return fail(word + " needs a value");
      const std::string expected = set_option(word, words[i], command);
      if (!expected.empty()) return fail(word + " is " + words[i] + ", expected " + expected);
    }
  }
  if (command.files.empty()) return fail("no file");
  if (command.sources && command.files.size() > 1) return fail("--sources takes one file");
  if ((command.sources || command.files.size() > 1) && !command.json)
    return fail("several sources are told about with --json only");
  if (!command.loop_bounds.empty() && command.instructions.empty())
    return fail("--loop-bounds goes with --instructions");
  if (i < words.size()) command.build_options.assign(words.begin() + static_cast<long>(i) + 1, words.end());
  return command;
}

std::string usage() { return kUsage; }
std::string help() { return std::string(kUsage) + kHelp; }

}  // namespace samcl::translator
