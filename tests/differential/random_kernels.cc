// Runs random kernels and prints a hash of all memory after each: two runs of the same seed must print the
// same lines, whatever the device, the driver's optimisation, or what stands between the program and the
// driver.
#include <CLI/CLI.hpp>
#include <cinttypes>
#include <cstdio>
#include <fstream>
#include <optional>

#include "benchmarks/host/checksum.h"
#include "tests/differential/scenario_run.h"

namespace {

using namespace differential;

struct Options {
  unsigned platform = 0, device = 0;
  uint64_t seed = 1;
  unsigned kernels = 200;
  unsigned first = 0;
  std::optional<unsigned> only;
  bool opencl_c_1_only = false;
  bool print = false;
  std::string dump;
};

bool compiles_opencl_c_3(cl_device_id device) {
  size_t bytes = 0;
  if (clGetDeviceInfo(device, CL_DEVICE_OPENCL_C_ALL_VERSIONS, 0, nullptr, &bytes) != CL_SUCCESS) return false;
  std::vector<cl_name_version> versions(bytes / sizeof(cl_name_version));
  bench::check(clGetDeviceInfo(device, CL_DEVICE_OPENCL_C_ALL_VERSIONS, bytes, versions.data(), nullptr));
  return std::ranges::any_of(versions, [](const auto& v) { return CL_VERSION_MAJOR(v.version) >= 3; });
}

void dump(const std::string& path, const Outcome& outcome) {
  std::ofstream file(path, std::ios::binary);
  for (const auto& region : outcome.regions)
    file.write(reinterpret_cast<const char*>(region.data()), static_cast<std::streamsize>(region.size()));
  if (!file.flush()) throw std::runtime_error("cannot write " + path);
}

void run(const Options& options) {
  const bench::Session session = bench::Session::open(options.platform, options.device);
  const bool opencl_c_3 = !options.opencl_c_1_only && compiles_opencl_c_3(session.device);
  std::printf("seed %" PRIu64 ", OpenCL C 3.0: %s\n", options.seed, opencl_c_3 ? "yes" : "no");
  const unsigned first = options.only.value_or(options.first), end = options.only ? *options.only + 1 : options.kernels;
  uint64_t total = 0;
  for (unsigned index = first; index < end; ++index) {
    const Scenario scenario = make_scenario(options.seed, index, opencl_c_3);
    if (options.print)
      std::printf("// %s %s\n%s%s\n", scenario.kernel_name.c_str(), scenario.options.c_str(), scenario.source.c_str(),
                  describe_steps(scenario).c_str());
    std::fflush(stdout);
    try {
      const Outcome outcome = run_scenario(session, scenario);
      std::printf("%4u 0x%016" PRIx64 " %s\n", index, outcome.hash, scenario.summary.c_str());
      total = bench::checksum(std::as_bytes(std::span(&outcome.hash, 1)), total);
      if (!options.dump.empty()) dump(options.dump, outcome);
    } catch (const std::exception& error) {
      throw std::runtime_error("kernel " + std::to_string(index) + " of seed " + std::to_string(options.seed) + ": " +
                               error.what());
    }
  }
  std::printf("total 0x%016" PRIx64 "\n", total);
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("random_kernels: runs random OpenCL kernels and prints a hash of all memory after each");
  Options options;
  app.add_option("--platform", options.platform, "Index of the OpenCL platform")->capture_default_str();
  app.add_option("--device", options.device, "Index of the device in the platform's list")->capture_default_str();
  app.add_option("--seed", options.seed, "Seed of all kernels")->capture_default_str();
  app.add_option("--kernels", options.kernels, "Index of the last one that runs, plus 1")
      ->capture_default_str()
      ->check(CLI::Range(1, 1000000));
  app.add_option("--first", options.first, "Index of the first one that runs")->capture_default_str();
  auto* only = app.add_option("--only", options.only, "Run just the kernel with this index");
  app.add_flag("--opencl-c-1", options.opencl_c_1_only, "Use no OpenCL C 3.0, even where the device compiles it");
  app.add_flag("--print", options.print, "Print each kernel's source and steps before it runs");
  app.add_option("--dump", options.dump, "Write the final bytes of all buffers to this file")->needs(only);
  CLI11_PARSE(app, argc, argv);
  try {
    run(options);
    return 0;
  } catch (const std::exception& error) {
    std::fflush(stdout);
    std::fprintf(stderr, "random_kernels: %s\n", error.what());
    return 1;
  }
}
