// Counts bytes, in local memory per work-group, then sums. The data stays in the program's own memory
// (CL_MEM_USE_HOST_PTR) and is handed over by mapping and unmapping.
#include <algorithm>
#include <array>

#include "Histogram.cl.h"
#include "benchmarks/host/commands.h"
#include "benchmarks/host/compare.h"
#include "benchmarks/host/random.h"
#include "benchmarks/host/run.h"

namespace {

using namespace bench;

constexpr size_t kLocal = 64;

class Histogram : public Workload {
 public:
  const char* name() const override { return "Histogram"; }
  void add_sizes(Sizes& sizes) override {
    sizes.add("--size", n_, {.usual = 16 << 20, .small = 100003, .least = 1, .most = 1 << 30}, "Bytes to count");
    sizes.add("--groups", groups_, {.usual = 64, .small = 5, .least = 1, .most = 65536}, "Work-groups");
  }
  std::string size() const override { return std::to_string(n_) + " in " + std::to_string(groups_) + " groups"; }

  void set_up(const Session& session, uint64_t seed) override {
    Random random(seed);
    source_.resize(n_);
    for (cl_uchar& value : source_) value = static_cast<cl_uchar>(random.below(random.below(256) + 1));  // skewed
    data_.resize(n_);
    queue_ = session.queue.get();
    device_data_ = session.make_buffer(CL_MEM_READ_ONLY | CL_MEM_USE_HOST_PTR, n_, data_.data());
    device_rows_ = session.make_buffer(CL_MEM_READ_WRITE | CL_MEM_HOST_NO_ACCESS, groups_ * 256 * sizeof(cl_uint));
    device_histogram_ = session.make_buffer(CL_MEM_WRITE_ONLY | CL_MEM_HOST_READ_ONLY, sizeof histogram_);
    program_ = session.build(kHistogramCl);
    count_ = make_kernel(program_, "count");
    sum_ = make_kernel(program_, "sum");
    set_arguments(count_, device_data_, n_, device_rows_, LocalMemory{256 * sizeof(cl_uint)});
    set_arguments(sum_, device_rows_, groups_, device_histogram_);
  }

  void upload(JobEvents& events) override {
    void* mapped = map(queue_, device_data_, CL_MAP_WRITE_INVALIDATE_REGION, n_, events.upload);
    if (mapped != data_.data())
      throw std::runtime_error("a mapped CL_MEM_USE_HOST_PTR buffer must be the host's own memory");
    std::copy(source_.begin(), source_.end(), data_.begin());
    unmap(queue_, device_data_, mapped, events.upload);
  }
  void launch(JobEvents& events) override {
    enqueue(queue_, count_, {groups_ * kLocal}, {kLocal}, events.kernel);
    enqueue(queue_, sum_, {256}, {kLocal}, events.kernel);
  }
  void download(JobEvents& events) override {
    check(clEnqueueReadBuffer(queue_, device_histogram_.get(), CL_TRUE, 0, sizeof histogram_, histogram_.data(), 0,
                              nullptr, events.download.add()));
  }

  std::span<std::byte> result() override { return std::as_writable_bytes(std::span(histogram_)); }

  // Exact.
  std::string verify() override {
    std::array<cl_uint, 256> expected{};
    for (cl_uchar value : source_) ++expected[value];
    return compare(histogram_, expected);
  }

 private:
  cl_uint n_ = 0;
  cl_uint groups_ = 0;
  std::vector<cl_uchar> source_;
  std::vector<cl_uchar> data_;  // the buffer's memory
  std::array<cl_uint, 256> histogram_{};
  cl_command_queue queue_ = nullptr;
  Buffer device_data_, device_rows_, device_histogram_;
  Program program_;
  Kernel count_, sum_;
};

}  // namespace

int main(int argc, char** argv) {
  Histogram program;
  return run(program, argc, argv);
}
