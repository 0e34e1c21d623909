// sam-translate: rewrites the OpenCL C of one program and reports on its kernels; see README.md.
#include <pthread.h>
#include <sys/resource.h>
#include <unistd.h>

#include <charconv>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>

#include "kernel-translator/instructions/instruction_json.h"
#include "kernel-translator/kernel_study.h"
#include "kernel-translator/read/build_options.h"
#include "kernel-translator/read/reading.h"
#include "kernel-translator/rewrite/ndrange_rewriter.h"
#include "llvm/Linker/Linker.h"

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

struct Command {
  std::vector<std::string> files;
  bool json = false, sources = false, preprocess = false;
  std::string instructions;  // of which kernel
  std::map<unsigned, uint64_t> loop_bounds;
  Device device;
  bool split_printf = false;
  std::optional<int> apart_ms;
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
    } else if (word == "--sources") {
      command.sources = true;
    } else if (word == "--preprocess") {
      command.preprocess = true;
    } else if (word == "--images") {
      command.device.images = true;
    } else if (word == "--split-printf") {
      command.split_printf = true;
    } else if (word.size() > 1 && word[0] == '-') {
      const bool known = word == "--device-version" || word == "--opencl-c-version" || word == "--extensions" ||
                         word == "--address-bits" || word == "--apart" || word == "--instructions" ||
                         word == "--loop-bounds";
      if (!known) return wrong_usage("unknown option " + word);
      if (++i == words.size()) return wrong_usage(word + " needs a value");
      const std::string& value = words[i];
      if (word == "--device-version") command.device.version = value;
      if (word == "--opencl-c-version") command.device.opencl_c_version = value;
      if (word == "--instructions") command.instructions = value;
      if (word == "--loop-bounds") {
        const auto bounds = parse_loop_bounds(value);
        if (!bounds)
          return wrong_usage("--loop-bounds is " + value + ", expected LINE=ROUNDS, several with commas between them");
        command.loop_bounds = *bounds;
      }
      if (word == "--apart") {
        const auto [end, error] =
            std::from_chars(value.data(), value.data() + value.size(), command.apart_ms.emplace());
        if (error != std::errc() || *end != 0 || *command.apart_ms <= 0)
          return wrong_usage("--apart is " + value + ", expected milliseconds");
      }
      if (word == "--extensions") {
        std::istringstream names(value);
        command.device.extensions.emplace(std::istream_iterator<std::string>(names),
                                          std::istream_iterator<std::string>());
      }
      if (word == "--address-bits") {
        if (value != "32" && value != "64") return wrong_usage("--address-bits is " + value + ", expected 32 or 64");
        command.device.address_bits = value == "32" ? 32 : 64;
      }
    } else {
      command.files.push_back(word);
    }
  }
  if (command.files.empty()) return wrong_usage("no file");
  if (command.sources && command.files.size() > 1) return wrong_usage("--sources takes one file");
  if ((command.sources || command.files.size() > 1) && !command.json)
    return wrong_usage("several sources are told about with --json only");
  if (!command.loop_bounds.empty() && command.instructions.empty())
    return wrong_usage("--loop-bounds goes with --instructions");
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

// nullopt: errors, printed on stderr.
std::optional<std::vector<Reading>> read_all(const Command& command, const std::vector<GivenSource>& sources,
                                             llvm::LLVMContext& context) {
  std::vector<Reading> readings;
  for (const GivenSource& source : sources) {
    readings.push_back(read_source(command.device, source, context, !command.instructions.empty()));
    if (readings.back().module || !readings.back().questions.empty()) continue;
    std::cerr << readings.back().diagnostics;
    return std::nullopt;
  }
  return readings;
}

// Where the device's compiler has to be asked first. The options are those that may change its answers.
std::optional<int> print_questions(const std::vector<GivenSource>& sources, const std::vector<Reading>& readings) {
  bool any = false;
  std::string hopeless;
  nlohmann::json questions = nlohmann::json::array();
  for (size_t i = 0; i < sources.size(); ++i) {
    const MacroQuestions& asked = readings[i].questions;
    any = any || !asked.names.empty();
    if (!asked.hopeless.empty()) hopeless = asked.hopeless;
    questions.push_back(
        {{"names", asked.names}, {"options", join_options(options_after_preprocessing(sources[i].options))}});
  }
  if (!any && !hopeless.empty()) {
    std::cerr << "error: it uses " << hopeless << ", which the device's compiler may answer otherwise\n";
    return 1;
  }
  if (!any) return std::nullopt;
  std::cout << nlohmann::json{{"questions", questions}}.dump() << "\n";
  return std::cout.flush() ? 0 : 2;
}

// nullptr: errors, printed on stderr; LLVM ends the process for most.
std::unique_ptr<llvm::Module> link(std::vector<Reading>& readings) {
  if (readings.size() > 1)
    for (const Reading& reading : readings)
      for (llvm::Function& function : *reading.module)
        // An inline function's body serves its own source; each may have another one of that name.
        if (function.hasAvailableExternallyLinkage()) function.setLinkage(llvm::Function::InternalLinkage);
  std::unique_ptr<llvm::Module> program = std::move(readings.front().module);
  for (size_t i = 1; i < readings.size(); ++i)
    if (llvm::Linker::linkModules(*program, std::move(readings[i].module))) return nullptr;
  return program;
}

int print_json(const Command& command, const std::vector<GivenSource>& sources, const std::vector<Reading>& readings,
               const std::vector<std::optional<std::string>>& rewritten, const std::vector<nlohmann::json>& kernels) {
  nlohmann::json translated = nlohmann::json::array();
  std::map<std::string, std::string> includes;
  for (size_t i = 0; i < sources.size(); ++i) {
    nlohmann::json source = {{"source", nullptr}, {"options", join_options(sources[i].options)}};
    if (rewritten[i])
      source = {{"source", *rewritten[i]}, {"options", join_options(options_after_preprocessing(sources[i].options))}};
    source["language"] = readings[i].dialect.language;
    translated.push_back(source);
    const auto& files = readings[i].preprocessed.includes;
    includes.insert(files.begin(), files.end());
  }
  nlohmann::json json = {{"version", SAMCL_VERSION}, {"includes", includes}, {"kernels", kernels}};
  if (command.sources || sources.size() > 1)
    json["sources"] = translated;
  else
    json.update(translated[0]);
  try {
    std::cout << json.dump() << "\n";
  } catch (const nlohmann::json::exception&) {
    std::cerr << "sam-translate: " << command.files.front() << " or its options are not UTF-8\n";
    return 1;
  }
  return std::cout.flush() ? 0 : 2;
}

int run(const Command& command, const std::vector<GivenSource>& sources) {
  llvm::LLVMContext context;
  std::optional<std::vector<Reading>> readings = read_all(command, sources, context);
  if (!readings) return 1;
  if (const std::optional<int> status = print_questions(sources, *readings)) return *status;
  if (command.preprocess) {
    std::vector<std::optional<std::string>> texts;
    for (const Reading& each : *readings) texts.emplace_back(each.preprocessed.text);
    if (command.json) return print_json(command, sources, *readings, texts, {});
    std::cout << *texts[0];
    return std::cout.flush() ? 0 : 2;
  }
  std::vector<ReadSource> read;
  for (const Reading& each : *readings) read.push_back({each.preprocessed.text, each.functions, each.static_functions});
  NdrangeRewriter rewriter(read);
  if (!rewriter.error().empty()) {
    std::cerr << "error: " << rewriter.error() << "\n";
    return 1;
  }
  const std::unique_ptr<llvm::Module> module = link(*readings);
  if (!module) return 1;
  if (!command.instructions.empty())
    return print_instructions(*module, rewriter.kernels(), command.instructions, command.loop_bounds);
  std::vector<Kernel>& kernels = rewriter.kernels();
  for (const Reading& reading : *readings)
    if (reading.dialect.is_cpp())
      for (Kernel& kernel : kernels) kernel.no_slice("is C++ for OpenCL");
  std::vector<nlohmann::json> reports = command.apart_ms
                                            ? study_apart(*module, kernels, command.split_printf, *command.apart_ms)
                                            : study(*module, kernels, command.split_printf);

  // Where no kernel can run in parts, the program's own source serves.
  bool rewrite = false;
  for (const Kernel& kernel : kernels)
    rewrite = rewrite || (kernel.needs_ndrange_argument && kernel.why_not_slice.empty());
  for (size_t i = 0; i < kernels.size(); ++i)
    reports[i]["needs_ndrange_argument"] = rewrite && kernels[i].needs_ndrange_argument;
  std::vector<std::optional<std::string>> rewritten(sources.size());
  if (rewrite)
    for (size_t i = 0; i < sources.size(); ++i) rewritten[i] = rewriter.rewritten(i);

  if (command.json) return print_json(command, sources, *readings, rewritten, reports);
  std::cout << rewritten[0].value_or(sources[0].text);
  return std::cout.flush() ? 0 : 2;
}

// What the files hold; nullopt: they can't be read, as told on stderr.
std::optional<std::vector<GivenSource>> read_sources(const Command& command) {
  std::vector<GivenSource> sources;
  for (const std::string& file : command.files) {
    const std::optional<std::string> text = read(file);
    if (!text) {
      std::cerr << "sam-translate: cannot read " << file << "\n";
      return std::nullopt;
    }
    sources.push_back({*text, command.build_options, {}, {}});
  }
  if (!command.sources) return sources;
  Result<std::vector<GivenSource>> listed = parse_sources(sources[0].text);
  if (listed) return *std::move(listed);
  std::cerr << "sam-translate: " << command.files[0] << ": " << listed.error().message << "\n";
  return std::nullopt;
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

// Sources nest as deep as they like, and so do the functions that read them; a stack takes no memory that is not used.
// What is too deep even so ends the process, but leaves no core file in the program's folder, nor does it take all of
// the machine's memory.
template <typename Work>
int on_a_deep_stack(Work work) {
  constexpr size_t kStack = size_t{512} << 20;
  constexpr rlim_t kMemory = rlim_t{16} << 30;
  const rlimit no_core{0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  rlimit memory{};
  if (getrlimit(RLIMIT_AS, &memory) == 0 && memory.rlim_cur > kMemory) {
    memory.rlim_cur = kMemory;
    setrlimit(RLIMIT_AS, &memory);
  }
  struct Call {
    Work& work;
    int status;
  } call{work, 2};
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, kStack);
  pthread_t thread;
  const auto begin = [](void* given) -> void* {
    auto* its = static_cast<Call*>(given);
    its->status = its->work();
    return nullptr;
  };
  if (pthread_create(&thread, &attributes, begin, &call) == 0)
    pthread_join(thread, nullptr);
  else
    call.status = work();
  pthread_attr_destroy(&attributes);
  return call.status;
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
  const std::optional<std::vector<GivenSource>> sources = read_sources(*command);
  if (!sources) return 2;
  return on_a_deep_stack([&] { return run(*command, *sources); });
}
