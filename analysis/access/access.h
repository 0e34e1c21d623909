// Bounds of response times where tasks stay on their CPUs and share GPUs in one of the ways of the
// literature. Each bounds every schedule of the rules that its line in kAnalyses tells; PROOF.md has the
// proofs, testing/simulator.h the rules as a program. The *published* ones are the papers' own equations, and not
// all of them are safe under these rules (README.md).
//
//   gcaps            a segment preempts those of less urgent tasks; its begin and its end cost an update of
//                    the runlist each (Wang et al., ECRTS 2024)
//   gcaps-published  the same by the paper's Eq. (1) to (14)
//   mpcp             a segment holds its device to its end; the most urgent waiting one is next; G^m runs
//                    above everything that holds no device (after Rajkumar's MPCP as in Patel et al., RTAS
//                    2018)
//   mpcp-published   the same by Patel et al.'s hybrid of counting requests and jobs
//   fmlp+            the same, first come first served (after Brandenburg, RTAS 2014)
//   fmlp+-published  the same as GCAPS' authors count it
//   server           the same as mpcp, but a server on one CPU executes all G^m, and two updates of time per
//                    segment (after Kim et al., RTCSA 2017)
//   server-published the same by Kim et al.'s equations
//   round-robin      segments take turns in slices, a switch before each, as drivers do by default
//   oblivious        each device has one user: waiting for it is counted as computing
//   jitter           likewise: waiting makes less urgent tasks see the CPU's use later ("Many suspensions,
//                    many problems", Chen et al., Real-Time Systems 55 (2019))
//   blocking         likewise: each more urgent task's waiting blocks once
//   unified          likewise: the least over all ways to treat each task by one of the two (Chen et al.,
//                    ECRTS 2016)
#pragma once

#include <array>

#include "analysis/access/tasks.h"
#include "analysis/rta/response_time.h"

namespace samcl::analysis::access {

enum class Analysis {
  gcaps,
  gcaps_published,
  mpcp,
  mpcp_published,
  fmlp,
  fmlp_published,
  server,
  server_published,
  round_robin,
  oblivious,
  jitter,
  blocking,
  unified
};
inline constexpr std::array kAnalyses = {
    Analysis::gcaps,       Analysis::gcaps_published, Analysis::mpcp,   Analysis::mpcp_published,
    Analysis::fmlp,        Analysis::fmlp_published,  Analysis::server, Analysis::server_published,
    Analysis::round_robin, Analysis::oblivious,       Analysis::jitter, Analysis::blocking,
    Analysis::unified};
const char* name(Analysis analysis);   // as above
bool is_published(Analysis analysis);  // a paper's own equations, without our proof

// What the ways cost.
struct Costs {
  Time update = 0;     // epsilon: of a runlist, or of the server's handling a message
  Time slice = 1;      // of the round robin; at least 1
  Time switching = 0;  // theta: before a slice
  int server_cpu = 0;  // where the server runs
};

struct Bounds {
  // From a job's arrival to its end, in the set's order; kUnbounded where it may be above the deadline. The
  // numbers hold together: each as long as the tasks that it waits for meet their deadlines.
  std::vector<Time> response;
  bool schedulable = false;
};

// What the analysis does not know is an error that names it.
Result<void> check(const TaskSet& set, Analysis analysis, const Costs& costs);

// The set has passed check().
Bounds analyse(const TaskSet& set, Analysis analysis, const Costs& costs = {});

// For tasks that may be late by these bounds, the number that the same equations give when they may take up to kLimit
// periods; kUnbounded for all others, and above. No bound: a proof ends where a deadline is missed (but oblivious').
std::vector<Time> beyond_proof(const TaskSet& set, const Bounds& bounds, Analysis analysis, const Costs& costs = {});

}  // namespace samcl::analysis::access
