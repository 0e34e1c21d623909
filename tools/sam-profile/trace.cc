#include "tools/sam-profile/trace.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <stdexcept>

namespace samcl::profile {
namespace {

using nlohmann::json;

// A table of the file; its columns are found by name.
class Table {
 public:
  explicit Table(const json& table) : rows_(table.at("rows")) {
    size_t index = 0;
    for (const json& column : table.at("columns")) columns_[column] = index++;
  }
  size_t size() const { return rows_.size(); }
  template <typename T>
  T get(size_t row, const char* column) const {
    const auto found = columns_.find(column);
    if (found == columns_.end())
      throw std::runtime_error("a table has no column \"" + std::string(column) + "\"");
    return rows_.at(row).at(found->second).get<T>();
  }

 private:
  const json& rows_;
  std::map<std::string, size_t> columns_;
};

Resource resource_of(const std::string& activity) {
  if (activity == "upload" || activity == "download") return Resource::link;
  if (activity == "kernel" || activity == "image" || activity == "local") return Resource::gpu;
  if (activity == "merge") return Resource::host;
  throw std::runtime_error("\"" + activity + "\" is no activity");
}

Span span_of(const Table& table, size_t row, const json& activities) {
  return {resource_of(activities.at(table.get<size_t>(row, "activity"))),
          table.get<unsigned>(row, "device"),
          table.get<Time>(row, "begin"),
          table.get<Time>(row, "end"),
          table.get<uint64_t>(row, "bytes"),
          table.get<unsigned>(row, "pieces"),
          table.get<Time>(row, "longest_piece")};
}

Trace trace_of(const json& document) {
  if (!document.is_object() || document.value("format", "") != "samcl-trace 1")
    throw std::runtime_error("no trace: expected \"format\": \"samcl-trace 1\"");
  Trace trace;
  document.at("managed").get_to(trace.managed);
  document.at("dropped").get_to(trace.dropped);
  const json& names = document.at("names");
  const json& activities = document.at("activities");

  std::map<unsigned, std::vector<Span>> spans;
  const Table span_table(document.at("spans"));
  for (size_t row = 0; row < span_table.size(); ++row)
    spans[span_table.get<unsigned>(row, "command")].push_back(span_of(span_table, row, activities));

  const Table commands(document.at("commands"));
  for (size_t row = 0; row < commands.size(); ++row) {
    if (commands.get<int>(row, "status") != 0) continue;
    Command command{commands.get<unsigned>(row, "type"), names.at(commands.get<size_t>(row, "name")),
                    commands.get<Time>(row, "queued"), commands.get<Time>(row, "ended"),
                    std::move(spans[commands.get<unsigned>(row, "number")])};
    std::stable_sort(command.spans.begin(), command.spans.end(),
                     [](const Span& a, const Span& b) { return a.begin < b.begin; });
    trace.commands.push_back(std::move(command));
  }
  std::stable_sort(trace.commands.begin(), trace.commands.end(),
                   [](const Command& a, const Command& b) { return a.queued < b.queued; });

  const Table marks(document.at("marks"));
  for (size_t row = 0; row < marks.size(); ++row)
    trace.marks.push_back({marks.get<int>(row, "begin") != 0, marks.get<Time>(row, "time")});
  std::stable_sort(trace.marks.begin(), trace.marks.end(),
                   [](const Mark& a, const Mark& b) { return a.time < b.time; });
  return trace;
}

}  // namespace

Result<Trace> parse_trace(const std::string& text) {
  try {
    return trace_of(json::parse(text));
  } catch (const std::exception& error) {
    return fail(error.what());
  }
}

}  // namespace samcl::profile
