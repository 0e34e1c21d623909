// More warps than one multiprocessor holds, or more than one multiprocessor.
//
// Assumed: multiprocessors share nothing that delays a warp. Warps come in blocks of `block` warps, which
// stay together. A round gives every multiprocessor as many whole blocks as it holds (`resident` warps), one
// block at a time to each in turn, and the next round begins when all warps of this one have ended. A GPU
// that puts a new block where one has ended does not keep to rounds, and this bound is not meant for it.
#pragma once

#include "analysis/makespan/worst_case.h"

namespace samcl::analysis::makespan {

struct Multiprocessors {
  int count = 1;
  int resident = 64;  // warps that one holds at once
  int block = 1;      // warps of a block; the last one may have fewer
};

struct Rounds {
  int64_t full = 0;       // rounds in which every multiprocessor has as many warps as it can
  int warps_of_full = 0;  // on the multiprocessor that has most
  int warps_of_last = 0;  // of one more round, on the multiprocessor that has most; 0: there is none
};

// Errors: numbers that make no sense.
Result<Rounds> deal(int64_t warps, const Multiprocessors& multiprocessors);

// The rounds' sum. A round takes as long as its multiprocessor with most warps can take: more warps never
// have a smaller worst-case makespan, since a further one may take only what the others leave.
struct RoundsMakespan {
  Rounds rounds;
  WorstCase of_full, of_last;
  Slots attained = 0, bound = 0;
};
Result<RoundsMakespan> worst_case_of_rounds(const Kernel& kernel, int64_t warps, const Multiprocessors& multiprocessors,
                                            const Effort& effort = {});

}  // namespace samcl::analysis::makespan
