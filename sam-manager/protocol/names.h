// What an instance of the manager is called, and where its socket is.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "base/result.h"

namespace samcl::protocol {

// An instance's name becomes part of file names: 1 to 64 letters, digits, '.', '_' or '-'.
Result<void> check_instance(const std::string& instance);

// The directories in which daemons may have their sockets, in the order in which clients look:
// $SAMCL_RUNTIME_DIR alone if it is set; else the system's, /run/samcl, and this user's, below
// $XDG_RUNTIME_DIR, /run/user or /tmp.
std::vector<std::string> socket_directories();

// The one in which a daemon of ours has its socket: /run/samcl for root and the user to whom it belongs, else
// this user's.
std::string own_socket_directory();

std::string socket_path(const std::string& directory, const std::string& instance);

// Whether only `owner` and root can put files there; the error says what is wrong. A directory in which
// others can is none for a socket: they could pose as the daemon.
Result<uid_t> owner_of_directory(const std::string& directory);

}  // namespace samcl::protocol
