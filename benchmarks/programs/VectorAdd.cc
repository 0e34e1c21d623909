// c = a + b. Everything blocks; the local size is left to the driver.
#include "VectorAdd.cl.h"
#include "benchmarks/host/commands.h"
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
    a_ = random.units(n_);
    b_ = random.units(n_);
    c_.resize(n_);
    queue_ = session.queue.get();
    device_a_ = session.make_buffer(CL_MEM_READ_ONLY, bytes_of(a_));
    device_b_ = session.make_buffer(CL_MEM_READ_ONLY, bytes_of(a_));
    device_c_ = session.make_buffer(CL_MEM_WRITE_ONLY, bytes_of(c_));
    program_ = session.build(kVectorAddCl);
    kernel_ = make_kernel(program_, "vector_add");
    set_arguments(kernel_, device_a_, device_b_, device_c_, n_);
  }

  void upload(JobEvents& events) override {
    write(queue_, device_a_, a_, events.upload, CL_TRUE);
    write(queue_, device_b_, b_, events.upload, CL_TRUE);
  }
  void launch(JobEvents& events) override {
    enqueue(queue_, kernel_, {round_up(n_, 64)}, {}, events.kernel);
    check(clFinish(queue_));
  }
  void download(JobEvents& events) override { read(queue_, device_c_, c_, events.download); }

  std::span<std::byte> result() override { return std::as_writable_bytes(std::span(c_)); }

  // One rounded addition: exact.
  std::string verify() override {
    for (cl_uint i = 0; i < n_; ++i)
      if (c_[i] != a_[i] + b_[i]) return differs(i, c_[i], a_[i] + b_[i]);
    return {};
  }

 private:
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
