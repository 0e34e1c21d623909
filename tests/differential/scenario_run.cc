#include "tests/differential/scenario_run.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <memory>
#include <numeric>

#include "benchmarks/host/checksum.h"
#include "benchmarks/host/random.h"

namespace differential {
namespace {

using namespace bench;
using Bytes = std::vector<std::byte>;
using Event = Handle<cl_event, clReleaseEvent>;

constexpr size_t kPage = 4096;  // start of a second sub-buffer: a multiple of every device's alignment

struct Free {
  void operator()(void* memory) const { std::free(memory); }
};
using HostMemory = std::unique_ptr<void, Free>;

// A copy at the alignment that kernels may expect of a buffer, however wide the vectors they store.
HostMemory page_aligned(const Bytes& bytes) {
  HostMemory memory(std::aligned_alloc(kPage, (bytes.size() + kPage - 1) / kPage * kPage));
  std::memcpy(memory.get(), bytes.data(), bytes.size());
  return memory;
}

Bytes random_bytes(uint64_t seed, size_t count) {
  Random random(seed);
  Bytes made(count);
  for (std::byte& value : made) value = static_cast<std::byte>(random.next());
  return made;
}

class ScenarioRun {
 public:
  ScenarioRun(const Session& session, const Scenario& scenario) : session_(session), scenario_(scenario) {
    program_ = session.build(scenario.source, scenario.options);
    kernel_ = make_kernel(program_, scenario.kernel_name.c_str());
    make_queues();
    make_regions();
    make_small_buffers();
  }

  Outcome run() {
    for (const Step& step : scenario_.steps) take(step);
    settle();
    Outcome outcome;
    for (const Buffer& region : regions_) outcome.regions.push_back(contents(region, scenario_.region_bytes()));
    if (scenario_.counters) outcome.regions.push_back(contents(counters_, kCounters * sizeof(cl_uint)));
    for (const Bytes& bytes : outcome.regions) hash_ = checksum(bytes, hash_);
    outcome.hash = hash_;
    return outcome;
  }

 private:
  void make_queues() {
    const bool loose = scenario_.queues == Scenario::Queues::out_of_order;
    queues_.push_back(session_.make_queue(loose ? CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE : 0));
    if (scenario_.queues == Scenario::Queues::two_in_order) queues_.push_back(session_.make_queue());
  }

  void make_regions() {
    const size_t bytes = scenario_.region_bytes(), second = (bytes + kPage - 1) / kPage * kPage;
    uint64_t seed = scenario_.data_seed;
    for (const Region& region : scenario_.regions) {
      Bytes initial = random_bytes(seed++, bytes);
      switch (region.home) {
        case Region::Home::own_buffer:
          regions_.push_back(session_.make_buffer(CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, bytes, initial.data()));
          break;
        case Region::Home::host_memory:
          host_memory_.push_back(page_aligned(initial));
          regions_.push_back(
              session_.make_buffer(CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, bytes, host_memory_.back().get()));
          break;
        case Region::Home::first_half:
          parents_.push_back(session_.make_buffer(CL_MEM_READ_WRITE, second + bytes));
          regions_.push_back(sub_buffer(parents_.back(), 0, initial));
          break;
        case Region::Home::second_half: regions_.push_back(sub_buffer(parents_.back(), second, initial)); break;
      }
    }
  }
  Buffer sub_buffer(const Buffer& parent, size_t origin, const Bytes& initial) {
    const cl_buffer_region place{origin, initial.size()};
    cl_int status = CL_SUCCESS;
    Buffer made(clCreateSubBuffer(parent.get(), CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &place, &status));
    check(status);
    check(clEnqueueWriteBuffer(queues_[0].get(), made.get(), CL_TRUE, 0, initial.size(), initial.data(), 0, nullptr,
                               nullptr));
    return made;
  }

  void make_small_buffers() {
    Random random(scenario_.data_seed ^ 0x5555);
    std::vector<cl_uint> permutation(scenario_.items), table(kTable), counters(kCounters, kCounterStart);
    std::iota(permutation.begin(), permutation.end(), 0u);
    for (size_t i = permutation.size(); i > 1; --i)
      std::swap(permutation[i - 1], permutation[random.below(static_cast<cl_uint>(i))]);
    for (cl_uint& value : table) value = static_cast<cl_uint>(random.next());
    permutation_ = copy_of(permutation, CL_MEM_READ_ONLY);
    table_ = copy_of(table, CL_MEM_READ_ONLY);
    if (scenario_.counters) counters_ = copy_of(counters, CL_MEM_READ_WRITE);
  }
  Buffer copy_of(std::vector<cl_uint>& values, cl_mem_flags flags) {
    return session_.make_buffer(flags | CL_MEM_COPY_HOST_PTR, values.size() * sizeof(cl_uint), values.data());
  }

  // The queue of the next command, and what it has to wait for. With more than one queue, or one that is out
  // of order, every command waits for the one before.
  cl_command_queue queue() { return queues_[commands_++ % queues_.size()].get(); }
  cl_uint waits() const { return tied() && last_.get() ? 1 : 0; }
  const cl_event* wait_list() const { return waits() ? last_.address() : nullptr; }
  bool tied() const { return scenario_.queues != Scenario::Queues::one_in_order; }
  void enqueued(cl_event event) {
    last_ = Event(event);
    if (tied())
      for (const Queue& each : queues_) check(clFlush(each.get()));
  }
  void settle() {
    for (const Queue& each : queues_) check(clFinish(each.get()));
  }

  void take(const Step& step) {
    switch (step.kind) {
      case Step::Kind::launch: return launch(step.launch);
      case Step::Kind::write: return write(step);
      case Step::Kind::write_rectangle: return write_rectangle(step);
      case Step::Kind::fill: return fill(step);
      case Step::Kind::copy: return copy(step);
      case Step::Kind::map_read:
      case Step::Kind::map_change:
      case Step::Kind::map_invalidate: return map(step);
      case Step::Kind::read: return read(step);
    }
  }

  void launch(const Launch& launch) {
    cl_uint index = 0;
    for (size_t region : launch.writers) set_argument(kernel_.get(), index++, regions_[region]);
    for (size_t region : launch.readers) set_argument(kernel_.get(), index++, regions_[region]);
    set_argument(kernel_.get(), index++, permutation_);
    set_argument(kernel_.get(), index++, table_);
    if (scenario_.counters) set_argument(kernel_.get(), index++, counters_);
    Random random(launch.scalar);
    set_argument(kernel_.get(), index++, static_cast<cl_uint>(scenario_.region_bytes()));
    set_argument(kernel_.get(), index++, static_cast<cl_uint>(random.next()));
    set_argument(kernel_.get(), index++, static_cast<cl_ulong>(random.next()));
    cl_uint4 vector;
    for (cl_uint& element : vector.s) element = static_cast<cl_uint>(random.next());
    set_argument(kernel_.get(), index++, vector);
    if (scenario_.local_bytes) set_argument(kernel_.get(), index++, LocalMemory{scenario_.local_bytes});

    const Ndrange& range = launch.range;
    cl_event event = nullptr;
    check(clEnqueueNDRangeKernel(queue(), kernel_.get(), range.dimensions,
                                 range.null_offset ? nullptr : range.offset.data(), range.global.data(),
                                 range.null_local ? nullptr : range.local.data(), waits(), wait_list(), &event));
    enqueued(event);
  }
  void write(const Step& step) {
    cl_event event = nullptr;
    check(clEnqueueWriteBuffer(queue(), regions_[step.region].get(), step.blocking, step.offset, step.bytes,
                               kept(step.data_seed, step.bytes), waits(), wait_list(), &event));
    enqueued(event);
  }
  void write_rectangle(const Step& step) {
    // The rectangle's rows lie `pitch` apart in the region and without gaps in host memory.
    const size_t to[] = {step.offset % step.pitch, step.offset / step.pitch, 0}, from[] = {0, 0, 0};
    const size_t region[] = {step.bytes, step.rows, 1};
    cl_event event = nullptr;
    check(clEnqueueWriteBufferRect(queue(), regions_[step.region].get(), step.blocking, to, from, region, step.pitch, 0,
                                   step.bytes, 0, kept(step.data_seed, step.bytes * step.rows), waits(), wait_list(),
                                   &event));
    enqueued(event);
  }
  void fill(const Step& step) {
    const Bytes pattern = random_bytes(step.data_seed, step.pattern);
    cl_event event = nullptr;
    check(clEnqueueFillBuffer(queue(), regions_[step.region].get(), pattern.data(), step.pattern, step.offset,
                              step.bytes, waits(), wait_list(), &event));
    enqueued(event);
  }
  void copy(const Step& step) {
    cl_event event = nullptr;
    check(clEnqueueCopyBuffer(queue(), regions_[step.from].get(), regions_[step.region].get(), step.from_offset,
                              step.offset, step.bytes, waits(), wait_list(), &event));
    enqueued(event);
  }
  void map(const Step& step) {
    const cl_map_flags flags = step.kind == Step::Kind::map_read     ? CL_MAP_READ
                               : step.kind == Step::Kind::map_change ? CL_MAP_READ | CL_MAP_WRITE
                                                                     : CL_MAP_WRITE_INVALIDATE_REGION;
    cl_int status = CL_SUCCESS;
    cl_event event = nullptr;
    auto* mapped =
        static_cast<std::byte*>(clEnqueueMapBuffer(queue(), regions_[step.region].get(), step.blocking, flags,
                                                   step.offset, step.bytes, waits(), wait_list(), &event, &status));
    check(status);
    enqueued(event);
    check(clWaitForEvents(1, last_.address()));
    const std::span<std::byte> view(mapped, step.bytes);
    if (step.kind != Step::Kind::map_invalidate) hash_ = checksum(view, hash_);
    if (step.kind == Step::Kind::map_change)
      for (std::byte& value : view) value ^= std::byte{0x5a};
    if (step.kind == Step::Kind::map_invalidate) std::ranges::copy(random_bytes(step.data_seed, step.bytes), mapped);
    check(clEnqueueUnmapMemObject(queue(), regions_[step.region].get(), mapped, waits(), wait_list(), &event));
    enqueued(event);
  }
  void read(const Step& step) {
    Bytes values(step.bytes);
    cl_event event = nullptr;
    check(clEnqueueReadBuffer(queue(), regions_[step.region].get(), step.blocking, step.offset, step.bytes,
                              values.data(), waits(), wait_list(), &event));
    enqueued(event);
    check(clWaitForEvents(1, last_.address()));
    hash_ = checksum(values, hash_);
  }

  // Host memory that stays until the scenario is over: non-blocking writes read it later.
  const std::byte* kept(uint64_t seed, size_t bytes) { return kept_.emplace_back(random_bytes(seed, bytes)).data(); }

  Bytes contents(const Buffer& buffer, size_t bytes) {
    Bytes values(bytes);
    check(clEnqueueReadBuffer(queues_[0].get(), buffer.get(), CL_TRUE, 0, bytes, values.data(), 0, nullptr, nullptr));
    return values;
  }

  const Session& session_;
  const Scenario& scenario_;
  std::deque<Bytes> kept_;  // these two before what uses them: destroyed after it
  std::vector<HostMemory> host_memory_;
  Program program_;
  Kernel kernel_;
  std::vector<Queue> queues_;
  std::vector<Buffer> parents_, regions_;
  Buffer permutation_, table_, counters_;
  size_t commands_ = 0;
  Event last_;
  uint64_t hash_ = 0;
};

}  // namespace

Outcome run_scenario(const Session& session, const Scenario& scenario) { return ScenarioRun(session, scenario).run(); }

}  // namespace differential
