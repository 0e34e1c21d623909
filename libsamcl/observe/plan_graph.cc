#include "libsamcl/observe/plan_graph.h"

#include <algorithm>
#include <cstdio>
#include <map>
#include <utility>

#include "libsamcl/engine/access_map.h"

namespace samcl::observe {
namespace {

constexpr size_t kMostUses = 8;  // that are written out

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (c == '\n') {
      out += "\\n";
    } else {
      out += c;
    }
  }
  return out + '"';
}

std::string name_of(engine::Lane lane) {
  using engine::LaneKind;
  if (lane.kind == LaneKind::host) return "host";
  const char* kind = lane.kind == LaneKind::compute ? "compute" : lane.kind == LaneKind::up ? "up" : "down";
  const std::string strand = lane.strand > 0 ? ", strand " + std::to_string(lane.strand) : "";
  return "device " + std::to_string(lane.device) + ": " + kind + strand;
}

std::string time_of(const Operation& operation) {
  if (operation.ended == 0) return operation.what == "join" ? "" : "\nhas not run";
  char text[64];
  std::snprintf(text, sizeof text, ", %.1f us", static_cast<double>(operation.ended - operation.began) / 1e3);
  return text + (operation.status != CL_SUCCESS ? "\nfailed: " + std::to_string(operation.status) : "");
}

std::string name_of(const Use& use) {
  const char* verb = use.write ? "\nwrites " : "\nreads ";
  if (use.memory == 0 && use.range.end == UINT64_MAX) return std::string(verb) + "memory that nobody tells of";
  const std::string bytes = " [" + std::to_string(use.range.begin) + ", " + std::to_string(use.range.end) + ")";
  if (use.memory == 0)
    return std::string(verb) + "the program's memory, " + std::to_string(use.range.size()) + " bytes";
  return verb + ("memory " + std::to_string(use.memory)) + bytes +
         (use.place == kHost ? " on the host" : " on device " + std::to_string(use.place));
}

std::string label_of(const Operation& operation) {
  std::string text = operation.what + "\n" + name_of(operation.lane);
  if (operation.bytes > 0) text += ", " + std::to_string(operation.bytes) + " bytes";
  text += time_of(operation);
  for (size_t i = 0; i < std::min(operation.uses.size(), kMostUses); ++i) text += name_of(operation.uses[i]);
  if (operation.uses.size() > kMostUses) {
    text += "\nand " + std::to_string(operation.uses.size() - kMostUses) + " ranges more";
  }
  return text;
}

std::string label_of(const Command& command) {
  std::string text = std::to_string(command.number) + ": " + command.name();
  if (!command.why_not_more.empty()) text += "\nnot on more devices: " + command.why_not_more;
  if (command.status < 0) text += "\nfailed: " + std::to_string(command.status);
  if (command.status > CL_COMPLETE) text += "\nhas not ended";
  return text;
}

// Lanes are told apart by colour, so that one sees what can run at once.
const char* colour_of(const Operation& operation) {
  using engine::LaneKind;
  if (operation.status != CL_SUCCESS) return "#f4a3a3";
  switch (operation.lane.kind) {
    case LaneKind::compute: return "#cfe3f7";
    case LaneKind::up: return "#d5efd5";
    case LaneKind::down: return "#fbe6c4";
    case LaneKind::host: break;
  }
  return "#e8e8e8";
}

using Operations = std::vector<std::shared_ptr<const Operation>>;

// What comes after what, by the engine's own rule, as if none of them ended.
class Dependencies {
 public:
  explicit Dependencies(const Operations& operations) {
    for (size_t begin = 0, end = 0; begin < operations.size(); begin = end) {
      while (end < operations.size() && operations[end]->group == operations[begin]->group) ++end;
      for (size_t i = begin; i < end; ++i) before_.push_back(conflicts(*operations[i]));
      for (size_t i = begin; i < end; ++i) record(*operations[i]);
    }
  }
  // The numbers of those that the operation at that position comes after, each once.
  const std::vector<uint64_t>& before(size_t position) const { return before_[position]; }

 private:
  engine::AccessMap& users_of(const Use& use) { return users_[{use.memory, use.place}]; }

  std::vector<uint64_t> conflicts(const Operation& operation) {
    engine::NodeList found;
    for (const Use& use : operation.uses) users_of(use).find_conflicts(use.range, use.write, found);
    std::vector<uint64_t> numbers = operation.after;
    for (const engine::NodePtr& node : found) numbers.push_back(numbers_.at(node.get()));
    std::ranges::sort(numbers);
    const auto rest = std::ranges::unique(numbers);
    numbers.erase(rest.begin(), rest.end());
    return numbers;
  }

  void record(const Operation& operation) {
    const auto node = std::make_shared<engine::Node>(operation.lane, engine::HostCall{}, operation.group);
    numbers_[node.get()] = operation.number;
    nodes_.push_back(node);
    for (const Use& use : operation.uses) users_of(use).record(use.range, use.write, node);
  }

  std::map<std::pair<uint64_t, Place>, engine::AccessMap> users_;
  std::vector<engine::NodePtr> nodes_;
  std::map<const engine::Node*, uint64_t> numbers_;
  std::vector<std::vector<uint64_t>> before_;  // by position
};

}  // namespace

void PlanGraph::add(Command command) {
  if (commands_.size() < kMost) commands_.push_back(std::move(command));
}

void PlanGraph::add(std::shared_ptr<const Operation> operation) {
  if (operations_.size() < kMost) {
    operations_.push_back(std::move(operation));
  } else {
    ++left_out_;
  }
}

std::string PlanGraph::dot() const {
  std::map<uint32_t, std::pair<Command, std::string>> clusters;  // by number, with the operations' lines
  for (const Command& command : commands_) clusters[command.number].first = command;
  std::string arrows;
  const Dependencies dependencies(operations_);
  for (size_t i = 0; i < operations_.size(); ++i) {
    const auto& operation = operations_[i];
    auto& [command, lines] = clusters[operation->command];
    command.number = operation->command;
    const std::string name = "o" + std::to_string(operation->number);
    lines +=
        "    " + name + " [label=" + quoted(label_of(*operation)) + ", fillcolor=\"" + colour_of(*operation) + "\"];\n";
    for (const uint64_t before : dependencies.before(i)) {
      const bool waited = std::ranges::count(operation->after, before) > 0;
      arrows += "  o" + std::to_string(before) + " -> " + name + (waited ? ";\n" : " [style=dotted];\n");
    }
  }
  std::string text =
      "digraph samcl {\n  node [shape=box, style=filled, fontname=\"sans-serif\", fontsize=10];\n"
      "  graph [fontname=\"sans-serif\", fontsize=11, style=rounded, color=\"#909090\"];\n";
  if (left_out_ > 0)
    text += "  label=" + quoted("The first operations; " + std::to_string(left_out_) + " more are left out.") + ";\n";
  for (const auto& [number, cluster] : clusters) {
    const std::string name = std::to_string(number);
    text += "  subgraph cluster_" + name + " {\n    label=" + quoted(label_of(cluster.first)) + ";\n";
    text += cluster.second.empty() ? "    c" + name + " [label=\"nothing to do\", shape=plaintext, style=solid];\n"
                                   : cluster.second;
    text += "  }\n";
  }
  return text + arrows + "}\n";
}

}  // namespace samcl::observe
