// sam-translate: rewrites one OpenCL C source and reports on its kernels; see README.md.
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>

#include "kernel-translator/build_options.h"
#include "kernel-translator/footprint_finder.h"
#include "kernel-translator/footprint_text.h"
#include "kernel-translator/frontend.h"
#include "kernel-translator/memory_use.h"
#include "kernel-translator/ndrange_rewriter.h"

namespace samcl::translator {
namespace {

constexpr char kUsage[] = "usage: sam-translate FILE.cl|- [OPTIONS] [-- BUILD OPTIONS...]   (--help tells more)\n";

constexpr char kHelp[] = R"(Rewrites the kernels of an OpenCL C source so that a part of their NDRange can be launched alone, with
global_work_offset, and still sees the whole; tells which kernels may run in parts.

  --json                  print all that was found, and the source to use, as JSON
  --device-version S      CL_DEVICE_VERSION, e.g. "OpenCL 3.0 PoCL"
  --opencl-c-version S    CL_DEVICE_OPENCL_C_VERSION, e.g. "OpenCL C 1.2 PoCL"
  --extensions "A B"      CL_DEVICE_EXTENSIONS: only their macros are defined
  --address-bits 32|64    CL_DEVICE_ADDRESS_BITS
  --images                the device supports images (__IMAGE_SUPPORT__)
  --define NAME[=VALUE]   a macro the driver predefines; may be repeated
  --help, --version
  --check CASES.json      run kernels on the installed OpenCL driver and compare with their footprints
  -- BUILD OPTIONS...     those of clBuildProgram, one word each: -D N=16 -cl-std=CL1.2

Without --json it prints the source to use: the given one where nothing needs rewriting.
Exit status: 0 done, 1 the source has errors (file:line on stderr), 2 wrong usage or an unreadable file.

  sam-translate kernels.cl --json -- -DBLOCK=16 | python3 -m json.tool
)";

struct Command {
  std::string file;
  bool json = false;
  Device device;
  std::vector<std::string> build_options;  // taken apart
};

std::optional<Command> wrong_usage(const std::string& message) {
  std::cerr << "sam-translate: " << message << "\n" << kUsage;
  return std::nullopt;
}

std::optional<Command> parse(const std::vector<std::string>& words) {
  Command command;
  size_t i = 0;
  for (; i < words.size() && words[i] != "--"; ++i) {
    const std::string& word = words[i];
    if (word == "--json") {
      command.json = true;
    } else if (word == "--images") {
      command.device.images = true;
    } else if (word.size() > 1 && word[0] == '-') {
      const bool known = word == "--device-version" || word == "--opencl-c-version" ||
                         word == "--extensions" || word == "--address-bits" || word == "--define";
      if (!known) return wrong_usage("unknown option " + word);
      if (++i == words.size()) return wrong_usage(word + " needs a value");
      const std::string& value = words[i];
      if (word == "--device-version") command.device.version = value;
      if (word == "--opencl-c-version") command.device.opencl_c_version = value;
      if (word == "--define") command.device.defines.push_back(value);
      if (word == "--extensions") {
        std::istringstream names(value);
        command.device.extensions.emplace(std::istream_iterator<std::string>(names),
                                          std::istream_iterator<std::string>());
      }
      if (word == "--address-bits") {
        if (value != "32" && value != "64")
          return wrong_usage("--address-bits is " + value + ", expected 32 or 64");
        command.device.address_bits = value == "32" ? 32 : 64;
      }
    } else if (command.file.empty()) {
      command.file = word;
    } else {
      return wrong_usage("more than one file: " + command.file + " and " + word);
    }
  }
  if (command.file.empty()) return wrong_usage("no file");
  if (i < words.size()) command.build_options.assign(words.begin() + static_cast<long>(i) + 1, words.end());
  return command;
}

std::optional<std::string> read(const std::string& file) {
  if (file == "-") return std::string(std::istreambuf_iterator<char>(std::cin), {});
  std::ifstream stream(file, std::ios::binary);
  std::string text(std::istreambuf_iterator<char>(stream), {});
  if (!stream) return std::nullopt;
  return text;
}

nlohmann::json to_json(const Kernel& kernel, const footprint::Program& footprint) {
  nlohmann::json arguments = nlohmann::json::array();
  for (const Argument& argument : kernel.arguments)
    arguments.push_back({{"name", argument.name},
                         {"type_name", argument.type_name},
                         {"kind", argument.kind},
                         {"size", argument.size},
                         {"may_read", argument.may_read},
                         {"may_write", argument.may_write},
                         {"store_width", argument.store_width}});
  nlohmann::json json = {{"name", kernel.name},
                         {"arguments", arguments},
                         {"affected_builtins", kernel.affected_builtins},
                         {"needs_ndrange_argument", kernel.needs_ndrange_argument},
                         {"may_split", kernel.why_not_split.empty()},
                         {"may_slice", kernel.why_not_slice.empty()},
                         {"why_not_split", kernel.why_not_split},
                         {"why_not_slice", kernel.why_not_slice},
                         {"depends_on_local_size", kernel.depends_on_local_size},
                         {"required_work_group_size", nullptr},
                         {"footprint", footprint::to_text(footprint)},
                         {"footprint_text", describe(footprint, kernel)}};
  if (kernel.required_work_group_size) json["required_work_group_size"] = *kernel.required_work_group_size;
  return json;
}

footprint::Program footprint_in(llvm::Module& module, const Kernel& kernel) {
  llvm::Function* function = module.getFunction(kernel.name);
  if (function && !function->isDeclaration() && function->arg_size() == kernel.arguments.size())
    return find_footprint(*function, kernel);
  footprint::Program unknown;
  unknown.anything = true;
  return unknown;
}

int run(const Command& command, const std::string& source) {
  const Frontend frontend(command.device, command.build_options);
  const std::optional<Preprocessed> preprocessed = frontend.preprocess(source);
  if (!preprocessed) return 1;
  llvm::LLVMContext context;
  NdrangeRewriter rewriter(preprocessed->text, !frontend.is_before_1_2());
  const std::unique_ptr<llvm::Module> module = frontend.compile(preprocessed->text, rewriter, context);
  if (!module) return 1;
  std::vector<Kernel>& kernels = rewriter.kernels();
  if (frontend.is_cpp())
    for (Kernel& kernel : kernels) kernel.no_slice("is C++ for OpenCL");
  study_memory_use(*module, kernels);

  // Where no kernel can run in parts, the program's own source serves.
  bool rewrite = false;
  for (const Kernel& kernel : kernels)
    rewrite = rewrite || (kernel.needs_ndrange_argument && kernel.why_not_slice.empty());
  if (!rewrite)
    for (Kernel& kernel : kernels) kernel.needs_ndrange_argument = false;

  if (!command.json) {
    std::cout << (rewrite ? rewriter.rewritten() : source);
    return std::cout.flush() ? 0 : 2;
  }
  nlohmann::json json = {{"version", SAMCL_VERSION},
                         {"source", nullptr},
                         {"options", join_options(command.build_options)},
                         {"includes", preprocessed->includes},
                         {"kernels", nlohmann::json::array()}};
  if (rewrite) {
    json["source"] = rewriter.rewritten();
    json["options"] = join_options(options_after_preprocessing(command.build_options));
  }
  for (const Kernel& kernel : kernels)
    json["kernels"].push_back(to_json(kernel, footprint_in(*module, kernel)));
  try {
    std::cout << json.dump() << "\n";
  } catch (const nlohmann::json::exception&) {
    std::cerr << "sam-translate: " << command.file << " or its options are not UTF-8\n";
    return 1;
  }
  return std::cout.flush() ? 0 : 2;
}

// The check is a program of its own, so that this one needs no OpenCL.
int check(char** argv) {
  std::error_code error;
  const auto self = std::filesystem::read_symlink("/proc/self/exe", error);
  const std::string program = self.parent_path() / "sam-check-footprint";
  argv[1] = argv[0];
  execv(program.c_str(), argv + 1);
  std::cerr << "sam-translate: can't start " << program << "\n";
  return 2;
}

}  // namespace
}  // namespace samcl::translator

int main(int argc, char** argv) {
  using namespace samcl::translator;
  if (argc == 2 && argv[1] == std::string("--help")) {
    std::cout << kUsage << kHelp;
    return 0;
  }
  if (argc == 2 && argv[1] == std::string("--version")) {
    std::cout << "sam-translate " SAMCL_VERSION "\n";
    return 0;
  }
  if (argc >= 2 && argv[1] == std::string("--check")) return check(argv);
  const std::optional<Command> command = parse({argv + 1, argv + argc});
  if (!command) return 2;
  const std::optional<std::string> source = read(command->file);
  if (!source) {
    std::cerr << "sam-translate: cannot read " << command->file << "\n";
    return 2;
  }
  return run(*command, *source);
}
