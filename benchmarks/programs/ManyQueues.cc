// Several rings of cells, each with a command queue of its own, as programs have that work on several streams of data:
// what one queue does is of no concern to the others. With --threads each queue has a thread, too.
#include <algorithm>
#include <future>
#include <utility>

#include "ManyQueues.cl.h"
#include "benchmarks/host/commands.h"
#include "benchmarks/host/compare.h"
#include "benchmarks/host/random.h"
#include "benchmarks/host/run.h"

namespace {

using namespace bench;

constexpr uint64_t kMostMixed = 200'000'000;  // rounds of a cell that the reference takes, about

class ManyQueues : public Workload {
 public:
  const char* name() const override { return "ManyQueues"; }
  void add_sizes(Sizes& sizes) override {
    sizes.add("--queues", queues_, {.usual = 4, .small = 3, .least = 1, .most = 64}, "Rings, each with a queue");
    sizes.add("--cells", cells_, {.usual = 1 << 20, .small = 1001, .least = 3, .most = 1 << 26}, "Cells of each ring");
    sizes.add("--steps", steps_, {.usual = 24, .small = 3, .least = 1, .most = 10000}, "Launches of each queue");
    sizes.add("--rounds", rounds_, {.usual = 100, .small = 2, .least = 1, .most = 100000}, "Of mixing in each step");
    sizes.add("--threads", threads_, {.usual = 0, .small = 0, .least = 0, .most = 1},
              "1: a thread for each queue, which waits for it; 0: one for all");
  }
  std::string size() const override {
    return std::to_string(queues_) + " x " + std::to_string(cells_) + " x " + std::to_string(steps_);
  }

  void set_up(const Session& session, uint64_t seed) override {
    seed_ = seed;
    Random random(seed);
    program_ = session.build(kManyQueuesCl);
    result_.resize(size_t{queues_} * cells_);
    begin_ = random.words(result_.size());
    for (cl_uint number = 0; number < queues_; ++number) {
      Ring& ring = rings_.emplace_back();
      ring.first = size_t{number} * cells_;
      ring.queue = session.make_queue();
      for (Buffer& half : ring.halves) half = session.make_buffer(CL_MEM_READ_WRITE, cells_ * sizeof(cl_uint));
      for (size_t step = 0; step < 2; ++step) {
        ring.kernels[step] = make_kernel(program_, "advance");
        set_arguments(ring.kernels[step], ring.halves[step], ring.halves[1 - step], cells_, rounds_);
      }
    }
  }

  void upload(JobEvents& events) override {
    for (const Ring& ring : rings_) {
      check(clEnqueueWriteBuffer(ring.queue.get(), ring.halves[0].get(), CL_FALSE, 0, cells_ * sizeof(cl_uint),
                                 &begin_[ring.first], 0, nullptr, events.upload.add()));
      check(clFlush(ring.queue.get()));
    }
  }
  void launch(JobEvents& events) override {
    if (threads_ == 0) {
      for (cl_uint step = 0; step < steps_; ++step)
        for (Ring& ring : rings_) advance(ring, step, events.kernel);
      for (const Ring& ring : rings_) check(clFlush(ring.queue.get()));
      return;
    }
    std::vector<EventList> lists(rings_.size());
    std::vector<std::future<void>> threads;
    for (size_t number = 0; number < rings_.size(); ++number) {
      threads.push_back(std::async(std::launch::async, [this, &ring = rings_[number], &list = lists[number]] {
        for (cl_uint step = 0; step < steps_; ++step) advance(ring, step, list);
        check(clFinish(ring.queue.get()));
      }));
    }
    for (std::future<void>& thread : threads) thread.get();
    for (const EventList& list : lists) {
      for (cl_uint i = 0; i < list.size(); ++i) {
        check(clRetainEvent(list.data()[i]));
        *events.kernel.add() = list.data()[i];
      }
    }
  }
  void download(JobEvents& events) override {
    for (const Ring& ring : rings_) {
      check(clEnqueueReadBuffer(ring.queue.get(), ring.halves[steps_ % 2].get(), CL_FALSE, 0, cells_ * sizeof(cl_uint),
                                &result_[ring.first], 0, nullptr, events.download.add()));
      check(clFlush(ring.queue.get()));
    }
    for (const Ring& ring : rings_) check(clFinish(ring.queue.get()));
  }

  std::span<std::byte> result() override { return std::as_writable_bytes(std::span(result_)); }

  // Exact. All cells, or a sample of them where that takes long.
  std::string verify() override {
    const uint64_t each = uint64_t{steps_} * reach() * rounds_;
    const uint64_t checked = std::clamp<uint64_t>(kMostMixed / each, 1, result_.size());
    for (size_t cell : to_verify(result_.size(), checked, seed_ + 1)) {
      if (const cl_uint right = expected(cell); result_[cell] != right) return differs(cell, result_[cell], right);
    }
    return {};
  }

 private:
  struct Ring {
    size_t first = 0;
    Queue queue;
    Buffer halves[2];
    Kernel kernels[2];
  };
  // How many cells of the beginning one of the end depends on.
  uint64_t reach() const { return uint64_t{2} * steps_ + 1; }

  // Of all that it depends on: in each step the cell at either end is not known any more.
  cl_uint expected(size_t cell) const {
    const size_t first = cell / cells_ * cells_, at = cell - first;
    std::vector<cl_uint> now(reach());
    for (size_t i = 0; i < now.size(); ++i) now[i] = begin_[first + (at + i + cells_ - steps_ % cells_) % cells_];
    while (now.size() > 1) {
      std::vector<cl_uint> next;
      for (size_t i = 1; i + 1 < now.size(); ++i) {
        cl_uint x = now[i];
        const cl_uint near = now[i - 1] + 3 * now[i + 1];
        for (cl_uint round = 0; round < rounds_; ++round) x = (x ^ (x >> 15)) * 0x2c1b3c6du + near;
        next.push_back(x);
      }
      now = std::move(next);
    }
    return now[0];
  }

  void advance(Ring& ring, cl_uint step, EventList& events) const {
    enqueue(ring.queue.get(), ring.kernels[step % 2], {round_up(cells_, 64)}, {64}, events);
  }

  cl_uint queues_ = 0, cells_ = 0, steps_ = 0, rounds_ = 0, threads_ = 0;
  uint64_t seed_ = 0;
  std::vector<cl_uint> begin_, result_;
  Program program_;
  std::vector<Ring> rings_;
};

}  // namespace

int main(int argc, char** argv) {
  ManyQueues program;
  return run(program, argc, argv);
}
