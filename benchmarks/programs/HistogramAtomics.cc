// Counts 32-bit keys with global atomics. Each job creates its input buffer from host memory
// (CL_MEM_COPY_HOST_PTR) and lets go of it right after the launch.
#include "HistogramAtomics.cl.h"
#include "benchmarks/host/compare.h"
#include "benchmarks/host/random.h"
#include "benchmarks/host/run.h"

namespace {

using namespace bench;

class HistogramAtomics : public Workload {
 public:
  const char* name() const override { return "HistogramAtomics"; }
  void add_sizes(Sizes& sizes) override {
    sizes.add("--size", n_, {.usual = 16 << 20, .small = 30011, .least = 1, .most = 1 << 28}, "Keys to count");
    sizes.add("--bits", bits_, {.usual = 10, .small = 10, .least = 1, .most = 20},
              "Upper bits of a key that choose its bin");
  }
  std::string size() const override { return std::to_string(n_) + " into " + std::to_string(bins()); }

  void set_up(const Session& session, uint64_t seed) override {
    session_ = &session;
    Random random(seed);
    keys_.resize(n_);
    histogram_.resize(bins());
    for (cl_uint& key : keys_) key = random.below(static_cast<cl_uint>(random.next() | 1));  // skewed
    device_histogram_ = session.make_buffer(CL_MEM_READ_WRITE, histogram_.size() * sizeof(cl_uint));
    program_ = session.build(kHistogramAtomicsCl);
    kernel_ = make_kernel(program_, "count");
  }

  void upload(JobEvents& events) override {
    device_keys_ = session_->make_buffer(CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, n_ * sizeof(cl_uint), keys_.data());
    const cl_uint zero = 0;
    check(clEnqueueFillBuffer(session_->queue.get(), device_histogram_.get(), &zero, sizeof zero, 0,
                              histogram_.size() * sizeof(cl_uint), 0, nullptr, events.upload.add()));
  }
  void launch(JobEvents& events) override {
    set_arguments(kernel_, device_keys_, device_histogram_, 32 - bits_);
    const size_t global = n_;
    check(clEnqueueNDRangeKernel(session_->queue.get(), kernel_.get(), 1, nullptr, &global, nullptr, 0, nullptr,
                                 events.kernel.add()));
    device_keys_ = Buffer();
  }
  void download(JobEvents& events) override {
    check(clEnqueueReadBuffer(session_->queue.get(), device_histogram_.get(), CL_TRUE, 0,
                              histogram_.size() * sizeof(cl_uint), histogram_.data(), 0, nullptr,
                              events.download.add()));
  }

  std::span<std::byte> result() override { return std::as_writable_bytes(std::span(histogram_)); }

  // Exact.
  std::string verify() override {
    std::vector<cl_uint> expected(bins(), 0);
    for (cl_uint key : keys_) ++expected[key >> (32 - bits_)];
    return compare(histogram_, expected);
  }

 private:
  size_t bins() const { return size_t{1} << bits_; }

  cl_uint n_ = 0;
  cl_uint bits_ = 0;
  const Session* session_ = nullptr;
  std::vector<cl_uint> keys_, histogram_;
  Buffer device_keys_, device_histogram_;
  Program program_;
  Kernel kernel_;
};

}  // namespace

int main(int argc, char** argv) {
  HistogramAtomics program;
  return run(program, argc, argv);
}
