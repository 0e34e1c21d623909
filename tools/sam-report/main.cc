// sam-report: a page for people from what samcl reports of a program.
#include <CLI/CLI.hpp>
#include <iostream>

#include "base/files.h"
#include "tools/sam-report/page.h"

namespace samcl::report {
namespace {

int complain(const std::string& message) {
  std::cerr << "sam-report: " << message << "\n";
  return 1;
}

int run(int argc, char** argv) {
  std::string report, trace, out = "report.html";
  CLI::App app(
      "sam-report: one HTML page of what samcl did for a program: what ran where, why not on more devices, "
      "time lines, transfers, predictions. It needs no network.");
  app.set_version_flag("--version", "sam-report " SAMCL_VERSION);
  app.add_option("REPORT", report, "what sam-run --report=FILE.json wrote")->required();
  app.add_option("--trace", trace, "what sam-run --trace FILE.json wrote in the same run, for time lines");
  app.add_option("-o,--out", out, "the page")->capture_default_str();
  app.footer(
      "example:\n  sam-run --report=r.json --trace t.json -- ./app\n  sam-report r.json --trace t.json -o "
      "report.html\n\n"
      "Exit code: 0, or 1 with the reason on stderr; 2: wrong use.");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  const auto text = read_file(report);
  if (!text) return complain(text.error().message);
  std::string events;
  if (!trace.empty()) {
    auto read = read_file(trace);
    if (!read) return complain(read.error().message);
    events = *std::move(read);
  }
  const auto made = page(*text, events);
  if (!made) return complain(made.error().message);
  if (const auto written = write_file(out, *made); !written) return complain(written.error().message);
  return 0;
}

}  // namespace
}  // namespace samcl::report

int main(int argc, char** argv) {
  try {
    return samcl::report::run(argc, argv);
  } catch (const std::exception& error) {
    std::cerr << "sam-report: " << error.what() << "\n";
    return 1;
  }
}
