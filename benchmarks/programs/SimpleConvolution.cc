// A two-dimensional convolution of an image's inside, launched with a global offset and a NULL local size;
// the border is the image's, copied on the device.
#include <cmath>

#include "SimpleConvolution.cl.h"
#include "benchmarks/host/commands.h"
#include "benchmarks/host/compare.h"
#include "benchmarks/host/random.h"
#include "benchmarks/host/run.h"

namespace {

using namespace bench;

constexpr size_t kChecked = 1 << 17;  // pixels compared with the reference, if there are more

class SimpleConvolution : public Workload {
 public:
  const char* name() const override { return "SimpleConvolution"; }
  void add_sizes(Sizes& sizes) override {
    sizes.add("--width", width_, {.usual = 2048, .small = 101, .least = 32, .most = 16384}, "Pixels per row");
    sizes.add("--height", height_, {.usual = 2048, .small = 83, .least = 32, .most = 16384}, "Rows");
    sizes.add("--reach", reach_, {.usual = 3, .small = 2, .least = 0, .most = 15},
              "Pixels that the mask reaches to each side");
  }
  std::string size() const override {
    return std::to_string(width_) + " x " + std::to_string(height_) + ", mask " + std::to_string(side()) + " x " +
           std::to_string(side());
  }

  void set_up(const Session& session, uint64_t seed) override {
    seed_ = seed;
    Random random(seed);
    image_ = random.units(size_t{width_} * height_);
    mask_ = random.units(side() * side());
    out_.resize(image_.size());
    queue_ = session.queue.get();
    device_image_ = session.make_buffer(CL_MEM_READ_ONLY, bytes_of(image_));
    device_mask_ = session.make_buffer(CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, bytes_of(mask_), mask_.data());
    device_out_ = session.make_buffer(CL_MEM_READ_WRITE, bytes_of(out_));
    program_ = session.build(kSimpleConvolutionCl);
    kernel_ = make_kernel(program_, "convolve");
    set_arguments(kernel_, device_image_, device_mask_, device_out_, width_, static_cast<cl_uint>(side()));
  }

  void upload(JobEvents& events) override {
    write(queue_, device_image_, image_, events.upload);
    check(clEnqueueCopyBuffer(queue_, device_image_.get(), device_out_.get(), 0, 0, bytes_of(out_), 0, nullptr,
                              events.upload.add()));
  }
  void launch(JobEvents& events) override {
    const size_t offset[] = {reach_, reach_}, inside[] = {width_ - 2 * reach_, height_ - 2 * reach_};
    check(clEnqueueNDRangeKernel(queue_, kernel_.get(), 2, offset, inside, nullptr, 0, nullptr, events.kernel.add()));
  }
  void download(JobEvents& events) override { read(queue_, device_out_, out_, events.download); }

  std::span<std::byte> result() override { return std::as_writable_bytes(std::span(out_)); }

  // All pixels or a sample. Tolerance: Higham's bound for a dot product in any order (Accuracy and Stability
  // of Numerical Algorithms, section 3.1); the border is exact.
  std::string verify() override {
    for (size_t at : to_verify(out_.size(), kChecked, seed_ + 1)) {
      const size_t x = at % width_, y = at / width_;
      const bool inside = x >= reach_ && x + reach_ < width_ && y >= reach_ && y + reach_ < height_;
      double sum = inside ? 0 : image_[at], magnitude = 0;
      for (size_t i = 0; inside && i < mask_.size(); ++i) {
        const double term = double{mask_[i]} * image_[(y + reach_ - i / side()) * width_ + x + reach_ - i % side()];
        sum += term;
        magnitude += std::fabs(term);
      }
      const double bound = static_cast<double>(mask_.size()) * kFloatRounding * magnitude;
      const std::string wrong = compare_within(at, out_[at], sum, bound);
      if (!wrong.empty()) return wrong;
    }
    return {};
  }

 private:
  size_t side() const { return 2 * reach_ + 1; }

  cl_uint width_ = 0, height_ = 0;
  size_t reach_ = 0;
  uint64_t seed_ = 0;
  cl_command_queue queue_ = nullptr;
  std::vector<cl_float> image_, mask_, out_;
  Buffer device_image_, device_mask_, device_out_;
  Program program_;
  Kernel kernel_;
};

}  // namespace

int main(int argc, char** argv) {
  SimpleConvolution program;
  return run(program, argc, argv);
}
