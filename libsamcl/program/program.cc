#include "libsamcl/program/program.h"

#include <algorithm>

#include "libsamcl/driver/devices.h"
#include "libsamcl/driver/driver.h"
#include "libsamcl/driver/macro_probe.h"
#include "libsamcl/threads/beside.h"
#include "libsamcl/settings/config.h"

namespace samcl {

const char* const kDoNotBuild = "the rewritten source did not build";

namespace {

bool has_global_variables(cl_program program, cl_device_id device) {
  size_t bytes = 0;
  return driver::real().clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_GLOBAL_VARIABLE_TOTAL_SIZE,
                                              sizeof bytes, &bytes, nullptr) == CL_SUCCESS &&
         bytes > 0;
}

// The device's own compiler answers for all: they are alike.
TranslatorSettings translator_settings(cl_context context, cl_device_id device) {
  const Config& config = Config::get();
  TranslatorSettings settings{config.translator, config.cache_directory};
  settings.split_printf = config.split_printf;
  settings.ask_compiler = [context, device](const std::set<std::string>& names, const std::string& options) {
    return driver::ask_about_macros(context, device, names, options);
  };
  return settings;
}

Result<Translation> translate_for(const Recipe& recipe, const RealDevice& device) {
  return translate(recipe, driver::translator_facts(device.id), translator_settings(device.context(), device.id));
}

// As the first device's compiler reads it and, where devices are not alike, the others'. What these take for another
// program is not split between them.
Result<Translations> translate_for_all(const Context& context, const Recipe& recipe) {
  Translations all;
  for (unsigned index = 0; index < context.devices.size(); ++index) {
    if (context.device->kinds[index] != index) continue;
    auto translation = translate_for(recipe, *context.devices[index]);
    if (!translation) return tl::unexpected(translation.error());
    if (index > 0 && translation->kernels != all.at(0).kernels) return fail("devices that are not alike read it differently");
    all.emplace(index, *std::move(translation));
  }
  return all;
}

// Runs beside the driver's compiler.
std::future<Result<Translations>> start_translation(const Context& context, std::shared_ptr<const Recipe> recipe) {
  return beside([recipe = std::move(recipe), &context] { return translate_for_all(context, *recipe); });
}

// Whether the sources that the driver gets include files, which may be others by the time it gets them.
bool include_files(const Translation& translation) {
  return !translation.includes.empty() &&
         std::any_of(translation.sources.begin(), translation.sources.end(),
                     [](const TranslatedSource& source) { return !source.source; });
}

bool same_files(const std::vector<IncludedFile>& one, const std::vector<IncludedFile>& other) {
  return std::equal(one.begin(), one.end(), other.begin(), other.end(), [](const IncludedFile& a, const IncludedFile& b) {
    return a.path == b.path && a.stamp == b.stamp;
  });
}

}  // namespace

Build::~Build() {
  release_parts();
  if (whole) driver::real().clReleaseProgram(whole);
}

void Build::release_parts() {
  for (cl_program part : parts) {
    if (part) driver::real().clReleaseProgram(part);
  }
  parts.clear();
}

// The program itself serves the first device where nothing had to be rewritten.
cl_program Build::make_part(const RealDevice& device, unsigned kind) const {
  const bool rewritten = std::any_of(translation.sources.begin(), translation.sources.end(),
                                     [](const TranslatedSource& source) { return source.source.has_value(); });
  if (kind > 0) return make(*recipe, sources_of_kinds.at(kind), device);
  if (device.index > 0 || rewritten) return make(*recipe, translation.sources, device);
  return driver::real().clRetainProgram(original) == CL_SUCCESS ? original : nullptr;
}

bool Build::make_parts(const Context& context) const {
  if (parts.empty()) return false;
  std::call_once(asked_, [&] {
    std::vector<std::future<cl_program>> made;
    for (const auto& device : context.devices) {
      const unsigned kind = context.device->kinds[device->index];
      made.push_back(beside([this, device = device.get(), kind] { return make_part(*device, kind); }));
    }
    Parts result = Parts::made;
    for (size_t i = 0; i < made.size(); ++i) {
      parts[i] = made[i].get();
      if (!parts[i]) result = Parts::failed;
    }
    parts_made_ = result;
  });
  return parts_made_ == Parts::made;
}

bool Build::has_parts(const std::shared_ptr<const Build>& build, Context& context) {
  if (build->parts.empty()) return true;
  Parts none = Parts::none;
  if (build->parts_made_.compare_exchange_strong(none, Parts::wanted)) {
    // The program may be gone by then, but a part may be the original.
    driver::real().clRetainProgram(build->original);
    context.builder.post([build, &context] {
      build->make_parts(context);
      driver::real().clReleaseProgram(build->original);
    });
  }
  const Parts now = build->parts_made_;
  return now == Parts::made || now == Parts::failed;
}

Program::Program(std::shared_ptr<Context> program_context, cl_program real, std::string source,
                 std::string why_one_device, std::optional<BinaryOrigin> origin)
    : context(std::move(program_context)), original(real), source_(std::move(source)), origin_(std::move(origin)) {
  auto none = std::make_shared<Build>();
  none->why_one_device = std::move(why_one_device);
  build_ = std::move(none);
  if (origin_) recipe_ = origin_->recipe;
}

Program::~Program() { driver::real().clReleaseProgram(original); }

std::shared_ptr<const Build> Program::current() const {
  std::lock_guard lock(mutex_);
  return build_;
}

std::shared_ptr<const Recipe> Program::recipe() const {
  std::lock_guard lock(mutex_);
  return recipe_;
}

void Program::set_recipe(std::shared_ptr<const Recipe> recipe) {
  std::lock_guard lock(mutex_);
  recipe_ = std::move(recipe);
}

void Program::finish(std::shared_ptr<const Recipe> recipe, std::future<Result<Translations>> translation) {
  std::shared_ptr<Build> made = make_build(recipe, translation.get());
  place_whole(*made, *recipe);
  std::lock_guard lock(mutex_);
  build_ = std::move(made);
  recipe_ = std::move(recipe);
}

cl_int Program::build(const char* options) {
  std::shared_ptr<const Recipe> recipe;
  if (!source_.empty()) {
    recipe = std::make_shared<Recipe>(
        Recipe{.step = Recipe::Step::build, .options = options ? options : "", .source = source_});
  } else if (origin_ && origin_->recipe->is_executable()) {
    recipe = origin_->recipe;
  }
  std::future<Result<Translations>> translation;
  if (recipe) translation = start_translation(*context, recipe);
  const cl_int error =
      driver::real().clBuildProgram(original, 1, &context->devices[0]->id, options, nullptr, nullptr);
  if (error == CL_SUCCESS && recipe) {
    finish(std::move(recipe), std::move(translation));
  } else if (error == CL_SUCCESS) {
    set_recipe(nullptr);
  }
  return error;
}

cl_int Program::compile(const char* options, cl_uint count, const cl_program* real_headers, const char** names,
                        const std::vector<std::shared_ptr<Program>>& headers) {
  Recipe made{.step = Recipe::Step::compile, .options = options ? options : "", .source = source_};
  bool known = !source_.empty();
  for (size_t i = 0; known && i < headers.size(); ++i) {
    known = headers[i] != nullptr;
    known = known && names && names[i];
    if (known) made.headers[names[i]] = headers[i]->source_;  // the last of a name counts
  }
  std::future<Result<std::shared_ptr<const Recipe>>> settled;
  if (known) {
    settled = beside([made = std::move(made), device = context->devices[0]->id,
                     real_context = context->devices[0]->context()] {
      return without_files(made, driver::translator_facts(device), translator_settings(real_context, device));
    });
  }
  const cl_int error =
      driver::real().clCompileProgram(original, 0, nullptr, options, count, real_headers, names, nullptr, nullptr);
  auto recipe = known ? settled.get() : fail("its source is not known");
  set_recipe(error == CL_SUCCESS && recipe ? *std::move(recipe) : nullptr);
  return error;
}

std::shared_ptr<Program> Program::link(const std::shared_ptr<Context>& context, const char* options, cl_uint count,
                                       const cl_program* real_inputs,
                                       const std::vector<std::shared_ptr<Program>>& inputs, cl_int* error) {
  auto recipe = std::make_shared<Recipe>(Recipe{.step = Recipe::Step::link, .options = options ? options : ""});
  bool known = true;
  for (const auto& input : inputs) {
    auto origin = input ? input->recipe() : nullptr;
    known = known && origin && origin->step != Recipe::Step::build;
    recipe->inputs.push_back(std::move(origin));
  }
  std::future<Result<Translations>> translation;
  if (known && recipe->is_executable()) translation = start_translation(*context, recipe);
  const cl_program real =
      driver::real().clLinkProgram(context->devices[0]->context(), 0, nullptr, options, count, real_inputs, nullptr,
                                   nullptr, error);
  if (!real) return nullptr;
  auto program = Program::make_shared(context, real, "", "links a program whose source is not known");
  if (*error != CL_SUCCESS || !known) return program;
  if (translation.valid()) program->finish(std::move(recipe), std::move(translation));
  else program->set_recipe(std::move(recipe));
  return program;
}

// What is to be linked further is translated only to know the files that it includes: it must not include any,
// for those of one source alone are not told apart in a link.
void Program::binary_was_read(std::span<const unsigned char> binary) const {
  const auto made_from = recipe();
  if (!made_from) return;
  if (made_from->is_executable()) {
    const auto build = current();
    if (!build->parts.empty()) remember_binary(binary, {made_from, build->translation.includes});
  } else if (const auto translation = start_translation(*context, made_from).get();
             translation && translation->at(0).includes.empty()) {
    remember_binary(binary, {made_from, {}});
  }
}

std::shared_ptr<Build> Program::make_build(std::shared_ptr<const Recipe> recipe, Result<Translations> translation) const {
  auto build = std::make_shared<Build>();
  build->recipe = std::move(recipe);
  build->original = original;
  if (translation && origin_ && !same_files(translation->at(0).includes, origin_->includes)) {
    translation = fail("it includes other files than the binary that it was given as");
  }
  if (!translation) {
    build->why_one_device = translation.error().message;
    warn("a program runs on one device: " + build->why_one_device);
    return build;
  }
  build->translation = std::move(translation->at(0));
  for (auto& [kind, other] : *translation) build->sources_of_kinds[kind] = std::move(other.sources);
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
  build->parts.resize(context->devices.size());
  // Under a manager a job's first launch takes no longer than the others.
  if ((managed || include_files(build->translation)) && !build->make_parts(*context)) {
    build->why_one_device = kDoNotBuild;
    build->release_parts();
  }
  return build;
}

// Pipes and addresses kept in memory are the first device's; variables of the program would be two, if some of its
// kernels ran here and some there.
void Program::place_whole(Build& build, const Recipe& recipe) const {
  const unsigned wanted = context->devices_in_use().front();
  if (wanted == 0 || context->device->is_mixed() || !build.why_one_device.empty()) return;
  const auto& kernels = build.translation.kernels;
  const bool all_in_parts =
      !build.parts.empty() &&
      std::all_of(kernels.begin(), kernels.end(), [](const KernelTranslation& kernel) { return kernel.may_slice; });
  const bool movable = std::all_of(kernels.begin(), kernels.end(), [](const KernelTranslation& kernel) {
    if (kernel.depends_on_addresses) return false;
    return std::all_of(kernel.arguments.begin(), kernel.arguments.end(), [](const KernelArgument& argument) {
      return argument.kind <= ArgumentKind::sampler;
    });
  });
  if (all_in_parts || !movable || has_global_variables(original, context->devices[0]->id)) return;
  build.whole = make(recipe, {}, *context->devices[wanted]);
  if (build.whole) build.whole_device = wanted;
}

}  // namespace samcl
