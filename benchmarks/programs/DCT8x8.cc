// The discrete cosine transform of an image's 8 x 8 blocks. Written with OpenCL's C++ bindings and their
// kernel functor; the table of cosines is in constant memory, made from an iterator range.
#include <array>
#include <cmath>
#include <numbers>

#include "DCT8x8.cl.h"
#include "benchmarks/host/commands.h"
#include "benchmarks/host/compare.h"
#include "benchmarks/host/cpp_bindings.h"
#include "benchmarks/host/random.h"
#include "benchmarks/host/run.h"

namespace {

using namespace bench;

constexpr size_t kChecked = 1024;  // blocks compared with the reference, if there are more

double cosine(size_t k, size_t i) {
  const double scale = k == 0 ? std::sqrt(0.125) : 0.5;
  return scale * std::cos(static_cast<double>((2 * i + 1) * k) * std::numbers::pi / 16);
}

class DCT8x8 : public Workload {
 public:
  const char* name() const override { return "DCT8x8"; }
  void add_sizes(Sizes& sizes) override {
    sizes.add("--columns", columns_, {.usual = 512, .small = 13, .least = 1, .most = 2048}, "Blocks per row");
    sizes.add("--rows", rows_, {.usual = 512, .small = 9, .least = 1, .most = 2048}, "Rows of blocks");
  }
  std::string size() const override { return std::to_string(width()) + " x " + std::to_string(8 * rows_) + " pixels"; }

  void set_up(const Session& session, uint64_t seed) override {
    seed_ = seed;
    image_ = Random(seed).units(width() * 8 * rows_);
    coefficients_.resize(image_.size());
    std::array<cl_float, 64> basis;
    for (size_t i = 0; i < 64; ++i) basis[i] = static_cast<cl_float>(cosine(i / 8, i % 8));
    const cl::Context context = cpp_context(session);
    queue_ = cpp_queue(session);
    device_image_ = cl::Buffer(context, CL_MEM_READ_ONLY, bytes_of(image_));
    device_coefficients_ = cl::Buffer(context, CL_MEM_WRITE_ONLY, bytes_of(image_));
    device_basis_ = cl::Buffer(context, basis.begin(), basis.end(), /*readOnly=*/true);
    program_ = cl::Program(context, std::string(kDCT8x8Cl), /*build=*/true);
  }

  void upload(JobEvents& events) override {
    queue_.enqueueWriteBuffer(device_image_, CL_FALSE, 0, bytes_of(image_), image_.data(), nullptr,
                              Into(events.upload));
  }
  void launch(JobEvents& events) override {
    cl::KernelFunctor<cl::Buffer, cl::Buffer, cl::Buffer, cl_uint> transform(program_, "dct8x8");
    const cl::EnqueueArgs items(queue_, cl::NDRange(width(), 8 * rows_), cl::NDRange(8, 8));
    Into(events.kernel) =
        transform(items, device_image_, device_coefficients_, device_basis_, static_cast<cl_uint>(width()));
  }
  void download(JobEvents& events) override {
    queue_.enqueueReadBuffer(device_coefficients_, CL_TRUE, 0, bytes_of(coefficients_), coefficients_.data(), nullptr,
                             Into(events.download));
  }

  std::span<std::byte> result() override { return std::as_writable_bytes(std::span(coefficients_)); }

  // All blocks or a sample, by the definition. Tolerance: Higham's bound for the two dot products of 8 terms
  // each and for the two rounded cosines in each term.
  std::string verify() override {
    for (size_t block : to_verify(size_t{columns_} * rows_, kChecked, seed_ + 1)) {
      const size_t corner = block / columns_ * 8 * width() + block % columns_ * 8;
      for (size_t k = 0; k < 64; ++k) {
        double sum = 0, magnitude = 0;
        for (size_t i = 0; i < 64; ++i) {
          const double term = cosine(k / 8, i / 8) * image_[corner + i / 8 * width() + i % 8] * cosine(k % 8, i % 8);
          sum += term;
          magnitude += std::fabs(term);
        }
        const size_t at = corner + k / 8 * width() + k % 8;
        const std::string wrong = compare_within(at, coefficients_[at], sum, (2 * 8 + 2) * kFloatRounding * magnitude);
        if (!wrong.empty()) return wrong;
      }
    }
    return {};
  }

 private:
  size_t width() const { return size_t{columns_} * 8; }

  cl_uint columns_ = 0, rows_ = 0;
  uint64_t seed_ = 0;
  std::vector<cl_float> image_, coefficients_;
  cl::CommandQueue queue_;
  cl::Buffer device_image_, device_coefficients_, device_basis_;
  cl::Program program_;
};

}  // namespace

int main(int argc, char** argv) {
  DCT8x8 program;
  return run(program, argc, argv);
}
