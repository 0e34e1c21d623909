#include "libsamcl/threads/worker.h"

#include <gmock/gmock.h>
#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <deque>
#include <future>
#include <memory>
#include <thread>
#include <vector>

namespace samcl {
namespace {

using namespace std::chrono_literals;

constexpr int kPatienceMs = 20'000;

// Keeps a worker busy from its construction to open().
class Gate {
 public:
  explicit Gate(Worker& worker) {
    std::promise<void> entered;
    auto inside = entered.get_future();
    worker.post([this, &entered] {
      entered.set_value();
      opened_.get_future().wait();
    });
    inside.wait();
  }
  void open() { opened_.set_value(); }

 private:
  std::promise<void> opened_;
};

TEST(Worker, JobsRunOneAfterAnotherInTheirOrder) {
  std::vector<int> ran;
  std::atomic<int> inside = 0;
  bool alone = true;
  {
    Worker worker("test");
    for (int i = 0; i < 1000; ++i)
      worker.post([&, i] {
        alone &= inside.fetch_add(1) == 0;
        ran.push_back(i);
        inside.fetch_sub(1);
      });
  }
  ASSERT_EQ(ran.size(), 1000u) << "the destructor runs what is queued";
  EXPECT_TRUE(std::is_sorted(ran.begin(), ran.end()));
  EXPECT_TRUE(alone);
}

// Waits until its thread sleeps.
void let_sleep(Worker& worker) {
  worker.post([] {});
  ASSERT_TRUE(worker.drain(kPatienceMs));
  std::this_thread::sleep_for(20ms);  // it spins for a while
}

// What has begun between the two posts and the end of Together.
int begun_before_the_end() {
  Worker one("one"), two("two");
  let_sleep(one);
  let_sleep(two);
  std::atomic<int> begun = 0;
  int before = 0;
  {
    const Worker::Together together;
    one.post_together([&] { ++begun; });
    two.post_together([&] { ++begun; });
    std::this_thread::sleep_for(20ms);
    before = begun;
  }
  EXPECT_TRUE(one.drain(kPatienceMs));
  EXPECT_TRUE(two.drain(kPatienceMs));
  EXPECT_EQ(begun, 2);
  return before;
}

// On a machine that is busy a thread may not sleep yet, or the second job come later than kLongestTogether.
TEST(Worker, WhatIsPostedTogetherBeginsAtTheEnd) {
  int tries = 1;
  while (begun_before_the_end() != 0 && tries < 200) ++tries;
  EXPECT_LT(tries, 200) << "never";
}

TEST(Worker, NothingWaitsLongForWhatIsPostedTogetherWithIt) {
  Worker one("one"), two("two");
  let_sleep(one);
  let_sleep(two);
  const Worker::Together together;
  one.post_together([] {});
  std::this_thread::sleep_for(Worker::kLongestTogether * 2);
  two.post_together([] {});
  EXPECT_TRUE(one.drain(kPatienceMs));
  EXPECT_TRUE(two.drain(kPatienceMs));
}

TEST(Worker, ManyThatArePostedTogetherAllBegin) {
  std::deque<Worker> workers;
  for (int i = 0; i < 20; ++i) let_sleep(workers.emplace_back("many"));
  std::atomic<int> begun = 0;
  {
    const Worker::Together outer;
    for (int round = 0; round < 3; ++round) {
      const Worker::Together inner;
      for (Worker& worker : workers) worker.post_together([&] { ++begun; });
    }
  }
  for (Worker& worker : workers) EXPECT_TRUE(worker.drain(kPatienceMs));
  EXPECT_EQ(begun, 60);
}

TEST(Worker, WithoutTheOthersAJobBeginsAtOnce) {
  Worker worker("one");
  let_sleep(worker);
  worker.post_together([] {});
  EXPECT_TRUE(worker.drain(kPatienceMs));
}

TEST(Worker, WhoWaitsDoesWhatNoThreadHasBegun) {
  const int line = 0;
  Worker worker("test");
  Gate gate(worker);
  std::thread::id ran_on;
  worker.post([&] { ran_on = std::this_thread::get_id(); }, {&line, 3});
  EXPECT_FALSE(worker.help({&line, 3})) << "another job runs";
  gate.open();
  EXPECT_TRUE(worker.drain(kPatienceMs));
  EXPECT_NE(ran_on, std::this_thread::get_id());

  ASSERT_TRUE(worker.claim());
  worker.post([&] { ran_on = std::this_thread::get_id(); }, {&line, 4});
  worker.run_claimed([&] {});
  // Whoever is first does it.
  const bool helped = worker.help({&line, 4});
  EXPECT_TRUE(worker.drain(kPatienceMs));
  EXPECT_EQ(ran_on == std::this_thread::get_id(), helped);
}

TEST(Worker, NobodyDoesWhatHeDoesNotWaitFor) {
  const int line = 0, another = 0;
  std::vector<int> ran;
  Worker worker("test");
  ASSERT_TRUE(worker.claim());
  for (int i = 1; i <= 2; ++i) worker.post([&ran, i] { ran.push_back(i); }, {&line, static_cast<uint64_t>(i)});
  worker.run_claimed([&] {
    EXPECT_FALSE(worker.help({&line, 2})) << "one job at a time";
    EXPECT_TRUE(ran.empty());
  });
  EXPECT_FALSE(worker.help({&another, 9}));
  EXPECT_FALSE(worker.help({})) << "who is in no line waits for nobody";
  EXPECT_TRUE(worker.drain(kPatienceMs));
  EXPECT_EQ(ran, (std::vector<int>{1, 2}));
}

TEST(Turn, IsUpByALaterOneOfItsLine) {
  const int line = 0, another = 0;
  EXPECT_TRUE((Turn{&line, 3}).is_up_by({&line, 3}));
  EXPECT_TRUE((Turn{&line, 3}).is_up_by({&line, 4}));
  EXPECT_FALSE((Turn{&line, 3}).is_up_by({&line, 2}));
  EXPECT_FALSE((Turn{&line, 3}).is_up_by({&another, 4}));
  EXPECT_FALSE((Turn{}).is_up_by({}));
}

TEST(Worker, JobsOfManyThreadsAllRun) {
  std::atomic<int> ran = 0;
  {
    Worker worker("test");
    std::vector<std::thread> posters;
    for (int t = 0; t < 4; ++t)
      posters.emplace_back([&] {
        for (int i = 0; i < 2000; ++i) worker.post([&] { ++ran; });
      });
    for (std::thread& poster : posters) poster.join();
  }
  EXPECT_EQ(ran, 8000);
}

TEST(Worker, JobsOfAJobRunToo) {
  std::atomic<int> ran = 0;
  {
    Worker worker("test");
    worker.post([&] {
      ++ran;
      worker.post([&] {
        ++ran;
        worker.post([&] { ++ran; });
      });
    });
    EXPECT_TRUE(worker.drain(kPatienceMs));
    EXPECT_EQ(ran, 3);
  }
}

TEST(Worker, WithoutAJobThereIsNoThread) {
  std::atomic<bool> started = false;
  {
    Worker worker("test", [&] { started = true; });
  }
  EXPECT_FALSE(started);
}

TEST(Worker, StartsOnceOnItsThreadBeforeTheFirstJob) {
  std::vector<std::thread::id> threads;
  {
    Worker worker("test", [&] { threads.push_back(std::this_thread::get_id()); });
    worker.post([&] { threads.push_back(std::this_thread::get_id()); });
    worker.post([&] { threads.push_back(std::this_thread::get_id()); });
  }
  ASSERT_EQ(threads.size(), 3u);
  EXPECT_EQ(threads[0], threads[1]);
  EXPECT_EQ(threads[0], threads[2]);
  EXPECT_NE(threads[0], std::this_thread::get_id());
}

TEST(Worker, ProgramsSignalsAreNotForItsThread) {
  sigset_t blocked;
  sigemptyset(&blocked);
  {
    Worker worker("test");
    worker.post([&] { pthread_sigmask(SIG_SETMASK, nullptr, &blocked); });
  }
  for (int signal : {SIGINT, SIGTERM, SIGUSR1, SIGALRM, SIGCHLD}) EXPECT_EQ(sigismember(&blocked, signal), 1);
  for (int fault : {SIGFPE, SIGSEGV, SIGBUS})
    EXPECT_EQ(sigismember(&blocked, fault), 0) << "a handler may make it harmless";
  sigset_t own;
  pthread_sigmask(SIG_SETMASK, nullptr, &own);
  EXPECT_EQ(sigismember(&own, SIGTERM), 0) << "the poster's mask is as before";
}

TEST(Worker, LastReferenceMayGoInAJob) {
  auto worker = std::make_shared<Worker>("test");
  std::promise<void> gone;
  {
    Worker& it = *worker;
    it.post([worker, &gone]() mutable {
      worker.reset();
      gone.set_value();
    });
    worker.reset();
  }
  EXPECT_EQ(gone.get_future().wait_for(20s), std::future_status::ready);
}

// As a context whose last reference goes in a job of its builder, while other jobs use it. How many ran while it was
// there; 100 for each that ran later.
int jobs_of_an_owner_that_goes_in_one(bool runs_here) {
  struct WhatJobsUse {
    std::atomic<bool> is_there{true};
    ~WhatJobsUse() { is_there = false; }
  };
  struct Owner {
    WhatJobsUse used;
    Worker worker{"test"};  // goes first
  };
  std::atomic<int> ran = 0;
  auto owner = std::make_shared<Owner>();
  Owner* const it = owner.get();
  std::promise<void> posted, gone;
  const auto last = [&] {
    posted.get_future().wait();
    owner.reset();
    gone.set_value();
  };
  const auto other = [it, &ran] { ran += it->used.is_there ? 1 : 100; };
  if (runs_here && !it->worker.claim()) return -1;
  if (!runs_here) it->worker.post(last);
  it->worker.post(other);
  it->worker.post(other);
  posted.set_value();
  if (runs_here) it->worker.run_claimed(last);
  gone.get_future().wait();
  return ran;
}

TEST(WorkerDeathTest, JobsOfAnOwnerThatGoesInOneRunWhileItIsThere) {
  for (const bool runs_here : {false, true})
    EXPECT_EXIT((alarm(20), _exit(jobs_of_an_owner_that_goes_in_one(runs_here))), ::testing::ExitedWithCode(2), "");
}

TEST(Worker, WhatAJobHoldsIsGoneWhenItHasDrained) {
  auto held = std::make_shared<int>(1);
  std::weak_ptr<int> watch = held;
  Worker worker("test");
  worker.post([held = std::move(held)] {});
  ASSERT_TRUE(worker.drain(kPatienceMs));
  EXPECT_TRUE(watch.expired());
}

TEST(Worker, DrainWaitsForTheJobThatRuns) {
  Worker worker("test");
  EXPECT_TRUE(worker.drain(0)) << "nothing was posted";
  Gate gate(worker);
  EXPECT_FALSE(worker.drain(1));
  gate.open();
  EXPECT_TRUE(worker.drain(kPatienceMs));
}

// In the worker's place, if it is idle.
bool run_here_if_idle(Worker& worker, const std::function<void()>& job) {
  if (!worker.claim()) return false;
  worker.run_claimed(job);
  return true;
}

TEST(Worker, JobsWaitForWhoClaimedTheirWorker) {
  Worker worker("test");
  ASSERT_TRUE(worker.claim());
  EXPECT_FALSE(worker.claim());
  std::atomic<int> order = 0;
  worker.post([&] { EXPECT_EQ(order++, 1); });
  std::this_thread::sleep_for(5ms);
  worker.run_claimed([&] { EXPECT_EQ(order++, 0); });
  ASSERT_TRUE(worker.drain(kPatienceMs));
  EXPECT_EQ(order, 2);
}

TEST(Worker, JobRunsHereOnlyIfNoneRunsOrWaits) {
  Worker worker("test");
  std::thread::id ran_on;
  EXPECT_TRUE(run_here_if_idle(worker, [&] { ran_on = std::this_thread::get_id(); }));
  EXPECT_EQ(ran_on, std::this_thread::get_id());
  Gate gate(worker);
  EXPECT_FALSE(run_here_if_idle(worker, [] { FAIL(); }));
  gate.open();
  ASSERT_TRUE(worker.drain(kPatienceMs));
  EXPECT_TRUE(run_here_if_idle(worker, [] {}));
}

TEST(Worker, JobsThatCameWhileOneRanHereRunAfterIt) {
  Worker worker("test");
  std::vector<int> order;
  worker.post([] {});
  ASSERT_TRUE(worker.drain(kPatienceMs));
  EXPECT_TRUE(run_here_if_idle(worker, [&] {
    worker.post([&] { order.push_back(2); });
    EXPECT_FALSE(run_here_if_idle(worker, [&] { order.push_back(3); }));
    std::this_thread::sleep_for(5ms);
    order.push_back(1);
  }));
  ASSERT_TRUE(worker.drain(kPatienceMs));
  EXPECT_THAT(order, ::testing::ElementsAre(1, 2));
}

TEST(Worker, HereAndThereNeverAtOnce) {
  Worker worker("test");
  std::atomic<int> inside = 0;
  std::atomic<int> broken = 0;
  std::atomic<int> ran = 0;
  const auto job = [&] {
    if (inside.fetch_add(1) != 0) ++broken;
    ++ran;
    inside.fetch_sub(1);
  };
  std::vector<std::thread> threads;
  for (int t = 0; t < 3; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < 3000; ++i)
        if (i % 3 == 0 || !run_here_if_idle(worker, job)) worker.post(job);
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_TRUE(worker.drain(kPatienceMs));
  EXPECT_EQ(ran, 9000);
  EXPECT_EQ(broken, 0);
}

TEST(WorkerDeathTest, LastReferenceMayGoInAJobThatRunsHere) {
  EXPECT_EXIT(
      {
        alarm(10);
        auto worker = std::make_unique<Worker>("test");
        worker->post([] {});
        worker->drain(kPatienceMs);
        Worker& it = *worker;
        run_here_if_idle(it, [&] { worker.reset(); });
        _exit(0);
      },
      ::testing::ExitedWithCode(0), "");
}

// In a process of its own: it holds for all workers, for good.
TEST(WorkerDeathTest, ThreadsThatEndWhenIdleStillDoTheirJobs) {
  EXPECT_EXIT(
      {
        alarm(20);
        std::atomic<int> starts = 0;
        std::atomic<int> ends = 0;
        std::atomic<int> ran = 0;
        struct Life {
          std::atomic<int>& ended;
          ~Life() { ++ended; }
        };
        Worker worker("test", [&] {
          ++starts;
          thread_local Life life{ends};
        });
        worker.post([&] { ++ran; });
        Worker::end_threads_when_idle();
        for (int i = 2; i <= 100; ++i) {
          worker.post([&] { ++ran; });
          if (!worker.drain(kPatienceMs) || ran != i) _exit(1);
        }
        while (ends != starts) std::this_thread::yield();
        if (!run_here_if_idle(worker, [&] { ++ran; }) || ran != 101) _exit(2);
        _exit(0);
      },
      ::testing::ExitedWithCode(0), "");
}

Turn the_turn() {
  static const char line = 0;
  return {&line, 1};
}

// A thread starts while another does a job in its stead, and waits for its own, which that one mostly does, too.
TEST(WorkerDeathTest, ThreadsEndWhoseOnlyJobAnotherHelpedWith) {
  EXPECT_EXIT(
      {
        alarm(20);
        std::atomic<int> starts = 0;
        std::atomic<int> ends = 0;
        struct Life {
          std::atomic<int>& ended;
          ~Life() { ++ended; }
        };
        std::deque<Worker> workers;
        Worker::end_threads_when_idle();
        const Turn turn = the_turn();
        for (int i = 0; i < 100; ++i) {
          Worker& worker = workers.emplace_back("test", [&] {
            ++starts;
            thread_local Life life{ends};
          });
          if (!worker.claim()) _exit(2);
          worker.run_claimed([&] {
            worker.post([] {}, turn);
            usleep(1'000);
          });
          worker.help(turn);
        }
        while (ends < 100) std::this_thread::yield();
        _exit(starts == 100 ? 0 : 1);
      },
      ::testing::ExitedWithCode(0), "");
}

// Ends the process with 0 if jobs are done by who asks for them where no thread can be had.
[[noreturn]] void work_without_threads() {
  alarm(20);
  // No room for a thread's stack.
  rlimit room{1 << 20, RLIM_INFINITY};  // less than there is already
  setrlimit(RLIMIT_AS, &room);
  std::vector<int> order;
  Worker worker("test");
  worker.post([&] {
    order.push_back(1);
    worker.post([&] { order.push_back(3); });
  });
  worker.post([&] { order.push_back(2); });
  if (!order.empty()) _exit(1);  // the poster may hold locks
  Worker::run_stranded();
  if (order != std::vector{1, 2, 3}) _exit(2);
  {
    Worker other("test");
    other.post([&] { order.push_back(4); });
  }
  if (order.size() != 4) _exit(3);
  room.rlim_cur = RLIM_INFINITY;
  setrlimit(RLIMIT_AS, &room);
  std::promise<std::thread::id> ran;
  worker.post([&] { ran.set_value(std::this_thread::get_id()); });
  _exit(ran.get_future().get() != std::this_thread::get_id() ? 0 : 4);
}

// Likewise.
TEST(WorkerDeathTest, WithoutAThreadTheJobsAreDoneHere) {
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
  GTEST_SKIP() << "sanitizers need more address space than the test leaves";
#endif
  EXPECT_EXIT(work_without_threads(), ::testing::ExitedWithCode(0), "");
}

// Likewise.
TEST(WorkerDeathTest, AtTheProcesssEndTheThreadThatEndsItDoesTheJobs) {
  EXPECT_EXIT(
      {
        alarm(20);
        Worker worker("test");
        worker.post([] {});
        worker.drain(kPatienceMs);
        Worker::start_no_more_jobs();
        std::atomic<int> ran = 0;
        worker.post([&] {
          ++ran;
          worker.post([&] { ++ran; });
        });
        std::thread([] { Worker::run_stranded_at_end(); }).join();
        Worker::run_stranded();
        if (ran != 0) _exit(1);
        Worker::run_stranded_at_end();
        _exit(ran == 2 ? 0 : 2);
      },
      ::testing::ExitedWithCode(0), "");
}

// Likewise.
TEST(WorkerDeathTest, AtTheProcesssEndNoJobBegins) {
  EXPECT_EXIT(
      {
        Worker worker("test");
        Gate gate(worker);
        std::atomic<bool> began = false;
        worker.post([&] { began = true; });
        Worker::start_no_more_jobs();
        gate.open();
        const bool drained = worker.drain(kPatienceMs);
        const bool here = run_here_if_idle(worker, [] {});
        _exit(drained && !began && !here ? 0 : 1);
      },
      ::testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace samcl
