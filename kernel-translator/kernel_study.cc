#include "kernel-translator/kernel_study.h"

#include <errno.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <optional>
#include <string>

#include "base/json_text.h"
#include "contract/translation_json.h"
#include "kernel-translator/footprint/footprint_finder.h"
#include "kernel-translator/footprint/footprint_text.h"
#include "kernel-translator/judge/gathered_launches.h"
#include "kernel-translator/judge/memory_use.h"

namespace samcl::translator {
namespace {

using Json = nlohmann::json;

Json report_of(const KernelFacts& kernel, const footprint::SymbolicFootprint& footprint) {
  KernelTranslation found = kernel.judged();
  found.footprint = footprint::to_text(footprint);
  Json report = found;
  report["footprint_text"] = describe(footprint, kernel);
  return report;
}

footprint::SymbolicFootprint anything() {
  footprint::SymbolicFootprint unknown;
  unknown.anything = true;
  return unknown;
}

footprint::SymbolicFootprint footprint_in(llvm::Module& program, const KernelFacts& kernel) {
  llvm::Function* function = program.getFunction(kernel.name);
  if (!function || function->isDeclaration() || function->arg_size() != kernel.arguments.size()) return anything();
  return find_footprint(*function, kernel);
}

bool gathers_launches(const llvm::Module& program, const KernelFacts& kernel,
                      const footprint::SymbolicFootprint& footprint) {
  if (!kernel.why_not_slice.empty() || kernel.depends_on_addresses || footprint.anything) return false;
  return may_gather(*program.getFunction(kernel.name));
}

// For tests of what happens then: the study of a kernel of this name never ends, or ends the process.
void misbehave_if_asked(const std::string& kernel) {
  const char* wish = getenv("SAM_TRANSLATE_FAILS_ON");
  if (!wish) return;
  if (wish == "crash:" + kernel) abort();
  while (wish == "hang:" + kernel) pause();
}

// In a process of its own, which `most_ms` ends; nullopt: it died.
std::optional<Json> studied_alone(llvm::Module& program, const KernelFacts& kernel, bool split_printf, int most_ms) {
  int ends[2];
  if (pipe(ends) != 0) return std::nullopt;
  const pid_t child = fork();
  if (child == 0) {
    close(ends[0]);
    itimerval limit{};
    limit.it_value = {most_ms / 1000, (most_ms % 1000) * 1000 + 1};
    setitimer(ITIMER_REAL, &limit, nullptr);
    std::vector<KernelFacts> one = {kernel};
    const std::string report = json_text(study(program, one, split_printf)[0]);
    size_t written = 0;
    while (written < report.size()) {
      const ssize_t count = ::write(ends[1], report.data() + written, report.size() - written);
      if (count < 0 && errno != EINTR) _exit(1);
      if (count > 0) written += static_cast<size_t>(count);
    }
    _exit(0);
  }
  close(ends[1]);
  std::string report;
  char block[65536];
  for (ssize_t got; child > 0 && ((got = ::read(ends[0], block, sizeof block)) > 0 || (got < 0 && errno == EINTR));)
    if (got > 0) report.append(block, static_cast<size_t>(got));
  close(ends[0]);
  int status = -1;
  while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (status != 0) return std::nullopt;
  return read_json(report);
}

}  // namespace

std::vector<Json> study(llvm::Module& program, std::vector<KernelFacts>& kernels, bool split_printf) {
  for (const KernelFacts& kernel : kernels) misbehave_if_asked(kernel.name);
  study_memory_use(program, kernels, split_printf);
  std::vector<Json> reports;
  for (KernelFacts& kernel : kernels) {
    const footprint::SymbolicFootprint footprint = footprint_in(program, kernel);
    if (!gathers_launches(program, kernel, footprint)) kernel.gathers_by.clear();
    reports.push_back(report_of(kernel, footprint));
  }
  return reports;
}

std::vector<Json> study_apart(llvm::Module& program, std::vector<KernelFacts>& kernels, bool split_printf,
                              int most_ms) {
  using Clock = std::chrono::steady_clock;
  const auto end = Clock::now() + std::chrono::milliseconds(most_ms);
  std::vector<Json> reports;
  for (KernelFacts& kernel : kernels) {
    // Half of what is left: there is always some for the next.
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now()).count() / 2;
    auto report = left > 0 ? studied_alone(program, kernel, split_printf, static_cast<int>(left)) : std::nullopt;
    if (report) {
      kernel.why_not_slice = report->at("why_not_slice").get<std::string>();
      report->at("gathers_by").get_to(kernel.gathers_by);
    } else {
      kernel.no_slice("the translator fails on it");
      assume_all_accesses(kernel);
      kernel.depends_on_addresses = true;
      kernel.gathers_by.clear();
      report = report_of(kernel, anything());
    }
    reports.push_back(*std::move(report));
  }
  return reports;
}

}  // namespace samcl::translator
