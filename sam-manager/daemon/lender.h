// Lends programs' threads a real-time priority, for as long as they hold what a more urgent program waits
// for, and puts each back exactly as it was. All threads of the process, since any of them may be what the
// holder needs to come to its release: the driver's, those that copy, one that has a lock. Left alone are
// those as urgent as the waiter already (SCHED_DEADLINE too), and one whose policy was changed meanwhile.
//
// What a thread makes while it is lent a priority does not inherit it: it begins as an ordinary thread, is
// found when the loan is looked at, and gets at the end what all threads of the process had, if they had the
// same.
//
// It also keeps in the book which threads a task's program has that are less urgent than the task for a time, since it
// broke a promise: the book's next reader puts these back, too.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "sam-manager/daemon/loan_book.h"

namespace samcl::daemon {

class Lender {
 public:
  explicit Lender(LoanBook& book);
  ~Lender();  // puts all back
  Lender(const Lender&) = delete;
  Lender& operator=(const Lender&) = delete;

  // `borrower`: a name for the process, until forget(). Also to change a loan, or for threads that the
  // process made meanwhile. Returns errno's value if the system does not allow it for some thread, or, of a
  // process that the kernel would end for computing at a real-time priority (RLIMIT_RTTIME), EDQUOT.
  int lend(uint32_t borrower, pid_t process, int priority, uint64_t now_ns);
  void take_back(uint32_t borrower);
  void forget(uint32_t borrower);  // takes back what is lent

  // A thread's own scheduling becomes another one. False: it is lent nothing, and was left alone; the caller sets it.
  bool rebase(pid_t thread, uint32_t policy, int priority);

  // Before a thread becomes less urgent than its task for a time, at that SCHED_FIFO priority (0: an ordinary thread):
  // writes down how it runs. Before it becomes as urgent again: forgets that.
  void note_demotion(pid_t process, pid_t thread, int priority, uint64_t now_ns);
  void end_demotion(pid_t thread);
  // The program leaves: as they ran before.
  void end_demotions_of(pid_t process);

 private:
  struct Borrower {
    pid_t process = 0;
    uint64_t started = 0;        // the process, as protocol::process_start_time() has it
    int priority = 0;            // lent, while there are rows
    std::vector<pid_t> threads;  // when last looked at
    std::vector<size_t> rows;    // of those that were lent something
  };

  void find_threads(Borrower& borrower) const;
  bool is_lent(const Borrower& borrower, pid_t thread) const;
  LentThread* loan_of(pid_t thread) const;
  int lend_to_all(Borrower& borrower, uint64_t now_ns);
  int lend_one(Borrower& borrower, pid_t thread, uint64_t now_ns);
  void restore_new_threads(Borrower& borrower) const;

  LoanBook& book_;
  std::map<uint32_t, Borrower> borrowers_;
  std::map<pid_t, size_t> demoted_;  // rows, by thread
  std::vector<size_t> free_;         // rows
};

}  // namespace samcl::daemon
