#include "libsamcl/observe/plan_graph.h"

#include <gmock/gmock.h>

namespace samcl::observe {
namespace {

using engine::LaneKind;
using ::testing::HasSubstr;
using ::testing::Not;

std::shared_ptr<Operation> operation(uint64_t number, uint32_t command, engine::Lane lane, const char* what,
                                     std::vector<uint64_t> after = {}) {
  auto made = std::make_shared<Operation>();
  made->number = number;
  made->command = command;
  made->group = number;
  made->lane = lane;
  made->what = what;
  made->after = std::move(after);
  return made;
}

TEST(PlanGraph, CommandsAreClustersAndDependenciesArrows) {
  PlanGraph graph;
  auto upload = operation(1, 1, {LaneKind::up, 1}, "upload");
  upload->bytes = 4096;
  upload->uses = {{3, 1, {0, 4096}, true}, {0, kHost, {100, 4196}, false}};
  upload->began = 1'000;
  upload->ended = 3'500;
  graph.add(upload);
  graph.add(operation(2, 2, {LaneKind::compute, 1}, "smooth", {1}));
  graph.add(Command{1, CL_COMMAND_WRITE_BUFFER, "", "", CL_COMPLETE});
  graph.add(Command{2, CL_COMMAND_NDRANGE_KERNEL, "smooth", "it prints", CL_COMPLETE});
  graph.add(Command{3, CL_COMMAND_MARKER, "", "", CL_COMPLETE});
  EXPECT_EQ(graph.dot(), R"(digraph samcl {
  node [shape=box, style=filled, fontname="sans-serif", fontsize=10];
  graph [fontname="sans-serif", fontsize=11, style=rounded, color="#909090"];
  subgraph cluster_1 {
    label="1: write buffer";
    o1 [label="upload\ndevice 1: up, 4096 bytes, 2.5 us\nwrites memory 3 [0, 4096) on device 1\nreads the program's memory, 4096 bytes", fillcolor="#d5efd5"];
  }
  subgraph cluster_2 {
    label="2: smooth\nnot on more devices: it prints";
    o2 [label="smooth\ndevice 1: compute\nhas not run", fillcolor="#cfe3f7"];
  }
  subgraph cluster_3 {
    label="3: marker";
    c3 [label="nothing to do", shape=plaintext, style=solid];
  }
  o1 -> o2;
}
)");
}

TEST(PlanGraph, WhatHadEndedIsDotted) {
  PlanGraph graph;
  auto upload = operation(1, 1, {LaneKind::up, 0}, "upload");
  upload->uses = {{1, 0, {0, 100}, true}};
  graph.add(upload);
  auto left = operation(2, 2, {LaneKind::compute, 0}, "left"),
       right = operation(3, 2, {LaneKind::compute, 0}, "right", {1});
  left->group = right->group = 7;
  left->uses = {{1, 0, {0, 50}, true}};
  right->uses = {{1, 0, {0, 50}, true}};
  graph.add(left);
  graph.add(right);
  auto other = operation(4, 3, {LaneKind::compute, 1}, "elsewhere");
  other->uses = {{1, 1, {0, 50}, true}};
  graph.add(other);
  const std::string dot = graph.dot();
  EXPECT_THAT(dot, HasSubstr("  o1 -> o2 [style=dotted];\n  o1 -> o3;\n}"));
}

TEST(PlanGraph, FailuresAreSeen) {
  PlanGraph graph;
  auto failed = operation(1, 1, {LaneKind::host, 0}, "call");
  failed->began = failed->ended = 1;
  failed->status = CL_OUT_OF_RESOURCES;
  graph.add(failed);
  graph.add(Command{1, CL_COMMAND_NATIVE_KERNEL, "", "", CL_OUT_OF_RESOURCES});
  EXPECT_THAT(graph.dot(), HasSubstr("failed: -5\", fillcolor=\"#f4a3a3\""));
  EXPECT_THAT(graph.dot(), HasSubstr("label=\"1: native kernel\\nfailed: -5\";"));
}

TEST(PlanGraph, NamesAreQuoted) {
  PlanGraph graph;
  graph.add(operation(1, 1, {LaneKind::compute, 0}, "a\"b\\c"));
  EXPECT_THAT(graph.dot(), HasSubstr(R"([label="a\"b\\c\ndevice 0: compute)"));
}

TEST(PlanGraph, WhatNobodyCouldLookAtIsLeftOutAndSaidSo) {
  PlanGraph graph;
  for (size_t i = 0; i < PlanGraph::kMost + 5; ++i) graph.add(operation(i + 1, 1, {LaneKind::compute, 0}, "k"));
  EXPECT_THAT(graph.dot(), HasSubstr("5 more are left out"));
  EXPECT_THAT(graph.dot(), Not(HasSubstr("o20001 ")));
}

}  // namespace
}  // namespace samcl::observe
