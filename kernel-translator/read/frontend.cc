#include "kernel-translator/read/frontend.h"

#include <algorithm>

#include "clang/AST/ASTConsumer.h"
#include "clang/AST/ASTContext.h"
#include "clang/Basic/SourceManager.h"
#include "clang/CodeGen/ModuleBuilder.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/FrontendAction.h"
#include "clang/Frontend/MultiplexConsumer.h"
#include "clang/Frontend/PreprocessorOutputOptions.h"
#include "clang/Frontend/TextDiagnosticPrinter.h"
#include "clang/Frontend/Utils.h"
#include "clang/Lex/Preprocessor.h"
#include "clang/Lex/PreprocessorOptions.h"
#include "clang/Tooling/Tooling.h"
#include "kernel-translator/client/file_stamp.h"
#include "kernel-translator/read/build_options.h"
#include "kernel-translator/read/expanded_pragmas.h"
#include "kernel-translator/read/header_macros.h"
#include "kernel-translator/read/header_places.h"
#include "kernel-translator/read/literal_precision.h"
#include "kernel-translator/read/vendor_builtins.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/VirtualFileSystem.h"
#include "llvm/Support/raw_ostream.h"

extern const char* const kOpenClHeader;

namespace samcl::translator {
namespace {

constexpr char kOurFolder[] = "/samcl-built-in/";
constexpr char kHeaderPath[] = "/samcl-built-in/opencl-c-base.h";
constexpr char kMacrosPath[] = "/samcl-built-in/macros.h";
constexpr char kAnswersPath[] = "/samcl-built-in/answers.h";
constexpr char kVendorsPath[] = "/samcl-built-in/vendors.h";
constexpr char kSourceName[] = "program.cl";
// As drivers have it: given headers lie in a folder of their own, where their names are looked for first.
constexpr char kHeaderFolder[] = "/samcl-given-headers/";

// "3.0" out of "OpenCL C 3.0 vendor's words" or "OpenCL 3.0 ..."; empty if there is none.
std::string version_number(const std::string& words) {
  for (size_t i = 0; i + 2 < words.size(); ++i)
    if (isdigit(words[i]) && words[i + 1] == '.' && isdigit(words[i + 2])) return words.substr(i, 3);
  return "";
}

// Line directives name no files: the program's own source has none, and drivers print what they are given. Of
// several in a row the last one counts.
std::string without_file_names(const std::string& text) {
  std::string result;
  size_t before_directives = 0;
  for (size_t at = 0; at < text.size();) {
    size_t end = text.find('\n', at);
    end = end == std::string::npos ? text.size() : end + 1;
    std::string line = text.substr(at, end - at);
    if (line.compare(0, 6, "#line ") == 0) {
      line = line.substr(0, line.find(' ', 6)) + "\n";
      result.resize(before_directives);
      result += line;
    } else {
      result += line;
      before_directives = result.size();
    }
    at = end;
  }
  return result;
}

using Files = llvm::IntrusiveRefCntPtr<llvm::vfs::InMemoryFileSystem>;

Files no_files() { return llvm::makeIntrusiveRefCnt<llvm::vfs::InMemoryFileSystem>(); }

// The files outside, and what was looked for among them.
class WatchedFiles : public llvm::vfs::ProxyFileSystem {
 public:
  WatchedFiles() : ProxyFileSystem(llvm::vfs::getRealFileSystem()) {}

  llvm::ErrorOr<llvm::vfs::Status> status(const llvm::Twine& path) override {
    seen_.try_emplace(path.str());
    return ProxyFileSystem::status(path);
  }
  llvm::ErrorOr<std::unique_ptr<llvm::vfs::File>> openFileForRead(const llvm::Twine& path) override {
    std::string& stamp = seen_[path.str()];
    auto file = ProxyFileSystem::openFileForRead(path);
    if (!file) return file;
    return std::unique_ptr<llvm::vfs::File>(std::make_unique<WatchedFile>(std::move(*file), stamp));
  }

  // What was looked for so far is where to search, and counts only if something is.
  void search_begins() { before_search_ = seen_.size(); }

  // By path. Folders that are there say nothing: what was looked for in them does.
  std::map<std::string, std::string> stamps() const {
    std::map<std::string, std::string> all;
    if (seen_.size() == before_search_) return all;
    for (const auto& [path, stamp] : seen_) {
      if (path.starts_with(kOurFolder) || path.starts_with(kHeaderFolder)) continue;
      const std::string now = stamp.empty() ? stamp_of_path(path) : stamp;
      if (now != "folder") all[path] = now;
    }
    return all;
  }

 private:
  // Stamps just what is read of it.
  class WatchedFile : public llvm::vfs::File {
   public:
    WatchedFile(std::unique_ptr<llvm::vfs::File> file, std::string& stamp) : file_(std::move(file)), stamp_(stamp) {}
    llvm::ErrorOr<llvm::vfs::Status> status() override { return file_->status(); }
    llvm::ErrorOr<std::string> getName() override { return file_->getName(); }
    llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>> getBuffer(const llvm::Twine& name, int64_t size,
                                                                 bool needs_terminator, bool is_volatile) override {
      auto buffer = file_->getBuffer(name, size, needs_terminator, is_volatile);
      if (buffer) stamp_ = stamp_of_bytes((*buffer)->getBuffer());
      return buffer;
    }
    std::error_code close() override { return file_->close(); }

   private:
    const std::unique_ptr<llvm::vfs::File> file_;
    std::string& stamp_;
  };

  std::map<std::string, std::string> seen_;  // stamps by path; empty: not read
  size_t before_search_ = 0;
};

// Reads text under the name of a file that does not exist: what it includes is looked for as if it lay there.
template <typename Action>
class ActionOnText : public Action {
 protected:
  ActionOnText(const std::string& text, const std::string& name)
      : text_(llvm::MemoryBuffer::getMemBuffer(text, name)) {}

  bool PrepareToExecuteAction(clang::CompilerInstance& clang) override {
    clang::FrontendInputFile& input = clang.getFrontendOpts().Inputs.front();
    input = clang::FrontendInputFile(text_->getMemBufferRef(), input.getKind());
    return true;
  }

 private:
  const std::unique_ptr<llvm::MemoryBuffer> text_;
};

class PreprocessAction : public ActionOnText<clang::PreprocessorFrontendAction> {
 public:
  // options: as refuse_headers_of_two_places().
  PreprocessAction(const std::string& source, const std::string& name, std::string& text, WatchedFiles& files,
                   const std::vector<std::string>& options, const MacroGround& ground, MacroQuestions* questions)
      : ActionOnText(source, name),
        text_(text),
        files_(files),
        options_(options),
        ground_(ground),
        questions_(questions) {}

 protected:
  void ExecuteAction() override {
    clang::PreprocessorOutputOptions options;
    options.ShowCPP = 1;
    options.UseLineDirectives = 1;
    clang::Preprocessor& preprocessor = getCompilerInstance().getPreprocessor();
    files_.search_begins();
    if (questions_) collect_questions(preprocessor, ground_, *questions_);
    refuse_headers_of_two_places(preprocessor, options_);
    ExpandedPragmas pragmas;
    pragmas.watch(preprocessor);
    std::string text;
    llvm::raw_string_ostream stream(text);
    clang::DoPrintPreprocessedInput(preprocessor, &stream, options);
    text_ = without_file_names(pragmas.put_back(text));
  }

 private:
  std::string& text_;
  WatchedFiles& files_;
  const std::vector<std::string>& options_;
  const MacroGround& ground_;
  MacroQuestions* const questions_;
};

class TreeConsumer : public clang::ASTConsumer {
 public:
  TreeConsumer(TreeReader& reader, bool lenient) : reader_(reader), lenient_(lenient) {}
  void HandleTranslationUnit(clang::ASTContext& tree) override {
    clang::DiagnosticsEngine& diagnostics = tree.getDiagnostics();
    if (lenient_ && !diagnostics.hasErrorOccurred() && depends_on_literal_precision(tree))
      diagnostics.Report(diagnostics.getCustomDiagID(clang::DiagnosticsEngine::Error,
                                                     "an integer depends on the precision of a literal"));
    if (!diagnostics.hasErrorOccurred()) reader_.read(tree);
  }

 private:
  TreeReader& reader_;
  const bool lenient_;
};

class CompileAction : public ActionOnText<clang::ASTFrontendAction> {
 public:
  CompileAction(const std::string& text, TreeReader& reader, bool lenient, llvm::LLVMContext& context,
                std::unique_ptr<llvm::Module>& module)
      : ActionOnText(text, kSourceName), reader_(reader), lenient_(lenient), context_(context), module_(module) {}

 protected:
  std::unique_ptr<clang::ASTConsumer> CreateASTConsumer(clang::CompilerInstance& clang, llvm::StringRef) override {
    std::unique_ptr<clang::CodeGenerator> generator(clang::CreateLLVMCodeGen(
        clang.getDiagnostics(), kSourceName, &clang.getVirtualFileSystem(), clang.getHeaderSearchOpts(),
        clang.getPreprocessorOpts(), clang.getCodeGenOpts(), context_));
    generator_ = generator.get();
    std::vector<std::unique_ptr<clang::ASTConsumer>> consumers;
    consumers.push_back(std::make_unique<TreeConsumer>(reader_, lenient_));
    consumers.push_back(std::move(generator));
    return std::make_unique<clang::MultiplexConsumer>(std::move(consumers));
  }
  void EndSourceFileAction() override {
    if (generator_) module_.reset(generator_->ReleaseModule());
  }

 private:
  TreeReader& reader_;
  const bool lenient_;
  llvm::LLVMContext& context_;
  std::unique_ptr<llvm::Module>& module_;
  clang::CodeGenerator* generator_ = nullptr;
};

using OtherFiles = llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem>;

// Runs the action with the files in memory before the others; false on errors. `questions`: where names that #if does
// not know are to go; may be null.
bool run(std::unique_ptr<clang::FrontendAction> action, const Files& memory, const OtherFiles& others,
         const std::vector<std::string>& arguments, MacroQuestions* questions, std::string& diagnostics) {
  // Clang's own words, not its driver's: that would look for compilers and headers on this machine.
  std::vector<std::string> command = {"sam-translate", "-cc1", "-fno-caret-diagnostics"};
  command.insert(command.end(), arguments.begin(), arguments.end());
  command.emplace_back(kSourceName);

  auto all_files = llvm::makeIntrusiveRefCnt<llvm::vfs::OverlayFileSystem>(others);
  all_files->pushOverlay(memory);
  const auto files = llvm::makeIntrusiveRefCnt<clang::FileManager>(clang::FileSystemOptions(), all_files);

  const auto options = llvm::makeIntrusiveRefCnt<clang::DiagnosticOptions>();
  options->ShowPresumedLoc = 1;  // lines of the program's own text, by its #line marks
  llvm::raw_string_ostream stream(diagnostics);
  std::unique_ptr<clang::DiagnosticConsumer> printer =
      std::make_unique<clang::TextDiagnosticPrinter>(stream, options.get());
  if (questions) printer = question_diagnostics(std::move(printer), kOurFolder, *questions);

  clang::tooling::ToolInvocation invocation(std::move(command), std::move(action), files.get());
  invocation.setDiagnosticConsumer(printer.get());
  invocation.setDiagnosticOptions(options.get());
  return invocation.run();
}

}  // namespace

Frontend::Frontend(TargetDevice device, std::vector<std::string> options)
    : device_(std::move(device)), options_(std::move(options)) {}

Dialect Frontend::asked_for() const {
  Dialect dialect;
  dialect.language = language_version(options_);
  if (!dialect.language.empty()) return dialect;
  // Without -cl-std a program is OpenCL C 1.x, the highest that the device has.
  const std::string version = version_number(device_.opencl_c_version);
  dialect.language = version == "1.0" || version == "1.1" ? "CL" + version : "CL1.2";
  if (dialect.language == "CL1.0") dialect.language = "CL";
  return dialect;
}

std::optional<Dialect> Frontend::more_generous(const Dialect& tried, const std::string& errors) const {
  if (tried.is_cpp()) return std::nullopt;
  Dialect next = tried;
  for (const std::string& prefix : vendors_with_builtins())
    if (errors.find("'" + prefix) != std::string::npos &&
        std::find(tried.declared.begin(), tried.declared.end(), prefix) == tried.declared.end())
      next.declared.push_back(prefix);
  next.lenient = true;
  if (!tried.lenient || next.declared != tried.declared) return next;
  if (!language_version(options_).empty() || tried.language == "CL2.0") return std::nullopt;
  next.language = "CL2.0";
  return next;
}

std::vector<std::string> Frontend::common_arguments(const Dialect& dialect, const std::string& language) const {
  std::vector<std::string> arguments = {
      "-triple", device_.address_bits == 32 ? "spir-unknown-unknown" : "spir64-unknown-unknown", "-x",
      dialect.is_cpp() ? "clcpp" : "cl", "-cl-std=" + language, "-fdeclare-opencl-builtins", "-ferror-limit", "50",
      // Errors of newer Clang that the compilers inside drivers pass as warnings.
      "-Wno-error=implicit-int", "-Wno-error=int-conversion", "-Wno-error=incompatible-pointer-types",
      // Functions that are only `inline` are emitted too, so that nothing is hidden from the study of IR; ways out
      // of a scope are plain branches.
      "-O1", "-disable-llvm-passes", "-disable-lifetime-markers", "-discard-value-names"};
  if (dialect.lenient) arguments.insert(arguments.end(), {"-fgnu-keywords", "-cl-single-precision-constant"});
  for (const std::string& option : options_for_clang(options_))
    if (option.compare(0, 4, "-cl-") == 0) arguments.push_back(option);
  return arguments;
}

std::optional<Preprocessed> Frontend::preprocess(const std::string& source, const Headers& headers,
                                                 const Dialect& dialect, const MacroAnswers* answers,
                                                 MacroQuestions& questions, std::string& diagnostics) const {
  std::vector<std::string> arguments = common_arguments(dialect, dialect.language);
  for (const char* name : {"__SPIR__", "__SPIR64__", "__SPIR32__", "__IMAGE_SUPPORT__"})
    arguments.push_back(std::string("-U") + name);
  if (device_.images) arguments.push_back("-D__IMAGE_SUPPORT__=1");
  if (const std::string version = version_number(device_.version); !version.empty())
    arguments.push_back(std::string("-D__OPENCL_VERSION__=") + version[0] + version[2] + "0");
  if (device_.extensions) {
    std::string list = "-cl-ext=-all";
    for (const std::string& extension : *device_.extensions) {
      list += ",+" + extension;
      if (extension == "cl_khr_fp64") list += ",+__opencl_c_fp64";
      if (extension == "cl_khr_3d_image_writes") list += ",+__opencl_c_3d_image_writes,+__opencl_c_images";
      arguments.push_back("-U" + extension);
      arguments.push_back("-D" + extension + "=1");
    }
    arguments.push_back(list);
  }
  const Files memory = no_files();
  std::string folder;
  if (!headers.empty()) {
    folder = kHeaderFolder;
    arguments.push_back("-I" + folder);
    for (const auto& [name, text] : headers)
      memory->addFile(folder + name, 0, llvm::MemoryBuffer::getMemBufferCopy(text));
  }
  arguments.emplace_back("-I.");  // where drivers do not look, what is only there does not build
  std::vector<std::string> given;
  for (const std::string& option : options_for_clang(options_))
    if (option.compare(0, 4, "-cl-") != 0) given.push_back(option);
  arguments.insert(arguments.end(), given.begin(), given.end());

  const MacroGround ground{kOurFolder, kAnswersPath, names_by_options(given)};
  memory->addFile(kMacrosPath, 0, llvm::MemoryBuffer::getMemBufferCopy(header_macros() + directives_for_places()));
  arguments.insert(arguments.end(), {"-include", kMacrosPath});
  if (answers) {
    memory->addFile(kAnswersPath, 0, llvm::MemoryBuffer::getMemBufferCopy(directives_of(*answers, ground.by_options)));
    arguments.insert(arguments.end(), {"-include", kAnswersPath});
  }
  // Clang has no headers of its own here, and would look for them in the folder "include".
  arguments.emplace_back("-nobuiltininc");
  arguments.emplace_back(answers ? "-Wundef" : "-w");
  Preprocessed result;
  MacroQuestions all;
  const auto others = llvm::makeIntrusiveRefCnt<WatchedFiles>();
  MacroQuestions* const asked = answers ? &all : nullptr;
  auto action =
      std::make_unique<PreprocessAction>(source, folder + kSourceName, result.text, *others, given, ground, asked);
  const bool succeeded = run(std::move(action), memory, others, arguments, asked, diagnostics);
  if (answers) {
    questions.hopeless = all.hopeless;
    for (const std::string& name : all.names)
      if (!answers->count(name) && !ground.by_options.count(name)) questions.names.insert(name);
  }
  if (!succeeded) return std::nullopt;
  result.includes = others->stamps();
  return result;
}

std::unique_ptr<llvm::Module> Frontend::compile(const std::string& text, const Dialect& dialect, TreeReader& reader,
                                                llvm::LLVMContext& context, bool with_lines,
                                                std::string& diagnostics) const {
  // Drivers take 1.2's language in older sources, too.
  std::vector<std::string> arguments = common_arguments(dialect, dialect.is_before_1_2() ? "CL1.2" : dialect.language);
  arguments.insert(arguments.end(), {"-w", "-include", kHeaderPath});
  if (with_lines) arguments.emplace_back("-debug-info-kind=line-tables-only");
  const Files memory = no_files();
  memory->addFile(kHeaderPath, 0, llvm::MemoryBuffer::getMemBuffer(kOpenClHeader));
  if (!dialect.declared.empty()) {
    std::string vendors;
    for (const std::string& prefix : dialect.declared) vendors += builtins_of_vendor(prefix);
    memory->addFile(kVendorsPath, 0, llvm::MemoryBuffer::getMemBufferCopy(vendors));
    arguments.insert(arguments.end(), {"-include", kVendorsPath});
  }
  std::unique_ptr<llvm::Module> module;
  auto action = std::make_unique<CompileAction>(text, reader, dialect.lenient, context, module);
  if (!run(std::move(action), memory, llvm::vfs::getRealFileSystem(), arguments, nullptr, diagnostics)) return nullptr;
  if (module && dialect.lenient) hide_conversions_of_floats(*module);
  return module;
}

}  // namespace samcl::translator
