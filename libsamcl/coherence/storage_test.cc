#include "libsamcl/coherence/storage.h"

#include <gmock/gmock.h>

#include <cstring>
#include <random>
#include <thread>
#include <vector>

#include "libsamcl/runtime/testing/fake_driver.h"

namespace samcl {
namespace {

using testing::Call;
using ::testing::Each;
using ::testing::ElementsAre;
using testing::FakeDriver;
using ::testing::IsEmpty;

using Bytes = std::vector<std::byte>;
constexpr uint64_t kSize = 1000;

struct StorageTest : ::testing::Test {
  static constexpr unsigned kDevices = 3;
  FakeDriver driver{kDevices};
  std::shared_ptr<Context> context = driver.make_context();
  Traffic traffic;
  std::unique_ptr<Storage> storage = std::make_unique<Storage>(context, kSize, nullptr);

  ~StorageTest() override { EXPECT_EQ(driver.misuses(), 0); }

  Bytes& replica(unsigned device) {
    cl_int error;
    return FakeDriver::contents(storage->replica(device, &error));
  }

  // As a kernel there would.
  void write(Place place, Range range, const Bytes& bytes) {
    std::byte* to = place == kHost ? storage->host() : replica(place).data();
    std::memcpy(to + range.begin, bytes.data(), range.size());
    storage->written(range, only(place));
  }

  Bytes read(Place place, Range range) {
    EXPECT_EQ(storage->make_valid(range, place, traffic), CL_SUCCESS);
    const std::byte* from = place == kHost ? storage->host() : replica(place).data();
    return {from + range.begin, from + range.end};
  }

  static Bytes bytes(size_t size, int value) { return Bytes(size, static_cast<std::byte>(value)); }
};

TEST_F(StorageTest, UndefinedBytesAreNeverMoved) {
  for (Place place : {0u, 1u, kHost}) EXPECT_EQ(storage->make_valid({0, kSize}, place, traffic), CL_SUCCESS);
  EXPECT_EQ(driver.count(Call::write) + driver.count(Call::read) + driver.count(Call::fill), 0);
}

TEST_F(StorageTest, ReplicasAreMadeWhenNeededAndGivenBack) {
  EXPECT_EQ(driver.live_buffers(), 0);
  replica(1);
  replica(1);
  EXPECT_EQ(driver.live_buffers(), 1);
  storage.reset();
  EXPECT_EQ(driver.live_buffers(), 0);
}

TEST_F(StorageTest, BytesComeFromTheDeviceThatHasThem) {
  write(1, {100, 200}, bytes(100, 7));
  EXPECT_THAT(read(0, {100, 200}), Each(std::byte{7}));
  EXPECT_EQ(traffic.uploaded_bytes, 100u);
  EXPECT_EQ(traffic.downloaded_bytes, 100u);
  EXPECT_EQ(storage->missing_bytes({0, kSize}, 0), 0u);
  EXPECT_EQ(storage->missing_bytes({0, kSize}, 2), 100u);
}

TEST_F(StorageTest, OnlyWhatIsMissingMoves) {
  write(kHost, {0, kSize}, bytes(kSize, 1));
  write(0, {300, 400}, bytes(100, 2));
  read(0, {250, 450});
  EXPECT_EQ(traffic.uploaded_bytes, 100u);
  read(0, {250, 450});
  EXPECT_EQ(traffic.uploaded_bytes, 100u) << "nothing the second time";
  const Bytes all = read(kHost, {0, kSize});
  EXPECT_EQ(traffic.downloaded_bytes, 100u);
  EXPECT_EQ(all[299], std::byte{1});
  EXPECT_EQ(all[300], std::byte{2});
  EXPECT_EQ(all[399], std::byte{2});
  EXPECT_EQ(all[400], std::byte{1});
}

TEST_F(StorageTest, HostCopyIsPreferredToAnotherDevice) {
  write(0, {0, 100}, bytes(100, 3));
  read(kHost, {0, 100});
  const int reads = driver.count(Call::read);
  EXPECT_THAT(read(1, {0, 100}), Each(std::byte{3}));
  EXPECT_EQ(driver.count(Call::read), reads);
}

TEST_F(StorageTest, LargeBuffersPassInPieces) {
  constexpr uint64_t kLarge = (9 << 20) + 13;
  storage = std::make_unique<Storage>(context, kLarge, nullptr);
  Bytes random(kLarge);
  std::mt19937 generator(5);
  for (std::byte& byte : random) byte = static_cast<std::byte>(generator());
  write(2, {0, kLarge}, random);
  EXPECT_EQ(read(0, {0, kLarge}), random);
}

TEST_F(StorageTest, DefinedBytesAreZerosEverywhere) {
  write(0, {0, 10}, bytes(10, 1));
  storage->define({0, 1000});
  EXPECT_THAT(read(1, {10, 1000}), Each(std::byte{0}));
  EXPECT_THAT(read(kHost, {10, 1000}), Each(std::byte{0}));
  EXPECT_THAT(read(2, {13, 27}), Each(std::byte{0})) << "odd bounds";
  EXPECT_THAT(read(1, {0, 10}), Each(std::byte{1}));
  EXPECT_EQ(traffic.uploaded_bytes + traffic.downloaded_bytes, 20u) << "zeros are made, not moved";
}

TEST_F(StorageTest, DefinedBytesAreZerosInAHostCopyThatWasThereBefore) {
  std::memset(storage->host(), 0xff, kSize);
  storage->define({0, kSize});
  EXPECT_THAT(read(kHost, {0, kSize}), Each(std::byte{0}));
}

TEST_F(StorageTest, ProgramsMemoryIsTheHostCopy) {
  Bytes memory = bytes(kSize, 9);
  storage = std::make_unique<Storage>(context, kSize, memory.data());
  EXPECT_TRUE(storage->has_host_copy());
  EXPECT_EQ(storage->host(), memory.data());
  EXPECT_THAT(read(1, {0, kSize}), Each(std::byte{9}));
  write(1, {0, 10}, bytes(10, 8));
  read(kHost, {0, kSize});
  EXPECT_EQ(memory[9], std::byte{8});
  EXPECT_EQ(memory[10], std::byte{9});
}

TEST_F(StorageTest, BytesFromTheHostGoWhereTheyAreExpected) {
  EXPECT_EQ(storage->destination(), first_devices(kDevices)) << "nobody knows yet";
  storage->used_on(only(2));
  EXPECT_EQ(storage->destination(), only(2));
  storage->host();
  EXPECT_EQ(storage->destination(), only(kHost));
}

using Piece = Directory::Piece;

TEST_F(StorageTest, UntilALaunchTellsBytesGoToAllDevices) {
  EXPECT_THAT(storage->destinations({100, 300}), ElementsAre(Piece{{100, 300}, first_devices(kDevices)}));
}

TEST_F(StorageTest, BytesGoToTheDevicesThatNeedThem) {
  storage->used_on({0, kSize}, {{0, {{0, 520}}}, {1, {{480, kSize}}}});
  EXPECT_THAT(storage->destinations({0, kSize}),
              ElementsAre(Piece{{0, 480}, only(0)}, Piece{{480, 520}, only(0) | only(1)}, Piece{{520, kSize}, only(1)}));
  EXPECT_THAT(storage->destinations({500, 600}),
              ElementsAre(Piece{{500, 520}, only(0) | only(1)}, Piece{{520, 600}, only(1)}));
}

TEST_F(StorageTest, BytesThatNobodyNeedsGoToOneUser) {
  storage->used_on({0, kSize}, {{1, {{0, 400}}}, {2, {{0, 400}}}});
  EXPECT_THAT(storage->destinations({0, kSize}),
              ElementsAre(Piece{{0, 400}, only(1) | only(2)}, Piece{{400, kSize}, only(1)}));
}

TEST_F(StorageTest, BytesThatTheLaunchDidNotShowGoToItsDevices) {
  storage->used_on({200, 600}, {{1, {{200, 400}}}, {2, {{400, 600}}}});
  EXPECT_THAT(storage->destinations({0, kSize}),
              ElementsAre(Piece{{0, 200}, only(1) | only(2)}, Piece{{200, 400}, only(1)},
                          Piece{{400, 600}, only(2)}, Piece{{600, kSize}, only(1) | only(2)}));
}

// A later launch on what the first one computed says nothing about what comes from the host.
TEST_F(StorageTest, FirstLaunchAfterBytesCameTellsWhereTheNextGo) {
  storage->used_on({0, kSize}, {{0, {{0, 500}}}, {1, {{500, kSize}}}});
  storage->used_on({0, kSize}, {{0, {{0, kSize}}}, {1, {{0, kSize}}}});
  EXPECT_THAT(storage->destinations({0, kSize}), ElementsAre(Piece{{0, 500}, only(0)}, Piece{{500, kSize}, only(1)}));
  storage->used_on({0, kSize}, {{0, {{500, kSize}}}, {1, {{0, 500}}}});
  EXPECT_THAT(storage->destinations({0, kSize}), ElementsAre(Piece{{0, 500}, only(1)}, Piece{{500, kSize}, only(0)}));
}

TEST_F(StorageTest, LaunchOfWhichNothingIsKnownNeedsAllOnItsDevices) {
  storage->used_on({0, kSize}, {{0, {{0, 500}}}, {1, {{500, kSize}}}});
  storage->destinations({0, kSize});
  storage->used_on(only(1) | only(2));
  EXPECT_THAT(storage->destinations({0, kSize}), ElementsAre(Piece{{0, kSize}, only(1) | only(2)}));
}

TEST_F(StorageTest, ProgramsOwnMemoryIsWhereItsBytesStay) {
  std::vector<std::byte> memory(kSize);
  Storage shared(context, kSize, memory.data());
  shared.used_on({0, kSize}, {{0, {{0, kSize}}}});
  EXPECT_THAT(shared.destinations({0, kSize}), ElementsAre(Piece{{0, kSize}, only(kHost)}));
}

TEST_F(StorageTest, FailuresAreTheDriversAndLeaveWhatWasThere) {
  write(0, {0, kSize}, bytes(kSize, 4));
  driver.fail(Call::create_buffer, CL_MEM_OBJECT_ALLOCATION_FAILURE);
  EXPECT_EQ(storage->make_valid({0, kSize}, 1, traffic), CL_MEM_OBJECT_ALLOCATION_FAILURE);
  driver.fail(Call::read, CL_OUT_OF_RESOURCES);
  EXPECT_EQ(storage->make_valid({0, kSize}, 1, traffic), CL_OUT_OF_RESOURCES);
  driver.fail(Call::write, CL_OUT_OF_HOST_MEMORY);
  EXPECT_EQ(storage->make_valid({0, kSize}, 1, traffic), CL_OUT_OF_HOST_MEMORY);
  driver.fail(Call::read, -1);
  EXPECT_EQ(storage->make_valid({0, kSize}, kHost, traffic), -1);
  EXPECT_EQ(storage->missing_bytes({0, kSize}, 1), kSize);
  EXPECT_EQ(storage->missing_bytes({0, kSize}, kHost), kSize);
  EXPECT_THAT(read(1, {0, kSize}), Each(std::byte{4})) << "it can be tried again";
}

TEST_F(StorageTest, FillThatFailsLeavesZerosToBeMade) {
  storage->define({0, kSize});
  driver.fail(Call::fill, CL_OUT_OF_RESOURCES);
  EXPECT_EQ(storage->make_valid({0, kSize}, 0, traffic), CL_OUT_OF_RESOURCES);
  EXPECT_THAT(read(0, {0, kSize}), Each(std::byte{0}));
}

TEST_F(StorageTest, SeveralPlacesBecomeValidAtTheSameTime) {
  for (int round = 0; round < 50; ++round) {
    write(0, {0, 500}, bytes(500, round));
    write(1, {500, kSize}, bytes(500, round + 1));
    std::vector<std::thread> threads;
    for (Place place : {0u, 1u, 2u, kHost, kHost})
      threads.emplace_back([&, place] {
        EXPECT_EQ(storage->make_valid({0, kSize}, place, traffic), CL_SUCCESS);
      });
    for (std::thread& thread : threads) thread.join();
    for (Place place : {0u, 1u, 2u, kHost}) {
      const Bytes found = read(place, {0, kSize});
      ASSERT_EQ(found[499], static_cast<std::byte>(round));
      ASSERT_EQ(found[500], static_cast<std::byte>(round + 1));
    }
  }
}

// Against a plain array: random writes, moves, and failures of the driver at any time.
TEST_F(StorageTest, HoldsWhatWasWrittenLast) {
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  Bytes model(kSize);
  storage->define({0, kSize});
  constexpr Place kPlaces[] = {0, 1, 2, kHost};
  for (int step = 0; step < 5000; ++step) {
    const Place place = kPlaces[random() % 4];
    const uint64_t begin = random() % kSize;
    const Range range{begin, begin + 1 + random() % (kSize - begin)};
    switch (random() % 4) {
      case 0: {
        const Bytes fresh = bytes(range.size(), static_cast<int>(random()));
        std::copy(fresh.begin(), fresh.end(), model.begin() + static_cast<std::ptrdiff_t>(begin));
        write(place, range, fresh);
        break;
      }
      case 1: {
        const Call call = static_cast<Call>(1 + random() % 3);
        driver.fail(call, CL_OUT_OF_RESOURCES, 1);
        const cl_int error = storage->make_valid(range, place, traffic);
        ASSERT_TRUE(error == CL_SUCCESS || error == CL_OUT_OF_RESOURCES);
        driver.fail(call, CL_SUCCESS, 0);
        break;
      }
      default: {
        const Bytes expected(model.begin() + static_cast<std::ptrdiff_t>(range.begin),
                             model.begin() + static_cast<std::ptrdiff_t>(range.end));
        ASSERT_EQ(read(place, range), expected) << "step " << step << ", place " << place;
      }
    }
  }
}

}  // namespace
}  // namespace samcl
