// The exact worst-case makespan as a binary program, for a solver of others.
//
// The paper's program (objective (13), constraints (14) to (39)) is stated here anew for several unit types,
// capacities and latencies. For warp w, instruction i and slot t < H, where H is the safe bound:
//
//   x(w,i,t) = 1    w has issued i in slot t or before; "before" is x(w,i,t-1), and x(w,i,-1) = 0
//   r(w,i,t)        abbreviates "w is ready for i": x(w,i-1,t-l) with l the latency of i-1; 1 for the first
//   instruction
//
//   maximise   the slot in which the last warp issues its last instruction: sum over t of 1 - x(last,last,t)
//   once       x(w,i,t-1) <= x(w,i,t);  x(w,i,H-1) = 1
//   order      x(w,i,t) <= r(w,i,t)
//   capacity   sum over w and i of u: x(w,i,t) - x(w,i,t-1) <= Lambda_u
//   conserving, short form: for all w, i of unit u, t: if w is ready for i and has not issued it by t, u is
//   full:
//              sum over w' and i' of u: x(w',i',t) - x(w',i',t-1) >= Lambda_u (r(w,i,t) - x(w,i,t))
//   conserving, long form: the same through binary variables
//              f(u,t) = 1 (u is full in t):    sum (as above) >= Lambda_u f(u,t)
//              v(w,i,t) = 1 (w is left over):  v(w,i,t) >= r(w,i,t) - x(w,i,t),  v(w,i,t) <= f(u,t)
//   symmetry   x(w+1,i,t) <= x(w,i,t): identical warps may change names whenever they stand at the same place
//
// The makespan is the objective plus the latency of the last instruction.
#pragma once

#include <span>

#include "analysis/makespan/schedule.h"

namespace samcl::analysis::makespan {

enum class Conserving { short_form, long_form };

struct BinaryProgram {
  struct Row {
    std::string name;
    std::vector<std::pair<size_t, int>> terms;  // variable and coefficient
    int least = 0;                              // sum of terms >= least
  };
  std::vector<std::string> variables;  // binary all
  std::vector<int> objective;          // maximised, plus
  Slots constant = 0;                  // so that it is the makespan
  std::vector<Row> rows;
};

// Errors: the program would have more than `most_terms` terms.
Result<BinaryProgram> binary_program(const Kernel& kernel, int warps, Conserving form, size_t most_terms = 20'000'000);

// In CPLEX' LP format, which most solvers read.
std::string format_lp(const BinaryProgram& program, const std::string& title);

// The schedule that values of the variables stand for.
Schedule schedule_of(const Kernel& kernel, int warps, std::span<const double> values);

}  // namespace samcl::analysis::makespan
