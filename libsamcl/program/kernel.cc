#include "libsamcl/program/kernel.h"

#include <algorithm>
#include <cstring>
#include <string_view>

#include "libsamcl/driver/driver.h"
#include "libsamcl/driver/kernel_habits.h"
#include "libsamcl/driver/query.h"
#include "libsamcl/objects/svm.h"

namespace samcl {
namespace {

std::string name_of(cl_kernel kernel) {
  size_t size = 0;
  const auto& cl = driver::real();
  if (cl.clGetKernelInfo(kernel, CL_KERNEL_FUNCTION_NAME, 0, nullptr, &size) != CL_SUCCESS || size == 0) return {};
  std::string name(size, '\0');
  cl.clGetKernelInfo(kernel, CL_KERNEL_FUNCTION_NAME, size, name.data(), nullptr);
  return name.c_str();
}

cl_uint count_of(cl_kernel kernel) {
  cl_uint count = 0;
  driver::real().clGetKernelInfo(kernel, CL_KERNEL_NUM_ARGS, sizeof count, &count, nullptr);
  return count;
}

template <typename Handle>
Handle handle_in(const void* value) {
  Handle handle;
  std::memcpy(&handle, value, sizeof handle);
  return handle;
}

// Whether the driver's facts about an argument name an image; some say that it is in private memory.
bool takes_image(cl_kernel kernel, cl_uint index) {
  char type[64] = "";
  const cl_int error =
      driver::real().clGetKernelArgInfo(kernel, index, CL_KERNEL_ARG_TYPE_NAME, sizeof type, type, nullptr);
  return error == CL_SUCCESS && std::string_view(type).starts_with("image");
}

// Whether that value, which is no virtual memory object, is one of the driver's own.
bool names_real(ArgumentKind kind, size_t size, const void* value) {
  if (kind == ArgumentKind::image || kind == ArgumentKind::pipe) return true;
  const bool is_buffer = kind == ArgumentKind::global_buffer || kind == ArgumentKind::constant_buffer;
  return is_buffer && size == sizeof(cl_mem) && handle_in<cl_mem>(value);
}

// Whether an argument of that kind is a memory object or a sampler, and that value, which is no virtual memory object
// that is alive, none of the driver's either. A driver says so when it is set, or takes it and would run into it in a
// launch.
bool names_nothing(ArgumentKind kind, size_t size, const void* value) {
  if (size != sizeof(void*)) return false;
  if (kind == ArgumentKind::sampler) return !is_object(handle_in<cl_sampler>(value));
  const auto handle = handle_in<cl_mem>(value);
  return names_real(kind, size, value) && (!is_object(handle) || is_virtual(handle));
}

// Queues on the host are ours, and no kernel's; to the driver, ours are nothing.
bool names_host_queue(const KernelArgument& argument, size_t size, const void* value) {
  return argument.kind == ArgumentKind::other && argument.type_name == "queue_t" && size == sizeof(cl_command_queue) &&
         is_virtual(handle_in<cl_command_queue>(value));
}

// Keeps a memory object of the driver's own alive after the program's release, until no launch needs it.
std::shared_ptr<void> keep(cl_mem memory) {
  if (driver::real().clRetainMemObject(memory) != CL_SUCCESS) return nullptr;
  return {memory, [](void* p) { driver::real().clReleaseMemObject(static_cast<cl_mem>(p)); }};
}

}  // namespace

RealKernel::~RealKernel() {
  if (kernel_) driver::real().clReleaseKernel(kernel_);
}

cl_int RealKernel::make(cl_program program, const std::string& name) {
  cl_int error = CL_SUCCESS;
  if (!kernel_) kernel_ = driver::real().clCreateKernel(program, name.c_str(), &error);
  return kernel_ ? CL_SUCCESS : error;
}

cl_int RealKernel::prepare(cl_program program, const std::string& name, const RealDevice& device,
                           const Arguments& arguments, std::span<const Held> held) {
  cl_int error = make(program, name);
  if (error != CL_SUCCESS) return error;
  if (is_doubtful_.exchange(false)) applied_.clear();
  applied_.resize(arguments.size());
  for (cl_uint index = 0; index < arguments.size(); ++index) {
    const std::shared_ptr<const Argument>& wanted = arguments.value(index);
    const unsigned held_by = holder_of(*wanted, held, device);
    if (is_applied(index, wanted, held_by)) continue;
    applied_[index].value.reset();
    error = apply(index, *wanted, device, held_by);
    if (error != CL_SUCCESS) return error;
    note_applied(index, wanted, held_by);
  }
  // The addresses in it are those of the first device's memory.
  if (!arguments.exec_info || arguments.exec_info == applied_info_ || device.index != 0) return CL_SUCCESS;
  error = apply(*arguments.exec_info);
  if (error == CL_SUCCESS) applied_info_ = arguments.exec_info;
  return error;
}

cl_int RealKernel::prepare_all(const RealDevice& device, const Arguments& arguments) {
  applied_.clear();
  return prepare(nullptr, {}, device, arguments);
}

bool RealKernel::prepare_later(const RealDevice& device, const Arguments& arguments, LaunchRing::Launch& launch) {
  if (!kernel_ || is_doubtful_ || arguments.exec_info != applied_info_) return false;
  // It has not been launched yet, so that nobody else uses it.
  if (applied_.empty() && prepare_all(device, arguments) != CL_SUCCESS) return false;
  launch.changes = 0;
  for (cl_uint index = 0; index < arguments.size(); ++index) {
    if (is_applied(index, arguments.value(index))) continue;
    const Argument& argument = arguments[index];
    cl_int error = CL_SUCCESS;
    const cl_mem real = argument.buffer ? argument.buffer->real(device.index, &error) : nullptr;
    const size_t size = argument.buffer ? sizeof real : argument.bytes.size();
    if (argument.is_svm || argument.sampler || error != CL_SUCCESS || size == 0) return false;
    if (size > LaunchRing::Change::kMostBytes || launch.changes == LaunchRing::Launch::kMostChanges) return false;
    LaunchRing::Change& change = launch.changed[launch.changes++];
    change.index = index;
    change.size = static_cast<uint32_t>(size);
    std::memcpy(change.value.data(), argument.buffer ? static_cast<const void*>(&real) : argument.bytes.data(), size);
  }
  for (cl_uint i = 0; i < launch.changes; ++i)
    note_applied(launch.changed[i].index, arguments.value(launch.changed[i].index));
  launch.kernel = kernel_;
  launch.is_doubtful = &is_doubtful_;
  return true;
}

bool RealKernel::has(const Arguments& arguments, std::span<const LaunchSeries::Growing> but) const {
  if (!kernel_ || is_doubtful_ || applied_.size() != arguments.size()) return false;
  for (cl_uint index = 0; index < arguments.size(); ++index) {
    const bool is_left_out = std::ranges::find(but, index, &LaunchSeries::Growing::argument) != but.end();
    if (!is_left_out && !is_applied(index, arguments.value(index))) return false;
  }
  return true;
}

bool RealKernel::is_applied(cl_uint index, const std::shared_ptr<const Argument>& wanted, unsigned held_by) const {
  const Applied& applied = applied_[index];
  if (applied.held_by != held_by) return false;
  if (applied.value.owner_before(wanted) || wanted.owner_before(applied.value)) return false;
  return applied.dropped == (wanted->buffer ? wanted->buffer->storage->dropped() : 0);
}

void RealKernel::note_applied(cl_uint index, const std::shared_ptr<const Argument>& wanted, unsigned held_by) {
  applied_[index] = {wanted, wanted->buffer ? wanted->buffer->storage->dropped() : 0, held_by};
}

unsigned RealKernel::holder_of(const Argument& argument, std::span<const Held> held, const RealDevice& device) {
  if (!argument.buffer) return kOwn;
  const auto found = std::ranges::find(held, argument.buffer->storage.get(), &Held::memory);
  return found == held.end() || found->by == device.index ? kOwn : found->by;
}

cl_int RealKernel::apply(const ExecInfo& info) {
  for (const auto& [name, value] : info) {
    const cl_int error =
        driver::real().clSetKernelExecInfo(kernel_, name, value.size(), value.empty() ? nullptr : value.data());
    if (error != CL_SUCCESS) return error;
  }
  return CL_SUCCESS;
}

cl_int RealKernel::apply(cl_uint index, const Argument& argument, const RealDevice& device, unsigned held_by) {
  const auto& cl = driver::real();
  cl_int error = CL_SUCCESS;
  if (argument.is_svm && (device.index == 0 || !argument.buffer))
    return cl.clSetKernelArgSVMPointer(kernel_, index, argument.svm);
  if (argument.buffer) {
    cl_mem real = held_by == kOwn ? argument.buffer->real(device.index, &error)
                                  : argument.buffer->storage->replica_seen_by(held_by, device.index);
    if (!real) return error != CL_SUCCESS ? error : CL_MEM_OBJECT_ALLOCATION_FAILURE;
    return cl.clSetKernelArg(kernel_, index, sizeof real, &real);
  }
  if (argument.sampler) {
    cl_sampler real = argument.sampler->real(device, &error);
    return real ? cl.clSetKernelArg(kernel_, index, sizeof real, &real) : error;
  }
  return cl.clSetKernelArg(kernel_, index, argument.size, argument.bytes.empty() ? nullptr : argument.bytes.data());
}

cl_int GatheredKernel::make(const Build& build, const Kernel& kernel, const RealDevice& device) {
  if (real_.get()) return CL_SUCCESS;
  const cl_program its = build.gathered_on(*kernel.program->context, device.index);
  return its ? real_.make(its, kernel.name) : CL_INVALID_PROGRAM;
}

bool GatheredKernel::set_steps(const Kernel& kernel) {
  const auto& may_grow = kernel.translation->gathers_by;
  const auto growing = kernel.series.growing();
  for (cl_uint i = 0; i < may_grow.size(); ++i) {
    const auto grows = std::ranges::find(growing, may_grow[i], &LaunchSeries::Growing::argument);
    const uint64_t step = grows == growing.end() ? 0 : grows->step;
    if (driver::real().clSetKernelArg(real_.get(), kernel.argument_count + i, sizeof step, &step) != CL_SUCCESS)
      return false;
  }
  return true;
}

bool GatheredKernel::prepare(const Build& build, const Kernel& kernel, const RealDevice& device,
                             const Arguments& arguments, uint64_t given) {
  const LaunchSeries& series = kernel.series;
  if (is_refused_) return false;
  if (version_ == series.version() && real_.has(arguments, series.growing())) return true;
  if (used_ > given) return false;
  version_ = 0;
  const bool is_ready = make(build, kernel, device) == CL_SUCCESS &&
                        real_.prepare_all(device, arguments) == CL_SUCCESS && set_steps(kernel);
  is_refused_ = !is_ready;
  if (is_ready) version_ = series.version();
  return is_ready;
}

Kernel::Kernel(std::shared_ptr<Program> kernel_program, cl_kernel real)
    : program(std::move(kernel_program)),
      among_programs_kernels(program->kernels, *this),
      build(program->current()),
      checked(real),
      name(name_of(real)),
      argument_count(count_of(real)),
      translation(build->translation.find(name)),
      cost_model(translation ? build->cost_models.at(name).get() : nullptr),
      record(report::kernel(name)),
      at_hand_(real, argument_count),
      arguments_(make_recycled<Arguments>(argument_count)) {
  // Under a manager it is cut where it runs whole, too: on the device where the program begins, most likely.
  const Context& context = *program->context;
  const bool are_built =
      build->has_sub_kernels &&
      (!context.is_managed() || build->sub_kernel_program_on(context, context.devices_in_use().front()));
  for (size_t i = 0; are_built && i < context.devices.size(); ++i)
    sub_kernels.push_back(std::make_unique<RealKernel>());
  for (size_t i = 0; i < program->context->devices.size(); ++i) own_kernels_.push_back(std::make_unique<RealKernel>());
  RealDevice& first = *program->context->devices[build->fallback_device];
  const cl_program its = first.is_asynchronous() ? own_program(first.index) : nullptr;
  if (!its) return;
  static_cast<void>(own(first.index).make(its, name));
  first.expect_launches();
}

bool Kernel::takes_memory_object(cl_uint index, const Buffer& buffer) const {
  if (translation && index < translation->arguments.size()) {
    const ArgumentKind kind = translation->arguments[index].kind;
    return kind == ArgumentKind::global_buffer || kind == ArgumentKind::constant_buffer || kind == ArgumentKind::image;
  }
  cl_kernel_arg_address_qualifier space;
  if (driver::real().clGetKernelArgInfo(checked, index, CL_KERNEL_ARG_ADDRESS_QUALIFIER, sizeof space, &space,
                                        nullptr) == CL_SUCCESS) {
    return space == CL_KERNEL_ARG_ADDRESS_GLOBAL || space == CL_KERNEL_ARG_ADDRESS_CONSTANT ||
           takes_image(checked, index);
  }
  // Nothing tells images from values of eight bytes then, but their own handles as values are rare.
  return buffer.image || driver::takes_pointer(program->context->devices[0]->id, checked, index).value_or(true);
}

// Launches keep what they were given.
void Kernel::change(cl_uint index, Argument argument) { own_arguments().set(index, std::move(argument)); }

Arguments& Kernel::own_arguments() {
  if (std::exchange(taken_, false) || arguments_.use_count() > 1) arguments_ = make_recycled<Arguments>(*arguments_);
  return *arguments_;
}

std::shared_ptr<const Arguments> Kernel::arguments() {
  auto lent = lent_arguments();
  keep_arguments();
  return lent;
}

void Kernel::keep_arguments() {
  std::lock_guard lock(mutex_);
  taken_ = true;
}

std::shared_ptr<const Arguments> Kernel::lent_arguments() {
  std::lock_guard lock(mutex_);
  bool complete = true;
  const auto is_complete = [](const Argument& argument) {
    return !argument.is_real && !argument.gone_bytes && !argument.is_svm;
  };
  for (const Argument& argument : *arguments_) complete &= is_complete(argument);
  if (complete) return arguments_;
  auto completed = make_recycled<Arguments>(*arguments_);
  for (cl_uint index = 0; index < argument_count; ++index) {
    Argument argument = (*completed)[index];
    if (is_complete(argument)) continue;
    if (argument.is_svm) argument.buffer = svm::at(*program->context, argument.svm);
    if (argument.is_real) argument.kept = keep(handle_in<cl_mem>(argument.bytes.data()));
    if (argument.gone_bytes) {
      auto storage = std::make_shared<Storage>(program->context, *argument.gone_bytes, nullptr);
      argument.buffer = Buffer::make_shared(program->context, std::move(storage), Range{0, *argument.gone_bytes},
                                            CL_MEM_READ_WRITE, nullptr, nullptr, std::vector<cl_mem_properties>{});
    }
    completed->set(index, std::move(argument));
  }
  return completed;
}

void Kernel::copy_arguments(Kernel& from) {
  std::scoped_lock lock(mutex_, from.mutex_);
  arguments_ = make_recycled<Arguments>(*from.arguments_);
  for (const Argument& argument : *arguments_) {
    if (argument.buffer) argument.buffer->set_for(weak_from_this());
  }
}

void Kernel::forget(const Buffer& buffer) {
  std::vector<std::shared_ptr<Buffer>> forgotten;  // destroyed without the lock: the program's callbacks may come
  std::lock_guard lock(mutex_);
  for (cl_uint index = 0; index < argument_count; ++index) {
    if ((*arguments_)[index].buffer.get() != &buffer) continue;
    if (driver::keeps_arguments(program->context->devices[0]->context(), checked, index)) return;
    Argument argument = (*arguments_)[index];
    forgotten.push_back(std::move(argument.buffer));
    argument.buffer = nullptr;
    argument.gone_bytes = buffer.size();
    change(index, std::move(argument));
  }
}

void Buffer::leave_kernels() {
  Kernels kernels;
  {
    std::lock_guard lock(mutex_);
    kernels.swap(kernels_);
  }
  for (const auto& kernel : kernels) {
    if (const auto alive = kernel.lock()) alive->forget(*this);
  }
}

const LaunchLimits& Kernel::limits() {
  std::lock_guard lock(mutex_);
  if (limits_) return *limits_;
  const auto& cl = driver::real();
  const cl_device_id device = program->context->devices[0]->id;
  LaunchLimits limits;
  limits.item_sizes.fill(std::numeric_limits<size_t>::max());
  cl.clGetKernelWorkGroupInfo(checked, device, CL_KERNEL_COMPILE_WORK_GROUP_SIZE, sizeof limits.required,
                              limits.required.data(), nullptr);
  cl.clGetKernelWorkGroupInfo(checked, device, CL_KERNEL_WORK_GROUP_SIZE, sizeof limits.group_size, &limits.group_size,
                              nullptr);
  cl.clGetDeviceInfo(device, CL_DEVICE_MAX_WORK_ITEM_SIZES, sizeof limits.item_sizes, limits.item_sizes.data(),
                     nullptr);
  limits.partial_groups = driver::value<cl_bool>(device, CL_DEVICE_NON_UNIFORM_WORK_GROUP_SUPPORT, CL_FALSE);
  return limits_.emplace(limits);
}

bool Kernel::fits_all_kinds(const Ndrange& ndrange, const Arguments& arguments) {
  const Context& context = *program->context;
  if (kinds_limits_.empty()) {
    for (const auto& device : context.devices) {
      if (context.device->kinds[device->index] == 0) continue;
      kinds_limits_.push_back(GroupLimits::of(build->sub_kernel_program_on(context, device->index), name, device->id));
    }
  }
  uint64_t local_bytes = 0, largest_buffer = 0;
  for (size_t index = 0; index < arguments.size(); ++index) {
    const Argument& argument = arguments[index];
    if (translation->arguments[index].kind == ArgumentKind::local_memory) local_bytes += argument.size;
    if (argument.buffer) largest_buffer = std::max(largest_buffer, argument.buffer->storage->size());
  }
  return std::all_of(kinds_limits_.begin(), kinds_limits_.end(),
                     [&](const GroupLimits& limits) { return limits.fits(ndrange, local_bytes, largest_buffer); });
}

bool Kernel::was_taken(const LocalSize& local) {
  std::lock_guard lock(mutex_);
  return taken_sizes_.contains(local);
}

void Kernel::note_taken(const LocalSize& local) {
  std::lock_guard lock(mutex_);
  taken_sizes_.insert(local);
}

// What the driver need not be asked about again: the same as before, and plain values of a size that it has taken.
Kernel::Change Kernel::change_of(cl_uint index, size_t size, const void* value) {
  if (!translation || index >= translation->arguments.size() || index >= argument_count) return Change::unknown;
  const ArgumentKind kind = translation->arguments[index].kind;
  std::lock_guard lock(mutex_);
  const Argument& before = (*arguments_)[index];
  if (!value) {
    const bool is_same_local = kind == ArgumentKind::local_memory && before.set && before.size == size;
    return is_same_local ? Change::none : Change::unknown;
  }
  if (!before.set || before.size != size || before.bytes.size() != size || before.gone_bytes || before.is_real ||
      before.sampler) {
    return Change::unknown;
  }
  if (std::memcmp(before.bytes.data(), value, size) == 0) return Change::none;
  return kind == ArgumentKind::value && !before.buffer ? Change::of_value : Change::unknown;
}

cl_int Kernel::set_argument(cl_uint index, size_t size, const void* value) {
  const auto& cl = driver::real();
  const Change change_here = change_of(index, size, value);
  if (change_here == Change::none) return CL_SUCCESS;
  if (value && translation && index < translation->arguments.size() &&
      names_host_queue(translation->arguments[index], size, value)) {
    return CL_INVALID_DEVICE_QUEUE;
  }
  std::shared_ptr<Buffer> buffer;
  const void* passed = value;
  cl_mem real = nullptr;
  std::optional<Storage::Pin> pin;  // while the driver looks at it
  if (change_here == Change::unknown && index < argument_count && value && size == sizeof(cl_mem)) {
    buffer = Buffer::find_live(handle_in<cl_mem>(value));
    if (buffer && !takes_memory_object(index, *buffer)) buffer = nullptr;
    if (buffer) {
      pin.emplace(*buffer->storage);
      const cl_int refusal = program->context->room(0).ask([&] {
        cl_int error = CL_SUCCESS;
        real = buffer->real(0, &error);
        return error;
      });
      if (!real) return refusal;
      passed = &real;
    }
  }
  const bool is_nothing = value && !buffer && translation && index < translation->arguments.size() &&
                          names_nothing(translation->arguments[index].kind, size, value);
  if (is_nothing && !driver::is_place_of_object(handle_in<const void*>(value))) {
    return translation->arguments[index].kind == ArgumentKind::sampler ? CL_INVALID_SAMPLER : CL_INVALID_MEM_OBJECT;
  }
  if (change_here == Change::unknown) {
    if (cl_int error = cl.clSetKernelArg(checked, index, size, passed); error != CL_SUCCESS) return error;
  }
  Argument argument;
  argument.set = !is_nothing;
  argument.size = size;
  if (buffer) buffer->set_for(weak_from_this());
  argument.buffer = std::move(buffer);
  if (value) {
    const auto* bytes = static_cast<const std::byte*>(value);
    argument.bytes.assign(bytes, bytes + size);
    if (translation && index < translation->arguments.size()) {
      const ArgumentKind kind = translation->arguments[index].kind;
      argument.is_real = argument.set && !argument.buffer && names_real(kind, size, value);
      if (argument.set && kind == ArgumentKind::sampler)
        argument.sampler = std::make_shared<Sampler>(handle_in<cl_sampler>(value));
    }
  }
  std::shared_ptr<const Argument> replaced;  // destroyed without the lock
  std::lock_guard lock(mutex_);
  replaced = arguments_->value(index);
  change(index, std::move(argument));
  if (change_here == Change::unknown) at_hand_.note_applied(index, arguments_->value(index));
  return CL_SUCCESS;
}

RealKernel& Kernel::own(const RealDevice& device) {
  if (device.strand_index == 0) return own(device.index);
  std::lock_guard lock(mutex_);
  return strands_kernels_[{device.index, device.strand_index}];
}

uint64_t Kernel::in_one_piece_ns(unsigned device, uint64_t work_items) {
  // What takes 0.1 s to compile and saves each launch some us: programs that make a kernel for each thing that they do
  // launch it a few times.
  constexpr uint32_t kFew = 32;
  const uint64_t ns = own(device).times.expect(work_items);
  if (ns > 0 || sub_kernels.empty()) return ns;
  if (program->context->devices[device]->compiles_for_each_local_size && launched_rewritten < kFew) {
    ++launched_rewritten;
    return 0;
  }
  return sub_kernels[device]->times.expect(work_items);
}

void Kernel::expects(unsigned device, uint64_t work_items, uint64_t ns) {
  PieceTimes& times = own(device).times;
  if (times.expect(work_items) == 0) times.took(work_items, ns);
}

RealKernel& Kernel::rewritten(const RealDevice& device) {
  if (device.strand_index == 0) return *sub_kernels[device.index];
  std::lock_guard lock(mutex_);
  return strands_rewritten_[{device.index, device.strand_index}];
}

cl_kernel Kernel::ready_now(const RealDevice& device, const Arguments& arguments) {
  const cl_program its = own_program(device.index);
  if (!its) return nullptr;
  RealKernel& real = device.index == 0 && device.strand_index == 0 ? at_hand_ : own(device);
  std::lock_guard lock(mutex_);
  return real.prepare(its, name, device, arguments) == CL_SUCCESS ? real.get() : nullptr;
}

cl_int Kernel::set_svm_argument(cl_uint index, const void* pointer) {
  if (cl_int error = driver::real().clSetKernelArgSVMPointer(checked, index, pointer); error != CL_SUCCESS) {
    return error;
  }
  Argument argument;
  argument.set = argument.is_svm = true;
  argument.svm = pointer;
  std::shared_ptr<const Argument> replaced;  // destroyed without the lock
  std::lock_guard lock(mutex_);
  replaced = arguments_->value(index);
  change(index, std::move(argument));
  return CL_SUCCESS;
}

cl_int Kernel::set_exec_info(cl_kernel_exec_info name, size_t size, const void* value) {
  if (cl_int error = driver::real().clSetKernelExecInfo(checked, name, size, value); error != CL_SUCCESS) return error;
  const auto* bytes = static_cast<const std::byte*>(value);
  std::lock_guard lock(mutex_);
  auto info = arguments_->exec_info ? std::make_shared<ExecInfo>(*arguments_->exec_info) : std::make_shared<ExecInfo>();
  (*info)[name].assign(bytes, bytes + (value ? size : 0));
  own_arguments().exec_info = std::move(info);
  return CL_SUCCESS;
}

}  // namespace samcl
