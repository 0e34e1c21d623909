// The dot products of many pairs of 4-vectors. Input and output lie in memory that the driver allocates for
// the host (CL_MEM_ALLOC_HOST_PTR); all three buffers are mapped without blocking.
#include <cmath>
#include <cstring>

#include "DotProduct.cl.h"
#include "benchmarks/host/commands.h"
#include "benchmarks/host/compare.h"
#include "benchmarks/host/random.h"
#include "benchmarks/host/run.h"

namespace {

using namespace bench;

constexpr size_t kLocal = 128;

class DotProduct : public Workload {
 public:
  const char* name() const override { return "DotProduct"; }
  void add_sizes(Sizes& sizes) override {
    sizes.add("--pairs", n_, {.usual = 8 << 20, .small = 5003, .least = 2, .most = 1 << 26}, "Pairs of vectors");
  }
  std::string size() const override { return std::to_string(n_) + " pairs"; }

  void set_up(const Session& session, uint64_t seed) override {
    Random random(seed);
    a_ = random.units(size_t{n_} * 4);
    b_ = random.units(size_t{n_} * 4);
    products_.resize(n_);
    queue_ = session.queue.get();
    device_a_ = session.make_buffer(CL_MEM_READ_ONLY | CL_MEM_ALLOC_HOST_PTR, bytes_of(a_));
    device_b_ = session.make_buffer(CL_MEM_READ_ONLY | CL_MEM_ALLOC_HOST_PTR, bytes_of(b_));
    device_products_ = session.make_buffer(CL_MEM_WRITE_ONLY | CL_MEM_ALLOC_HOST_PTR, bytes_of(products_));
    program_ = session.build(kDotProductCl);
    kernel_ = make_kernel(program_, "dot_products");
    set_arguments(kernel_, device_a_, device_b_, device_products_, n_);
  }

  void upload(JobEvents& events) override {
    void* a = start_map(device_a_, CL_MAP_WRITE_INVALIDATE_REGION, bytes_of(a_), events.upload);
    void* b = start_map(device_b_, CL_MAP_WRITE_INVALIDATE_REGION, bytes_of(b_), events.upload);
    check(clWaitForEvents(events.upload.size(), events.upload.data()));
    std::memcpy(a, a_.data(), bytes_of(a_));
    std::memcpy(b, b_.data(), bytes_of(b_));
    unmap(queue_, device_a_, a, events.upload);
    unmap(queue_, device_b_, b, events.upload);
  }
  void launch(JobEvents& events) override { enqueue(queue_, kernel_, {round_up(n_, kLocal)}, {kLocal}, events.kernel); }
  void download(JobEvents& events) override {
    void* mapped = start_map(device_products_, CL_MAP_READ, bytes_of(products_), events.download);
    check(clFlush(queue_));
    check(clWaitForEvents(1, events.download.data()));
    std::memcpy(products_.data(), mapped, bytes_of(products_));
    unmap(queue_, device_products_, mapped, events.download);
  }

  std::span<std::byte> result() override { return std::as_writable_bytes(std::span(products_)); }

  // All products. Tolerance: Higham's bound for four products and their sum, in any order (Accuracy and
  // Stability of Numerical Algorithms, section 3.1).
  std::string verify() override {
    for (size_t i = 0; i < n_; ++i) {
      double product = 0, magnitude = 0;
      for (size_t j = 4 * i; j < 4 * i + 4; ++j) {
        product += double{a_[j]} * b_[j];
        magnitude += std::fabs(double{a_[j]} * b_[j]);
      }
      const std::string wrong = compare_within(i, products_[i], product, 4 * kFloatRounding * magnitude);
      if (!wrong.empty()) return wrong;
    }
    return {};
  }

 private:
  // The address is valid at once, what it holds only when the event is done.
  void* start_map(const Buffer& buffer, cl_map_flags flags, size_t bytes, EventList& events) {
    cl_int status = CL_SUCCESS;
    void* mapped =
        clEnqueueMapBuffer(queue_, buffer.get(), CL_FALSE, flags, 0, bytes, 0, nullptr, events.add(), &status);
    check(status);
    return mapped;
  }

  cl_uint n_ = 0;
  std::vector<cl_float> a_, b_, products_;
  cl_command_queue queue_ = nullptr;
  Buffer device_a_, device_b_, device_products_;
  Program program_;
  Kernel kernel_;
};

}  // namespace

int main(int argc, char** argv) {
  DotProduct program;
  return run(program, argc, argv);
}
