#include "libsamcl/program/program.h"

#include <algorithm>
#include <bit>
#include <chrono>
#include <thread>

#include "base/clock.h"
#include "libsamcl/cost/parts_build.h"
#include "libsamcl/driver/devices.h"
#include "libsamcl/driver/driver.h"
#include "libsamcl/driver/macro_probe.h"
#include "libsamcl/objects/process_end.h"
#include "libsamcl/settings/config.h"
#include "libsamcl/threads/beside.h"

namespace samcl {

const char* const kDoNotBuild = "the rewritten source did not build";

namespace {

// ns of launches in one process from which on what they took is of use to another.
constexpr uint64_t kWorthKeeping = 4'000'000;

// Processes after one that gathered launches that have the variants built at once, though they have no use for them.
constexpr uint32_t kProcessesToGather = 8;

// Launches that might have been gathered with others, from which on it is worth while to have that compiled, for a
// program that took so long itself: they save some us each, in later processes, too, and what takes the driver's
// compiler long has to be earned by what is saved in this one.
constexpr uint64_t many_to_gather(uint64_t built_ns) {
  constexpr uint64_t kFew = 64, kSavedNs = 4'000, kSoonNs = 200'000'000;
  return built_ns < kSoonNs ? kFew : built_ns / 8 / kSavedNs;
}

// Whether it has grown beyond that, or to one and a half or twice a power of two of it.
bool is_worth_keeping(uint64_t before, uint64_t now) {
  const auto step = [](uint64_t ns) {
    const uint64_t times = 2 * ns / kWorthKeeping;
    return times < 2 ? 0 : 2 * std::bit_width(times) + static_cast<int>(times >> (std::bit_width(times) - 2) & 1);
  };
  return step(before) < step(now);
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

Result<Translation> translate_for(const BuildSpecification& specification, const RealDevice& device) {
  return translate(specification, driver::translator_facts(device.id),
                   translator_settings(device.context(), device.id));
}

// As the first device's compiler reads it and, where devices are not alike, the others'. What these take for another
// program is not split between them.
Result<Translations> translate_for_all(const Context& context, const BuildSpecification& specification) {
  Translations all;
  for (unsigned index = 0; index < context.devices.size(); ++index) {
    if (context.device->kinds[index] != index) continue;
    auto translation = translate_for(specification, *context.devices[index]);
    if (!translation) return tl::unexpected(translation.error());
    if (index > 0 && translation->kernels != all.at(0).kernels)
      return fail("devices that are not alike read it differently");
    all.emplace(index, *std::move(translation));
  }
  return all;
}

// Runs beside the driver's compiler.
FindingOut start_finding_out(const Context& context, const std::shared_ptr<const BuildSpecification>& specification) {
  return {beside([specification, &context] { return translate_for_all(context, *specification); }),
          beside([specification, &context] {
            return remembered_times(*specification, driver::translator_facts(context.devices[0]->id));
          })};
}

// What it takes to open the devices that parts run on, ns.
uint64_t opening_ns(const Context& context) {
  uint64_t ns = 0;
  for (const unsigned device : context.devices_in_use()) ns += context.devices[device]->is_open() ? 0 : kOpening;
  return ns;
}

// Whether the sources that the driver gets include files, which may be others by the time it gets them.
bool include_files(const Translation& translation) {
  return !translation.includes.empty() && std::any_of(translation.sources.begin(), translation.sources.end(),
                                                      [](const TranslatedSource& source) { return !source.source; });
}

bool same_files(const std::vector<IncludedFile>& one, const std::vector<IncludedFile>& other) {
  return std::equal(
      one.begin(), one.end(), other.begin(), other.end(),
      [](const IncludedFile& a, const IncludedFile& b) { return a.path == b.path && a.stamp == b.stamp; });
}

// A build or compilation, which the driver refuses while the program has kernels. Of one that is released a thread may
// just be letting go, which has told of the end of its last launch: ours are waited for, and the driver's own get a
// while.
template <typename Make>
cl_int without_kernels(LivingKernels& kernels, const Make& make) {
  constexpr auto kLongest = std::chrono::milliseconds(64);
  cl_int error = make();
  if (error != CL_INVALID_OPERATION || !kernels.wait_for_released(std::chrono::seconds(1))) return error;
  error = make();
  for (auto pause = std::chrono::milliseconds(1); error == CL_INVALID_OPERATION && pause <= kLongest; pause *= 2) {
    std::this_thread::sleep_for(pause);
    error = make();
  }
  return error;
}

}  // namespace

cl_program Build::original_on(const Context& context, unsigned device) const {
  if (!is_movable) return nullptr;
  return moved_.on(device, [&] { return make(*specification, {}, *context.devices[device]); });
}

void Build::make_beside_on(const std::shared_ptr<const Build>& build, Context& context, unsigned device) {
  if (!build->moved_.wants(device)) return;
  post(build, context, [device](const Build& its, const Context& on) {
    if (on.devices[device]->open() == CL_SUCCESS) static_cast<void>(its.original_on(on, device));
  });
}

cl_program Build::gathered_on(const Context& context, unsigned device) const {
  if (!may_gather || context.device->kinds[device] != 0) return nullptr;
  return gathered_.on(device, [&] {
    std::vector<TranslatedSource> sources = translation.sources;
    for (TranslatedSource& each : sources) each.source = each.gathered;
    return make(*specification, sources, *context.devices[device]);
  });
}

void Build::make_gathered_beside(const std::shared_ptr<const Build>& build, Context& context, unsigned device) {
  if (!build->gathered_.wants(device)) return;
  post(build, context, [device](const Build& its, const Context& on) {
    static_cast<void>(its.gathered_on(on, device));
    its.remember(on);
  });
}

void Build::expect_gathering(const std::shared_ptr<const Build>& build, Context& context, unsigned device) {
  if (!build->may_gather || build->gathers_ == 0) return;
  --build->gathers_;  // until some are gathered
  make_gathered_beside(build, context, device);
}

void Build::gathers(const std::shared_ptr<const Build>& build, Context& context) {
  if (build->has_gathered_.exchange(true)) return;
  build->gathers_ = kProcessesToGather;
  post(build, context, &Build::remember);
}

void Build::misses_gathered(const std::shared_ptr<const Build>& build, Context& context, unsigned device) {
  if (build->missed_.fetch_add(1) + 1 < many_to_gather(build->built_ns)) return;
  build->gathers_ = kProcessesToGather;
  make_gathered_beside(build, context, device);
}

bool Build::is_rewritten() const {
  return std::any_of(translation.sources.begin(), translation.sources.end(),
                     [](const TranslatedSource& source) { return source.source.has_value(); });
}

bool Build::promises_much() const {
  return std::ranges::any_of(cost_models, [](const auto& each) { return each.second->promise.is_worth_opening(); });
}

// The program itself serves the first device where nothing had to be rewritten.
cl_program Build::make_sub_kernel_program(const RealDevice& device, unsigned kind) const {
  if (kind > 0) return make(*specification, sources_of_kinds.at(kind), device);
  if (device.index > 0 || is_rewritten()) return make(*specification, translation.sources, device);
  return driver::real().clRetainProgram(original) == CL_SUCCESS ? original : nullptr;
}

cl_program Build::sub_kernel_program_on(const Context& context, unsigned device) const try {
  if (!has_sub_kernels) return nullptr;
  return sub_kernel_programs_.on(device, [&] {
    RealDevice& real = *context.devices[device];
    real.open();
    const uint64_t began = now_ns();
    const cl_program made = make_sub_kernel_program(real, context.device->kinds[device]);
    making_ns_ += now_ns() - began;
    return made;
  });
} catch (const std::exception&) {
  return nullptr;  // no memory
}

bool Build::make_sub_kernel_programs(const Context& context) const {
  if (!has_sub_kernels) return false;
  // No exception may leave this: on its way is C's pthread_once, and the process would end there, as the unwinder of
  // the system is not that of this library.
  std::call_once(asked_, [&] {
    const bool are_made = make_all_sub_kernel_programs(context);
    promising_when_made_ns_ = promising_ns_.load();
    made_ = are_made ? Made::made : Made::failed;
  });
  return made_ == Made::made;
}

bool Build::make_all_sub_kernel_programs(const Context& context) const try {
  // Devices that compute in the host's memory are its processors, most likely, on which the program computes meanwhile,
  // and their driver's compiler takes one source after the other.
  std::vector<std::future<cl_program>> beside_each_other;
  if (!context.shares_host_memory())
    for (const auto& device : context.devices)
      beside_each_other.push_back(beside([&, index = device->index] { return sub_kernel_program_on(context, index); }));
  for (std::future<cl_program>& each : beside_each_other) each.wait();
  bool all = true;
  for (const auto& device : context.devices) all &= sub_kernel_program_on(context, device->index) != nullptr;
  sub_kernel_build_ns = making_ns_.load();
  return all;
} catch (const std::exception&) {
  return false;  // no memory
}

void Build::post(const std::shared_ptr<const Build>& build, Context& context,
                 std::function<void(const Build&, const Context&)> work, std::shared_ptr<const Building> building) {
  // The program may be gone by then, but a part may be the original.
  driver::real().clRetainProgram(build->original);
  context.builder.post([build, &context, work = std::move(work), building = std::move(building)] {
    const Compiling until_then;
    work(*build, context);
    driver::real().clReleaseProgram(build->original);
  });
}

bool Build::parts_pay(const std::shared_ptr<const Build>& build, Context& context, const CostModel& kernel,
                      uint64_t whole_ns, bool is_foreseen) {
  if (is_foreseen || !build->has_sub_kernels || build->made_ == Made::failed) return true;
  const uint64_t promising = build->promising_ns_;
  const uint64_t took =
      rent(std::max<uint64_t>(kernel.took_ns, promising), build->rented_ns, build->expected_ns, build->built_before);
  const uint64_t compiling = kernel.in_parts_ns > 0 ? 0 : kernel.compiling_ns * context.devices.size();
  if (!is_worth_compiling(compiling, took, whole_ns)) return false;
  if (build->made_ == Made::made) return true;
  const uint64_t to_come = build->expected_ns > promising ? build->expected_ns - promising : 0;
  // A device that computes in the host's memory is its processors, most likely, which compile as well.
  const bool holds_up_none = !build->is_rewritten() && !context.shares_host_memory();
  const uint64_t cost = build->sub_kernel_build_ns + opening_ns(context);
  const PartsBuild when = when_to_build_parts(cost, took, whole_ns, to_come, holds_up_none);
  if (when == PartsBuild::beside) make_beside(build, context);
  return when == PartsBuild::now;
}

void Build::make_beside(const std::shared_ptr<const Build>& build, Context& context) {
  Made none = Made::none;
  if (build->has_sub_kernels && build->made_.compare_exchange_strong(none, Made::wanted))
    post(build, context, &Build::make_and_remember, std::make_shared<Building>(Building::By::later));
}

void Build::took(const std::shared_ptr<const Build>& build, Context& context, CostModel& kernel, uint64_t ns,
                 Launched how) {
  const bool is_beside = how == Launched::beside_others;
  const uint64_t saved = ns > 2 * kHandOver ? ns - 2 * kHandOver : 0;  // by parts half of that at best
  const uint64_t counts = is_beside ? ns : saved;
  const uint64_t before = kernel.took_ns.fetch_add(counts);
  const uint64_t cost = build->sub_kernel_build_ns;
  // That parts are of no use is worth knowing where devices were opened for them.
  bool keeps = (before < cost && before + counts >= cost) || (build->has_opened && !build->is_kept_.exchange(true));
  if (how == Launched::in_parts || is_beside) kernel.in_parts_ns += counts;
  if (is_beside) {  // for which devices are opened, and parts not built
    const uint64_t promising = kernel.promising_ns.fetch_add(counts);
    keeps |= is_worth_keeping(promising, promising + counts);
  } else if (how != Launched::otherwise) {
    kernel.promising_ns += counts;
    const uint64_t promising = build->promising_ns_.fetch_add(counts);
    keeps |= is_worth_keeping(promising, promising + counts);
  }
  // The next process finds the driver's compiler quick, but for parts.
  keeps |= kernel.compiling_ns >= kLongToCompile && !kernel.is_compiling_kept.exchange(true);
  if (keeps && (is_beside || build->has_sub_kernels)) post(build, context, &Build::remember);
}

void Build::recall(const RememberedTimes& times) {
  if (times.parts_build_ns > 0) sub_kernel_build_ns = times.parts_build_ns;
  expected_ns = times.promising_ns;
  rented_ns = times.rented_ns;
  gathers_ = times.gathers;
  built_before = times.built;
  for (const auto& [name, known] : times.kernels) {
    const auto model = cost_models.find(name);
    if (model == cost_models.end()) continue;
    model->second->times.recall(known.times);
    model->second->promise = known.promise;
    model->second->compiling_ns = known.compiling_ns;
    model->second->is_compiling_kept = known.compiling_ns > 0;
  }
}

bool Build::gains_beside(const RealDevice& device) const {
  constexpr uint64_t kGroup = 64;  // it takes about as many work-items in groups of any size
  const uint64_t most_items = device.busy_groups(kGroup) * kGroup;
  return device.may_have_strands() && std::ranges::any_of(cost_models, [&](const auto& each) {
           return each.second->times.longest(most_items) >= Strands::kLeastBesideNs;
         });
}

void Build::make_and_remember(const Context& context) const {
  make_sub_kernel_programs(context);
  remember(context);
}

void Build::remember(const Context& context) const {
  const uint64_t promising = promising_ns_;
  const bool is_made = made_ == Made::made;
  const uint64_t build_ns = sub_kernel_build_ns;
  RememberedTimes times{.parts_build_ns = is_made ? build_ns : doubted(build_ns, built_before),
                        .promising_ns = promising,
                        .rented_ns = is_made ? 0 : rented_ns + promising,
                        .gathers = gathers_,
                        .built = std::min(built_before + (is_made ? 1 : 0), kBuildIsKnown)};
  const bool had_parts = !is_made || promising - promising_when_made_ns_ >= promising / 2;
  for (const auto& [name, model] : cost_models) {
    const KernelUse use{.launched = model->took_ns,
                        .promising = model->promising_ns,
                        .in_parts = model->in_parts_ns,
                        .has_opened = has_opened,
                        .had_parts = had_parts};
    const uint64_t compiling_ns = model->in_parts_ns > 0 ? 0 : model->compiling_ns.load();
    times.kernels[name] = {model->times.known(), after(model->promise, use), compiling_ns};
  }
  remember_times(*specification, driver::translator_facts(context.devices[0]->id), times);
}

Program::Program(std::shared_ptr<Context> program_context, cl_program real, std::string source,
                 std::string why_one_device, std::optional<BinaryOrigin> origin)
    : context(std::move(program_context)), original(real), source_(std::move(source)), origin_(std::move(origin)) {
  auto none = std::make_shared<Build>();
  none->why_one_device = std::move(why_one_device);
  build_ = std::move(none);
  if (origin_) specification_ = origin_->specification;
}

Program::~Program() { driver::real().clReleaseProgram(original); }

std::shared_ptr<const Build> Program::current() const {
  std::lock_guard lock(mutex_);
  return build_;
}

std::shared_ptr<const BuildSpecification> Program::specification() const {
  std::lock_guard lock(mutex_);
  return specification_;
}

void Program::set_specification(std::shared_ptr<const BuildSpecification> specification) {
  std::lock_guard lock(mutex_);
  specification_ = std::move(specification);
}

void Program::finish(std::shared_ptr<const BuildSpecification> specification, FindingOut finding_out,
                     uint64_t took_ns) {
  const auto times = finding_out.times.get();
  // Of a program that nobody knows: while it is translated, but not beside its own build, whose time tells what parts'
  // will take.
  const bool is_translated = finding_out.translation.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
  if (context->opens_later && !times && !is_translated) context->open_devices_in_use();
  std::shared_ptr<Build> made = make_build(specification, finding_out.translation.get());
  const size_t parts = made->has_sub_kernels ? context->devices.size() : 0;
  made->built_ns = took_ns;
  if (times) made->recall(*times);
  // A driver that has kept what it compiled of a source finds it again, for another device of the kind, too.
  const uint64_t likely_ns = took_ns * (parts - (made->is_rewritten() ? 0 : 1));
  const bool is_kept = !made->is_rewritten() || made->built_before == 1;
  if (parts > 0 && (made->sub_kernel_build_ns == 0 || (is_kept && likely_ns < made->sub_kernel_build_ns)))
    made->sub_kernel_build_ns = likely_ns;
  made->has_opened = context->opens_later && parts > 0 && (!times || made->promises_much());
  if (made->has_opened) context->open_devices_in_use();
  place_fallback(*made);
  Build::expect_gathering(made, *context, made->fallback_device);
  if (RealDevice& first = *context->devices[made->fallback_device]; first.is_asynchronous()) first.expect_launches();
  const bool will_gain = parts > 0 && made->built_before >= kBuildIsKnown &&
                         when_to_build_parts(made->sub_kernel_build_ns, 0, 0, made->expected_ns) == PartsBuild::beside;
  if (made->gains_beside(*context->devices[made->fallback_device])) context->expect_beside(made->fallback_device);
  if (context->placements.foresees() || will_gain) Build::make_beside(made, *context);
  if (context->placements.learns()) context->builder.post([] {});  // its thread begins before launches need it
  std::lock_guard lock(mutex_);
  build_ = std::move(made);
  specification_ = std::move(specification);
}

cl_int Program::build(const char* options) {
  std::shared_ptr<const BuildSpecification> specification;
  if (!source_.empty()) {
    specification = std::make_shared<BuildSpecification>(BuildSpecification{
        .function = BuildSpecification::Function::build, .options = options ? options : "", .source = source_});
  } else if (origin_ && origin_->specification->is_executable()) {
    specification = origin_->specification;
  }
  FindingOut finding_out;
  if (specification) finding_out = start_finding_out(*context, specification);
  const uint64_t began = now_ns();
  const cl_int error = without_kernels(kernels, [&] {
    return driver::real().clBuildProgram(original, 1, &context->devices[0]->id, options, nullptr, nullptr);
  });
  const uint64_t took_ns = now_ns() - began;
  if (error == CL_SUCCESS && specification) {
    finish(std::move(specification), std::move(finding_out), took_ns);
  } else if (error == CL_SUCCESS) {
    set_specification(nullptr);
  }
  return error;
}

cl_int Program::compile(const char* options, cl_uint count, const cl_program* real_headers, const char** names,
                        const std::vector<std::shared_ptr<Program>>& headers) {
  BuildSpecification made{
      .function = BuildSpecification::Function::compile, .options = options ? options : "", .source = source_};
  bool known = !source_.empty();
  for (size_t i = 0; known && i < headers.size(); ++i) {
    known = headers[i] != nullptr;
    known = known && names && names[i];
    if (known) made.headers[names[i]] = headers[i]->source_;  // the last of a name counts
  }
  std::future<Result<std::shared_ptr<const BuildSpecification>>> specified;
  if (known) {
    specified = beside(
        [made = std::move(made), device = context->devices[0]->id, real_context = context->devices[0]->context()] {
          return without_files(made, driver::translator_facts(device), translator_settings(real_context, device));
        });
  }
  const cl_int error = without_kernels(kernels, [&] {
    return driver::real().clCompileProgram(original, 1, &context->devices[0]->id, options, count, real_headers, names,
                                           nullptr, nullptr);
  });
  auto specification = known ? specified.get() : fail("its source is not known");
  set_specification(error == CL_SUCCESS && specification ? *std::move(specification) : nullptr);
  return error;
}

std::shared_ptr<Program> Program::link(const std::shared_ptr<Context>& context, const char* options, cl_uint count,
                                       const cl_program* real_inputs,
                                       const std::vector<std::shared_ptr<Program>>& inputs, cl_int* error) {
  auto specification = std::make_shared<BuildSpecification>(
      BuildSpecification{.function = BuildSpecification::Function::link, .options = options ? options : ""});
  bool known = true;
  for (const auto& input : inputs) {
    auto origin = input ? input->specification() : nullptr;
    known = known && origin && origin->function != BuildSpecification::Function::build;
    specification->inputs.push_back(std::move(origin));
  }
  FindingOut finding_out;
  if (known && specification->is_executable()) finding_out = start_finding_out(*context, specification);
  const uint64_t began = now_ns();
  const RealDevice& first = *context->devices[0];
  const cl_program real =
      driver::real().clLinkProgram(first.context(), 1, &first.id, options, count, real_inputs, nullptr, nullptr, error);
  if (!real) return nullptr;
  const uint64_t took_ns = now_ns() - began;
  auto program = Program::make_shared(context, real, "", "links a program whose source is not known");
  if (*error != CL_SUCCESS || !known) return program;
  if (finding_out.translation.valid())
    program->finish(std::move(specification), std::move(finding_out), took_ns);
  else
    program->set_specification(std::move(specification));
  return program;
}

// What is to be linked further is translated only to know the files that it includes: it must not include any,
// for those of one source alone are not told apart in a link.
void Program::binary_was_read(std::span<const unsigned char> binary) const {
  const auto made_from = specification();
  if (!made_from) return;
  if (made_from->is_executable()) {
    const auto build = current();
    if (build->has_sub_kernels) remember_binary(binary, {made_from, build->translation.includes});
  } else if (const auto translation = translate_for_all(*context, *made_from);
             translation && translation->at(0).includes.empty()) {
    remember_binary(binary, {made_from, {}});
  }
}

std::shared_ptr<Build> Program::make_build(std::shared_ptr<const BuildSpecification> specification,
                                           Result<Translations> translation) const {
  auto build = std::make_shared<Build>();
  build->specification = std::move(specification);
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
    auto model = std::make_unique<CostModel>();
    if (auto footprint = Footprint::parse(kernel.footprint)) model->footprint = *std::move(footprint);
    build->cost_models[kernel.name] = std::move(model);
  }
  const bool managed = context->is_managed();
  const auto& kernels = build->translation.kernels;
  build->may_gather = Config::get().gathering != Config::Gathering::never &&
                      std::ranges::any_of(kernels, [](const auto& kernel) { return !kernel.gathers_by.empty(); });
  if (std::none_of(kernels.begin(), kernels.end(), [&](const KernelTranslation& kernel) {
        return kernel.may_have_parts() || (managed && kernel.may_slice);
      })) {
    return build;
  }
  build->has_sub_kernels = true;
  // The first launch of a task's job takes no longer than the others. Other programs get theirs with their kernels:
  // many programs are built to have their binary.
  const bool are_made_now = context->devices[0]->is_of_task() || (managed && context->device->is_mixed()) ||
                            include_files(build->translation);
  if (are_made_now && !build->make_sub_kernel_programs(*context)) {
    build->why_one_device = kDoNotBuild;
    build->has_sub_kernels = false;
  }
  return build;
}

// Pipes and addresses kept in memory are the first device's; variables of the program would be two, if some of its
// kernels ran here and some there.
bool Program::is_movable(const Build& build) const {
  if (context->device->is_mixed() || !build.why_one_device.empty()) return false;
  return std::ranges::all_of(build.translation.kernels, [](const KernelTranslation& kernel) {
    return !kernel.depends_on_addresses && !kernel.has_program_variables &&
           std::ranges::all_of(kernel.arguments,
                               [](const KernelArgument& argument) { return argument.kind <= ArgumentKind::sampler; });
  });
}

void Program::place_fallback(Build& build) const {
  const unsigned wanted = context->devices_in_use().front();
  if (context->devices.size() == 1) return;
  build.is_movable = is_movable(build);
  const auto& kernels = build.translation.kernels;
  const bool all_in_parts =
      build.has_sub_kernels &&
      std::all_of(kernels.begin(), kernels.end(), [](const KernelTranslation& kernel) { return kernel.may_slice; });
  if (wanted != 0 && !all_in_parts && build.original_on(*context, wanted)) build.fallback_device = wanted;
}

}  // namespace samcl
