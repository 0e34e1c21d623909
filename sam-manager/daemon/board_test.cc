// A process may hold the boards of several managers, one after the other or at once.
#include "sam-manager/daemon/board.h"

#include <gtest/gtest.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <optional>

namespace samcl::daemon {
namespace {

// Of the robust locks that the kernel will mark when this thread ends.
size_t locks_held() {
  robust_list_head* head = nullptr;
  size_t bytes = 0, count = 0;
  if (syscall(SYS_get_robust_list, 0, &head, &bytes) != 0) return 0;
  for (const robust_list* lock = head->list.next; lock != &head->list; lock = lock->next) ++count;
  return count;
}

std::optional<Board> make_board() {
  auto board = Board::make();
  return board ? std::optional<Board>(*std::move(board)) : std::nullopt;
}

protocol::Shared<protocol::Notice> as_a_client_maps(const Board& board) {
  const protocol::Descriptor memory(dup(board.notice_descriptor()));
  return *protocol::Shared<protocol::Notice>::map(memory, protocol::Protection::read_only);
}

TEST(Board, ClientsSeeThatItsManagerEnded) {
  auto board = make_board();
  ASSERT_TRUE(board);
  const auto notice = as_a_client_maps(*board);
  const uint32_t mark = notice->life.mark();
  EXPECT_NE(mark, 0U);
  EXPECT_TRUE(notice->life.held(mark));
  board.reset();
  EXPECT_EQ(notice->life.mark(), 0U);
  EXPECT_FALSE(notice->life.held(mark));
}

TEST(Board, LeavesNoLockInMemoryThatIsGone) {
  const size_t before = locks_held();
  auto first = make_board(), second = make_board();
  ASSERT_TRUE(first && second);
  EXPECT_EQ(locks_held(), before + 2);
  first.reset();
  EXPECT_EQ(locks_held(), before + 1);
  second.reset();
  EXPECT_EQ(locks_held(), before);
}

}  // namespace
}  // namespace samcl::daemon
