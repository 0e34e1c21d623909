#include "libsamcl/runtime/program.h"

#include <algorithm>
#include <thread>

#include "libsamcl/driver/devices.h"
#include "libsamcl/driver/driver.h"
#include "libsamcl/driver/vendor.h"
#include "libsamcl/runtime/config.h"

namespace samcl {
namespace {

// Builds a source for one device; nullptr if its compiler refuses it.
cl_program build_part(const RealDevice& device, const std::string& source, const std::string& options) {
  const auto& cl = driver::real();
  const char* text = source.c_str();
  cl_int error;
  cl_program program = cl.clCreateProgramWithSource(device.context(), 1, &text, nullptr, &error);
  if (!program) return nullptr;
  const std::string own = options + driver::distinct_option(driver::vendor_facts(device.id), device.index);
  error = cl.clBuildProgram(program, 1, &device.id, own.c_str(), nullptr, nullptr);
  if (error == CL_SUCCESS) return program;
  cl.clReleaseProgram(program);
  return nullptr;
}

}  // namespace

Build::~Build() {
  for (cl_program part : parts) {
    if (part) driver::real().clReleaseProgram(part);
  }
}

Program::Program(std::shared_ptr<Context> program_context, cl_program real, std::string source,
                 std::string why_one_device)
    : context(std::move(program_context)), original(real), source_(std::move(source)) {
  auto none = std::make_shared<Build>();
  none->why_one_device = std::move(why_one_device);
  build_ = std::move(none);
}

Program::~Program() { driver::real().clReleaseProgram(original); }

std::shared_ptr<const Build> Program::current() const {
  std::lock_guard lock(mutex_);
  return build_;
}

cl_int Program::build(const char* options) {
  const std::string text = options ? options : "";
  // The translator works while the driver's compiler does.
  Result<Translation> translation = fail("the program has no source");
  std::thread translator;
  if (!source_.empty()) {
    translator = std::thread([&] {
      const Config& config = Config::get();
      translation = translate(source_, text, driver::translator_facts(context->devices[0]->id),
                              {config.translator, config.cache_directory});
    });
  }
  const cl_int error =
      driver::real().clBuildProgram(original, 1, &context->devices[0]->id, options, nullptr, nullptr);
  if (translator.joinable()) translator.join();
  if (error != CL_SUCCESS) return error;
  if (!source_.empty()) {
    std::shared_ptr<Build> made = make_build(text, std::move(translation));
    std::lock_guard lock(mutex_);
    build_ = std::move(made);
  }
  return CL_SUCCESS;
}

std::shared_ptr<Build> Program::make_build(const std::string& options, Result<Translation> translation) {
  auto build = std::make_shared<Build>();
  if (!translation) {
    build->why_one_device = translation.error().message;
    warn("a program runs on one device: " + build->why_one_device);
    return build;
  }
  build->translation = std::move(*translation);
  const bool managed = context->devices[0]->lease.client != nullptr;
  const auto& kernels = build->translation.kernels;
  if (std::none_of(kernels.begin(), kernels.end(), [&](const KernelTranslation& kernel) {
        return kernel.may_split || (managed && kernel.may_slice);
      })) {
    return build;
  }
  const bool rewritten = build->translation.source.has_value();
  const std::string& source = rewritten ? *build->translation.source : source_;
  const std::string& part_options = rewritten ? build->translation.options : options;
  build->parts.resize(context->devices.size());
  std::vector<std::thread> builders;
  for (const auto& device : context->devices) {
    builders.emplace_back([&, device = device.get()] {
      build->parts[device->index] = build_part(*device, source, part_options);
    });
  }
  for (std::thread& builder : builders) builder.join();
  if (std::count(build->parts.begin(), build->parts.end(), nullptr) > 0) {
    build->why_one_device = "the rewritten source did not build";
    for (cl_program part : build->parts) {
      if (part) driver::real().clReleaseProgram(part);
    }
    build->parts.clear();
  }
  return build;
}

}  // namespace samcl
