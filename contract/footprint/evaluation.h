// A symbolic footprint with the numbers of one launch and box put in. Walks its regions from the root and
// keeps, for each, what is known there. Pure logic; one object per evaluation.
#pragma once

#include <optional>
#include <vector>

#include "contract/footprint/footprint.h"
#include "contract/footprint/knowledge.h"

namespace samcl::footprint {

class Evaluation {
 public:
  Evaluation(const SymbolicFootprint& symbolic, const LaunchInputs& launch, const GroupBox& box);

  // Of the accesses that are asked for.
  std::vector<ArgumentFootprint> run(bool (*asks_for)(const Access&) = [](const Access&) { return true; });

  // Of launches gathered in one.
  std::vector<Reach> reaches();

 private:
  struct Cached {
    Form form;
    Id region = kNone;
    uint64_t stamp = 0;
    bool lasting = false;  // holds in the regions below, too
  };

  void enter(Id region);
  void visit(const Access& access, ArgumentFootprint& result);
  // Whether it is of several launches gathered in one.
  bool is_gathered() const { return !launch_.steps.empty(); }
  void reach_anywhere(const Access& access);
  void reach(const Access& access, const Form& offset, uint64_t width);

  // cases.cc: a value that wraps around at a number of its own, or is one of two, taken apart where the access then
  // touches much less: each of the cases as if it were an access of its own.
  struct Choice {
    Id node;
    Wide which;  // of a remainder, the quotient; of a select, 1: the first
  };
  struct Cases {
    Id node = kNone;
    Wide first = 0, last = 0;
    Wide saved = 0;  // bytes
  };
  Cases cases_of(const Form& offset);
  Cases cases_of(Id node, Wide factor);
  std::optional<Wide> chosen(Id node) const;
  void choose(const Choice& choice);
  void visit_cases(const Cases& cases, const Access& access, ArgumentFootprint& result);
  // What is divided by a constant number, of which only the rest is used.
  struct Remainder {
    Form dividend;
    Wide divisor;
  };
  std::optional<Remainder> remainder(Id node);

  // values.cc: the value of a node in the present region, modulo 2^bits.
  Form value(Id node);
  Form compute(Id id, const Node& node);
  Form growth(const Node& node) const;
  Form by_place(Id id, const Node& node);
  Form product(Id id, const Form& a, const Form& b);
  Form bitwise(Id id, const Node& node);
  Form common_bits(Id id, const Node& node, Interval a, Interval b);
  Form division(Id id, const Node& node, bool is_signed);
  Form extreme(Id id, const Node& node, bool is_signed, bool minimum);
  Form selected(Id id, const Node& node);
  Form shifted_right(Id id, const Node& node, bool is_signed);
  // A value of which only bounds are known.
  Interval reading(Id id) const;
  Form opaque(Id id, Interval range);
  Form any(Id id);
  // The very number, as the signed or unsigned integer that it stands for, if it is sure to be that.
  std::optional<Form> exactly(const Form& form, unsigned bits, bool is_signed) const;
  std::optional<Form> exactly(Id node, bool is_signed);
  std::optional<Wide> constant(Id node, bool is_signed);
  Interval bounds(Id node, bool is_signed);  // of the integer that it stands for

  // conditions.cc
  void assume(Id node, bool when);
  void assume_less(const Node& node, bool when, bool is_signed);
  std::optional<bool> truth(Id node);
  Interval bounds_where(Id node, bool is_signed, Id condition, bool when);
  std::optional<Form> what_holds(const Node& test, bool when);

  // rounds.cc
  struct Rounds {
    Wide most = kInfinite;      // the number of the last round begun, at most
    bool same_for_all = false;  // it is just that, for every work-item
    bool gives_way = false;     // the condition is linear and fails ever after once it fails
  };
  Rounds rounds(Id loop, const Condition& stay);
  Rounds rounds_less(Id loop, const Node& node, bool when, bool is_signed);
  Rounds rounds_unequal(Id loop, const Node& node);

  const SymbolicFootprint& symbolic_;
  const LaunchInputs& launch_;
  const GroupBox& box_;
  Variables variables_;
  std::vector<Knowledge> knowledge_;  // by region
  std::vector<Cached> cache_;         // by node
  std::vector<bool> gives_way_;       // by loop
  std::vector<Choice> choices_;       // made for the present access
  std::vector<Reach>* reaches_ = nullptr;
  Knowledge* here_ = nullptr;
  Id region_ = 0;
  uint64_t stamp_ = 1;
};

}  // namespace samcl::footprint
