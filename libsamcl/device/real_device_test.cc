#include "libsamcl/device/real_device.h"

#include <gmock/gmock.h>

#include <chrono>
#include <semaphore>
#include <thread>
#include <vector>

#include "libsamcl/driver/driver.h"
#include "libsamcl/memory/storage.h"
#include "libsamcl/testing/fake_driver.h"
#include "libsamcl/testing/fake_manager.h"

namespace samcl {
namespace {

using testing::Call;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr uint64_t kSize = (36 << 20) + 5;  // four whole chunks and a part
const Rectangle kAll = Rectangle::run(0, kSize);

struct RealDeviceTest : ::testing::Test {
  testing::FakeDriver driver{2};
  testing::FakeManager manager;
  std::shared_ptr<Context> managed = driver.make_context(&manager);
  std::shared_ptr<Context> unmanaged = driver.make_context();
  Traffic traffic;
  std::vector<std::byte> bytes = std::vector<std::byte>(kSize, std::byte{7});

  ~RealDeviceTest() override { EXPECT_EQ(driver.misuses(), 0); }

  // A buffer of the context on device 1, and what an upload to it gives.
  cl_int upload(const std::shared_ptr<Context>& context) {
    storage = std::make_unique<Storage>(context, kSize, nullptr);
    cl_int error;
    return move(context, Direction::up, storage->replica(1, &error), bytes);
  }
  // All bytes of a buffer on device 1.
  cl_int move(const std::shared_ptr<Context>& context, Direction direction, cl_mem buffer,
              std::vector<std::byte>& host) {
    const auto lane = direction == Direction::up ? engine::LaneKind::up : engine::LaneKind::down;
    return context->devices[1]->transfer(lane, direction, {buffer}, kAll, host.data(), kAll, traffic);
  }
  std::unique_ptr<Storage> storage;
};

TEST_F(RealDeviceTest, UnmanagedTransfersGoThroughPinnedChunks) {
  EXPECT_EQ(upload(unmanaged), CL_SUCCESS);
  EXPECT_EQ(driver.count(Call::write), 37) << "chunks of 1 MiB and a part";
  EXPECT_THAT(manager.events(), IsEmpty());
  std::vector<std::byte> found(kSize);
  cl_int error;
  EXPECT_EQ(move(unmanaged, Direction::down, storage->replica(1, &error), found), CL_SUCCESS);
  EXPECT_EQ(found, bytes);
}

TEST_F(RealDeviceTest, WithoutPinnedMemoryTheyAreInOnePiece) {
  cl_int error;
  const Rectangle part = Rectangle::run(0, PinnedRing::kPays - 1);
  Storage memory(unmanaged, part.bytes(), nullptr);
  RealDevice& device = *unmanaged->devices[1];
  const cl_mem replica = memory.replica(1, &error);
  driver.fail(Call::create_buffer, CL_OUT_OF_RESOURCES);
  for (int i = 1; i <= 3; ++i) {
    EXPECT_EQ(device.transfer(engine::LaneKind::up, Direction::up, {replica}, part, bytes.data(), part, traffic),
              CL_SUCCESS);
    EXPECT_EQ(driver.count(Call::write), i);
    EXPECT_TRUE(device.drain(10'000));
  }
}

TEST_F(RealDeviceTest, LargeMemoryHasPinnedChunksMadeAtOnce) {
  cl_int error;
  Storage memory(unmanaged, 2 * PinnedRing::kPays, nullptr);
  const cl_mem replica = memory.replica(1, &error);
  RealDevice& device = *unmanaged->devices[1];
  EXPECT_TRUE(device.drain(10'000));
  const Rectangle part = Rectangle::run(0, 6 << 20);
  EXPECT_EQ(device.transfer(engine::LaneKind::up, Direction::up, {replica}, part, bytes.data(), part, traffic),
            CL_SUCCESS);
  EXPECT_EQ(driver.count(Call::write), 6);
}

TEST_F(RealDeviceTest, PinnedChunksAreMadeOnceTheyWouldHavePaid) {
  cl_int error;
  Storage memory(unmanaged, 6 << 20, nullptr);
  const cl_mem replica = memory.replica(1, &error);
  RealDevice& device = *unmanaged->devices[1];
  const Rectangle part = Rectangle::run(0, 6 << 20);
  const auto upload_part = [&] {
    const int before = driver.count(Call::write);
    EXPECT_EQ(device.transfer(engine::LaneKind::up, Direction::up, {replica}, part, bytes.data(), part, traffic),
              CL_SUCCESS);
    return driver.count(Call::write) - before;
  };
  const int buffers = driver.live_buffers();
  for (int i = 0; i < 3; ++i) EXPECT_EQ(upload_part(), 1) << "as the driver does it";
  EXPECT_TRUE(device.drain(10'000));
  EXPECT_EQ(driver.live_buffers(), buffers + 1);
  EXPECT_EQ(upload_part(), 6) << "in chunks";
}

TEST_F(RealDeviceTest, TransfersOfTasksHoldTheirLinkAndGoInChunks) {
  manager.chosen.task = "camera";
  EXPECT_EQ(upload(managed), CL_SUCCESS);
  EXPECT_EQ(driver.count(Call::write), 5);
  EXPECT_THAT(manager.events(), ElementsAre("+link 1", "-link 1"));
  std::vector<std::byte> found(kSize);
  cl_int error;
  EXPECT_EQ(move(managed, Direction::down, storage->replica(1, &error), found), CL_SUCCESS);
  EXPECT_EQ(driver.count(Call::read), 5);
  EXPECT_EQ(found, bytes);
}

TEST_F(RealDeviceTest, BetweenChunksAMoreUrgentTaskGoesFirst) {
  manager.chosen.task = "camera";
  manager.revocations = 1;
  EXPECT_EQ(upload(managed), CL_SUCCESS);
  EXPECT_THAT(manager.events(), ElementsAre("+link 1", "-link 1", "+link 1", "-link 1"));
  EXPECT_EQ(driver.count(Call::write), 5);
}

TEST_F(RealDeviceTest, TransfersOfNoTaskHoldTheirLinkAndGoThroughPinnedChunks) {
  EXPECT_EQ(upload(managed), CL_SUCCESS);
  EXPECT_EQ(driver.count(Call::write), 73) << "chunks of 512 KiB";
  EXPECT_THAT(manager.events(), ElementsAre("+link 1", "-link 1"));
  std::vector<std::byte> found(kSize);
  cl_int error;
  manager.revocations = 1;
  EXPECT_EQ(move(managed, Direction::down, storage->replica(1, &error), found), CL_SUCCESS);
  EXPECT_EQ(driver.count(Call::read), 37) << "chunks of 1 MiB";
  EXPECT_THAT(manager.events(), ElementsAre("+link 1", "-link 1", "+link 1", "-link 1", "+link 1", "-link 1"));
  EXPECT_EQ(found, bytes);
}

TEST_F(RealDeviceTest, WhileNoOtherProgramIsConnectedTheyGoAsWithoutAManager) {
  manager.alone = true;
  EXPECT_EQ(upload(managed), CL_SUCCESS);
  EXPECT_EQ(driver.count(Call::write), 37) << "chunks of 1 MiB and a part";
  EXPECT_FALSE(manager.is_link_far);
  std::vector<std::byte> found(kSize);
  cl_int error;
  EXPECT_EQ(move(managed, Direction::down, storage->replica(1, &error), found), CL_SUCCESS);
  EXPECT_EQ(driver.count(Call::read), 19) << "chunks of 2 MiB";
  EXPECT_FALSE(manager.is_link_far);
  EXPECT_EQ(found, bytes);
}

// Another program connects after so many pieces.
class ConnectsAfter : public testing::FakeManager {
 public:
  ConnectsAfter(int pieces, const testing::FakeDriver& driver) : left_(pieces), driver_(driver) {}
  bool runs_far(lease::ResourceKind, uint32_t) override { return is_far = left_-- > 0; }
  void ends_run_far(lease::ResourceKind, uint32_t) override {
    is_far = false;
    finishes = driver_.count(Call::finish);
    writes = driver_.count(Call::write);
  }
  int finishes = 0, writes = 0;  // there had been when what was far in flight had ended

 private:
  int left_;
  const testing::FakeDriver& driver_;
};

TEST_F(RealDeviceTest, OnceAnotherProgramConnectsWhatIsInFlightEnds) {
  for (const int pieces : {1, 9, 30}) {
    ConnectsAfter other(pieces, driver);
    const int finishes = driver.count(Call::finish);
    const std::shared_ptr<Context> context = driver.make_context(&other);
    EXPECT_EQ(upload(context), CL_SUCCESS);
    EXPECT_FALSE(other.is_far);
    EXPECT_EQ(other.finishes, finishes + 1);
    std::vector<std::byte> found(kSize);
    cl_int error;
    EXPECT_EQ(move(context, Direction::down, storage->replica(1, &error), found), CL_SUCCESS);
    EXPECT_EQ(found, bytes);
    storage = nullptr;
    ConnectsAfter while_read(pieces, driver);
    const std::shared_ptr<Context> reading = driver.make_context(&while_read);
    storage = std::make_unique<Storage>(reading, kSize, nullptr);
    const cl_mem replica = storage->replica(1, &error);
    for (std::byte& byte : testing::FakeDriver::contents(replica)) byte = std::byte{9};
    EXPECT_EQ(move(reading, Direction::down, replica, found), CL_SUCCESS);
    EXPECT_FALSE(while_read.is_far);
    EXPECT_EQ(found, std::vector<std::byte>(kSize, std::byte{9}));
    storage = nullptr;
  }
}

TEST_F(RealDeviceTest, OnceAnotherProgramConnectsPiecesAreShortAgain) {
  ConnectsAfter other(1, driver);
  const std::shared_ptr<Context> context = driver.make_context(&other);
  storage = std::make_unique<Storage>(context, kSize, nullptr);
  cl_int error;
  const cl_mem replica = storage->replica(1, &error);
  EXPECT_TRUE(context->devices[1]->drain(10'000));
  const Rectangle part = Rectangle::run(0, PinnedRing::kLeast - 1);
  EXPECT_EQ(
      context->devices[1]->transfer(engine::LaneKind::up, Direction::up, {replica}, part, bytes.data(), part, traffic),
      CL_SUCCESS);
  EXPECT_EQ(other.writes, 0) << "before the first one, which is short";
  EXPECT_EQ(driver.count(Call::write), 1);
  EXPECT_FALSE(other.is_far);
  storage = nullptr;
}

// Grants a link to one thread at a time, and always has another program wait for it.
class OneAtATime : public testing::FakeManager {
 public:
  void acquire(lease::ResourceKind, uint32_t) override { link_.acquire(); }
  void release(lease::ResourceKind, uint32_t) override {
    link_.release();
    std::this_thread::sleep_for(std::chrono::microseconds(100));  // so that who waits has it
  }
  bool revoke_requested(lease::ResourceKind, uint32_t) const override { return true; }

 private:
  std::binary_semaphore link_{1};  // a copying thread may give it back
};

TEST_F(RealDeviceTest, ThreadsThatTransferOnOneLaneDoNotWaitForEachOther) {
  OneAtATime one_at_a_time;
  const std::shared_ptr<Context> context = driver.make_context(&one_at_a_time);
  cl_int error;
  storage = std::make_unique<Storage>(context, kSize, nullptr);
  const cl_mem replica = storage->replica(1, &error);
  std::thread other([&] {
    std::vector<std::byte> few(1 << 10, std::byte{7});
    const Rectangle begin = Rectangle::run(0, few.size());
    for (int i = 0; i < 200; ++i)
      context->devices[1]->transfer(engine::LaneKind::up, Direction::up, {replica}, begin, few.data(), begin, traffic);
  });
  for (int i = 0; i < 4; ++i) EXPECT_EQ(move(context, Direction::up, replica, bytes), CL_SUCCESS);
  other.join();
  storage = nullptr;
}

TEST_F(RealDeviceTest, FailedChunkEndsTheTransferAndGivesTheLinkBack) {
  driver.fail(Call::write, CL_OUT_OF_RESOURCES);
  EXPECT_EQ(upload(managed), CL_OUT_OF_RESOURCES);
  EXPECT_EQ(driver.count(Call::write), 1);
  EXPECT_THAT(manager.events(), ElementsAre("+link 1", "-link 1"));
}

TEST_F(RealDeviceTest, RowsOfHostMemoryWithGapsGoOneByOneWhereTheDriverWouldPackThem) {
  cl_int error;
  Storage memory(unmanaged, 64, nullptr);
  const cl_mem replica = memory.replica(1, &error);
  std::vector<std::byte> host(64, std::byte{1});
  const Rectangle rows{4, 16, 64, {8, 3, 1}};
  for (const Direction direction : {Direction::up, Direction::down}) {
    const auto lane = direction == Direction::up ? engine::LaneKind::up : engine::LaneKind::down;
    EXPECT_EQ(unmanaged->devices[1]->transfer(lane, direction, {.real = replica, .packs_host_rows = true}, rows,
                                              host.data(), rows, traffic),
              CL_SUCCESS);
  }
  EXPECT_EQ(driver.count(Call::write), 3);
  EXPECT_EQ(driver.count(Call::read), 3);
}

// Rows come close to each other there, and go where they belong.
TEST_F(RealDeviceTest, ShortReadsOfAThreadOfOursComeThroughPinnedMemoryOnceItPays) {
  cl_int error;
  Storage memory(managed, 64, nullptr);
  const cl_mem replica = memory.replica(1, &error);
  const auto move_rows = [&](Direction direction, const Rectangle& rows, std::vector<std::byte>& host) {
    EXPECT_EQ(managed->devices[1]->transfer(engine::LaneKind::compute, direction, {.real = replica}, rows, host.data(),
                                            rows, traffic),
              CL_SUCCESS);
  };
  std::vector<std::byte> written(64);
  for (size_t i = 0; i < written.size(); ++i) written[i] = static_cast<std::byte>(i);
  move_rows(Direction::up, Rectangle::run(0, 64), written);
  const Rectangle rows{4, 16, 64, {8, 3, 1}};
  for (int i = 0; i < 20; ++i) {
    std::vector<std::byte> read(64, std::byte{99});
    move_rows(Direction::down, rows, read);
    for (size_t at = 0; at < read.size(); ++at) {
      const bool is_in = at >= 4 && (at - 4) % 16 < 8 && (at - 4) / 16 < 3;
      ASSERT_EQ(read[at], is_in ? written[at] : std::byte{99}) << "read " << i << ", byte " << at;
    }
    if (i == 10) managed->devices[1]->drain(60'000);  // by now it is being made
  }
  EXPECT_TRUE(managed->devices[1]->pinned_place(64).memory());
}

TEST_F(RealDeviceTest, TrafficIsCounted) {
  upload(managed);
  EXPECT_EQ(traffic.uploaded_bytes, kSize);
  EXPECT_EQ(traffic.downloaded_bytes, 0u);
}

}  // namespace
}  // namespace samcl
