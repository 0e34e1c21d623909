#include "sam-manager/daemon/lender.h"

#include <gmock/gmock.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "base/clock.h"

namespace samcl::daemon {
namespace {

constexpr int kLent = 20;
constexpr uint32_t kBorrower = 1;

ThreadScheduling ordinary(uint32_t policy, int nice) {
  ThreadScheduling scheduling;
  scheduling.policy = policy;
  scheduling.nice = nice;
  return scheduling;
}

// All that this process has; a sanitizer's library has some of its own.
std::vector<pid_t> own_threads() {
  std::vector<pid_t> threads;
  for (const auto& thread : std::filesystem::directory_iterator("/proc/self/task"))
    threads.push_back(std::stoi(thread.path().filename()));
  return threads;
}

// A thread of this process, which is the borrower.
class Parked {
 public:
  explicit Parked(std::optional<ThreadScheduling> scheduling = {}) : thread_([this] { park(); }) {
    number_.wait(0);
    if (scheduling) {
      EXPECT_EQ(set_scheduling(number(), *scheduling), 0);
    }
  }
  ~Parked() {
    ends_.store(true);
    ends_.notify_all();
    thread_.join();
  }
  pid_t number() const { return number_.load(); }
  ThreadScheduling scheduling() const { return scheduling_of(number()).value(); }

 private:
  void park() {
    number_.store(static_cast<pid_t>(syscall(SYS_gettid)));
    number_.notify_all();
    ends_.wait(false);
  }
  std::atomic<pid_t> number_{0};
  std::atomic<bool> ends_{false};
  std::thread thread_;
};

struct LenderTest : ::testing::Test {
  int file = memfd_create("book", MFD_CLOEXEC);
  LoanBook book = LoanBook::in(file).value();

  void SetUp() override {
    const ThreadScheduling before = scheduling_of(0).value();
    if (set_scheduling(0, fifo(1)) != 0) GTEST_SKIP() << "no real-time priorities on this system";
    set_scheduling(0, before);
  }
  ~LenderTest() override { close(file); }
  size_t rows() const {
    return static_cast<size_t>(std::count_if(book.rows().begin(), book.rows().end(),
                                             [](const LentThread& row) { return row.thread.load() != 0; }));
  }
};

TEST_F(LenderTest, EveryThreadRunsAtThePriorityAndIsPutBackAsItWas) {
  const Parked polite(ordinary(SCHED_OTHER, 7)), batch(ordinary(SCHED_BATCH, 3)), idle(ordinary(SCHED_IDLE, 0));
  ThreadScheduling in_turn = fifo(4);
  in_turn.policy = SCHED_RR;
  in_turn.flags = 0;
  const Parked round_robin(in_turn);
  const ThreadScheduling own = scheduling_of(0).value();
  std::vector<ThreadScheduling> before;
  const auto all = {&polite, &batch, &idle, &round_robin};
  for (const Parked* thread : all) before.push_back(thread->scheduling());
  Lender lender(book);
  EXPECT_EQ(lender.lend(kBorrower, getpid(), kLent, now_ns()), 0);
  EXPECT_EQ(scheduling_of(0)->priority, static_cast<uint32_t>(kLent)) << "any thread may be needed";
  for (const Parked* thread : all) EXPECT_EQ(thread->scheduling(), fifo(kLent));
  lender.take_back(kBorrower);
  size_t index = 0;
  for (const Parked* thread : all) EXPECT_EQ(thread->scheduling(), before[index++]);
  EXPECT_EQ(scheduling_of(0), own);
  EXPECT_EQ(rows(), 0u);
}

TEST_F(LenderTest, WhoIsAsUrgentAlreadyIsLeftAlone) {
  const Parked equal(fifo(kLent)), above(fifo(kLent + 1));
  ThreadScheduling deadline;
  deadline.policy = SCHED_DEADLINE;
  deadline.runtime = 1'000'000;
  deadline.deadline = deadline.period = 100'000'000;
  const Parked by_deadline(deadline);
  const ThreadScheduling before = by_deadline.scheduling();
  Lender lender(book);
  lender.lend(kBorrower, getpid(), kLent, now_ns());
  EXPECT_EQ(above.scheduling(), fifo(kLent + 1));
  EXPECT_EQ(by_deadline.scheduling(), before);
  lender.take_back(kBorrower);
  EXPECT_EQ(equal.scheduling(), fifo(kLent));
  EXPECT_EQ(by_deadline.scheduling(), before);
}

TEST_F(LenderTest, LoanIsRaisedAndLowered) {
  const Parked thread(fifo(3));
  Lender lender(book);
  for (const int priority : {kLent, kLent + 9, kLent - 9}) {
    lender.lend(kBorrower, getpid(), priority, now_ns());
    EXPECT_EQ(thread.scheduling(), fifo(priority));
  }
  lender.take_back(kBorrower);
  EXPECT_EQ(thread.scheduling(), fifo(3));
}

TEST_F(LenderTest, WhatAThreadSetItselfMeanwhileStays) {
  const Parked thread;
  Lender lender(book);
  lender.lend(kBorrower, getpid(), kLent, now_ns());
  set_scheduling(thread.number(), ordinary(SCHED_BATCH, 5));
  const ThreadScheduling set = thread.scheduling();
  lender.take_back(kBorrower);
  EXPECT_EQ(thread.scheduling(), set);
}

TEST_F(LenderTest, ThreadThatGetsItsTasksPriorityMeanwhileHasItAfterwards) {
  const Parked below, above;
  Lender lender(book);
  lender.lend(kBorrower, getpid(), kLent, now_ns());
  EXPECT_TRUE(lender.rebase(below.number(), SCHED_FIFO, 5));
  EXPECT_TRUE(lender.rebase(above.number(), SCHED_FIFO, 50));
  EXPECT_EQ(below.scheduling(), fifo(kLent));
  EXPECT_EQ(above.scheduling(), fifo(50)) << "at once";
  lender.take_back(kBorrower);
  EXPECT_EQ(below.scheduling(), fifo(5));
  EXPECT_EQ(above.scheduling(), fifo(50));
  EXPECT_FALSE(lender.rebase(below.number(), SCHED_FIFO, 6)) << "nothing is lent to it";
}

TEST_F(LenderTest, ThreadsMadeMeanwhileEndAsTheirMakersWouldHaveMadeThem) {
  std::vector<std::pair<pid_t, ThreadScheduling>> own;
  for (const pid_t thread : own_threads()) {
    own.emplace_back(thread, scheduling_of(thread).value());
    if (setpriority(PRIO_PROCESS, static_cast<id_t>(thread), 7) != 0) GTEST_SKIP();
  }
  const ThreadScheduling polite = scheduling_of(0).value();
  {
    Lender lender(book);
    lender.lend(kBorrower, getpid(), kLent, now_ns());
    const Parked needed;
    EXPECT_EQ(needed.scheduling().policy, static_cast<uint32_t>(SCHED_OTHER)) << "no loan is inherited";
    lender.lend(kBorrower, getpid(), kLent, now_ns());
    EXPECT_EQ(needed.scheduling(), fifo(kLent)) << "it was found";
    const Parked late;
    lender.take_back(kBorrower);
    EXPECT_EQ(needed.scheduling(), polite);
    EXPECT_EQ(late.scheduling(), polite);
  }
  for (const auto& [thread, before] : own) set_scheduling(thread, before);
}

TEST_F(LenderTest, ThreadsThatTookThePlaceOfOthersAreFound) {
  Lender lender(book);
  auto first = std::make_unique<Parked>();
  lender.lend(kBorrower, getpid(), kLent, now_ns());
  lender.take_back(kBorrower);
  first = nullptr;
  const Parked second;
  EXPECT_EQ(lender.lend(kBorrower, getpid(), kLent, now_ns()), 0);
  EXPECT_EQ(second.scheduling(), fifo(kLent)) << "there are as many as before";
  lender.take_back(kBorrower);
}

TEST_F(LenderTest, ProcessesWithALimitOfRealtimeComputingAreLentNothing) {
  rlimit before{};
  getrlimit(RLIMIT_RTTIME, &before);
  const rlimit limited{1'000'000, before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_RTTIME, &limited), 0);
  Lender lender(book);
  const ThreadScheduling own = scheduling_of(0).value();
  EXPECT_EQ(lender.lend(kBorrower, getpid(), kLent, now_ns()), EDQUOT);
  EXPECT_EQ(scheduling_of(0), own);
  setrlimit(RLIMIT_RTTIME, &before);
}

TEST_F(LenderTest, WhoComesAfterALenderThatWasKilledFindsItsBook) {
  const Parked thread(ordinary(SCHED_OTHER, 7));
  const ThreadScheduling before = thread.scheduling(), own = scheduling_of(0).value();
  const size_t threads = own_threads().size();
  const pid_t process = getpid(), lender = fork();
  if (lender == 0) {
    Lender killed(book);
    killed.lend(kBorrower, process, kLent, now_ns());
    _exit(0);  // no destructor
  }
  waitpid(lender, nullptr, 0);
  ASSERT_EQ(thread.scheduling(), fifo(kLent));
  const LoanBook found = LoanBook::in(file).value();
  EXPECT_EQ(found.put_back_older_than(now_ns(), 3'600'000'000'000), 0u) << "a living lender's are left to it";
  EXPECT_EQ(found.put_back_older_than(now_ns(), 0), threads);
  EXPECT_EQ(thread.scheduling(), before);
  EXPECT_EQ(scheduling_of(0), own);
}

TEST_F(LenderTest, NumberThatIsAnotherProcessesNowIsLeftAlone) {
  const Parked thread(fifo(kLent));
  LentThread& row = book.rows()[0];
  row.priority = kLent;
  row.before = ordinary(SCHED_OTHER, 0);
  row.process = getpid();
  row.started = 1;  // not when this one began
  row.thread = thread.number();
  EXPECT_EQ(book.put_back_older_than(now_ns(), 0), 1u);
  EXPECT_EQ(thread.scheduling(), fifo(kLent));
  EXPECT_EQ(rows(), 0u);
}

// A thread of a task's that is made an ordinary one for a time, as Realtime does.
struct DemotionTest : LenderTest {
  ThreadScheduling urgent = fifo(kLent / 2);
  void demote(Lender& lender, pid_t thread) const {
    lender.note_demotion(getpid(), thread, 0, now_ns());
    if (!lender.rebase(thread, SCHED_OTHER, 0)) {
      ASSERT_EQ(set_scheduling(thread, ordinary(SCHED_OTHER, 0)), 0);
    }
  }
};

TEST_F(DemotionTest, IsUndoneByWhoReadsTheBookNext) {
  const Parked parked(urgent);
  Lender lender(book);
  demote(lender, parked.number());
  EXPECT_EQ(parked.scheduling().policy, uint32_t{SCHED_OTHER});
  EXPECT_EQ(book.put_back_older_than(now_ns() + 10'000'000'000, 5'000'000'000), 0u)
      << "it may last for longer than any loan";
  EXPECT_EQ(parked.scheduling().policy, uint32_t{SCHED_OTHER});
  EXPECT_EQ(book.put_back_older_than(now_ns(), 0), 1u);
  EXPECT_EQ(parked.scheduling().policy, uint32_t{SCHED_FIFO});
  EXPECT_EQ(parked.scheduling().priority, uint32_t{kLent / 2});
  EXPECT_EQ(rows(), 0u);
}

TEST_F(DemotionTest, EndsWithItsProgram) {
  const Parked parked(urgent);
  Lender lender(book);
  demote(lender, parked.number());
  lender.end_demotions_of(getpid() + 1);
  EXPECT_EQ(rows(), 1u);
  lender.end_demotions_of(getpid());
  EXPECT_EQ(parked.scheduling().policy, uint32_t{SCHED_FIFO});
  EXPECT_EQ(rows(), 0u);
}

TEST_F(DemotionTest, EndsWithTheLender) {
  const Parked parked(urgent);
  {
    Lender lender(book);
    demote(lender, parked.number());
  }
  EXPECT_EQ(parked.scheduling().policy, uint32_t{SCHED_FIFO});
}

TEST_F(DemotionTest, LeavesAloneWhatGotAnotherPolicyMeanwhile) {
  const Parked parked(urgent);
  Lender lender(book);
  demote(lender, parked.number());
  ASSERT_EQ(set_scheduling(parked.number(), ordinary(SCHED_IDLE, 0)), 0);
  EXPECT_EQ(book.put_back_older_than(now_ns(), 0), 1u);
  EXPECT_EQ(parked.scheduling().policy, uint32_t{SCHED_IDLE});
}

TEST_F(DemotionTest, IsUndoneAfterTheLoanOnTopOfIt) {
  for (const bool lent_first : {false, true}) {
    const Parked parked(urgent);
    Lender lender(book);
    if (lent_first) {
      ASSERT_EQ(lender.lend(kBorrower, getpid(), kLent, now_ns()), 0);
    }
    demote(lender, parked.number());
    ASSERT_EQ(lender.lend(kBorrower, getpid(), kLent, now_ns()), 0);
    EXPECT_EQ(parked.scheduling().priority, uint32_t{kLent});
    book.put_back_older_than(now_ns(), 0);
    EXPECT_EQ(parked.scheduling().policy, uint32_t{SCHED_FIFO}) << lent_first;
    EXPECT_EQ(parked.scheduling().priority, uint32_t{kLent / 2}) << lent_first;
  }
}

TEST_F(DemotionTest, LoanOfADemotedThreadEndsAsItIsNow) {
  const Parked parked(urgent);
  Lender lender(book);
  demote(lender, parked.number());
  ASSERT_EQ(lender.lend(kBorrower, getpid(), kLent, now_ns()), 0);
  lender.take_back(kBorrower);
  EXPECT_EQ(parked.scheduling().policy, uint32_t{SCHED_OTHER});
  lender.end_demotion(parked.number());
  EXPECT_EQ(rows(), 0u);
}

}  // namespace
}  // namespace samcl::daemon
