// One source, read in the least generous dialect that takes it.
#pragma once

#include <memory>
#include <string>

#include "kernel-translator/read/frontend.h"
#include "kernel-translator/read/given_sources.h"
#include "kernel-translator/read/source_functions.h"

namespace samcl::translator {

struct Reading {
  Dialect dialect;
  Preprocessed preprocessed;
  SourceFunctions functions;
  std::unique_ptr<llvm::Module> module;  // null: the source has errors
  std::string diagnostics;               // of the dialect that was asked for
  bool static_functions = false;         // the language that was asked for has them
  MacroQuestions questions;              // if there are any, nothing else is known
};

// The context must outlive the module. `with_lines`: the module tells the source's lines.
Reading read_source(const TargetDevice& device, const GivenSource& source, llvm::LLVMContext& context, bool with_lines);

}  // namespace samcl::translator
