// What is known in one region of a kernel about the variables that its values are made of: the place of the
// work-item, the rounds of its loops, and values of which only bounds are known. Pure logic.
#pragma once

#include <span>
#include <vector>

#include "contract/footprint/linear_form.h"
#include "contract/footprint/symbolic_footprint.h"

namespace samcl::footprint {

// How variables are numbered. Nodes get one of their own, an opaque variable, when they first need it.
struct Variables {
  explicit Variables(const SymbolicFootprint& symbolic)
      : loops(symbolic.loops.size()), opaque_of_node(symbolic.nodes.size(), kNone) {}

  size_t loops;
  Id next_opaque = 0;
  std::vector<Id> opaque_of_node, node_of_opaque;

  static Variable group(unsigned dimension) { return dimension; }
  static Variable local(unsigned dimension) { return 3 + dimension; }
  static Variable round(Id loop) { return 6 + loop; }
  Variable repeat() const { return static_cast<Variable>(6 + loops); }
  Variable opaque(Id node) {
    if (opaque_of_node[node] == kNone) {
      opaque_of_node[node] = next_opaque++;
      node_of_opaque.push_back(node);
    }
    return static_cast<Variable>(7 + loops + opaque_of_node[node]);
  }
  bool is_opaque(Variable variable) const { return variable > repeat(); }
  Id node(Variable opaque) const { return node_of_opaque[opaque - 7 - loops]; }
  size_t count() const { return 7 + loops; }  // without the opaque ones
};

// All combinations of values within `ranges` that satisfy every form of `pending` (>= 0). A superset of those
// that occur; if `exact`, just those that occur (opaque variables aside).
struct Knowledge {
  std::vector<Interval> ranges;  // by variable; of opaque ones only those met here or above
  std::vector<Form> pending;     // each over several variables
  std::vector<Id> unsettled;     // loops entered of which not every round in range need take place
  std::vector<Id> left;          // loops left: their round is the last one
  bool never = false;            // no combination at all
  bool exact = true;

  // The values that the form may take.
  Interval range(const Form& form) const;
  // By the variables' ranges alone.
  Interval plain_range(const Form& form) const;

  // Only where form >= 0. Narrows ranges, or remembers it as pending.
  void require(const Form& form, const Variables& variables);
  // form >= 0 everywhere: it says something about what its opaque variables stand for.
  void know(const Form& form);
  // Only where form != 0.
  void require_not_zero(const Form& form, const Variables& variables);

  Wide end_of_rest(const Form& form, const Form& condition, Wide times, bool lower) const;

  bool has_opaque(const Form& form, const Variables& variables) const;
  // Whether all values in range of the form's variables occur: none is opaque, or the last round of a loop.
  bool is_free(const Form& form, const Variables& variables) const;
};

}  // namespace samcl::footprint
