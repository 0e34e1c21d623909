// c = a + b. Everything blocks; the local size is left to the driver.
#include "VectorAdd.cl.h"
#include "benchmarks/host/compare.h"
#include "benchmarks/host/random.h"
#include "benchmarks/host/run.h"

namespace {

using namespace bench;

class VectorAdd : public Workload {
 public:
  const char* name() const override { return "VectorAdd"; }
  void add_sizes(Sizes& sizes) override {
    sizes.add("--size", n_, {.usual = 114'447'872, .small = 100003, .least = 1, .most = 1 << 28}, "Elements");
  }
  std::string size() const override { return std::to_string(n_); }

  void set_up(const Session& session, uint64_t seed) override {
    Random random(seed);
    a_.resize(n_);
    b_.resize(n_);
    c_.resize(n_);
    for (cl_uint i = 0; i < n_; ++i) {
      a_[i] = random.unit();
      b_[i] = random.unit();
    }
    queue_ = session.queue.get();
    device_a_ = session.make_buffer(CL_MEM_READ_ONLY, bytes());
    device_b_ = session.make_buffer(CL_MEM_READ_ONLY, bytes());
    device_c_ = session.make_buffer(CL_MEM_WRITE_ONLY, bytes());
    program_ = session.build(kVectorAddCl);
    kernel_ = make_kernel(program_, "vector_add");
    set_arguments(kernel_, device_a_, device_b_, device_c_, n_);
  }

  void upload(JobEvents& events) override {
    check(clEnqueueWriteBuffer(queue_, device_a_.get(), CL_TRUE, 0, bytes(), a_.data(), 0, nullptr,
                               events.upload.add()));
    check(clEnqueueWriteBuffer(queue_, device_b_.get(), CL_TRUE, 0, bytes(), b_.data(), 0, nullptr,
                               events.upload.add()));
  }
  void launch(JobEvents& events) override {
    const size_t global = (n_ + 63) / 64 * 64;
    check(clEnqueueNDRangeKernel(queue_, kernel_.get(), 1, nullptr, &global, nullptr, 0, nullptr,
                                 events.kernel.add()));
    check(clFinish(queue_));
  }
  void download(JobEvents& events) override {
    check(clEnqueueReadBuffer(queue_, device_c_.get(), CL_TRUE, 0, bytes(), c_.data(), 0, nullptr,
                              events.download.add()));
  }

  std::span<std::byte> result() override { return std::as_writable_bytes(std::span(c_)); }

  // One rounded addition: exact.
  std::string verify() override {
    for (cl_uint i = 0; i < n_; ++i)
      if (c_[i] != a_[i] + b_[i]) return differs(i, c_[i], a_[i] + b_[i]);
    return {};
  }

 private:
  size_t bytes() const { return n_ * sizeof(float); }

  cl_uint n_ = 0;
  std::vector<float> a_, b_, c_;
  cl_command_queue queue_ = nullptr;
  Buffer device_a_, device_b_, device_c_;
  Program program_;
  Kernel kernel_;
};

}  // namespace

int main(int argc, char** argv) {
  VectorAdd program;
  return run(program, argc, argv);
}
