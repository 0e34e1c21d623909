// Transposes a matrix of 32-bit words. The host fills and reads its buffers by mapping them.
#include <cstring>

#include "MatrixTranspose.cl.h"
#include "benchmarks/host/commands.h"
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
    sizes.add("--width", width_, {.usual = 4096, .small = 77, .least = 1, .most = 16384}, "Columns of the input");
    sizes.add("--height", height_, {.usual = 4096, .small = 130, .least = 1, .most = 16384}, "Rows of the input");
  }
  std::string size() const override { return std::to_string(width_) + " x " + std::to_string(height_); }

  void set_up(const Session& session, uint64_t seed) override {
    Random random(seed);
    in_ = random.words(size_t{width_} * height_);
    out_.resize(in_.size());
    queue_ = session.queue.get();
    device_in_ = session.make_buffer(CL_MEM_READ_ONLY | CL_MEM_ALLOC_HOST_PTR, bytes_of(in_));
    device_out_ = session.make_buffer(CL_MEM_WRITE_ONLY | CL_MEM_ALLOC_HOST_PTR, bytes_of(in_));
    program_ = session.build(kMatrixTransposeCl, "-D TILE=" + std::to_string(kTile));
    kernel_ = make_kernel(program_, "transpose");
    set_arguments(kernel_, device_in_, device_out_, width_, height_,
                  LocalMemory{kTile * (kTile + 1) * sizeof(cl_uint)});
  }

  void upload(JobEvents& events) override {
    void* mapped = map(queue_, device_in_, CL_MAP_WRITE_INVALIDATE_REGION, bytes_of(in_), events.upload);
    std::memcpy(mapped, in_.data(), bytes_of(in_));
    unmap(queue_, device_in_, mapped, events.upload);
  }
  void launch(JobEvents& events) override {
    enqueue(queue_, kernel_, {round_up(width_, kTile), round_up(height_, kTile)}, {kTile, kTile}, events.kernel);
  }
  void download(JobEvents& events) override {
    void* mapped = map(queue_, device_out_, CL_MAP_READ, bytes_of(out_), events.download);
    std::memcpy(out_.data(), mapped, bytes_of(out_));
    unmap(queue_, device_out_, mapped, events.download);
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
