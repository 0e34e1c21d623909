// Exclusive prefix sums of floats: blocks, then the sums of blocks with buffers of their own, level by level,
// each level's kernel objects with their arguments set once.
#include <cmath>

#include "ScanLargeArrays.cl.h"
#include "benchmarks/host/commands.h"
#include "benchmarks/host/compare.h"
#include "benchmarks/host/random.h"
#include "benchmarks/host/run.h"

namespace {

using namespace bench;

constexpr size_t kLocal = 256;

class ScanLargeArrays : public Workload {
 public:
  const char* name() const override { return "ScanLargeArrays"; }
  void add_sizes(Sizes& sizes) override {
    sizes.add("--size", n_, {.usual = 16 << 20, .small = 70001, .least = 1, .most = 1 << 28}, "Values");
  }
  std::string size() const override { return std::to_string(n_); }

  void set_up(const Session& session, uint64_t seed) override {
    values_ = Random(seed).units(n_);
    sums_.resize(n_);
    queue_ = session.queue.get();
    program_ = session.build(kScanLargeArraysCl);
    device_values_ = session.make_buffer(CL_MEM_READ_ONLY, bytes_of(values_));
    for (size_t count = n_; levels_.empty() || count > 1; count = levels_.back().groups) {
      Level& level = levels_.emplace_back();
      level.groups = round_up(count, kLocal) / kLocal;
      level.sums = session.make_buffer(CL_MEM_READ_WRITE, count * sizeof(cl_float));
      level.totals = session.make_buffer(CL_MEM_READ_WRITE, level.groups * sizeof(cl_float));
      level.scan = make_kernel(program_, "scan_blocks");
      level.add = make_kernel(program_, "add_offsets");
      const cl_uint n = static_cast<cl_uint>(count);
      const Buffer& values = levels_.size() == 1 ? device_values_ : levels_[levels_.size() - 2].totals;
      set_arguments(level.scan, values, level.sums, level.totals, n, LocalMemory{2 * kLocal * sizeof(cl_float)});
    }
    for (size_t i = 0; i + 1 < levels_.size(); ++i)
      set_arguments(levels_[i].add, levels_[i].sums, levels_[i + 1].sums,
                    static_cast<cl_uint>(i == 0 ? n_ : levels_[i - 1].groups));
  }

  void upload(JobEvents& events) override { write(queue_, device_values_, values_, events.upload); }
  void launch(JobEvents& events) override {
    for (const Level& level : levels_) enqueue(queue_, level.scan, {level.groups * kLocal}, {kLocal}, events.kernel);
    for (size_t i = levels_.size() - 1; i-- > 0;)
      enqueue(queue_, levels_[i].add, {levels_[i].groups * kLocal}, {kLocal}, events.kernel);
  }
  void download(JobEvents& events) override { read(queue_, levels_[0].sums, sums_, events.download); }

  std::span<std::byte> result() override { return std::as_writable_bytes(std::span(sums_)); }

  // All sums. Tolerance: a value goes through log2(kLocal) additions per level, and one on the way back.
  std::string verify() override {
    const double roundings = static_cast<double>(levels_.size()) * (std::log2(kLocal) + 1);
    double sum = 0, magnitude = 0;
    for (size_t i = 0; i < n_; ++i) {
      const std::string wrong = compare_within(i, sums_[i], sum, roundings * kFloatRounding * magnitude);
      if (!wrong.empty()) return wrong;
      sum += values_[i];
      magnitude += std::fabs(values_[i]);
    }
    return {};
  }

 private:
  struct Level {
    size_t groups = 0;
    Buffer sums, totals;
    Kernel scan, add;
  };

  cl_uint n_ = 0;
  std::vector<cl_float> values_, sums_;
  cl_command_queue queue_ = nullptr;
  Program program_;
  Buffer device_values_;
  std::vector<Level> levels_;
};

}  // namespace

int main(int argc, char** argv) {
  ScanLargeArrays program;
  return run(program, argc, argv);
}
