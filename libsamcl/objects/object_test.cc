#include "libsamcl/objects/object.h"

#include <gtest/gtest.h>

#include <set>

#include "libsamcl/objects/event.h"
#include "libsamcl/testing/fake_driver.h"

namespace samcl {
namespace {

struct ObjectTest : ::testing::Test {
  testing::FakeDriver driver{1};
  std::shared_ptr<Context> context = driver.make_context();
  cl_event user_event() const { return Event::hand_out(Event::make_shared(context, nullptr, CL_COMMAND_USER)); }
};

TEST_F(ObjectTest, AHandleIsFoundUntilItsLastReferenceIsGone) {
  const cl_event handle = user_event();
  const auto event = find<Event>(handle);
  ASSERT_TRUE(event);
  event->retain();
  event->release();
  EXPECT_EQ(find<Event>(handle), event);
}

TEST_F(ObjectTest, AStaleHandleIsRecognised) {
  const cl_event handle = user_event();
  find<Event>(handle)->release();
  EXPECT_TRUE(is_virtual(handle));
  EXPECT_FALSE(find<Event>(handle));
}

TEST_F(ObjectTest, MemoryOfDeadObjectsIsNotReusedAtOnce) {
  std::set<cl_event> released;
  for (int i = 0; i < 50; ++i) {
    const cl_event handle = user_event();
    EXPECT_TRUE(released.insert(handle).second) << "a stale handle would be taken for the new object";
    find<Event>(handle)->release();
  }
  for (cl_event handle : released) EXPECT_FALSE(find<Event>(handle));
}

TEST(PoolTest, ReusesTheLastReleasedFirst) {
  Pool pool(0);
  void *a = pool.allocate(64), *b = pool.allocate(64);
  EXPECT_NE(a, b);
  pool.release(a);
  pool.release(b);
  EXPECT_EQ(pool.allocate(64), b);
  EXPECT_EQ(pool.allocate(64), a);
}

TEST(PoolTest, KeepsTheLastReleasedBack) {
  Pool pool(2);
  void *a = pool.allocate(64), *b = pool.allocate(64), *c = pool.allocate(64);
  for (void* each : {a, b, c}) pool.release(each);
  EXPECT_EQ(pool.allocate(64), a);
  void* const fresh = pool.allocate(64);
  EXPECT_NE(fresh, b);
  EXPECT_NE(fresh, c);
}

}  // namespace
}  // namespace samcl
