// The socket between daemon and clients: SOCK_SEQPACKET, so each packet comes whole and alone, and the kernel
// says who is at the other end. Nothing here waits but receive_packet(), and that for a bounded time.
#pragma once

#include <sys/types.h>

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "sam-manager/protocol/descriptor.h"

namespace samcl::protocol {

struct Packet {
  std::string bytes;
  std::vector<Descriptor> attached;
};

// Who made the connection, as the kernel knows it. Ids are those of our own namespaces.
struct Peer {
  pid_t pid = 0;  // 0: of a PID namespace that we can't see
  uid_t user = static_cast<uid_t>(-1);
  std::vector<gid_t> groups;
  Descriptor process;  // pidfd: readable once it ended; none if that can't be had

  bool is_in(gid_t group) const;
};

Result<Peer> peer_of(int socket);

// The user alone, which takes the kernel much less time; -1: it does not say.
uid_t user_of(int socket);

// Lets packets as large as a document pass.
void widen(int socket);

enum class Sent { yes, later, never };  // later: the other end has not read what was sent before

// Never waits, never raises SIGPIPE.
Sent send_packet(int socket, std::string_view bytes, std::span<const int> attached = {});

enum class Received { packet, nothing, end };

// At most `limit` bytes; a longer packet counts as an end. Never waits.
Received receive_packet(int socket, size_t limit, Packet& packet);

}  // namespace samcl::protocol
