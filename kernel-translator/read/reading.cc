#include "kernel-translator/read/reading.h"

namespace samcl::translator {
namespace {

Reading read_as(const Frontend& frontend, const Dialect& dialect, const GivenSource& source, llvm::LLVMContext& context,
                bool with_lines) {
  Reading reading;
  reading.dialect = dialect;
  auto preprocessed =
      frontend.preprocess(source.text, source.headers, dialect, source.macros ? &*source.macros : nullptr,
                          reading.questions, reading.diagnostics);
  if (!preprocessed || !reading.questions.empty()) return reading;
  reading.preprocessed = *std::move(preprocessed);
  FunctionReader reader(reading.preprocessed.text);
  reading.module =
      frontend.compile(reading.preprocessed.text, dialect, reader, context, with_lines, reading.diagnostics);
  reading.functions = std::move(reader.result);
  return reading;
}

}  // namespace

Reading read_source(const TargetDevice& device, const GivenSource& source, llvm::LLVMContext& context,
                    bool with_lines) {
  const Frontend frontend(device, source.options);
  const Dialect asked_for = frontend.asked_for();
  Reading reading = read_as(frontend, asked_for, source, context, with_lines);
  const std::string diagnostics = reading.diagnostics;
  while (!reading.module && reading.questions.empty()) {
    const auto dialect = frontend.more_generous(reading.dialect, reading.diagnostics);
    if (!dialect) break;
    reading = read_as(frontend, *dialect, source, context, with_lines);
  }
  reading.diagnostics = diagnostics;
  reading.static_functions = !asked_for.is_before_1_2();
  return reading;
}

}  // namespace samcl::translator
