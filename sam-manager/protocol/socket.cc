#include "sam-manager/protocol/socket.h"

#include <sys/socket.h>
#include <sys/un.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "sam-manager/protocol/limits.h"
#include "sam-manager/protocol/process.h"

#ifndef SO_PEERPIDFD
#define SO_PEERPIDFD 77
#endif

namespace samcl::protocol {
namespace {

constexpr size_t kMostAttached = 4;

std::vector<gid_t> groups_of(int socket) {
  std::vector<gid_t> groups(64);
  while (true) {
    auto bytes = static_cast<socklen_t>(groups.size() * sizeof(gid_t));
    const int got = getsockopt(socket, SOL_SOCKET, SO_PEERGROUPS, groups.data(), &bytes);
    if (got != 0 && errno != ERANGE) return {};
    groups.resize(bytes / sizeof(gid_t));
    if (got == 0) return groups;
  }
}

Descriptor process_of(int socket, pid_t pid) {
  int fd = -1;
  socklen_t bytes = sizeof fd;
  if (getsockopt(socket, SOL_SOCKET, SO_PEERPIDFD, &fd, &bytes) == 0) return Descriptor(fd);
  return Descriptor(pid > 0 ? open_pidfd(pid) : -1);  // kernels before 6.5
}

void take_attached(msghdr& message, std::vector<Descriptor>& attached) {
  for (cmsghdr* part = CMSG_FIRSTHDR(&message); part; part = CMSG_NXTHDR(&message, part)) {
    if (part->cmsg_level != SOL_SOCKET || part->cmsg_type != SCM_RIGHTS) continue;
    std::array<int, kMostAttached> fds{};
    const size_t count = std::min((part->cmsg_len - CMSG_LEN(0)) / sizeof(int), kMostAttached);
    std::memcpy(fds.data(), CMSG_DATA(part), count * sizeof(int));
    for (size_t i = 0; i < count; ++i) attached.emplace_back(fds[i]);
  }
}

}  // namespace

bool Peer::is_in(gid_t group) const { return std::find(groups.begin(), groups.end(), group) != groups.end(); }

Result<Peer> peer_of(int socket) {
  ucred credentials{};
  socklen_t bytes = sizeof credentials;
  if (getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &credentials, &bytes) != 0)
    return fail(std::string("the kernel does not say who is there: ") + std::strerror(errno));
  Peer peer{credentials.pid, credentials.uid, groups_of(socket), process_of(socket, credentials.pid)};
  if (!peer.is_in(credentials.gid)) peer.groups.push_back(credentials.gid);
  return peer;
}

uid_t user_of(int socket) {
  ucred credentials{};
  socklen_t bytes = sizeof credentials;
  const bool is_told = getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &credentials, &bytes) == 0;
  return is_told ? credentials.uid : static_cast<uid_t>(-1);
}

void widen(int socket) {
  const int bytes = static_cast<int>(kMaxDocumentBytes);
  setsockopt(socket, SOL_SOCKET, SO_SNDBUF, &bytes, sizeof bytes);
}

Sent send_packet(int socket, std::string_view bytes, std::span<const int> attached) {
  iovec text{const_cast<char*>(bytes.data()), bytes.size()};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(kMostAttached * sizeof(int))> control{};
  msghdr message{};
  message.msg_iov = &text;
  message.msg_iovlen = 1;
  if (!attached.empty()) {
    message.msg_control = control.data();
    message.msg_controllen = CMSG_SPACE(attached.size_bytes());
    cmsghdr* part = CMSG_FIRSTHDR(&message);
    part->cmsg_level = SOL_SOCKET;
    part->cmsg_type = SCM_RIGHTS;
    part->cmsg_len = CMSG_LEN(attached.size_bytes());
    std::memcpy(CMSG_DATA(part), attached.data(), attached.size_bytes());
  }
  ssize_t sent;
  do sent = sendmsg(socket, &message, MSG_DONTWAIT | MSG_NOSIGNAL);
  while (sent < 0 && errno == EINTR);
  if (sent >= 0) return Sent::yes;
  return errno == EAGAIN || errno == ENOBUFS || errno == ENOMEM ? Sent::later : Sent::never;
}

Received receive_packet(int socket, size_t limit, Packet& packet) {
  packet.bytes.resize(limit);
  packet.attached.clear();
  iovec text{packet.bytes.data(), packet.bytes.size()};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(kMostAttached * sizeof(int))> control{};
  msghdr message{};
  message.msg_iov = &text;
  message.msg_iovlen = 1;
  message.msg_control = control.data();
  message.msg_controllen = control.size();
  ssize_t got;
  do got = recvmsg(socket, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
  while (got < 0 && errno == EINTR);
  if (got < 0) return errno == EAGAIN ? Received::nothing : Received::end;
  take_attached(message, packet.attached);
  if (got == 0 || (message.msg_flags & MSG_TRUNC)) return Received::end;
  packet.bytes.resize(static_cast<size_t>(got));
  return Received::packet;
}

}  // namespace samcl::protocol
