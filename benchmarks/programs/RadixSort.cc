// Sorts 32-bit keys by radix: eight passes of three kernels, which scatter the keys between two buffers in
// turn.
#include <algorithm>

#include "RadixSort.cl.h"
#include "benchmarks/host/commands.h"
#include "benchmarks/host/compare.h"
#include "benchmarks/host/random.h"
#include "benchmarks/host/run.h"

namespace {

using namespace bench;

constexpr size_t kLocal = 64;
constexpr size_t kItems = 16;  // keys per work-item
constexpr cl_uint kBits = 4;   // of a digit, as in the kernels
constexpr size_t kDigits = 1 << kBits;

class RadixSort : public Workload {
 public:
  const char* name() const override { return "RadixSort"; }
  void add_sizes(Sizes& sizes) override {
    sizes.add("--size", n_, {.usual = 4 << 20, .small = 5003, .least = 2, .most = 1 << 28}, "Keys");
  }
  std::string size() const override { return std::to_string(n_); }

  void set_up(const Session& session, uint64_t seed) override {
    unsorted_ = Random(seed).words(n_);
    sorted_.resize(n_);
    groups_ = round_up(n_, kLocal * kItems) / (kLocal * kItems);
    queue_ = session.queue.get();
    for (Buffer& keys : device_keys_) keys = session.make_buffer(CL_MEM_READ_WRITE, bytes_of(unsorted_));
    device_counts_ = session.make_buffer(CL_MEM_READ_WRITE, counts() * sizeof(cl_uint));
    program_ = session.build(kRadixSortCl, "-D ITEMS=" + std::to_string(kItems));
    count_ = make_kernel(program_, "count_digits");
    scan_ = make_kernel(program_, "scan_counts");
    permute_ = make_kernel(program_, "permute");
    set_arguments(scan_, device_counts_, counts(), LocalMemory{kLocal * sizeof(cl_uint)});
  }

  void upload(JobEvents& events) override { write(queue_, device_keys_[0], unsorted_, events.upload); }
  void launch(JobEvents& events) override {
    const size_t items = groups_ * kLocal;
    for (cl_uint shift = 0, from = 0; shift < 32; shift += kBits, from = 1 - from) {
      set_arguments(count_, device_keys_[from], device_counts_, n_, shift);
      enqueue(queue_, count_, {items}, {kLocal}, events.kernel);
      enqueue(queue_, scan_, {kLocal}, {kLocal}, events.kernel);
      set_arguments(permute_, device_keys_[from], device_counts_, device_keys_[1 - from], n_, shift,
                    LocalMemory{kDigits * kLocal * sizeof(cl_uint)});
      enqueue(queue_, permute_, {items}, {kLocal}, events.kernel);
    }
  }
  void download(JobEvents& events) override {
    static_assert(32 / kBits % 2 == 0);  // so the last pass ends in the first buffer
    read(queue_, device_keys_[0], sorted_, events.download);
  }

  std::span<std::byte> result() override { return std::as_writable_bytes(std::span(sorted_)); }

  // Exact.
  std::string verify() override {
    std::vector<cl_uint> expected = unsorted_;
    std::sort(expected.begin(), expected.end());
    return compare(sorted_, expected);
  }

 private:
  cl_uint counts() const { return static_cast<cl_uint>(groups_ * kDigits); }

  cl_uint n_ = 0;
  size_t groups_ = 0;
  std::vector<cl_uint> unsorted_, sorted_;
  cl_command_queue queue_ = nullptr;
  Buffer device_keys_[2], device_counts_;
  Program program_;
  Kernel count_, scan_, permute_;
};

}  // namespace

int main(int argc, char** argv) {
  RadixSort program;
  return run(program, argc, argv);
}
