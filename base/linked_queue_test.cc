#include "base/linked_queue.h"

#include <gmock/gmock.h>

#include <vector>

namespace samcl {
namespace {

struct Entry {
  explicit Entry(int its_number) : number(its_number) {}
  const int number;
  std::shared_ptr<Entry> next;
};
using Entries = LinkedQueue<Entry, &Entry::next>;

std::vector<int> numbers(Entries& entries) {
  std::vector<int> all;
  while (!entries.empty()) all.push_back(entries.pop()->number);
  return all;
}

TEST(LinkedQueue, GivesWhatWasEnteredInOrder) {
  Entries entries;
  for (int i = 1; i < 4; ++i) entries.push(std::make_shared<Entry>(i));
  EXPECT_EQ(entries.front()->number, 1);
  EXPECT_THAT(numbers(entries), ::testing::ElementsAre(1, 2, 3));
  entries.push(std::make_shared<Entry>(4));
  EXPECT_THAT(numbers(entries), ::testing::ElementsAre(4));
}

TEST(LinkedQueue, LetsGoOfWhatIsTaken) {
  Entries entries;
  const auto first = std::make_shared<Entry>(1), second = std::make_shared<Entry>(2);
  entries.push(first);
  entries.push(second);
  EXPECT_EQ(entries.pop(), first);
  EXPECT_FALSE(first->next);
  entries.push(first);
  EXPECT_THAT(numbers(entries), ::testing::ElementsAre(2, 1));
  EXPECT_EQ(first.use_count(), 1);
}

TEST(LinkedQueue, IsMovedWithWhatIsInIt) {
  Entries entries, others;
  entries.push(std::make_shared<Entry>(1));
  others = std::exchange(entries, {});
  EXPECT_TRUE(entries.empty());
  entries.push(std::make_shared<Entry>(3));
  others.push(std::make_shared<Entry>(2));
  EXPECT_THAT(numbers(others), ::testing::ElementsAre(1, 2));
  EXPECT_THAT(numbers(entries), ::testing::ElementsAre(3));
}

TEST(LinkedQueue, OfManyNeedsNoDeepStackToBeDestroyed) {
  auto entries = std::make_unique<Entries>();
  for (int i = 0; i < 1'000'000; ++i) entries->push(std::make_shared<Entry>(i));
  entries = nullptr;
}

}  // namespace
}  // namespace samcl
