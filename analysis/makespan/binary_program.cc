#include "analysis/makespan/binary_program.h"

#include <algorithm>
#include <optional>

#include "analysis/makespan/bounds.h"

namespace samcl::analysis::makespan {
namespace {

using Terms = std::vector<std::pair<size_t, int>>;

// Where x(w,i,t) stands among the variables: these come first.
struct Numbering {
  size_t instructions, slots;
  size_t issued(int warp, size_t instruction, Slots slot) const {
    return (static_cast<size_t>(warp) * instructions + instruction) * slots + static_cast<size_t>(slot);
  }
};

class Writer {
 public:
  Writer(const Kernel& kernel, int warps, Conserving form)
      : kernel_(kernel),
        warps_(warps),
        form_(form),
        slots_(safe_bound(kernel, warps)),
        numbering_{kernel.instructions.size(), static_cast<size_t>(slots_)} {}

  size_t estimated_terms() const {
    const size_t variables = static_cast<size_t>(warps_) * numbering_.instructions * numbering_.slots;
    const size_t of_a_sum = 2 * static_cast<size_t>(warps_) * numbering_.instructions;
    const size_t sums = form_ == Conserving::short_form ? variables + numbering_.slots * kernel_.units.size()
                                                        : 2 * numbering_.slots * kernel_.units.size();
    return sums * of_a_sum + 10 * variables;
  }

  BinaryProgram write() {
    for (int warp = 0; warp < warps_; ++warp)
      for (size_t i = 0; i < numbering_.instructions; ++i)
        for (Slots slot = 0; slot < slots_; ++slot) add_variable("x", label(warp, i, slot));
    const size_t last = numbering_.instructions - 1;
    for (Slots slot = 0; slot < slots_; ++slot) {
      program_.objective[numbering_.issued(warps_ - 1, last, slot)] = -1;
      for (int warp = 0; warp < warps_; ++warp)
        for (size_t i = 0; i <= last; ++i) constrain_instruction(warp, i, slot);
      for (size_t unit = 0; unit < kernel_.units.size(); ++unit) constrain_unit(unit, slot);
    }
    for (int warp = 0; warp < warps_; ++warp)
      for (size_t i = 0; i <= last; ++i)
        add_row("issued_" + label(warp, i, slots_ - 1), {{numbering_.issued(warp, i, slots_ - 1), 1}}, 1);
    program_.constant = slots_ + kernel_.instructions[last].latency;
    return std::move(program_);
  }

 private:
  static std::string label(int warp, size_t instruction, Slots slot) {
    return std::to_string(warp) + "_" + std::to_string(instruction) + "_" + std::to_string(slot);
  }

  size_t add_variable(const std::string& kind, const std::string& of) {
    program_.variables.push_back(kind + "_" + of);
    program_.objective.push_back(0);
    return program_.variables.size() - 1;
  }

  void add_row(std::string name, Terms terms, int least) {
    program_.rows.push_back({std::move(name), std::move(terms), least});
  }

  // r(w,i,t): the variable, or nothing where it is known.
  struct Ready {
    bool always = false;
    std::optional<size_t> variable;
  };
  Ready ready(int warp, size_t instruction, Slots slot) const {
    if (instruction == 0) return {.always = true, .variable = {}};
    const Slots issued = slot - kernel_.instructions[instruction - 1].latency;
    if (issued < 0) return {};
    return {.always = false, .variable = numbering_.issued(warp, instruction - 1, issued)};
  }

  void constrain_instruction(int warp, size_t i, Slots slot) {
    const size_t x = numbering_.issued(warp, i, slot);
    const std::string of = label(warp, i, slot);
    if (slot > 0) add_row("once_" + of, {{x, 1}, {x - 1, -1}}, 0);
    if (warp + 1 < warps_) add_row("symmetry_" + of, {{x, 1}, {numbering_.issued(warp + 1, i, slot), -1}}, 0);
    const Ready is_ready = ready(warp, i, slot);
    if (!is_ready.always) {
      Terms order = {{x, -1}};
      if (is_ready.variable) order.emplace_back(*is_ready.variable, 1);
      add_row("order_" + of, std::move(order), 0);
    }
  }

  // factor * (sum over w and i of the unit: x(w,i,t) - x(w,i,t-1))
  Terms taken(size_t unit, Slots slot, int factor) const {
    Terms terms;
    for (int warp = 0; warp < warps_; ++warp)
      for (size_t i = 0; i < numbering_.instructions; ++i) {
        if (kernel_.instructions[i].unit != unit) continue;
        terms.emplace_back(numbering_.issued(warp, i, slot), factor);
        if (slot > 0) terms.emplace_back(numbering_.issued(warp, i, slot - 1), -factor);
      }
    return terms;
  }

  void constrain_unit(size_t unit, Slots slot) {
    const int capacity = kernel_.units[unit].capacity;
    const std::string of = std::string(1, kernel_.units[unit].letter) + "_" + std::to_string(slot);
    add_row("capacity_" + of, taken(unit, slot, -1), -capacity);
    std::optional<size_t> full;
    if (form_ == Conserving::long_form) {
      full = add_variable("f", of);
      Terms is_full = taken(unit, slot, 1);
      is_full.emplace_back(*full, -capacity);
      add_row("full_" + of, std::move(is_full), 0);
    }
    for (int warp = 0; warp < warps_; ++warp)
      for (size_t i = 0; i < numbering_.instructions; ++i) {
        const Ready is_ready = ready(warp, i, slot);
        if (kernel_.instructions[i].unit != unit || (!is_ready.always && !is_ready.variable)) continue;
        if (full)
          conserve_long(warp, i, slot, is_ready, *full);
        else
          conserve_short(warp, i, slot, is_ready, taken(unit, slot, 1), capacity);
      }
  }

  void conserve_short(int warp, size_t i, Slots slot, const Ready& is_ready, Terms terms, int capacity) {
    // x(w,i,t) stands in the sum already.
    const size_t x = numbering_.issued(warp, i, slot);
    for (auto& [variable, coefficient] : terms)
      if (variable == x) coefficient += capacity;
    if (is_ready.variable) add_to(terms, *is_ready.variable, -capacity);
    add_row("conserving_" + label(warp, i, slot), std::move(terms), is_ready.always ? capacity : 0);
  }

  static void add_to(Terms& terms, size_t variable, int coefficient) {
    for (auto& term : terms)
      if (term.first == variable) {
        term.second += coefficient;
        return;
      }
    terms.emplace_back(variable, coefficient);
  }

  void conserve_long(int warp, size_t i, Slots slot, const Ready& is_ready, size_t full) {
    const std::string of = label(warp, i, slot);
    const size_t left_over = add_variable("v", of);
    Terms terms = {{left_over, 1}, {numbering_.issued(warp, i, slot), 1}};
    if (is_ready.variable) terms.emplace_back(*is_ready.variable, -1);
    add_row("left_over_" + of, std::move(terms), is_ready.always ? 1 : 0);
    add_row("conserving_" + of, {{full, 1}, {left_over, -1}}, 0);
  }

  const Kernel& kernel_;
  const int warps_;
  const Conserving form_;
  const Slots slots_;
  const Numbering numbering_;
  BinaryProgram program_;
};

std::string lp_terms(const BinaryProgram& program, const Terms& terms) {
  std::string text;
  size_t line = 0;
  for (const auto& [variable, coefficient] : terms) {
    if (coefficient == 0) continue;
    std::string term = coefficient < 0 ? " - " : " + ";
    if (std::abs(coefficient) != 1) term += std::to_string(std::abs(coefficient)) + " ";
    term += program.variables[variable];
    if (text.size() - line + term.size() > 200) {  // readers have limits of some hundred characters
      text += "\n  ";
      line = text.size();
    }
    text += term;
  }
  return text.empty() ? " 0 " + program.variables.front() : text;
}

}  // namespace

Result<BinaryProgram> binary_program(const Kernel& kernel, int warps, Conserving form, size_t most_terms) {
  if (auto good = check(kernel, warps); !good) return tl::unexpected(good.error());
  Writer writer(kernel, warps, form);
  if (writer.estimated_terms() > most_terms)
    return fail("the binary program would have some " + std::to_string(writer.estimated_terms()) +
                " terms, expected at most " + std::to_string(most_terms) + ": fewer warps or a shorter kernel");
  return writer.write();
}

std::string format_lp(const BinaryProgram& program, const std::string& title) {
  Terms objective;
  for (size_t n = 0; n < program.objective.size(); ++n) objective.emplace_back(n, program.objective[n]);
  // Not all readers know a constant in the objective.
  std::string text = "\\ " + title + "\nMaximize\n makespan: " + std::to_string(program.constant) + " one" +
                     lp_terms(program, objective) + "\nSubject To\n is_one: one = 1\n";
  for (const BinaryProgram::Row& row : program.rows)
    text += " " + row.name + ":" + lp_terms(program, row.terms) + " >= " + std::to_string(row.least) + "\n";
  text += "Binaries\n one\n";
  for (const std::string& variable : program.variables) text += " " + variable + "\n";
  return text + "End\n";
}

Schedule schedule_of(const Kernel& kernel, int warps, std::span<const double> values) {
  const Slots slots = safe_bound(kernel, warps);
  const Numbering numbering{kernel.instructions.size(), static_cast<size_t>(slots)};
  Schedule schedule;
  for (Slots slot = 0; slot < slots; ++slot)
    for (int warp = 0; warp < warps; ++warp)
      for (size_t i = 0; i < kernel.instructions.size(); ++i) {
        const size_t x = numbering.issued(warp, i, slot);
        if (values[x] > 0.5 && (slot == 0 || values[x - 1] < 0.5)) schedule.push_back({slot, warp, i});
      }
  return schedule;
}

}  // namespace samcl::analysis::makespan
