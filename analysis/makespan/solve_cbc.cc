#include <coin/Cbc_C_Interface.h>

#include <cmath>
#include <memory>

#include "analysis/makespan/solve.h"

namespace samcl::analysis::makespan {
namespace {

struct Delete {
  void operator()(Cbc_Model* model) const { Cbc_deleteModel(model); }
};

// Columns of the matrix, as CBC takes them.
void load(Cbc_Model* model, const BinaryProgram& program) {
  const size_t columns = program.variables.size();
  std::vector<int> starts(columns + 1, 0), rows;
  std::vector<double> values;
  for (const BinaryProgram::Row& row : program.rows)
    for (const auto& [variable, coefficient] : row.terms) ++starts[variable + 1];
  for (size_t n = 0; n < columns; ++n) starts[n + 1] += starts[n];
  rows.resize(static_cast<size_t>(starts[columns]));
  values.resize(rows.size());
  std::vector<int> next = starts;
  for (size_t r = 0; r < program.rows.size(); ++r)
    for (const auto& [variable, coefficient] : program.rows[r].terms) {
      const auto at = static_cast<size_t>(next[variable]++);
      rows[at] = static_cast<int>(r);
      values[at] = coefficient;
    }
  std::vector<double> objective(program.objective.begin(), program.objective.end()), lower(columns, 0),
      upper(columns, 1);
  std::vector<double> least, most(program.rows.size(), HUGE_VAL);
  for (const BinaryProgram::Row& row : program.rows) least.push_back(row.least);
  Cbc_loadProblem(model, static_cast<int>(columns), static_cast<int>(program.rows.size()), starts.data(), rows.data(),
                  values.data(), lower.data(), upper.data(), objective.data(), least.data(), most.data());
  for (size_t n = 0; n < columns; ++n) Cbc_setInteger(model, static_cast<int>(n));
  Cbc_setObjSense(model, -1);
}

}  // namespace

Result<std::optional<Solved>> solve_with_cbc(const Kernel& kernel, int warps, Conserving form, double seconds) {
  const auto program = binary_program(kernel, warps, form);
  if (!program) return tl::unexpected(program.error());
  const std::unique_ptr<Cbc_Model, Delete> model(Cbc_newModel());
  Cbc_setParameter(model.get(), "log", "0");
  Cbc_setParameter(model.get(), "timeMode", "cpu");
  Cbc_setParameter(model.get(), "sec", std::to_string(seconds).c_str());
  load(model.get(), *program);
  Cbc_solve(model.get());
  if (Cbc_isProvenInfeasible(model.get())) return fail("CBC: the binary program has no solution");
  if (!Cbc_isProvenOptimal(model.get())) return std::nullopt;
  Solved solved;
  solved.makespan = std::llround(Cbc_getObjValue(model.get())) + program->constant;
  const double* values = Cbc_getColSolution(model.get());
  solved.schedule = schedule_of(kernel, warps, {values, program->variables.size()});
  const auto checked = check_schedule(kernel, warps, solved.schedule);
  if (!checked) return fail("CBC's solution is not a schedule: " + checked.error().message);
  if (*checked != solved.makespan)
    return fail("CBC's solution takes " + std::to_string(*checked) + " slots, not " + std::to_string(solved.makespan));
  return solved;
}

}  // namespace samcl::analysis::makespan
