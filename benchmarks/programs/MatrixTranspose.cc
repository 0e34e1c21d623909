// Transposes a matrix of 32-bit words. The host fills and reads its buffers by mapping them.
#include <cstring>

#include "MatrixTranspose.cl.h"
#include "benchmarks/host/compare.h"
#include "benchmarks/host/random.h"
#include "benchmarks/host/run.h"

namespace {

using namespace bench;

constexpr cl_uint kTile = 16;

class MatrixTranspose : public Workload {
 public:
  const char* name() const override { return "MatrixTranspose"; }
  void add_sizes(Sizes& sizes) override {
    sizes.add("--width", width_, {.usual = 4096, .small = 77, .least = 1, .most = 16384},
              "Columns of the input");
    sizes.add("--height", height_, {.usual = 4096, .small = 130, .least = 1, .most = 16384},
              "Rows of the input");
  }
  std::string size() const override { return std::to_string(width_) + " x " + std::to_string(height_); }

  void set_up(const Session& session, uint64_t seed) override {
    Random random(seed);
    in_.resize(size_t{width_} * height_);
    out_.resize(in_.size());
    for (cl_uint& value : in_) value = static_cast<cl_uint>(random.next());
    queue_ = session.queue.get();
    device_in_ = session.make_buffer(CL_MEM_READ_ONLY | CL_MEM_ALLOC_HOST_PTR, bytes());
    device_out_ = session.make_buffer(CL_MEM_WRITE_ONLY | CL_MEM_ALLOC_HOST_PTR, bytes());
    program_ = session.build(kMatrixTransposeCl, "-D TILE=" + std::to_string(kTile));
    kernel_ = make_kernel(program_, "transpose");
    set_arguments(kernel_, device_in_, device_out_, width_, height_,
                  LocalMemory{kTile * (kTile + 1) * sizeof(cl_uint)});
  }

  void upload(JobEvents& events) override {
    void* mapped = map(device_in_, CL_MAP_WRITE_INVALIDATE_REGION, events.upload);
    std::memcpy(mapped, in_.data(), bytes());
    check(clEnqueueUnmapMemObject(queue_, device_in_.get(), mapped, 0, nullptr, events.upload.add()));
  }
  void launch(JobEvents& events) override {
    const size_t local[] = {kTile, kTile};
    const size_t global[] = {(width_ + kTile - 1) / kTile * kTile, (height_ + kTile - 1) / kTile * kTile};
    check(clEnqueueNDRangeKernel(queue_, kernel_.get(), 2, nullptr, global, local, 0, nullptr,
                                 events.kernel.add()));
  }
  void download(JobEvents& events) override {
    void* mapped = map(device_out_, CL_MAP_READ, events.download);
    std::memcpy(out_.data(), mapped, bytes());
    check(clEnqueueUnmapMemObject(queue_, device_out_.get(), mapped, 0, nullptr, events.download.add()));
  }

  std::span<std::byte> result() override { return std::as_writable_bytes(std::span(out_)); }

  // Exact.
  std::string verify() override {
    for (size_t y = 0; y < height_; ++y)
      for (size_t x = 0; x < width_; ++x)
        if (out_[x * height_ + y] != in_[y * width_ + x])
          return differs(x * height_ + y, out_[x * height_ + y], in_[y * width_ + x]);
    return {};
  }

 private:
  size_t bytes() const { return in_.size() * sizeof(cl_uint); }
  void* map(const Buffer& buffer, cl_map_flags flags, EventList& events) {
    cl_int status = CL_SUCCESS;
    void* mapped = clEnqueueMapBuffer(queue_, buffer.get(), CL_TRUE, flags, 0, bytes(), 0, nullptr,
                                      events.add(), &status);
    check(status);
    return mapped;
  }

  cl_uint width_ = 0, height_ = 0;
  std::vector<cl_uint> in_, out_;
  cl_command_queue queue_ = nullptr;
  Buffer device_in_, device_out_;
  Program program_;
  Kernel kernel_;
};

}  // namespace

int main(int argc, char** argv) {
  MatrixTranspose program;
  return run(program, argc, argv);
}
