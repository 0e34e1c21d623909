// What the kernel tells about other processes.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

namespace samcl::protocol {

// A file descriptor (close-on-exec, the caller's) that polls readable once the process has ended; -1 if there
// is no such process.
int open_pidfd(pid_t pid);

// When it started, in clock ticks since boot; 0 if there is no such process.
uint64_t process_start_time(pid_t pid);

// Whether it was stopped (SIGSTOP, Ctrl-Z, a debugger), or its control group was frozen, and has not gone on
// yet.
bool process_is_stopped(pid_t pid);

// Its threads, as we number them; none if there is no such process.
std::vector<pid_t> process_threads(pid_t pid);

// Our number for the thread of a process that it numbers `tid` itself, in its own PID namespace; 0: it has
// none.
pid_t find_thread(pid_t pid, pid_t tid);

// The program it runs; "" if that can't be told.
std::string process_executable(pid_t pid);

}  // namespace samcl::protocol
