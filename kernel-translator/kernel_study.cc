#include "kernel-translator/kernel_study.h"

#include <errno.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <optional>
#include <string>

#include "kernel-translator/footprint/footprint_finder.h"
#include "kernel-translator/footprint/footprint_text.h"
#include "kernel-translator/judge/memory_use.h"

namespace samcl::translator {
namespace {

using Json = nlohmann::json;

Json to_json(const Kernel& kernel, const footprint::Program& footprint) {
  Json arguments = Json::array();
  for (const Argument& argument : kernel.arguments)
    arguments.push_back({{"name", argument.name},
                         {"type_name", argument.type_name},
                         {"kind", argument.kind},
                         {"size", argument.size},
                         {"may_read", argument.may_read},
                         {"may_write", argument.may_write},
                         {"store_width", argument.store_width},
                         {"accumulates", argument.accumulates}});
  Json json = {{"name", kernel.name},
               {"arguments", arguments},
               {"affected_builtins", kernel.affected_builtins},
               {"needs_ndrange_argument", kernel.needs_ndrange_argument},
               {"may_split", kernel.why_not_split.empty()},
               {"may_slice", kernel.why_not_slice.empty()},
               {"splits_in_one_memory", kernel.splits_in_one_memory},
               {"may_split_disjoint", kernel.may_split_disjoint},
               {"why_not_split", kernel.why_not_split},
               {"why_not_slice", kernel.why_not_slice},
               {"depends_on_local_size", kernel.depends_on_local_size},
               {"depends_on_addresses", kernel.depends_on_addresses},
               {"required_work_group_size", nullptr},
               {"footprint", footprint::to_text(footprint)},
               {"footprint_text", describe(footprint, kernel)}};
  if (kernel.required_work_group_size) json["required_work_group_size"] = *kernel.required_work_group_size;
  return json;
}

footprint::Program anything() {
  footprint::Program unknown;
  unknown.anything = true;
  return unknown;
}

footprint::Program footprint_in(llvm::Module& program, const Kernel& kernel) {
  llvm::Function* function = program.getFunction(kernel.name);
  if (function && !function->isDeclaration() && function->arg_size() == kernel.arguments.size())
    return find_footprint(*function, kernel);
  return anything();
}

// For tests of what happens then: the study of a kernel of this name never ends, or ends the process.
void misbehave_if_asked(const std::string& kernel) {
  const char* wish = getenv("SAM_TRANSLATE_FAILS_ON");
  if (!wish) return;
  if (wish == "crash:" + kernel) abort();
  while (wish == "hang:" + kernel) pause();
}

// In a process of its own, which `most_ms` ends; nullopt: it died.
std::optional<Json> studied_alone(llvm::Module& program, const Kernel& kernel, bool split_printf, int most_ms) {
  int ends[2];
  if (pipe(ends) != 0) return std::nullopt;
  const pid_t child = fork();
  if (child == 0) {
    close(ends[0]);
    itimerval limit{};
    limit.it_value = {most_ms / 1000, (most_ms % 1000) * 1000 + 1};
    setitimer(ITIMER_REAL, &limit, nullptr);
    std::vector<Kernel> one = {kernel};
    const std::string report = study(program, one, split_printf)[0].dump();
    size_t written = 0;
    while (written < report.size()) {
      const ssize_t count = write(ends[1], report.data() + written, report.size() - written);
      if (count < 0 && errno != EINTR) _exit(1);
      if (count > 0) written += static_cast<size_t>(count);
    }
    _exit(0);
  }
  close(ends[1]);
  std::string report;
  char block[65536];
  for (ssize_t got; child > 0 && ((got = read(ends[0], block, sizeof block)) > 0 || (got < 0 && errno == EINTR));)
    if (got > 0) report.append(block, static_cast<size_t>(got));
  close(ends[0]);
  int status = -1;
  while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (status != 0) return std::nullopt;
  return Json::parse(report);
}

}  // namespace

std::vector<Json> study(llvm::Module& program, std::vector<Kernel>& kernels, bool split_printf) {
  for (const Kernel& kernel : kernels) misbehave_if_asked(kernel.name);
  study_memory_use(program, kernels, split_printf);
  std::vector<Json> reports;
  for (const Kernel& kernel : kernels) reports.push_back(to_json(kernel, footprint_in(program, kernel)));
  return reports;
}

std::vector<Json> study_apart(llvm::Module& program, std::vector<Kernel>& kernels, bool split_printf, int most_ms) {
  using Clock = std::chrono::steady_clock;
  const auto end = Clock::now() + std::chrono::milliseconds(most_ms);
  std::vector<Json> reports;
  for (Kernel& kernel : kernels) {
    // Half of what is left: there is always some for the next.
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now()).count() / 2;
    auto report = left > 0 ? studied_alone(program, kernel, split_printf, static_cast<int>(left)) : std::nullopt;
    if (report) {
      kernel.why_not_slice = report->at("why_not_slice").get<std::string>();
    } else {
      kernel.no_slice("the translator fails on it");
      assume_all_accesses(kernel);
      kernel.depends_on_addresses = true;
      report = to_json(kernel, anything());
    }
    reports.push_back(*std::move(report));
  }
  return reports;
}

}  // namespace samcl::translator
