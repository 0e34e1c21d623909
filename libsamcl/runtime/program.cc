#include "libsamcl/runtime/program.h"

#include <algorithm>
#include <thread>

#include "libsamcl/driver/devices.h"
#include "libsamcl/driver/driver.h"
#include "libsamcl/driver/vendor.h"
#include "libsamcl/runtime/config.h"
#include "libsamcl/runtime/known_binaries.h"

namespace samcl {
namespace {

bool has_global_variables(cl_program program, cl_device_id device) {
  size_t bytes = 0;
  return driver::real().clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_GLOBAL_VARIABLE_TOTAL_SIZE,
                                              sizeof bytes, &bytes, nullptr) == CL_SUCCESS &&
         bytes > 0;
}

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
  if (whole) driver::real().clReleaseProgram(whole);
}

Program::Program(std::shared_ptr<Context> program_context, cl_program real, std::string source,
                 std::string why_one_device, std::optional<std::string> binary_options)
    : context(std::move(program_context)),
      original(real),
      source_(std::move(source)),
      binary_options_(std::move(binary_options)) {
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
  const std::string text = binary_options_ ? *binary_options_ : options ? options : "";
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
    place_whole(*made, text);
    std::lock_guard lock(mutex_);
    build_ = std::move(made);
  }
  return CL_SUCCESS;
}

void Program::binary_was_read(std::span<const unsigned char> binary) const {
  const auto build = current();
  if (!source_.empty() && !build->parts.empty()) remember_binary(binary, {source_, build->options});
}

std::shared_ptr<Build> Program::make_build(const std::string& options, Result<Translation> translation) {
  auto build = std::make_shared<Build>();
  build->options = options;
  if (!translation) {
    build->why_one_device = translation.error().message;
    warn("a program runs on one device: " + build->why_one_device);
    return build;
  }
  build->translation = std::move(*translation);
  for (const KernelTranslation& kernel : build->translation.kernels) {
    auto splitting = std::make_unique<Splitting>();
    if (auto footprint = Footprint::parse(kernel.footprint)) splitting->footprint = *std::move(footprint);
    build->splitting[kernel.name] = std::move(splitting);
  }
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

// Images and samplers are the first device's; variables of the program would be two, if some of its kernels ran
// here and some there.
void Program::place_whole(Build& build, const std::string& options) const {
  const unsigned wanted = context->devices_in_use().front();
  if (wanted == 0 || !build.why_one_device.empty()) return;
  const auto& kernels = build.translation.kernels;
  const bool all_in_parts =
      !build.parts.empty() &&
      std::all_of(kernels.begin(), kernels.end(), [](const KernelTranslation& kernel) { return kernel.may_slice; });
  const bool movable = std::all_of(kernels.begin(), kernels.end(), [](const KernelTranslation& kernel) {
    return std::all_of(kernel.arguments.begin(), kernel.arguments.end(), [](const KernelArgument& argument) {
      return argument.kind <= ArgumentKind::value;
    });
  });
  if (all_in_parts || !movable || has_global_variables(original, context->devices[0]->id)) return;
  build.whole = build_part(*context->devices[wanted], source_, options);
  if (build.whole) build.whole_device = wanted;
}

}  // namespace samcl
