#include "libsamcl/commands/self_test.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/clock.h"
#include "libsamcl/commands/enqueue_piece.h"
#include "libsamcl/device/sub_kernel.h"
#include "libsamcl/driver/driver.h"
#include "libsamcl/driver/query.h"
#include "libsamcl/objects/context.h"
#include "libsamcl/settings/config.h"

namespace samcl {
namespace {

using BufferPtr = std::shared_ptr<Buffer>;

BufferPtr shown(const std::shared_ptr<Context>& context, const std::shared_ptr<Storage>& storage, Range range,
                BufferPtr parent = nullptr) {
  return Buffer::make_shared(context, storage, range, cl_mem_flags{CL_MEM_READ_WRITE}, nullptr, std::move(parent),
                             std::vector<cl_mem_properties>{});
}

}  // namespace

// The tested part, as one device runs it.
class SelfTest::Run : public SubKernel {
 public:
  Run(const SelfTest& test, const Side& side, const RealDevice& device)
      : test_(test),
        side_(side),
        real_(*test.kernel().sub_kernels[device.index]),
        slicing_{least_groups(device, test.ndrange_.local), slices_} {}

  // It failed on its device, and told nothing.
  bool has_failed() const { return failed_; }

  cl_int prepare(RealDevice& device) override {
    const Kernel& kernel = test_.kernel();
    failed_ = real_.prepare(kernel.build->sub_kernel_program_on(*kernel.program->context, device.index), kernel.name,
                            device, *side_.arguments) != CL_SUCCESS;
    return CL_SUCCESS;
  }
  // A device that refuses the launch ends the test, not the program's command.
  cl_int enqueue(RealDevice& device, const GroupBox& piece, const EventWanted& wanted) override {
    if (!failed_) {
      failed_ = enqueue_piece(test_.kernel(), real_.get(), device, test_.ndrange_, piece, test_.pass_local_, wanted) !=
                CL_SUCCESS;
    }
    if (!failed_) return CL_SUCCESS;
    const std::lock_guard one_at_a_time(device.queue(engine::LaneKind::compute).calls);
    return driver::real().clEnqueueMarkerWithWaitList(device.compute_queue(ComputeQueues::use_for(wanted)), 0, nullptr,
                                                      wanted.event);
  }

  GroupBox box() const override { return test_.box_; }
  bool uses(const Storage& memory) const override { return side_.arguments->use(memory); }
  const Slicing* slicing() const override { return test_.kernel().translation->may_slice ? &slicing_ : nullptr; }
  PieceTimes& times() const override { return real_.times; }
  uint64_t work_items(const GroupBox& piece) const override {
    const Index3& local = test_.ndrange_.local;
    return piece.total() * local[0] * local[1] * local[2];
  }
  Giving::Times times_wanted() const override { return Giving::Times::never; }
  void began(const RunTimes&) override {}
  void ran(const RealDevice&, const RunTimes& run) override {
    test_.kernel().record.self_test_ns += run.ended - run.began;
  }

 private:
  const SelfTest& test_;
  const Side& side_;
  RealKernel& real_;
  std::atomic<uint64_t> slices_{0};  // the program did not ask for them
  const Slicing slicing_;
  std::atomic<bool> failed_{false};
};

SelfTest::~SelfTest() = default;

SelfTest::SelfTest(const LaunchRequest& request, const LaunchPlan& split, const std::vector<unsigned>& devices,
                   uint64_t expected_ns)
    : request_(request),
      ndrange_(split.ndrange),
      pass_local_(split.pass_local),
      box_(SelfTests::box(split.ndrange, expected_ns, kernel().record.self_tests)),
      accesses_(accesses_of(kernel(), *request.arguments, split.ndrange, true)) {
  partition(accesses_, kernel(), *request_.arguments, ndrange_, {{0, box_}});
  for (const BufferAccess& access : accesses_) {
    if (!access.written) continue;
    const bool known = !access.shares.empty();
    Written written{access, {access.needs(0).begin(), access.needs(0).end()}, {access.range}};
    if (known) written.writes = access.shares[0].writes;
    written_.push_back(std::move(written));
  }
  for (const unsigned device : devices) sides_.push_back({device, nullptr, {}, nullptr});
}

void SelfTest::enter(Planner& planner, const std::shared_ptr<Event>& event, const LaunchRequest& request,
                     const LaunchPlan& split, const std::vector<unsigned>& devices, uint64_t expected_ns) {
  const auto test = std::make_shared<SelfTest>(request, split, devices, expected_ns);
  const std::shared_ptr<Context>& context = event->context;
  for (Side& side : test->sides_) {
    for (const Written& written : test->written_)
      side.copies.push_back(std::make_shared<Storage>(context, written.access.storage->size(), nullptr));
    side.run = std::make_unique<Run>(*test, side, *context->devices[side.device]);
  }
  if (!test->has_memory(*context)) return;
  for (Side& side : test->sides_) test->copy_what_is_written(planner, context, side);
  test->run(planner);
  test->compare(planner);
}

// Copies on the devices and the host are made now, where nobody else has a say in their memory: an operation that found
// none would be the program's to fail.
bool SelfTest::has_memory(const Context& context) const {
  for (const Written& written : written_)
    if (!written.access.storage->host()) return false;
  for (const Side& side : sides_) {
    cl_int error;
    for (const auto& copy : side.copies) {
      if (!copy->host()) return false;
      if (!context.is_managed() && !copy->replica(side.device, &error)) return false;
    }
    for (const BufferAccess& access : accesses_)
      if (!context.is_managed() && !access.written && !access.storage->replica(side.device, &error)) return false;
  }
  return true;
}

// Undefined bytes become those that the host copy happens to hold: the same for all sides.
void SelfTest::copy_what_is_written(Planner& planner, const std::shared_ptr<Context>& context, Side& side) const {
  side.arguments = std::make_shared<Arguments>(*request_.arguments);
  side.arguments->exec_info = nullptr;
  for (size_t i = 0; i < written_.size(); ++i) {
    const std::shared_ptr<Storage>& storage = written_[i].access.storage;
    const std::shared_ptr<Storage>& copy = side.copies[i];
    planner.bring(storage, written_[i].uses, kHost, &kernel().record.traffic);
    for (const Range& range : written_[i].uses) {
      const Rectangle bytes = Rectangle::run(range.begin, range.size());
      planner.add({engine::LaneKind::host, 0}, engine::LocalCopy{storage, copy, kHost, bytes, bytes, nullptr},
                  {{storage, kHost, range, false}, {copy, kHost, range, true}});
      copy->written(range, only(kHost));
    }
    const BufferPtr whole = shown(context, copy, {0, copy->size()});
    for (size_t index = 0; index < request_.arguments->size(); ++index) {
      Argument argument = (*request_.arguments)[index];
      if (!argument.buffer || argument.buffer->storage != storage) continue;
      const bool is_part = argument.buffer->parent != nullptr;
      argument.buffer = is_part ? shown(context, copy, argument.buffer->range, whole) : whole;
      argument.is_svm = false;
      side.arguments->set(index, std::move(argument));
    }
  }
}

void SelfTest::run(Planner& planner) {
  Planner::Together together;
  for (Side& side : sides_) {
    Planner::Planned planned;
    planned.lane = {engine::LaneKind::compute, side.device};
    planned.operation = engine::RunKernel{std::shared_ptr<SubKernel>(shared_from_this(), side.run.get())};
    const auto use = [&](const std::shared_ptr<Storage>& storage, std::span<const Range> ranges, bool write) {
      const Place place = storage->place_of(side.device);
      if (!write) planner.bring(storage, ranges, place, &kernel().record.traffic);
      for (const Range& range : ranges) planned.accesses.push_back({storage, place, range, write});
    };
    for (const BufferAccess& access : accesses_)
      if (!access.written) use(access.storage, access.needs(0), false);
    for (size_t i = 0; i < written_.size(); ++i) {
      use(side.copies[i], written_[i].uses, false);
      use(side.copies[i], written_[i].writes, true);
    }
    together.push_back(std::move(planned));
  }
  planner.add(std::move(together));
  for (Side& side : sides_)
    for (size_t i = 0; i < written_.size(); ++i)
      for (const Range& range : written_[i].writes)
        side.copies[i]->written(range, only(side.copies[i]->place_of(side.device)));
}

void SelfTest::compare(Planner& planner) {
  Planner::Planned planned;
  planned.lane = {engine::LaneKind::host, 0};
  planned.operation = engine::HostCall{[self = shared_from_this()] {
    self->judge();
    return CL_SUCCESS;
  }};
  for (Side& side : sides_) {
    for (size_t i = 0; i < written_.size(); ++i) {
      planner.bring(side.copies[i], written_[i].writes, kHost, &kernel().record.traffic);
      for (const Range& range : written_[i].writes) planned.accesses.push_back({side.copies[i], kHost, range, false});
    }
  }
  Planner::Together one;
  one.push_back(std::move(planned));
  planner.add(std::move(one));
}

void SelfTest::judge() {
  ++kernel().record.self_tests;
  const uint64_t began = now_ns();
  const Side& first = sides_.front();
  const Context& context = *kernel().program->context;
  SelfTests& known = kernel().cost_model->self_tests;
  for (size_t s = 1; s < sides_.size(); ++s) {
    const Side& other = sides_[s];
    bool same = true;
    for (size_t i = 0; i < written_.size(); ++i)
      for (const Range& range : written_[i].writes)
        same = same && std::memcmp(first.copies[i]->host() + range.begin, other.copies[i]->host() + range.begin,
                                   range.size()) == 0;
    auto outcome = same ? SelfTests::Outcome::same : SelfTests::Outcome::different;
    if (first.run->has_failed() || other.run->has_failed()) outcome = SelfTests::Outcome::none;
    known.tested(context.device->kinds[other.device], samcl::work_items(ndrange_), outcome);
    if (outcome != SelfTests::Outcome::different) continue;
    const std::string name = driver::text(context.devices[other.device]->id, CL_DEVICE_NAME);
    kernel().record.set_apart(name);
    if (const uint64_t joined = known.joined(); joined > 0)
      warn("kernel " + kernel().name + " gives other bytes on " + name + ", as a self-test found after " +
           std::to_string(joined) + " launches that used it; no more will");
  }
  kernel().record.self_test_ns += now_ns() - began;
}

}  // namespace samcl
