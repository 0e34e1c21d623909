// The K nearest points of each query, by brute force. Transfers and kernel have queues of their own, tied by
// events; the queries go in two halves, launched with changed arguments.
#include <algorithm>

#include "KNearest.cl.h"
#include "benchmarks/host/compare.h"
#include "benchmarks/host/random.h"
#include "benchmarks/host/run.h"

namespace {

using namespace bench;

constexpr size_t kLocal = 32;
constexpr size_t kChecked = 256;  // queries compared with the reference, if there are more

class KNearest : public Workload {
 public:
  const char* name() const override { return "KNearest"; }
  void add_sizes(Sizes& sizes) override {
    sizes.add("--points", point_count_, {.usual = 16384, .small = 501, .least = 1, .most = 1 << 24}, "Points");
    sizes.add("--queries", query_count_, {.usual = 16384, .small = 77, .least = 2, .most = 1 << 20}, "Queries");
    sizes.add("--neighbours", k_, {.usual = 8, .small = 5, .least = 1, .most = 64}, "Neighbours per query");
  }
  std::string size() const override {
    return std::to_string(k_) + " of " + std::to_string(point_count_) + " for " + std::to_string(query_count_);
  }

  void set_up(const Session& session, uint64_t seed) override {
    if (k_ > point_count_)
      throw std::invalid_argument("--neighbours: there are only " + std::to_string(point_count_) + " points");
    seed_ = seed;
    Random random(seed);
    points_ = places(random, point_count_);
    queries_ = places(random, query_count_);
    neighbours_.resize(size_t{query_count_} * k_);
    transfer_ = session.make_queue();
    compute_ = session.make_queue();
    device_points_ = session.make_buffer(CL_MEM_READ_ONLY, points_.size() * sizeof(cl_int4));
    program_ = session.build(kKNearestCl, "-DK=" + std::to_string(k_));
    kernel_ = make_kernel(program_, "nearest");
    first_[1] = query_count_ / 2;
    first_[2] = query_count_;
    for (int half = 0; half < 2; ++half) {
      device_queries_[half] = session.make_buffer(CL_MEM_READ_ONLY, half_count(half) * sizeof(cl_int4));
      device_neighbours_[half] = session.make_buffer(CL_MEM_WRITE_ONLY, half_count(half) * k_ * sizeof(cl_uint));
    }
  }

  void upload(JobEvents& events) override {
    check(clEnqueueWriteBuffer(transfer_.get(), device_points_.get(), CL_FALSE, 0, points_.size() * sizeof(cl_int4),
                               points_.data(), 0, nullptr, events.upload.add()));
    for (int half = 0; half < 2; ++half)
      check(clEnqueueWriteBuffer(transfer_.get(), device_queries_[half].get(), CL_FALSE, 0,
                                 half_count(half) * sizeof(cl_int4), &queries_[first_[half]], 0, nullptr,
                                 events.upload.add()));
    check(clFlush(transfer_.get()));
  }
  void launch(JobEvents& events) override {
    for (int half = 0; half < 2; ++half) {
      set_arguments(kernel_, device_points_, point_count_, device_queries_[half], half_count(half),
                    device_neighbours_[half]);
      const size_t local = kLocal, global = (half_count(half) + kLocal - 1) / kLocal * kLocal;
      check(clEnqueueNDRangeKernel(compute_.get(), kernel_.get(), 1, nullptr, &global, &local, events.upload.size(),
                                   events.upload.data(), events.kernel.add()));
    }
    check(clFlush(compute_.get()));
  }
  void download(JobEvents& events) override {
    for (int half = 0; half < 2; ++half)
      check(clEnqueueReadBuffer(transfer_.get(), device_neighbours_[half].get(), CL_FALSE, 0,
                                half_count(half) * k_ * sizeof(cl_uint), &neighbours_[size_t{first_[half]} * k_], 1,
                                &events.kernel.data()[half], events.download.add()));
    check(clWaitForEvents(events.download.size(), events.download.data()));
  }

  std::span<std::byte> result() override { return std::as_writable_bytes(std::span(neighbours_)); }

  // Exact; all queries, or a random sample of many.
  std::string verify() override {
    Random random(seed_ + 1);
    const size_t count = std::min<size_t>(query_count_, kChecked);
    for (size_t i = 0; i < count; ++i) {
      const size_t query = count == query_count_ ? i : random.below(query_count_);
      const std::vector<cl_uint> expected = nearest(queries_[query]);
      for (size_t j = 0; j < k_; ++j)
        if (neighbours_[query * k_ + j] != expected[j])
          return differs(query * k_ + j, neighbours_[query * k_ + j], expected[j]);
    }
    return {};
  }

 private:
  static std::vector<cl_int4> places(Random& random, cl_uint count) {
    std::vector<cl_int4> made(count);
    for (cl_int4& place : made)
      for (int d = 0; d < 2; ++d) place.s[d] = static_cast<cl_int>(random.below(32001)) - 16000;
    return made;
  }
  // By sorting: another way than the kernel's.
  std::vector<cl_uint> nearest(const cl_int4& at) const {
    std::vector<std::pair<cl_int, cl_uint>> all(points_.size());
    for (cl_uint p = 0; p < point_count_; ++p) {
      const cl_int dx = at.s[0] - points_[p].s[0], dy = at.s[1] - points_[p].s[1];
      all[p] = {dx * dx + dy * dy, p};
    }
    std::partial_sort(all.begin(), all.begin() + k_, all.end());
    std::vector<cl_uint> indices;
    for (size_t i = 0; i < k_; ++i) indices.push_back(all[i].second);
    return indices;
  }
  cl_uint half_count(int half) const { return first_[half + 1] - first_[half]; }

  cl_uint point_count_ = 0, query_count_ = 0, k_ = 0;
  cl_uint first_[3] = {};  // first query of each half, and the count
  uint64_t seed_ = 0;
  std::vector<cl_int4> points_, queries_;
  std::vector<cl_uint> neighbours_;
  Queue transfer_, compute_;
  Buffer device_points_, device_queries_[2], device_neighbours_[2];
  Program program_;
  Kernel kernel_;
};

}  // namespace

int main(int argc, char** argv) {
  KNearest program;
  return run(program, argc, argv);
}
