// How long a job can be kept from its critical section by those of others while it is among the m most urgent
// jobs (s-oblivious priority-inversion blocking: Brandenburg & Anderson, "Optimality results for
// multiprocessor real-time locking", RTSS 2010). The holder of a GPU inherits the priority of whoever waits
// for it.
#pragma once

#include <span>
#include <vector>

#include "analysis/locking/donation_queues.h"
#include "analysis/locking/task_set.h"

namespace samcl::analysis::locking {

enum class Protocol {
  fmlp_long,  // first come, first served; with k GPUs k queues, a request joins the one with the least work
  omlp,       // the global OMLP, one per GPU: a queue of m in order of arrival, filled from one by priority
  donation,   // queues as FMLP-Long's, which at most m requests are in at a time: see donation_queues.h
  smlp,       // of one GPU's parts: smlp.h
};
const char* name(Protocol protocol);  // "fmlp-long", "omlp", "donation", "smlp"

// Which GPU a task uses, 0..gpus - 1; kNoGpu for tasks that use none. In order of falling (e + s) / p, each
// goes to the GPU that has the least of it so far. For the OMLP; elsewhere every request chooses.
std::vector<int> assign_gpus(const TaskSet& set);

// b_i under FMLP-Long: the sum of the others' critical sections, divided by the number of GPUs.
std::vector<Time> fmlp_long_blocking(const TaskSet& set);

// b_i under the OMLP, per GPU. At most m tasks use it: the sum of the others' critical sections. More: the 2m
// - 1 longest of those that can be pending together with a job of task i, which are, of each other task j,
// ceil((p_i + x_i + p_j + x_j) / p_j), where x is by how much jobs are late at most.
std::vector<Time> omlp_blocking(const TaskSet& set, std::span<const int> gpu_of, std::span<const Time> late);

// b_i under the OMLP, loosely (Elliott & Anderson's Eq. 3): 2m - 1 times the longest section of all.
std::vector<Time> loose_omlp_blocking(const TaskSet& set);

// b_i with donation, PROOF.md. In its queue a request waits for w_i: the k-th part of the m - 1 longest
// sections of others, or the floor((m - 1) / k) longest, whichever is less. If more than m tasks use GPUs, it
// may have to wait before, for the longest w_j + cs_j of another, where in w_j task i has no part. With one
// GPU never more than under the OMLP, and it does not depend on the tardiness.
std::vector<Time> donation_blocking(const TaskSet& set);

}  // namespace samcl::analysis::locking
