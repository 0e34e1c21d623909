#include "kernel-translator/read/header_places.h"

#include <memory>
#include <utility>

#include "clang/Basic/FileManager.h"
#include "clang/Lex/PPCallbacks.h"
#include "clang/Lex/Preprocessor.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

namespace samcl::translator {
namespace {

class Refusing : public clang::PPCallbacks {
 public:
  Refusing(clang::Preprocessor& preprocessor, std::vector<std::string> folders)
      : preprocessor_(preprocessor),
        folders_(std::move(folders)),
        error_(
            preprocessor.getDiagnostics().getCustomDiagID(clang::DiagnosticsEngine::Error,
                                                          "'%0' is in the program's folder and, with other contents, "
                                                          "in '%1': drivers differ in which one they take")) {}

  void InclusionDirective(clang::SourceLocation place, const clang::Token&, llvm::StringRef name, bool,
                          clang::CharSourceRange, clang::OptionalFileEntryRef file, llvm::StringRef found_in,
                          llvm::StringRef, const clang::Module*, bool, clang::SrcMgr::CharacteristicKind) override {
    if (!file || found_in != ".") return;
    for (const std::string& folder : folders_) {
      llvm::SmallString<256> path(folder);
      llvm::sys::path::append(path, name);
      const auto other = preprocessor_.getFileManager().getOptionalFileRef(path);
      if (!other || is_same(*file, *other)) continue;
      preprocessor_.getDiagnostics().Report(place, error_) << name << folder;
      return;
    }
  }

 private:
  bool is_same(clang::FileEntryRef one, clang::FileEntryRef other) const {
    if (&one.getFileEntry() == &other.getFileEntry()) return true;
    const auto one_text = preprocessor_.getFileManager().getBufferForFile(one);
    const auto other_text = preprocessor_.getFileManager().getBufferForFile(other);
    return one_text && other_text && (*one_text)->getBuffer() == (*other_text)->getBuffer();
  }

  clang::Preprocessor& preprocessor_;
  const std::vector<std::string> folders_;
  const unsigned error_;
};

}  // namespace

void refuse_headers_of_two_places(clang::Preprocessor& preprocessor, const std::vector<std::string>& options) {
  std::vector<std::string> folders;
  for (const std::string& option : options)
    if (option.starts_with("-I")) folders.push_back(option.substr(2));
  preprocessor.addPPCallbacks(std::make_unique<Refusing>(preprocessor, std::move(folders)));
}

}  // namespace samcl::translator
