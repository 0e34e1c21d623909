// Sorts many arrays of keys with values by a sorting network: blocks in local memory, then steps over all of
// the memory. Keys and values are brought to the device ahead of the launch (clEnqueueMigrateMemObjects).
#include <algorithm>

#include "SortingNetworks.cl.h"
#include "benchmarks/host/commands.h"
#include "benchmarks/host/compare.h"
#include "benchmarks/host/random.h"
#include "benchmarks/host/run.h"

namespace {

using namespace bench;

constexpr size_t kLocal = 128;

class SortingNetworks : public Workload {
 public:
  const char* name() const override { return "SortingNetworks"; }
  void add_sizes(Sizes& sizes) override {
    sizes.add("--arrays", arrays_, {.usual = 256, .small = 3, .least = 1, .most = 65536}, "Arrays");
    sizes.add("--log2-length", log2_, {.usual = 14, .small = 10, .least = 1, .most = 20},
              "Elements of an array, as a power of two");
  }
  std::string size() const override { return std::to_string(arrays_) + " x " + std::to_string(length()); }

  void set_up(const Session& session, uint64_t seed) override {
    Random random(seed);
    const size_t count = arrays_ * length();
    for (size_t i = 0; i < count; ++i) {
      unsorted_.push_back(random.below(static_cast<cl_uint>(4 * length())));  // some keys are equal
      places_.push_back(static_cast<cl_uint>(i % length()));
    }
    result_.resize(2 * count);
    queue_ = session.queue.get();
    device_keys_ = session.make_buffer(CL_MEM_READ_WRITE, bytes_of(unsorted_));
    device_values_ = session.make_buffer(CL_MEM_READ_WRITE, bytes_of(places_));
    program_ = session.build(kSortingNetworksCl);
    sort_ = make_kernel(program_, "sort_blocks");
    merge_ = make_kernel(program_, "merge_step");
  }

  void upload(JobEvents& events) override {
    write(queue_, device_keys_, unsorted_, events.upload);
    write(queue_, device_values_, places_, events.upload);
    const cl_mem both[] = {device_keys_.get(), device_values_.get()};
    check(clEnqueueMigrateMemObjects(queue_, 2, both, 0, 0, nullptr, events.upload.add()));
  }
  void launch(JobEvents& events) override {
    const size_t pairs = unsorted_.size() / 2, local = std::min(length() / 2, kLocal);
    const LocalMemory block = {2 * local * sizeof(cl_uint)};
    set_arguments(sort_, device_keys_, device_values_, block, block);
    enqueue(queue_, sort_, {pairs}, {local}, events.kernel);
    for (size_t run = 2 * local; run < length(); run *= 2)
      for (size_t distance = run; distance > 0; distance /= 2) {
        set_arguments(merge_, device_keys_, device_values_, static_cast<cl_uint>(run), static_cast<cl_uint>(distance));
        enqueue(queue_, merge_, {pairs}, {local}, events.kernel);
      }
  }
  void download(JobEvents& events) override {
    const size_t half = unsorted_.size();
    check(clEnqueueReadBuffer(queue_, device_keys_.get(), CL_FALSE, 0, bytes_of(unsorted_), result_.data(), 0, nullptr,
                              events.download.add()));
    check(clEnqueueReadBuffer(queue_, device_values_.get(), CL_TRUE, 0, bytes_of(places_), &result_[half], 0, nullptr,
                              events.download.add()));
  }

  std::span<std::byte> result() override { return std::as_writable_bytes(std::span(result_)); }

  // Exact: each array's keys in order, each value once, and with the key that it came with. Which of equal
  // keys comes first is the network's to choose.
  std::string verify() override {
    const size_t count = unsorted_.size();
    for (size_t first = 0; first < count; first += length()) {
      const auto begin = unsorted_.begin() + static_cast<ptrdiff_t>(first);
      std::vector<cl_uint> expected(begin, begin + static_cast<ptrdiff_t>(length()));
      std::sort(expected.begin(), expected.end());
      std::vector<bool> seen(length(), false);
      for (size_t i = 0; i < length(); ++i) {
        const cl_uint key = result_[first + i], value = result_[count + first + i];
        if (key != expected[i]) return differs(first + i, key, expected[i]);
        if (value >= length() || seen[value] || unsorted_[first + value] != key)
          return "element " + std::to_string(count + first + i) + " is " + std::to_string(value) +
                 ", expected the place of a key " + std::to_string(key) + " that was not yet named";
        seen[value] = true;
      }
    }
    return {};
  }

 private:
  size_t length() const { return size_t{1} << log2_; }

  size_t arrays_ = 0;
  cl_uint log2_ = 0;
  std::vector<cl_uint> unsorted_, places_;
  std::vector<cl_uint> result_;  // keys, then values
  cl_command_queue queue_ = nullptr;
  Buffer device_keys_, device_values_;
  Program program_;
  Kernel sort_, merge_;
};

}  // namespace

int main(int argc, char** argv) {
  SortingNetworks program;
  return run(program, argc, argv);
}
