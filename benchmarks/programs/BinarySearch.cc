// Looks keys up in a sorted array: each launch narrows the range to one of many pieces, and the host reads
// which before it launches the next.
#include <algorithm>

#include "BinarySearch.cl.h"
#include "benchmarks/host/commands.h"
#include "benchmarks/host/compare.h"
#include "benchmarks/host/random.h"
#include "benchmarks/host/run.h"

namespace {

using namespace bench;

constexpr size_t kPieces = 4096, kLocal = 64;
constexpr cl_uint kNowhere = 0xffffffff;

class BinarySearch : public Workload {
 public:
  const char* name() const override { return "BinarySearch"; }
  void add_sizes(Sizes& sizes) override {
    sizes.add("--size", n_, {.usual = 16 << 20, .small = 50021, .least = 1, .most = 1 << 28}, "Sorted keys");
    sizes.add("--searches", count_, {.usual = 32, .small = 6, .least = 2, .most = 1 << 16}, "Keys to look up");
  }
  std::string size() const override { return std::to_string(count_) + " in " + std::to_string(n_); }

  void set_up(const Session& session, uint64_t seed) override {
    Random random(seed);
    keys_.resize(n_);
    cl_uint key = 0;
    for (cl_uint& next : keys_) next = key += 1 + random.below(8);
    wanted_.resize(count_);
    for (size_t i = 0; i < count_; ++i)  // about half of them are there
      wanted_[i] = i % 2 == 0 ? keys_[random.below(n_)] : random.below(key + 2);
    found_.resize(count_);
    queue_ = session.queue.get();
    device_keys_ = session.make_buffer(CL_MEM_READ_ONLY, bytes_of(keys_));
    device_bounds_ = session.make_buffer(CL_MEM_READ_WRITE, sizeof(Bounds));
    program_ = session.build(kBinarySearchCl);
    kernel_ = make_kernel(program_, "narrow");
  }

  void upload(JobEvents& events) override { write(queue_, device_keys_, keys_, events.upload, CL_TRUE); }
  void launch(JobEvents& events) override {
    for (size_t i = 0; i < count_; ++i) {
      Bounds range = {0, n_};
      do range = narrow(range, wanted_[i], events.kernel);
      while (range.end - range.first > 1);
      found_[i] = range.first;
    }
  }
  void download(JobEvents&) override {}  // the host has seen every step

  std::span<std::byte> result() override { return std::as_writable_bytes(std::span(found_)); }

  // Exact.
  std::string verify() override {
    std::vector<cl_uint> expected;
    for (cl_uint key : wanted_) {
      const auto at = std::lower_bound(keys_.begin(), keys_.end(), key);
      expected.push_back(at != keys_.end() && *at == key ? static_cast<cl_uint>(at - keys_.begin()) : kNowhere);
    }
    return compare(found_, expected);
  }

 private:
  struct Bounds {
    cl_uint first, end;
  };
  // Both kNowhere if no piece can hold the key.
  Bounds narrow(const Bounds& range, cl_uint key, EventList& events) {
    const cl_uint piece = static_cast<cl_uint>((range.end - range.first + kPieces - 1) / kPieces);
    Bounds found = {kNowhere, kNowhere};
    check(
        clEnqueueWriteBuffer(queue_, device_bounds_.get(), CL_TRUE, 0, sizeof found, &found, 0, nullptr, events.add()));
    set_arguments(kernel_, device_keys_, range.first, range.end, piece, key, device_bounds_);
    enqueue(queue_, kernel_, {kPieces}, {kLocal}, events);
    check(
        clEnqueueReadBuffer(queue_, device_bounds_.get(), CL_TRUE, 0, sizeof found, &found, 0, nullptr, events.add()));
    return found;
  }

  cl_uint n_ = 0, count_ = 0;
  std::vector<cl_uint> keys_, wanted_, found_;
  cl_command_queue queue_ = nullptr;
  Buffer device_keys_, device_bounds_;
  Program program_;
  Kernel kernel_;
};

}  // namespace

int main(int argc, char** argv) {
  BinarySearch program;
  return run(program, argc, argv);
}
