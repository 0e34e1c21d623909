// Sorts 32-bit keys in place: log2(n) (log2(n) + 1) / 2 launches, each needing all of the one before,
// enqueued one after the other with changed arguments and without a wait between.
#include <algorithm>

#include "BitonicSort.cl.h"
#include "benchmarks/host/commands.h"
#include "benchmarks/host/compare.h"
#include "benchmarks/host/random.h"
#include "benchmarks/host/run.h"

namespace {

using namespace bench;

class BitonicSort : public Workload {
 public:
  const char* name() const override { return "BitonicSort"; }
  void add_sizes(Sizes& sizes) override {
    sizes.add("--log2-size", log2_, {.usual = 20, .small = 9, .least = 1, .most = 26},
              "Number of keys, as a power of two");
  }
  std::string size() const override { return std::to_string(1u << log2_); }

  void set_up(const Session& session, uint64_t seed) override {
    unsorted_ = Random(seed).words(size_t{1} << log2_);
    keys_.resize(unsorted_.size());
    queue_ = session.queue.get();
    device_keys_ = session.make_buffer(CL_MEM_READ_WRITE, bytes_of(keys_));
    program_ = session.build(kBitonicSortCl);
    kernel_ = make_kernel(program_, "compare_and_swap");
  }

  void upload(JobEvents& events) override { write(queue_, device_keys_, unsorted_, events.upload); }
  void launch(JobEvents& events) override {
    const size_t global = unsorted_.size() / 2, local = std::min<size_t>(global, 128);
    for (cl_uint block = 2; block <= unsorted_.size(); block *= 2)
      for (cl_uint distance = block / 2; distance > 0; distance /= 2) {
        set_arguments(kernel_, device_keys_, distance, block);
        enqueue(queue_, kernel_, {global}, {local}, events.kernel);
      }
  }
  void download(JobEvents& events) override { read(queue_, device_keys_, keys_, events.download); }

  std::span<std::byte> result() override { return std::as_writable_bytes(std::span(keys_)); }

  // Exact.
  std::string verify() override {
    std::vector<cl_uint> expected = unsorted_;
    std::sort(expected.begin(), expected.end());
    return compare(keys_, expected);
  }

 private:
  cl_uint log2_ = 0;
  std::vector<cl_uint> unsorted_, keys_;
  cl_command_queue queue_ = nullptr;
  Buffer device_keys_;
  Program program_;
  Kernel kernel_;
};

}  // namespace

int main(int argc, char** argv) {
  BitonicSort program;
  return run(program, argc, argv);
}
