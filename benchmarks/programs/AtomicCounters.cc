// Counts how often a value occurs and lists where, each with one global counter: the first kernel does not
// use what atomic_inc() returns, the second does. The length of the list is read before the list.
#include <algorithm>

#include "AtomicCounters.cl.h"
#include "benchmarks/host/commands.h"
#include "benchmarks/host/compare.h"
#include "benchmarks/host/random.h"
#include "benchmarks/host/run.h"

namespace {

using namespace bench;

constexpr cl_uint kValues = 64;  // how many different values there are
constexpr cl_uint kWanted = 17;
constexpr size_t kLocal = 64;

class AtomicCounters : public Workload {
 public:
  const char* name() const override { return "AtomicCounters"; }
  void add_sizes(Sizes& sizes) override {
    sizes.add("--size", n_, {.usual = 16 << 20, .small = 20011, .least = 1, .most = 1 << 28}, "Values to look at");
  }
  std::string size() const override { return std::to_string(n_); }

  void set_up(const Session& session, uint64_t seed) override {
    Random random(seed);
    values_.resize(n_);
    for (cl_uint& value : values_) value = random.below(kValues);
    capacity_ = n_ / (kValues / 2) + 64;
    result_.resize(2 + capacity_);
    queue_ = session.queue.get();
    device_values_ = session.make_buffer(CL_MEM_READ_ONLY, bytes_of(values_));
    for (Buffer& counter : device_counters_) counter = session.make_buffer(CL_MEM_READ_WRITE, sizeof(cl_uint));
    device_places_ = session.make_buffer(CL_MEM_WRITE_ONLY, capacity_ * sizeof(cl_uint));
    program_ = session.build(kAtomicCountersCl);
    count_ = make_kernel(program_, "count");
    collect_ = make_kernel(program_, "collect");
    set_arguments(count_, device_values_, n_, kWanted, device_counters_[0]);
    set_arguments(collect_, device_values_, n_, kWanted, device_counters_[1], device_places_, capacity_);
  }

  void upload(JobEvents& events) override {
    write(queue_, device_values_, values_, events.upload);
    const cl_uint zero = 0;
    for (const Buffer& counter : device_counters_)
      check(
          clEnqueueWriteBuffer(queue_, counter.get(), CL_TRUE, 0, sizeof zero, &zero, 0, nullptr, events.upload.add()));
  }
  void launch(JobEvents& events) override {
    enqueue(queue_, count_, {round_up(n_, kLocal)}, {kLocal}, events.kernel);
    enqueue(queue_, collect_, {round_up(n_, kLocal)}, {kLocal}, events.kernel);
  }
  void download(JobEvents& events) override {
    for (size_t i = 0; i < 2; ++i)
      check(clEnqueueReadBuffer(queue_, device_counters_[i].get(), CL_TRUE, 0, sizeof(cl_uint), &result_[i], 0, nullptr,
                                events.download.add()));
    const size_t listed = std::min(result_[1], capacity_);
    const auto end = result_.begin() + static_cast<ptrdiff_t>(2 + listed);
    if (listed > 0)
      check(clEnqueueReadBuffer(queue_, device_places_.get(), CL_TRUE, 0, listed * sizeof(cl_uint), &result_[2], 0,
                                nullptr, events.download.add()));
    std::sort(result_.begin() + 2, end);
    std::fill(end, result_.end(), 0);
  }

  std::span<std::byte> result() override { return std::as_writable_bytes(std::span(result_)); }

  // Exact.
  std::string verify() override {
    std::vector<cl_uint> expected(2, 0);
    for (cl_uint i = 0; i < n_; ++i)
      if (values_[i] == kWanted) expected.push_back(i);
    expected[0] = expected[1] = static_cast<cl_uint>(expected.size() - 2);
    expected.resize(2 + capacity_);
    return compare(result_, expected);
  }

 private:
  cl_uint n_ = 0, capacity_ = 0;
  std::vector<cl_uint> values_;
  std::vector<cl_uint> result_;  // both counters, the places in ascending order, zeros
  cl_command_queue queue_ = nullptr;
  Buffer device_values_, device_counters_[2], device_places_;
  Program program_;
  Kernel count_, collect_;
};

}  // namespace

int main(int argc, char** argv) {
  AtomicCounters program;
  return run(program, argc, argv);
}
