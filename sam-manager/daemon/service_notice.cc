#include "sam-manager/daemon/service_notice.h"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <cstring>

#include "sam-manager/protocol/descriptor.h"

namespace samcl::daemon {

ServiceNotice::ServiceNotice() {
  if (const char* socket = std::getenv("NOTIFY_SOCKET")) socket_ = socket;
  const char* microseconds = std::getenv("WATCHDOG_USEC");
  const char* process = std::getenv("WATCHDOG_PID");
  if (microseconds && (!process || std::atoi(process) == getpid()))
    watchdog_ms_ = static_cast<int>(std::clamp(std::atoll(microseconds) / 2000, 1LL, 3'600'000LL));
  for (const char* name : {"NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID"}) unsetenv(name);
}

void ServiceNotice::tell(const std::string& state) const {
  sockaddr_un address{};
  if (socket_.size() < 2 || socket_.size() >= sizeof address.sun_path) return;
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, socket_.data(), socket_.size());
  if (socket_[0] == '@') address.sun_path[0] = 0;  // an abstract name
  const protocol::Descriptor socket(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  if (!socket) return;
  const auto bytes = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + socket_.size());
  sendto(socket.get(), state.data(), state.size(), MSG_DONTWAIT | MSG_NOSIGNAL,
         reinterpret_cast<const sockaddr*>(&address), bytes);
}

}  // namespace samcl::daemon
