// sam-check-footprint, which `sam-translate --check` starts: runs cases on the installed driver and, where there is
// one, on a simulator that tells of loads and stores; prints what was found as a table.
#include <filesystem>
#include <iostream>
#include <sstream>

#include "base/executable.h"
#include "base/files.h"
#include "kernel-translator/check/access_check.h"
#include "kernel-translator/check/footprint_check.h"

namespace samcl::check {
namespace {

constexpr char kUsage[] = "usage: sam-translate --check CASES.json   (launch_case.h tells what it holds)\n";

std::string rounded(double number) {
  std::ostringstream text;
  text.precision(number < 99.5 ? 2 : 3);
  text << number;
  return text.str();
}

std::string share(uint64_t part, uint64_t whole) {
  return whole == 0 ? "-" : rounded(100.0 * static_cast<double>(part) / static_cast<double>(whole)) + " %";
}

// "62 %" of the buffers, on average over the boxes.
std::string extent(bool anywhere, uint64_t part, uint64_t all) {
  if (part == 0) return "-";
  return anywhere ? "anywhere" : share(part, all);
}

// accesses: nullptr if they were not recorded.
void print(const LaunchCase& launch, const KernelTranslation& kernel, const Evidence& evidence,
           const Accesses* accesses) {
  const std::string head =
      "| " + launch.program + " " + launch.kernel + " | " + (kernel.may_split ? "yes" : "no: " + kernel.why_not_split);
  if (evidence.arguments.empty()) std::cout << head << " | | | | | | | " << rounded(evidence.microseconds) << " |\n";
  bool first = true;
  for (size_t i = 0; i < evidence.arguments.size(); ++i) {
    const ArgumentEvidence& argument = evidence.arguments[i];
    const ArgumentAccesses* seen = accesses ? &accesses->arguments[i] : nullptr;
    std::cout << (first ? head : "| |") << " | " << argument.name << " | "
              << extent(argument.reads_anywhere, argument.said_read, argument.bytes) << " | "
              << (seen ? share(seen->loaded, seen->said_read) : "-") << " | "
              << extent(argument.writes_anywhere, argument.said_written, argument.bytes) << " | "
              << share(argument.said_surely, argument.said_written) << " | "
              << (seen ? share(seen->stored, seen->said_written) : share(argument.written, argument.said_written))
              << " | " << (first ? rounded(evidence.microseconds) : "") << " |\n";
    first = false;
  }
}

int run(const std::string& file) {
  const auto text = read_file(file);
  if (!text) {
    std::cerr << "sam-check-footprint: " << text.error().message << "\n";
    return 2;
  }
  const auto cases = read_cases(*text, std::filesystem::absolute(file).parent_path());
  auto recorder = Recorder::install(own_folder() / "libsamcl-access-recorder.so");
  const auto device = TestDevice::open();
  if (!cases || !device) {
    std::cerr << "sam-check-footprint: " << (cases ? device.error().message : cases.error().message) << "\n";
    return 2;
  }
  const auto simulator = recorder ? TestDevice::open(Recorder::kPlatform) : tl::unexpected(recorder.error());
  if (!simulator)
    std::cerr << "sam-check-footprint: no loads and stores are recorded: " << simulator.error().message << "\n";
  std::cout
      << "| kernel | may be split | buffer | reads | of it loaded | may write | of it surely | of it stored | us |\n"
      << "|---|---|---|---|---|---|---|---|---|\n";
  int status = 0;
  const std::string translator = own_folder() / "sam-translate";
  for (const LaunchCase& launch : *cases) {
    const auto runner = BoxRunner::make(**device, launch.source, launch.options, translator);
    const auto evidence = runner ? check_footprint(*runner, launch) : tl::unexpected(runner.error());
    if (!evidence) {
      std::cerr << launch.kernel << ": " << evidence.error().message << "\n";
      status = 1;
      continue;
    }
    std::vector<std::string> breaches = evidence->breaches;
    Result<Accesses> accesses = fail("");
    if (simulator) {
      const auto simulated = BoxRunner::make(**simulator, launch.source, launch.options, translator);
      accesses = simulated ? check_accesses(*simulated, launch, *recorder) : tl::unexpected(simulated.error());
      if (accesses)
        breaches.insert(breaches.end(), accesses->breaches.begin(), accesses->breaches.end());
      else
        std::cerr << launch.kernel << ": not simulated: " << accesses.error().message << "\n";
    }
    print(launch, *runner->find(launch.kernel), *evidence, accesses ? &*accesses : nullptr);
    for (const std::string& breach : breaches) std::cerr << launch.kernel << ": " << breach << "\n";
    if (!breaches.empty()) status = 1;
  }
  return status;
}

}  // namespace
}  // namespace samcl::check

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << samcl::check::kUsage;
    return 2;
  }
  return samcl::check::run(argv[1]);
}
