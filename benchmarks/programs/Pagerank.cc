// Pagerank of a random graph with a few popular nodes: five dependent kernels per step with irregular reads,
// in an out-of-order queue (where there is one), ordered by wait lists alone.
#include <algorithm>
#include <cmath>

#include "Pagerank.cl.h"
#include "benchmarks/host/compare.h"
#include "benchmarks/host/random.h"
#include "benchmarks/host/run.h"

namespace {

using namespace bench;

constexpr size_t kLocal = 64;
constexpr cl_float kDamping = 0.85f;
// Largest allowed relative error of a rank. All terms are positive, so rounding adds at most about
// steps * (incoming edges + work-groups + 10) * 2^-24; real errors are far smaller.
constexpr double kTolerance = 1e-3;

class Pagerank : public Workload {
 public:
  const char* name() const override { return "Pagerank"; }
  void add_sizes(Sizes& sizes) override {
    sizes.add("--nodes", n_, {.usual = 4'000'000, .small = 1003, .least = 1, .most = 1 << 24}, "Nodes");
    sizes.add("--edges", edges_, {.usual = 8, .small = 5, .least = 0, .most = 64}, "Edges per node, on average");
    sizes.add("--steps", steps_, {.usual = 10, .small = 4, .least = 1, .most = 1000}, "Iterations of the algorithm");
  }
  std::string size() const override {
    return std::to_string(n_) + " nodes, " + std::to_string(n_ * size_t{edges_}) + " edges, " + std::to_string(steps_) +
           " steps";
  }

  void set_up(const Session& session, uint64_t seed) override {
    make_graph(seed);
    start_.assign(n_, 1.0f / static_cast<float>(n_));
    rank_.resize(n_);
    groups_ = static_cast<cl_uint>((n_ + kLocal - 1) / kLocal);

    cl_command_queue_properties offered = 0;
    check(clGetDeviceInfo(session.device, CL_DEVICE_QUEUE_PROPERTIES, sizeof offered, &offered, nullptr));
    queue_ = session.make_queue(offered & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    program_ = session.build(kPagerankCl);

    device_first_ = filled(session, first_edge_);
    device_from_ = filled(session, from_);
    device_degree_ = filled(session, out_degree_);
    const size_t bytes = n_ * sizeof(cl_float);
    device_rank_ = session.make_buffer(CL_MEM_READ_WRITE, bytes);
    device_shares_ = session.make_buffer(CL_MEM_READ_WRITE, bytes);
    device_incoming_ = session.make_buffer(CL_MEM_READ_WRITE, bytes);
    device_sums_ = session.make_buffer(CL_MEM_READ_WRITE, groups_ * sizeof(cl_float));
    device_everywhere_ = session.make_buffer(CL_MEM_READ_WRITE, sizeof(cl_float));

    share_ = make_kernel(program_, "share");
    dangling_ = make_kernel(program_, "dangling");
    base_ = make_kernel(program_, "base");
    gather_ = make_kernel(program_, "gather");
    update_ = make_kernel(program_, "update");
    set_arguments(share_, device_rank_, device_degree_, device_shares_, n_);
    set_arguments(dangling_, device_rank_, device_degree_, device_sums_, n_, LocalMemory{kLocal * sizeof(cl_float)});
    set_arguments(base_, device_sums_, groups_, device_everywhere_, kDamping, n_);
    set_arguments(gather_, device_first_, device_from_, device_shares_, device_incoming_, n_);
    set_arguments(update_, device_incoming_, device_everywhere_, device_rank_, kDamping, n_);
  }

  void upload(JobEvents& events) override {
    check(clEnqueueWriteBuffer(queue_.get(), device_rank_.get(), CL_FALSE, 0, n_ * sizeof(cl_float), start_.data(), 0,
                               nullptr, events.upload.add()));
  }
  void launch(JobEvents& events) override {
    cl_event ready = events.upload.last();
    for (cl_uint step = 0; step < steps_; ++step) {
      const cl_event shared = enqueue(share_, groups_ * kLocal, {ready}, events.kernel);
      const cl_event summed = enqueue(dangling_, groups_ * kLocal, {ready}, events.kernel);
      const cl_event based = enqueue(base_, 1, {summed}, events.kernel);
      const cl_event gathered = enqueue(gather_, groups_ * kLocal, {shared}, events.kernel);
      ready = enqueue(update_, groups_ * kLocal, {based, gathered}, events.kernel);
    }
    check(clFlush(queue_.get()));
  }
  void download(JobEvents& events) override {
    const cl_event ready = events.kernel.last();
    check(clEnqueueReadBuffer(queue_.get(), device_rank_.get(), CL_TRUE, 0, n_ * sizeof(cl_float), rank_.data(), 1,
                              &ready, events.download.add()));
  }

  std::span<std::byte> result() override { return std::as_writable_bytes(std::span(rank_)); }

  // Every rank against the same steps in double precision, adding in another order.
  std::string verify() override {
    std::vector<double> rank(n_, 1.0 / n_), next(n_);
    for (cl_uint step = 0; step < steps_; ++step) {
      double dangling = 0;
      for (cl_uint node = 0; node < n_; ++node)
        if (out_degree_[node] == 0) dangling += rank[node];
      for (cl_uint node = 0; node < n_; ++node) {
        double sum = 0;
        for (cl_uint edge = first_edge_[node + 1]; edge-- > first_edge_[node];)
          sum += rank[from_[edge]] / out_degree_[from_[edge]];
        next[node] = (1.0 - kDamping) / n_ + kDamping * (dangling / n_ + sum);
      }
      rank.swap(next);
    }
    for (cl_uint node = 0; node < n_; ++node)
      if (!(std::fabs(rank_[node] - rank[node]) <= kTolerance * rank[node]))
        return differs(node, double{rank_[node]}, rank[node]);
    return {};
  }

 private:
  // Targets of edges are skewed, so some nodes have many incoming edges; about one node in eight has no
  // outgoing one.
  void make_graph(uint64_t seed) {
    Random random(seed);
    const size_t count = n_ * size_t{edges_};
    std::vector<cl_uint> to(count), source(count);
    out_degree_.assign(n_, 0);
    first_edge_.assign(n_ + 1, 0);
    for (size_t edge = 0; edge < count; ++edge) {
      to[edge] = random.below(random.below(n_) + 1);
      do source[edge] = random.below(n_);
      while (source[edge] % 8 == 7 && n_ > 8);
      ++out_degree_[source[edge]];
      ++first_edge_[to[edge] + 1];
    }
    for (cl_uint node = 0; node < n_; ++node) first_edge_[node + 1] += first_edge_[node];

    from_.resize(std::max<size_t>(count, 1));  // a buffer cannot be empty
    std::vector<cl_uint> place(first_edge_.begin(), first_edge_.end() - 1);
    for (size_t edge = 0; edge < count; ++edge) from_[place[to[edge]]++] = source[edge];
    for (cl_uint node = 0; node < n_; ++node)
      std::sort(from_.begin() + first_edge_[node], from_.begin() + first_edge_[node + 1]);
  }
  static Buffer filled(const Session& session, std::vector<cl_uint>& values) {
    return session.make_buffer(CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, values.size() * sizeof(cl_uint), values.data());
  }
  // The event belongs to the list.
  cl_event enqueue(const Kernel& kernel, size_t items, std::initializer_list<cl_event> after, EventList& events) {
    const size_t local = items == 1 ? 1 : kLocal;
    check(clEnqueueNDRangeKernel(queue_.get(), kernel.get(), 1, nullptr, &items, &local,
                                 static_cast<cl_uint>(after.size()), after.begin(), events.add()));
    return events.last();
  }

  cl_uint n_ = 0, edges_ = 0, steps_ = 0, groups_ = 0;
  std::vector<cl_uint> first_edge_, from_,
      out_degree_;  // incoming edges of node i: first_edge_[i] .. [i + 1]
  std::vector<cl_float> start_, rank_;
  Queue queue_;
  Program program_;
  Buffer device_first_, device_from_, device_degree_, device_rank_, device_shares_, device_incoming_, device_sums_,
      device_everywhere_;
  Kernel share_, dangling_, base_, gather_, update_;
};

}  // namespace

int main(int argc, char** argv) {
  Pagerank program;
  return run(program, argc, argv);
}
