// Shortest paths between all pairs of nodes: one launch per node, each needing all of the one before, with
// one changed argument. The first state is copied on the device (clEnqueueCopyBuffer).
#include <algorithm>

#include "FloydWarshall.cl.h"
#include "benchmarks/host/commands.h"
#include "benchmarks/host/compare.h"
#include "benchmarks/host/random.h"
#include "benchmarks/host/run.h"

namespace {

using namespace bench;

constexpr size_t kTile = 8;
constexpr cl_uint kNoEdge = 1u << 29;  // longer than any path, and the sum of two still fits
constexpr cl_uint kDirect = 0xffffffff;
constexpr size_t kChecked = 64;  // sources compared with the reference, if there are more

class FloydWarshall : public Workload {
 public:
  const char* name() const override { return "FloydWarshall"; }
  void add_sizes(Sizes& sizes) override {
    sizes.add("--nodes", n_, {.usual = 1024, .small = 61, .least = 2, .most = 8192}, "Nodes");
    sizes.add("--edges", edges_, {.usual = 8, .small = 4, .least = 1, .most = 64}, "Edges per node, on average");
  }
  std::string size() const override { return std::to_string(n_) + " nodes"; }

  void set_up(const Session& session, uint64_t seed) override {
    seed_ = seed;
    Random random(seed);
    edge_.assign(size_t{n_} * n_, kNoEdge);
    for (size_t i = 0; i < size_t{n_} * edges_; ++i) edge_[random.below(n_ * n_)] = 1 + random.below(1000);
    for (size_t node = 0; node < n_; ++node) edge_[node * n_ + node] = 0;
    result_.resize(2 * edge_.size());
    queue_ = session.queue.get();
    device_edge_ = session.make_buffer(CL_MEM_READ_ONLY, bytes_of(edge_));
    device_distance_ = session.make_buffer(CL_MEM_READ_WRITE, bytes_of(edge_));
    device_via_ = session.make_buffer(CL_MEM_READ_WRITE, bytes_of(edge_));
    program_ = session.build(kFloydWarshallCl);
    kernel_ = make_kernel(program_, "relax");
    set_arguments(kernel_, device_distance_, device_via_, n_);
  }

  void upload(JobEvents& events) override {
    write(queue_, device_edge_, edge_, events.upload);
    check(clEnqueueCopyBuffer(queue_, device_edge_.get(), device_distance_.get(), 0, 0, bytes_of(edge_), 0, nullptr,
                              events.upload.add()));
    check(clEnqueueFillBuffer(queue_, device_via_.get(), &kDirect, sizeof kDirect, 0, bytes_of(edge_), 0, nullptr,
                              events.upload.add()));
  }
  void launch(JobEvents& events) override {
    const size_t side = round_up(n_, kTile);
    for (cl_uint k = 0; k < n_; ++k) {
      set_argument(kernel_.get(), 3, k);
      enqueue(queue_, kernel_, {side, side}, {kTile, kTile}, events.kernel);
    }
  }
  void download(JobEvents& events) override {
    check(clEnqueueReadBuffer(queue_, device_distance_.get(), CL_FALSE, 0, bytes_of(edge_), result_.data(), 0, nullptr,
                              events.download.add()));
    check(clEnqueueReadBuffer(queue_, device_via_.get(), CL_FALSE, 0, bytes_of(edge_), &result_[edge_.size()], 0,
                              nullptr, events.download.add()));
    check(clFinish(queue_));
  }

  std::span<std::byte> result() override { return std::as_writable_bytes(std::span(result_)); }

  // Exact, for all sources or a sample: the distances by Dijkstra's algorithm; and a path goes by way of the
  // node that is said to be on it.
  std::string verify() override {
    const cl_uint *distance = result_.data(), *via = distance + edge_.size();
    for (size_t from : to_verify(n_, kChecked, seed_ + 1)) {
      const std::vector<cl_uint> expected = distances(from);
      for (size_t to = 0; to < n_; ++to) {
        const size_t at = from * n_ + to, k = via[at];
        if (distance[at] != expected[to]) return differs(at, distance[at], expected[to]);
        const cl_uint path = k == kDirect ? edge_[at] : k < n_ ? distance[from * n_ + k] + distance[k * n_ + to] : 0;
        if (path != expected[to]) return differs(edge_.size() + at, path, expected[to]) + " as the path's length";
      }
    }
    return {};
  }

 private:
  std::vector<cl_uint> distances(size_t from) const {
    std::vector<cl_uint> best(n_, kNoEdge);
    std::vector<bool> done(n_, false);
    best[from] = 0;
    for (size_t round = 0; round < n_; ++round) {
      size_t nearest = n_;
      for (size_t node = 0; node < n_; ++node)
        if (!done[node] && (nearest == n_ || best[node] < best[nearest])) nearest = node;
      done[nearest] = true;
      for (size_t to = 0; to < n_; ++to) best[to] = std::min(best[to], best[nearest] + edge_[nearest * n_ + to]);
    }
    return best;
  }

  cl_uint n_ = 0, edges_ = 0;
  uint64_t seed_ = 0;
  std::vector<cl_uint> edge_;
  std::vector<cl_uint> result_;  // all distances, then the nodes between
  cl_command_queue queue_ = nullptr;
  Buffer device_edge_, device_distance_, device_via_;
  Program program_;
  Kernel kernel_;
};

}  // namespace

int main(int argc, char** argv) {
  FloydWarshall program;
  return run(program, argc, argv);
}
