// sam-translate: rewrites the OpenCL C of one program and reports on its kernels; see README.md.
#include <pthread.h>
#include <sys/resource.h>
#include <unistd.h>

#include <filesystem>
#include <iostream>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/executable.h"
#include "base/files.h"
#include "base/json_text.h"
#include "kernel-translator/command_line.h"
#include "kernel-translator/instructions/instruction_json.h"
#include "kernel-translator/kernel_study.h"
#include "kernel-translator/read/build_options.h"
#include "kernel-translator/read/reading.h"
#include "kernel-translator/rewrite/gathering.h"
#include "kernel-translator/rewrite/ndrange_rewriter.h"
#include "llvm/Linker/Linker.h"

namespace samcl::translator {
namespace {

std::optional<std::string> read(const std::string& file) {
  if (file == "-") return std::string(std::istreambuf_iterator<char>(std::cin), {});
  auto text = read_file(file);
  if (!text) return std::nullopt;
  return *std::move(text);
}

// nullopt: errors, printed on stderr.
std::optional<std::vector<Reading>> read_all(const CommandLine& command, const std::vector<GivenSource>& sources,
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
  std::cout << json_text(nlohmann::json{{"questions", questions}}) << "\n";
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

// gathered: of each source; empty: there are none.
int print_json(const CommandLine& command, const std::vector<GivenSource>& sources,
               const std::vector<Reading>& readings, const std::vector<std::optional<std::string>>& rewritten,
               const std::vector<std::string>& gathered, const std::vector<nlohmann::json>& kernels) {
  nlohmann::json translated = nlohmann::json::array();
  std::map<std::string, std::string> includes;
  for (size_t i = 0; i < sources.size(); ++i) {
    nlohmann::json source = {{"source", nullptr}, {"options", join_options(sources[i].options)}};
    if (rewritten[i])
      source = {{"source", *rewritten[i]}, {"options", join_options(options_after_preprocessing(sources[i].options))}};
    source["language"] = readings[i].dialect.language;
    source["gathered"] = gathered.empty() ? nlohmann::json() : nlohmann::json(gathered[i]);
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
    std::cout << json_text(json) << "\n";
  } catch (const nlohmann::json::exception&) {
    std::cerr << "sam-translate: " << command.files.front() << " or its options are not UTF-8\n";
    return 1;
  }
  return std::cout.flush() ? 0 : 2;
}

int run(const CommandLine& command, const std::vector<GivenSource>& sources) {
  llvm::LLVMContext context;
  std::optional<std::vector<Reading>> readings = read_all(command, sources, context);
  if (!readings) return 1;
  if (const std::optional<int> status = print_questions(sources, *readings)) return *status;
  if (command.preprocess) {
    std::vector<std::optional<std::string>> texts;
    for (const Reading& each : *readings) texts.emplace_back(each.preprocessed.text);
    if (command.json) return print_json(command, sources, *readings, texts, {}, {});
    std::cout << *texts[0];
    return std::cout.flush() ? 0 : 2;
  }
  std::vector<ReadSource> read;
  for (size_t i = 0; i < sources.size(); ++i) {
    const Reading& each = (*readings)[i];
    read.push_back({each.preprocessed.text, each.functions, each.static_functions, macros_named(sources[i].options)});
  }
  const LinkedFunctions program(read);
  if (!program.error().empty()) {
    std::cerr << "error: " << program.error() << "\n";
    return 1;
  }
  NdrangeRewriter rewriter(program);
  const std::unique_ptr<llvm::Module> module = link(*readings);
  if (!module) return 1;
  if (!command.instructions.empty())
    return print_instructions(*module, rewriter.kernels(), command.instructions, command.loop_bounds);
  std::vector<KernelFacts>& kernels = rewriter.kernels();
  for (const Reading& reading : *readings)
    if (reading.dialect.is_cpp())
      for (KernelFacts& kernel : kernels) kernel.no_slice("is C++ for OpenCL");
  const Gathering gathering(program);
  gathering.find_gatherable(kernels);
  std::vector<nlohmann::json> reports = command.apart_ms
                                            ? study_apart(*module, kernels, command.split_printf, *command.apart_ms)
                                            : study(*module, kernels, command.split_printf);

  // Where no kernel can run in parts, the program's own source serves.
  bool rewrite = false;
  for (const KernelFacts& kernel : kernels)
    rewrite = rewrite || (kernel.needs_ndrange_argument && kernel.why_not_slice.empty());
  for (size_t i = 0; i < kernels.size(); ++i)
    reports[i]["needs_ndrange_argument"] = rewrite && kernels[i].needs_ndrange_argument;
  std::vector<std::optional<std::string>> rewritten(sources.size());
  if (rewrite)
    for (size_t i = 0; i < sources.size(); ++i) rewritten[i] = rewriter.rewritten(i);

  const std::vector<std::string> gathered = gathering.variants(kernels);
  if (gathered.empty())
    for (nlohmann::json& report : reports) report["gathers_by"] = nlohmann::json::array();

  if (command.json) return print_json(command, sources, *readings, rewritten, gathered, reports);
  std::cout << rewritten[0].value_or(sources[0].text);
  return std::cout.flush() ? 0 : 2;
}

// What the files hold; nullopt: they can't be read, as told on stderr.
std::optional<std::vector<GivenSource>> read_sources(const CommandLine& command) {
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
  const std::string program = own_folder() / "sam-check-footprint";
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
  const rlimit no_core{0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
#ifndef __SANITIZE_ADDRESS__  // which takes addresses by the terabyte
  constexpr rlim_t kMemory = rlim_t{16} << 30;
  rlimit memory{};
  if (getrlimit(RLIMIT_AS, &memory) == 0 && memory.rlim_cur > kMemory) {
    memory.rlim_cur = kMemory;
    setrlimit(RLIMIT_AS, &memory);
  }
#endif
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
    std::cout << help();
    return 0;
  }
  if (argc == 2 && argv[1] == std::string("--version")) {
    std::cout << "sam-translate " SAMCL_VERSION "\n";
    return 0;
  }
  if (argc >= 2 && argv[1] == std::string("--check")) return check(argv);
  const samcl::Result<CommandLine> command = parse_command({argv + 1, argv + argc});
  if (!command) {
    std::cerr << "sam-translate: " << command.error().message << "\n" << usage();
    return 2;
  }
  const std::optional<std::vector<GivenSource>> sources = read_sources(*command);
  if (!sources) return 2;
  return on_a_deep_stack([&] { return run(*command, *sources); });
}
