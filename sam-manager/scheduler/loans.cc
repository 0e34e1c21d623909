#include "sam-manager/scheduler/loans.h"

#include <utility>

namespace samcl::scheduler {

void Loans::update(ResourceId resource, ClientId owner, std::optional<int> inherited) {
  Loan& loan = loans_[resource];
  const Loan next = inherited ? Loan{owner, inherited} : Loan{};
  if (loan.borrower == next.borrower && loan.priority == next.priority) return;
  const ClientId before = loan.borrower;
  const auto lent_before = of(before), lent_to_owner = of(next.borrower);
  loan = next;
  if (before != 0 && of(before) != lent_before) on_change_(before, of(before));
  if (next.borrower != 0 && next.borrower != before && of(next.borrower) != lent_to_owner)
    on_change_(next.borrower, of(next.borrower));
}

std::optional<int> Loans::of(ClientId client) const {
  std::optional<int> most;
  for (const Loan& loan : loans_)
    if (loan.borrower == client && client != 0 && (!most || *loan.priority > *most)) most = loan.priority;
  return most;
}

}  // namespace samcl::scheduler
