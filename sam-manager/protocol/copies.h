// Sockets that a copy of this process, made by fork, must not keep open: the daemon takes the end of a
// connection for the end of the program, also if the program called exec and its copy lives on.
#pragma once

#include <sys/types.h>

namespace samcl::protocol {

// `inode`: of the socket, so that nothing else is closed if the program has given the number away.
// Thread-safe. Does nothing for more sockets than a process has.
void close_in_copies(int socket, ino_t inode);
void keep_in_copies(int socket);

}  // namespace samcl::protocol
