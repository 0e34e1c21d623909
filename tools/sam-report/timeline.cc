#include "tools/sam-report/timeline.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "tools/trace/events.h"

namespace samcl::report {
namespace {

using nlohmann::json;
using trace_events::ns_of;

struct Row {
  std::string name;
  int64_t position = 0;
  std::vector<Block> blocks;
};

class Reader {
 public:
  void read(const json& event) {
    const std::string phase = event.at("ph"), name = event.at("name");
    if (phase == "M" && name == "thread_name") row(event).name = event.at("args").at("name");
    if (phase == "M" && name == "thread_sort_index") row(event).position = event.at("args").at("sort_index");
    if (phase != "X" || !trace_events::has_category(event, "operation")) return;
    const int64_t begin = ns_of(event, "ts"), length = ns_of(event, "dur");
    row(event).blocks.push_back({begin, begin + length, name, 1, event.at("args").value("bytes", uint64_t{0}), length});
  }
  std::vector<Row> rows() {
    std::vector<Row> used;
    for (auto& [key, row] : rows_) {
      if (!row.blocks.empty()) used.push_back(std::move(row));
    }
    std::ranges::stable_sort(used, {}, &Row::position);
    return used;
  }

 private:
  Row& row(const json& event) { return rows_[{event.at("pid"), event.at("tid")}]; }
  std::map<std::pair<int64_t, int64_t>, Row> rows_;
};

std::vector<Block> merged(std::vector<Block> blocks, int64_t gap) {
  std::vector<Block> kept;
  int64_t longest = 0;  // of the block at hand
  for (Block& block : blocks) {
    if (kept.empty() || block.begin - kept.back().end >= gap || (block.busy >= gap && longest >= gap)) {
      longest = block.busy;
      kept.push_back(std::move(block));
      continue;
    }
    Block& last = kept.back();
    if (block.busy > longest) {
      longest = block.busy;
      last.name = block.name;
    }
    last.end = std::max(last.end, block.end);
    last.count += block.count;
    last.bytes += block.bytes;
    last.busy += block.busy;
  }
  return kept;
}

}  // namespace

Result<Timeline> timeline_of(const std::string& trace, unsigned resolution) {
  Reader reader;
  try {
    const auto read = trace_events::for_each_event(trace, [&](const json& event) { reader.read(event); });
    if (!read) return tl::unexpected(read.error());
  } catch (const json::exception& error) {
    return fail(std::string("an event of the trace is not as expected: ") + error.what());
  }
  Timeline timeline;
  std::vector<Row> rows = reader.rows();
  int64_t first = INT64_MAX, last = 0;
  for (Row& row : rows) {
    std::ranges::stable_sort(row.blocks, {}, &Block::begin);
    for (const Block& block : row.blocks) {
      first = std::min(first, block.begin);
      last = std::max(last, block.end);
    }
  }
  timeline.length = rows.empty() ? 0 : last - first;
  for (Row& row : rows) {
    TimelineRow drawn{row.name, {}, 0};
    for (Block& block : row.blocks) {
      block.begin -= first;
      block.end -= first;
      drawn.busy += block.busy;
    }
    drawn.blocks = merged(std::move(row.blocks), std::max<int64_t>(1, timeline.length / resolution));
    timeline.rows.push_back(std::move(drawn));
  }
  return timeline;
}

}  // namespace samcl::report
