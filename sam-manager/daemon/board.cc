#include "sam-manager/daemon/board.h"

namespace samcl::daemon {

Result<Board> Board::make() {
  auto notice = protocol::Shared<protocol::Notice>::make("samcl-notice");
  if (!notice) return tl::unexpected(notice.error());
  auto words = protocol::Shared<protocol::Words>::make("samcl-words");
  if (!words) return tl::unexpected(words.error());
  if (auto sealed = protocol::forbid_new_writers(notice->descriptor()); !sealed) return tl::unexpected(sealed.error());
  (*notice)->version = protocol::kVersion;
  return Board(*std::move(notice), *std::move(words));
}

}  // namespace samcl::daemon
