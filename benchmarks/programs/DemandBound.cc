// Shortest intervals with a demand, of a recurring real-time task (analysis/dbf/): a launch per row of the
// dynamic program's table, each reading many rows before it and writing one, with changed scalar arguments;
// a struct in buffers and in local memory.
#include <algorithm>
#include <limits>

#include "DemandBound.cl.h"
#include "analysis/dbf/intervals.h"
#include "analysis/dbf/random_graph.h"
#include "benchmarks/host/commands.h"
#include "benchmarks/host/compare.h"
#include "benchmarks/host/run.h"

namespace {

using namespace bench;
namespace dbf = samcl::analysis::dbf;

constexpr cl_int kFar = 1 << 30;  // as in the kernels

struct Predecessor {
  cl_int base, begin, end, separation;
};

// A row's arguments.
struct Launch {
  cl_int predecessor, predecessor_count, start, first, count, part, begins_at, deadline;
};

class DemandBound : public Workload {
 public:
  const char* name() const override { return "DemandBound"; }
  void add_sizes(Sizes& sizes) override {
    sizes.add("--vertices", vertices_, {.usual = 50, .small = 9, .least = 1, .most = 200},
              "Vertices of the task's graph");
    sizes.add("--execution", execution_, {.usual = 10000, .small = 300, .least = 1, .most = 1000000},
              "Longest execution of a vertex");
    sizes.add("--density", density_, {.usual = 100, .small = 80, .least = 0, .most = 100},
              "Percent of the edges that there can be");
    sizes.add("--local-memory", by_local_, {.usual = 1, .small = 1, .least = 0, .most = 1},
              "Whether a row's predecessors are kept in local memory");
    sizes.add("--work-group", work_group_, {.usual = 256, .small = 256, .least = 1, .most = 4096},
              "Work-items of a group, as far as the device allows");
  }
  std::string size() const override {
    return std::to_string(vertices_) + " vertices, executions up to " + std::to_string(execution_) +
           (by_local_ ? "" : ", without local memory") +
           (work_group_ == 256 ? "" : ", groups of " + std::to_string(work_group_));
  }

  void set_up(const Session& session, uint64_t seed) override {
    dbf::RandomGraph wanted;
    wanted.vertices = vertices_;
    wanted.density = density_ / 100.0;
    wanted.most_execution = execution_;
    graph_ = dbf::double_graph(dbf::random_graph(wanted, seed));
    if (const auto columns = dbf::table_columns(graph_); !columns) throw std::runtime_error(columns.error().message);
    lay_out();
    queue_ = session.queue.get();
    device_table_ = session.make_buffer(CL_MEM_READ_WRITE, entries_ * sizeof(cl_int));
    device_predecessors_ = session.make_buffer(CL_MEM_READ_ONLY, bytes_of(predecessors_));
    device_shortest_ = session.make_buffer(CL_MEM_READ_WRITE, bytes_of(shortest_));
    program_ = session.build(kDemandBoundCl);
    kernel_ = make_kernel(program_, by_local_ ? "row_by_local" : "row_by_global");
  }

  void upload(JobEvents& events) override {
    write(queue_, device_predecessors_, predecessors_, events.upload);
    check(clEnqueueFillBuffer(queue_, device_shortest_.get(), &kFar, sizeof kFar, 0, bytes_of(shortest_), 0, nullptr,
                              events.upload.add()));
  }
  void launch(JobEvents& events) override {
    for (const Launch& row : launches_) {
      set_arguments(kernel_, device_table_, device_shortest_, device_predecessors_, row.predecessor,
                    row.predecessor_count, row.start, row.first, row.count, row.part, row.begins_at, row.deadline);
      if (by_local_)
        set_argument(kernel_.get(), 11, LocalMemory{std::max<size_t>(1, row.predecessor_count) * sizeof(Predecessor)});
      enqueue(queue_, kernel_, {round_up(row.count, work_group_)}, {work_group_}, events.kernel);
    }
  }
  void download(JobEvents& events) override { read(queue_, device_shortest_, shortest_, events.download); }

  std::span<std::byte> result() override { return std::as_writable_bytes(std::span(shortest_)); }

  // Exact: every demand's shortest interval.
  std::string verify() override {
    const dbf::ShortestIntervals plain = dbf::plain_intervals(graph_);
    std::vector<cl_int> expected;
    for (const auto* part : {&plain.without_source, &plain.with_source})
      for (const samcl::analysis::Time interval : *part)
        expected.push_back(interval == dbf::kNever ? kFar : units(interval));
    return compare(shortest_, expected);
  }

 private:
  cl_int units(samcl::analysis::Time time) const { return static_cast<cl_int>(time / graph_.time_unit); }

  // Which demands each row reaches, and where it lies in the table.
  void lay_out() {
    const auto columns = static_cast<size_t>(graph_.greatest / graph_.execution_unit + 1);
    shortest_.resize(2 * columns);
    samcl::analysis::Time longest = graph_.longest, start = 0;
    for (const dbf::Row& row : graph_.rows) {
      const auto own = static_cast<cl_int>(row.execution / graph_.execution_unit);
      cl_int begin = row.may_begin ? own : std::numeric_limits<cl_int>::max(), end = row.may_begin ? own + 1 : 0;
      const auto predecessor = static_cast<cl_int>(predecessors_.size());
      for (const dbf::Predecessor& before : row.predecessors) {
        const Launch& known = launches_[before.row];
        const cl_int first = known.first + own;
        predecessors_.push_back({known.start - first, first, first + known.count, units(before.separation)});
        begin = std::min(begin, first);
        end = std::max(end, first + known.count);
      }
      launches_.push_back({predecessor, static_cast<cl_int>(row.predecessors.size()), static_cast<cl_int>(start), begin,
                           end - begin, launches_.size() < graph_.source ? 0 : static_cast<cl_int>(columns),
                           row.may_begin ? own : -1, units(row.deadline)});
      longest = std::max(longest, graph_.longest + row.deadline);
      start += end - begin;
      if (start > std::numeric_limits<cl_int>::max() || longest / graph_.time_unit >= kFar)
        throw std::runtime_error("the table's entries or its times need more than 31 bits");
    }
    entries_ = static_cast<size_t>(start);
    if (predecessors_.empty()) predecessors_.emplace_back();  // no buffer may be empty
  }

  cl_uint vertices_ = 0, execution_ = 0, density_ = 0, by_local_ = 0, work_group_ = 0;
  dbf::DoubledGraph graph_;
  size_t entries_ = 0;
  std::vector<Predecessor> predecessors_;
  std::vector<Launch> launches_;
  std::vector<cl_int> shortest_;  // of walks without the source, then of those with it
  cl_command_queue queue_ = nullptr;
  Buffer device_table_, device_shortest_, device_predecessors_;
  Program program_;
  Kernel kernel_;
};

}  // namespace

int main(int argc, char** argv) {
  DemandBound program;
  return run(program, argc, argv);
}
