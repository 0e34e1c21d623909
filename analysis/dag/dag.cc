#include "analysis/dag/dag.h"

#include <algorithm>
#include <array>
#include <set>

#include "analysis/model/graph.h"
#include "analysis/model/limits.h"

namespace samcl::analysis::dag {
namespace {

__extension__ using Wide = __int128;
using Set = uint64_t;  // of a task's vertices

constexpr size_t kMostPaths = 100'000;  // that end in one vertex and may be the longest

Set only(size_t vertex) { return Set{1} << vertex; }

std::vector<size_t> in_order(const Task& task) { return topological_order(task.vertices.size(), task.edges); }

// In parts of `unit`, so that sums of parts of M_s are whole.
struct Parts {
  Wide unit = 1;
  std::array<Wide, 3> of;  // [resource]: 1 / M_s

  explicit Parts(const Platform& platform) {
    for (const Resource resource : kResources) unit *= platform.elements(resource);
    for (const Resource resource : kResources) of[at(resource)] = unit / platform.elements(resource);
  }
  Time rounded_up(Wide time) const { return static_cast<Time>((time + unit - 1) / unit); }
};

// The greatest sum of lengths along a path.
template <typename Length>
Wide longest_path(const Task& task, Length length) {
  const auto sums = greatest_sums<Wide>(
      task.vertices.size(), task.edges, [&](size_t v) { return length(task.vertices[v]); },
      [](const Edge&) { return Wide{0}; });
  return *std::max_element(sums.begin(), sums.end());
}

Wide volume(const Task& task, const Parts& parts) {
  Wide sum = 0;
  for (const Vertex& vertex : task.vertices) sum += parts.of[at(vertex.resource)] * vertex.worst;
  return sum;
}

// par(v) on v's kind of processor: what can keep v waiting.
std::vector<Set> rivals(const Task& task) {
  const std::vector<size_t> order = in_order(task);
  std::vector<Set> before(task.vertices.size(), 0), all(task.vertices.size(), 0);
  for (const size_t v : order)
    for (const auto& [from, to] : task.edges)
      if (from == v) before[to] |= before[v] | only(v);
  for (size_t v = 0; v < all.size(); ++v)
    for (size_t u = 0; u < all.size(); ++u)
      if (u != v && task.vertices[u].resource == task.vertices[v].resource && (before[v] & only(u)) == 0 &&
          (before[u] & only(v)) == 0)
        all[v] |= only(u);
  return all;
}

struct Path {
  Time length = 0;
  Set rivals = 0;
  bool covers(const Path& other) const { return length >= other.length && (rivals & other.rivals) == other.rivals; }
};

void add(std::vector<Path>& paths, const Path& path) {
  if (std::any_of(paths.begin(), paths.end(), [&](const Path& known) { return known.covers(path); })) return;
  std::erase_if(paths, [&](const Path& known) { return path.covers(known); });
  paths.push_back(path);
}

}  // namespace

Result<void> check(const TaskSet& set) {
  if (set.platform.bound) return fail("platform, bound: expected false");
  for (const Resource resource : kResources)
    if (auto good =
            within(std::string("platform, ") + name(resource), set.platform.elements(resource), 1, kMaxElements, "");
        !good)
      return good;
  std::set<std::string> names;
  for (const Task& task : set.tasks) {
    const std::string who = "task \"" + task.name + "\", ";
    if (!names.insert(task.name).second) return fail(who + "expected a name that no other task has");
    if (auto good = within(who + "period", task.period, 1, kLongest, ""); !good) return good;
    if (task.deadline < 1 || task.deadline > task.period)
      return fail(who + "deadline: " + std::to_string(task.deadline) + ", expected at most the period");
    if (auto good = within(who + "vertices", static_cast<Time>(task.vertices.size()), 1, kMostVertices, ""); !good)
      return good;
    for (const Vertex& vertex : task.vertices)
      if (auto good = within(who + "vertex \"" + vertex.name + "\", worst", vertex.worst, 1, kLongest, ""); !good)
        return good;
    if (in_order(task).size() < task.vertices.size()) return fail(who + "edges: a cycle, expected none");
  }
  return {};
}

Time jaffe_bound(const Task& task, const Platform& platform) {
  const Parts parts(platform);
  Wide most = 1;  // elements of any kind that the task uses
  for (const Vertex& vertex : task.vertices) most = std::max<Wide>(most, platform.elements(vertex.resource));
  const Wide longest = longest_path(task, [](const Vertex& vertex) { return Wide{vertex.worst}; });
  return parts.rounded_up(volume(task, parts) + longest * (parts.unit - parts.unit / most));
}

Time scaled_bound(const Task& task, const Platform& platform) {
  const Parts parts(platform);
  return parts.rounded_up(volume(task, parts) + longest_path(task, [&](const Vertex& vertex) {
                            return (parts.unit - parts.of[at(vertex.resource)]) * vertex.worst;
                          }));
}

Time path_bound(const Task& task, const Platform& platform) {
  const Parts parts(platform);
  const std::vector<Set> rivals = dag::rivals(task);
  std::vector<std::vector<Path>> paths(task.vertices.size());  // that end in a vertex, without those that others cover
  Wide longest = 0;
  for (const size_t v : in_order(task)) {
    std::vector<Path> here;
    for (const auto& [from, to] : task.edges)
      if (to == v)
        for (const Path& path : paths[from]) add(here, path);
    if (here.empty()) here.emplace_back();
    if (here.size() > kMostPaths) return scaled_bound(task, platform);
    for (const Path& before : here) {
      const Path path = {before.length + task.vertices[v].worst, before.rivals | rivals[v]};
      Wide bound = parts.unit * path.length;
      for (size_t u = 0; u < task.vertices.size(); ++u)
        if ((path.rivals & only(u)) != 0) bound += parts.of[at(task.vertices[u].resource)] * task.vertices[u].worst;
      longest = std::max(longest, bound);
      add(paths[v], path);
    }
  }
  return parts.rounded_up(longest);
}

std::optional<std::vector<Platform>> federate(const TaskSet& set) {
  Platform left = set.platform;
  std::vector<Platform> all;
  for (const Task& task : set.tasks) {
    const auto uses = [&](Resource resource) {
      return std::any_of(task.vertices.begin(), task.vertices.end(),
                         [&](const Vertex& vertex) { return vertex.resource == resource; });
    };
    const auto numbers = [&](Resource resource, int most) {  // a kind that is not used counts as one in the bounds
      std::vector<int> some;
      for (int n = uses(resource) ? 1 : 0; n <= (uses(resource) ? most : 0); ++n) some.push_back(n);
      return some;
    };
    const auto found = [&]() -> std::optional<Platform> {
      for (const int gpus : numbers(Resource::gpu, left.gpus))
        for (const int links : numbers(Resource::link, left.links))
          for (const int cpus : numbers(Resource::cpu, left.cpus))
            if (path_bound(task, {std::max(1, cpus), std::max(1, links), std::max(1, gpus)}) <= task.deadline)
              return Platform{cpus, links, gpus};
      return std::nullopt;
    }();
    if (!found) return std::nullopt;
    left.cpus -= found->cpus;
    left.links -= found->links;
    left.gpus -= found->gpus;
    all.push_back(*found);
  }
  return all;
}

}  // namespace samcl::analysis::dag
