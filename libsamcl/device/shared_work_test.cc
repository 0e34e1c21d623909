#include "libsamcl/device/shared_work.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <random>
#include <thread>

namespace samcl {
namespace {

// Devices that run pieces one after another, each place of the dimension for as long as work() says, in ns of a device
// of speed 1.
class Machine {
 public:
  using Work = std::function<double(uint64_t place)>;

  Machine(std::vector<double> speeds, std::vector<double> shares, uint64_t places, Work work)
      : speeds_(std::move(speeds)), work_(std::move(work)), runs_(places, 0) {
    Ndrange ndrange{.dimensions = 2, .global = {64, 8 * places, 1}, .local = {16, 8, 1}};
    parts_ = split(ndrange, shares, 1);
  }

  // How much of the devices' time is of use: the time that they would take at best, in the time that they took.
  double balance() {
    SharedWork shared(parts_, 1);
    // Until when each device runs its piece, and how long that takes; -1: it runs none.
    std::vector<double> until(speeds_.size(), 0), takes(speeds_.size(), -1);
    std::vector<bool> is_over(speeds_.size(), false);
    double all = 0, speed = 0;
    for (uint64_t place = 0; place < runs_.size(); ++place) all += work_(place);
    for (const double each : speeds_) speed += each;
    for (size_t left = speeds_.size(); left > 0;) {
      size_t device = speeds_.size();  // the next one that ends
      for (size_t i = 0; i < speeds_.size(); ++i)
        if (!is_over[i] && (device == speeds_.size() || until[i] < until[device])) device = i;
      if (takes[device] >= 0) shared.ran(device, static_cast<uint64_t>(takes[device]));
      takes[device] = -1;
      const auto [piece, may_go] = shared.next_now(device, 1);
      if (may_go) {
        is_over[device] = true;
        --left;
        continue;
      }
      if (!piece) {  // asks again when the next one has ended
        double next = std::numeric_limits<double>::infinity();
        for (size_t i = 0; i < speeds_.size(); ++i)
          if (takes[i] >= 0) next = std::min(next, until[i]);
        until[device] = std::nextafter(next, 1e300);
        continue;
      }
      EXPECT_EQ(piece->count[0], 4u);
      takes[device] = 0;
      for (uint64_t place = piece->first[1]; place < piece->first[1] + piece->count[1]; ++place) {
        ++runs_[place];
        takes[device] += work_(place) / speeds_[device];
      }
      ++pieces_;
      until[device] += takes[device];
    }
    for (size_t i = 0; i < speeds_.size(); ++i) taken_over_.push_back(shared.taken_over(i));
    for (size_t i = 0; i < speeds_.size(); ++i) own_.push_back(shared.own(i));
    return all / speed / *std::max_element(until.begin(), until.end());
  }
  bool ran_each_once() const {
    return std::all_of(runs_.begin(), runs_.end(), [](int runs) { return runs == 1; });
  }
  size_t pieces() const { return pieces_; }
  const std::vector<uint64_t>& taken_over() const { return taken_over_; }
  const std::vector<SharedWork::OwnPiece>& own() const { return own_; }

 private:
  std::vector<double> speeds_;
  Work work_;
  std::vector<int> runs_;
  std::vector<Part> parts_;
  std::vector<uint64_t> taken_over_;
  std::vector<SharedWork::OwnPiece> own_;
  size_t pieces_ = 0;
};

constexpr double kMs = 1e6;
double even(uint64_t) { return 0.1 * kMs; }

TEST(SharedWork, NothingIsTakenOverWhereAllAreAsFastAsWasThought) {
  Machine machine({1, 1}, {1, 1}, 1000, even);
  EXPECT_GT(machine.balance(), 0.99);
  EXPECT_TRUE(machine.ran_each_once());
  EXPECT_EQ(machine.taken_over(), (std::vector<uint64_t>{0, 0}));
  EXPECT_EQ(machine.own()[1].box.first[1], 500u);
  EXPECT_EQ(machine.own()[1].box.count[1], 500u);
  EXPECT_EQ(machine.own()[1].ns, 500 * even(0));
  EXPECT_LT(machine.pieces(), 100u);
}

TEST(SharedWork, OneThatIsFasterThanWasThoughtTakesOver) {
  for (const double faster : {1.5, 2.0, 4.0, 8.0, 16.0}) {
    Machine machine({faster, 1}, {1, 1}, 1000, even);
    EXPECT_GT(machine.balance(), 0.93) << faster;
    EXPECT_TRUE(machine.ran_each_once());
    EXPECT_GT(machine.taken_over()[0], 0u);
    EXPECT_EQ(machine.own()[0].box.count[1], 500u) << "only what is its own";
    EXPECT_LT(machine.own()[1].box.count[1], 500u) << "up to where the other one took over";
  }
}

TEST(SharedWork, WorkInAFewPlacesIsShared) {
  for (const uint64_t at : {0u, 300u, 499u, 500u, 880u}) {
    const auto work = [at](uint64_t place) { return place >= at && place < at + 100 ? 3 * kMs : 0.1 * kMs; };
    Machine machine({1, 1}, {1, 1}, 1000, work);
    EXPECT_GT(machine.balance(), 0.93) << at;
    EXPECT_TRUE(machine.ran_each_once());
  }
}

TEST(SharedWork, LittleWorkAtFirstDoesNotMakeLongPieces) {
  Machine machine({1, 1}, {1, 1}, 512, [](uint64_t place) { return place % 256 < 20 ? 0.005 * kMs : 1 * kMs; });
  EXPECT_GT(machine.balance(), 0.93);
  EXPECT_TRUE(machine.ran_each_once());
}

TEST(SharedWork, APieceIsNoShorterThanIsWorthALaunch) {
  Machine machine({1, 1}, {1, 1}, 1000, [](uint64_t) { return 0.01 * kMs; });
  machine.balance();
  EXPECT_LT(machine.pieces(), 30u) << "of 10 ms in all";
}

TEST(SharedWork, ASlowOneDoesNotTakeTheLastPlace) {
  SharedWork shared(std::vector<Part>{{0, {{0, 0, 0}, {2, 1, 1}}}, {1, {{2, 0, 0}, {1, 1, 1}}}}, 0);
  ASSERT_TRUE(shared.next(0, 1));
  shared.ran(0, 1000);  // runs its second one now
  ASSERT_TRUE(shared.next(1, 1));
  shared.ran(1, 100'000);
  EXPECT_FALSE(shared.next_now(1, 1).piece);
  EXPECT_TRUE(shared.next(0, 1));
  EXPECT_FALSE(shared.next(0, 1)) << "and nothing is left";
  EXPECT_FALSE(shared.next(1, 1));
}

TEST(SharedWork, OneThatWaitsGetsWhatTakesLongerThanWasThought) {
  SharedWork shared(std::vector<Part>{{0, {{0, 0, 0}, {4, 1, 1}}}, {1, {{4, 0, 0}, {1, 1, 1}}}}, 0);
  ASSERT_TRUE(shared.next(0, 1));
  shared.ran(0, 1000);
  ASSERT_TRUE(shared.next(0, 1));  // two, and one is left
  ASSERT_TRUE(shared.next(1, 1));
  shared.ran(1, 100'000);
  const auto next = shared.next_now(1, 1);
  EXPECT_FALSE(next.piece);
  EXPECT_FALSE(next.is_over);
  std::thread other([&] { shared.ran(0, 1'000'000); });
  EXPECT_TRUE(shared.next(1, 1)) << "the last one";
  other.join();
}

TEST(SharedWork, WhereOneFailsAllStop) {
  SharedWork shared(std::vector<Part>{{0, {{0, 0, 0}, {100, 1, 1}}}, {1, {{100, 0, 0}, {100, 1, 1}}}}, 0);
  ASSERT_TRUE(shared.next(0, 1));
  shared.failed(0);
  EXPECT_FALSE(shared.next(1, 1));
}

TEST(SharedWork, RandomWorkOnRandomDevices) {
  std::mt19937_64 random(15);
  double sum = 0, least = 1;
  constexpr int kRounds = 300;
  for (int round = 0; round < kRounds; ++round) {
    const size_t count = 2 + random() % 3;
    std::vector<double> speeds, shares;
    for (size_t i = 0; i < count; ++i) {
      speeds.push_back(1 + static_cast<double>(random() % 80) / 10);
      shares.push_back(1);
    }
    std::vector<double> work;
    for (int place = 0; place < 2000; ++place) work.push_back((1 + static_cast<double>(random() % 100)) * 10'000);
    const uint64_t lit = random() % 1800;
    for (uint64_t place = lit; place < lit + 200; ++place) work[place] *= 10;
    Machine machine(speeds, shares, work.size(), [&](uint64_t place) { return work[place]; });
    const double balance = machine.balance();
    sum += balance;
    least = std::min(least, balance);
    ASSERT_TRUE(machine.ran_each_once()) << round;
  }
  EXPECT_GT(sum / kRounds, 0.93);
  EXPECT_GT(least, 0.8);
}

}  // namespace
}  // namespace samcl
