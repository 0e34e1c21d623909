#include "libsamcl/engine/engine.h"

#include <utility>

#include "libsamcl/engine/reset_at_end.h"

namespace samcl::engine {
namespace {

struct BytesOf {
  static uint64_t sum(const std::vector<Range>& ranges) {
    uint64_t bytes = 0;
    for (const Range& range : ranges) bytes += range.size();
    return bytes;
  }
  uint64_t operator()(const Exchange& o) const { return sum(o.ranges); }
  uint64_t operator()(const WindowCopy& o) const { return sum(o.ranges); }
  uint64_t operator()(const ProgramCopy& o) const { return o.rows.bytes(); }
  uint64_t operator()(const LocalCopy& o) const { return o.source.bytes(); }
  uint64_t operator()(const Fill& o) const { return sum(o.ranges); }
  uint64_t operator()(const RunKernel&) const { return 0; }
  uint64_t operator()(const HostCall&) const { return 0; }
};

// A node without work: it ends as soon as what it waits for has.
bool is_join(const Node& node) {
  const auto* call = std::get_if<HostCall>(&node.operation);
  return call && !call->call;
}

// For one more, which then asks for no memory.
void make_room(std::vector<NodePtr>& list) {
  if (list.size() == list.capacity()) list.reserve(2 * list.size() + 2);
}

}  // namespace

// Which of them it waits for until they have ended, and not only until they are issued. Makes room for what add() does.
Engine::EachOf Engine::make_room_for(Node& node, std::span<const NodePtr> after) {
  ready_.make_room(open_ + 1);
  node.behind.reserve(after.size());
  EachOf at_end(after.size(), false);
  for (size_t i = 0; i < after.size(); ++i) {
    Node& before = *after[i];
    if (before.ended) continue;
    at_end[i] = is_join(node) || is_join(before) || !backend_.keeps_behind(before, node);
    if (at_end[i]) {
      make_room(before.after_end);
    } else if (!before.issued) {
      make_room(before.after_issue);
    }
  }
  return at_end;
}

uint64_t bytes_of(const Operation& operation) { return std::visit(BytesOf{}, operation); }

void Engine::add(const NodePtr& node, std::span<const NodePtr> after) {
  const EachOf at_end = make_room_for(*node, after);
  ++open_;
  node->number = ++entered_;
  for (size_t i = 0; i < after.size(); ++i) {
    const NodePtr& before = after[i];
    if (before->ended) continue;
    if (at_end[i]) {
      before->after_end.push_back(node);
      ++node->waits_for;
      if (before->issued) backend_.hurry(*before);
      continue;
    }
    node->behind.push_back(before);
    if (before->issued) continue;
    before->after_issue.push_back(node);
    ++node->waits_for;
  }
  if (node->waits_for > 0) return;
  ready_.push(node);
  issue_ready();
}

void Engine::ended(const NodePtr& node, cl_int status) {
  end(node, status);
  issue_ready();
}

void Engine::look() {
  backend_.ended_by_now(found_);
  if (found_.empty()) return;
  for (const Backend::Ended& each : found_) end(each.node, each.status);
  found_.clear();
  issue_ready();
}

void Engine::end(const NodePtr& node, cl_int status) {
  node->ended = true;
  --open_;
  for (const NodePtr& next : std::exchange(node->after_end, {})) {
    if (--next->waits_for == 0) ready_.push(next);
  }
  node->behind.clear();
  ended_(*node, status);
  try {
    held_.push_back({HostCall{}, nullptr});
  } catch (...) {  // no memory: the node keeps what it holds for as long as it lives
    return;
  }
  held_.back() = {std::exchange(node->operation, HostCall{}), std::exchange(node->owner, nullptr)};
}

// Ending one may make others ready, also inside ended_(): the outermost call issues them all.
void Engine::issue_ready() {
  if (std::exchange(issuing_, true)) return;
  const ResetAtEnd reset(issuing_);
  while (!ready_.empty()) {
    const NodePtr node = ready_.pop();
    const bool is_over = is_join(*node);
    node->number_issued = ++issued_;
    cl_int error = CL_OUT_OF_HOST_MEMORY;
    try {
      error = is_over ? CL_SUCCESS : backend_.issue(node);
    } catch (...) {  // no memory
    }
    node->issued = true;
    for (const NodePtr& next : std::exchange(node->after_issue, {})) {
      if (--next->waits_for == 0) ready_.push(next);
    }
    if (is_over || error != CL_SUCCESS) end(node, error);
  }
}

}  // namespace samcl::engine
