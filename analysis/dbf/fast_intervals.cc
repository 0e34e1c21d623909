// The table is computed from left to right in tiles of columns, in each tile row by row. A row needs of its
// predecessors the columns to the left of its own, as many as its execution; so of each row there is kept a
// band: the tile, and before it as many columns as the largest execution.
//
// Threads share each row of a tile, from left to right. A thread's part of a row needs parts to its left of
// rows before, and none to its right: so it waits for its left neighbour alone, and all meet at the tile's
// end.
//
// Entries are distances from a path's first trigger to its last (t^i_{i,e} - d(i)), in units of time, so that
// a step along an edge is one addition; in 32 bits where all distances fit.
#include <algorithm>
#include <array>
#include <atomic>
#include <barrier>
#include <thread>

#include "analysis/dbf/intervals.h"
#include "analysis/simd/clones.h"

namespace samcl::analysis::dbf {
namespace {

// No path. Any distance may be added once without overflow.
template <typename Lane>
constexpr Lane kFar = static_cast<Lane>(Lane{1} << (8 * sizeof(Lane) - 2));

// Columns of predecessors, and what a step from them takes.
template <typename Lane>
struct Source {
  const Lane* columns;
  Lane separation;
};

constexpr size_t kTogether = 4;

// target[c] = the least of it and of the four sources' c plus separation.
template <typename Lane>
[[gnu::always_inline]] inline void take_least(Lane* __restrict target, const Source<Lane>* from, size_t count) {
  const Lane* __restrict a = from[0].columns;
  const Lane* __restrict b = from[1].columns;
  const Lane* __restrict c = from[2].columns;
  const Lane* __restrict d = from[3].columns;
  const Lane to_a = from[0].separation, to_b = from[1].separation, to_c = from[2].separation, to_d = from[3].separation;
  for (size_t n = 0; n < count; ++n) {
    const Lane ab = std::min<Lane>(a[n] + to_a, b[n] + to_b), cd = std::min<Lane>(c[n] + to_c, d[n] + to_d);
    target[n] = std::min(target[n], std::min(ab, cd));
  }
}

// Ends a row: what is beyond kFar is kFar, and the row's intervals join the best of all rows.
template <typename Lane>
[[gnu::always_inline]] inline void finish(Lane* __restrict row, Lane* __restrict best, Lane deadline, size_t count) {
  for (size_t n = 0; n < count; ++n) {
    row[n] = std::min(row[n], kFar<Lane>);
    best[n] = std::min<Lane>(best[n], row[n] + deadline);
  }
}

SAMCL_CLONES void take_least_of(int32_t* target, const Source<int32_t>* from, size_t count) {
  take_least(target, from, count);
}
SAMCL_CLONES void take_least_of(int64_t* target, const Source<int64_t>* from, size_t count) {
  take_least(target, from, count);
}
SAMCL_CLONES void finish_row(int32_t* row, int32_t* best, int32_t deadline, size_t count) {
  finish(row, best, deadline, count);
}
SAMCL_CLONES void finish_row(int64_t* row, int64_t* best, int64_t deadline, size_t count) {
  finish(row, best, deadline, count);
}

struct Columns {
  int64_t begin, end;
};
Columns both(const Columns& a, const Columns& b) { return {std::max(a.begin, b.begin), std::min(a.end, b.end)}; }

template <typename Lane>
class Bands {
 public:
  Bands(const DoubledGraph& graph, int threads)
      : graph_(graph),
        columns_(graph.greatest / graph.execution_unit + 1),
        threads_(static_cast<int>(std::clamp<int64_t>(columns_ / kWidth, 1, threads))),
        finished_(static_cast<size_t>(threads_)) {
    width_ = std::min<int64_t>(columns_, kWidth * threads_);
    for (const Row& row : graph.rows) {
      const int64_t own = row.execution / graph.execution_unit;
      Columns reached = row.may_begin ? Columns{own, own + 1} : Columns{columns_, 0};
      for (const Predecessor& before : row.predecessors) {
        reached.begin = std::min(reached.begin, reached_[before.row].begin + own);
        reached.end = std::max(reached.end, reached_[before.row].end + own);
      }
      reached_.push_back(reached);
      history_ = std::max(history_, own);
    }
    band_.assign(graph.rows.size() * static_cast<size_t>(history_ + width_), kFar<Lane>);
    for (auto* best : {&without_source_, &with_source_})
      best->assign(static_cast<size_t>(columns_ + width_), kFar<Lane>);
  }

  ShortestIntervals run() {
    std::barrier<> all(threads_);
    const auto work = [&](int thread) {
      for (int64_t begin = 0; begin < columns_; begin += width_) do_tile(begin, thread, all);
    };
    std::vector<std::jthread> others;
    for (int thread = 1; thread < threads_; ++thread) others.emplace_back(work, thread);
    work(0);
    others.clear();
    return {graph_.execution_unit, in_time(without_source_), in_time(with_source_)};
  }

 private:
  static constexpr int64_t kWidth = 16384;  // of a tile, per thread

  // The n-th part of so many, for each thread.
  Columns share(int64_t count, int thread) const {
    return {count * thread / threads_, count * (thread + 1) / threads_};
  }
  // The entry of the tile's first column.
  Lane* tile(size_t row) { return band_.data() + static_cast<int64_t>(row) * (history_ + width_) + history_; }
  Lane units(Time time) const { return static_cast<Lane>(time / graph_.time_unit); }

  void do_tile(int64_t begin, int thread, std::barrier<>& all) {
    const Columns part = share(width_, thread);
    const size_t rows = graph_.rows.size(), before = static_cast<size_t>(begin / width_) * rows;
    for (size_t row = 0; row < rows; ++row) {
      if (thread > 0) wait_for(thread - 1, before + row);
      do_row(row, begin, {begin + part.begin, begin + part.end});
      auto& finished = finished_[static_cast<size_t>(thread)];
      finished.store(before + row + 1, std::memory_order_release);
      finished.notify_one();
    }
    if (threads_ > 1) all.arrive_and_wait();
    const Columns own = share(static_cast<int64_t>(rows), thread);
    for (auto row = static_cast<size_t>(own.begin); row < static_cast<size_t>(own.end); ++row)
      if (begin + width_ > reached_[row].begin)
        std::copy_n(tile(row) + width_ - history_, history_, tile(row) - history_);
    if (threads_ > 1) all.arrive_and_wait();
  }

  // Until a thread has finished so many rows, of all tiles.
  void wait_for(int thread, size_t rows) {
    auto& finished = finished_[static_cast<size_t>(thread)];
    for (size_t known = 0; (known = finished.load(std::memory_order_acquire)) < rows;)
      finished.wait(known, std::memory_order_acquire);
  }

  // A thread's part of a row: the columns that the row reaches there, the others are far.
  void do_row(size_t n, int64_t begin, const Columns& part) {
    const Row& row = graph_.rows[n];
    const auto at = [&](size_t other, int64_t column) { return tile(other) + (column - begin); };
    if (part.end <= reached_[n].begin || part.begin >= reached_[n].end + width_) return;  // far already
    std::fill(at(n, part.begin), at(n, part.end), kFar<Lane>);
    const Columns live = both(part, reached_[n]);
    if (live.begin >= live.end) return;
    const int64_t own = row.execution / graph_.execution_unit;
    if (row.may_begin && live.begin <= own && own < live.end) *at(n, own) = 0;

    const auto count = static_cast<size_t>(live.end - live.begin);
    std::array<Source<Lane>, kTogether> from;
    size_t collected = 0;
    for (const Predecessor& before : row.predecessors) {
      const Columns known = reached_[before.row];
      if (live.end - own <= known.begin || live.begin - own >= known.end) continue;
      from[collected++] = {at(before.row, live.begin - own), units(before.separation)};
      if (collected < kTogether) continue;
      take_least_of(at(n, live.begin), from.data(), count);
      collected = 0;
    }
    if (collected > 0) {
      std::fill(from.begin() + collected, from.end(), from[0]);
      take_least_of(at(n, live.begin), from.data(), count);
    }
    auto& best = n < graph_.source ? without_source_ : with_source_;
    finish_row(at(n, live.begin), best.data() + live.begin, units(row.deadline), count);
  }

  std::vector<Time> in_time(const std::vector<Lane>& best) const {
    std::vector<Time> times(static_cast<size_t>(columns_), kNever);
    for (size_t c = 0; c < times.size(); ++c)
      if (best[c] < kFar<Lane>) times[c] = Time{best[c]} * graph_.time_unit;
    return times;
  }

  const DoubledGraph& graph_;
  const int64_t columns_;
  const int threads_;  // no more than have a tile's width each
  int64_t width_ = 0, history_ = 0;
  std::vector<Columns> reached_;               // by paths that end with the row
  std::vector<std::atomic<size_t>> finished_;  // by thread: rows, of all tiles
  std::vector<Lane> band_;
  std::vector<Lane> without_source_, with_source_;
};

}  // namespace

ShortestIntervals fast_intervals(const DoubledGraph& graph, int threads) {
  Time deadline = 0;
  for (const Row& row : graph.rows) deadline = std::max(deadline, row.deadline);
  if ((graph.longest + deadline) / graph.time_unit < kFar<int32_t>) return Bands<int32_t>(graph, threads).run();
  return Bands<int64_t>(graph, threads).run();
}

}  // namespace samcl::analysis::dbf
