#include "tests/differential/sequences/in_children.h"

#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <exception>
#include <stdexcept>

namespace sequences {
namespace {

bool write_all(int to, const void* data, size_t bytes) {
  const char* from = static_cast<const char*>(data);
  while (bytes > 0) {
    const ssize_t done = ::write(to, from, bytes);
    if (done < 0) return false;
    from += done;
    bytes -= static_cast<size_t>(done);
  }
  return true;
}

// False if the other end is closed first, or `limit_s` seconds pass without a byte (`timed_out` is set then).
bool read_all(int from, void* data, size_t bytes, int limit_s, bool& timed_out) {
  char* to = static_cast<char*>(data);
  while (bytes > 0) {
    pollfd ready{from, POLLIN, 0};
    const int found = poll(&ready, 1, limit_s * 1000);
    if (found == 0) timed_out = true;
    if (found <= 0) return false;
    const ssize_t done = ::read(from, to, bytes);
    if (done <= 0) return false;
    to += done;
    bytes -= static_cast<size_t>(done);
  }
  return true;
}

[[noreturn]] void be_the_child(size_t first, size_t end, int pipe, const std::function<std::string(size_t)>& task) {
  for (size_t i = first; i < end; ++i) {
    std::string what;
    try {
      what = task(i);
    } catch (const std::exception& error) {
      what = error.what();
    }
    const uint64_t length = what.size();
    if (!write_all(pipe, &length, sizeof length) || !write_all(pipe, what.data(), what.size())) break;
  }
  std::fflush(nullptr);
  // As a program ends, so that what libraries do then is seen, too.
  std::exit(0);
}

}  // namespace

void run_in_children(size_t first, size_t end, int limit_s, const std::function<std::string(size_t)>& task,
                     const std::function<bool(size_t, const Verdict&)>& verdict) {
  for (size_t next = first; next < end;) {
    int ends[2];
    if (pipe(ends) != 0) throw std::runtime_error(std::string("no pipe: ") + std::strerror(errno));
    std::fflush(nullptr);
    const pid_t child = fork();
    if (child < 0) throw std::runtime_error(std::string("no child process: ") + std::strerror(errno));
    if (child == 0) {
      close(ends[0]);
      be_the_child(next, end, ends[1], task);
    }
    close(ends[1]);
    bool timed_out = false, go_on = true;
    while (next < end && go_on) {
      uint64_t length = 0;
      if (!read_all(ends[0], &length, sizeof length, limit_s, timed_out)) break;
      std::string what(length, '\0');
      if (!read_all(ends[0], what.data(), what.size(), limit_s, timed_out)) break;
      go_on = verdict(next++, {what.empty() ? Verdict::Kind::passed : Verdict::Kind::wrong, what});
    }
    // A child that is done gets time to end; one that is not wanted any more does not.
    bool ended = false;
    int status = 0;
    if (!timed_out && go_on) {
      for (int waited_ms = 0; !ended && waited_ms < limit_s * 1000; waited_ms += 10) {
        ended = waitpid(child, &status, WNOHANG) == child;
        if (!ended) usleep(10000);
      }
      if (!ended) timed_out = true;
    }
    if (!ended) {
      kill(child, SIGKILL);
      waitpid(child, &status, 0);
    }
    close(ends[0]);
    if (!go_on) return;
    const std::string seconds = std::to_string(limit_s) + " s";
    const bool all_done = next == end;
    if (timed_out)
      go_on = verdict(
          all_done ? end - 1 : next,
          {Verdict::Kind::hung, all_done ? "the process did not end within " + seconds : "not done after " + seconds});
    else if (WIFSIGNALED(status) || WEXITSTATUS(status) != 0 || !all_done)
      go_on = verdict(all_done ? end - 1 : next,
                      {Verdict::Kind::crashed,
                       std::string(all_done ? "at its end " : "") + "the process " +
                           (WIFSIGNALED(status) ? std::string("was ended by signal ") + strsignal(WTERMSIG(status))
                                                : "ended with exit code " + std::to_string(WEXITSTATUS(status)))});
    if (!go_on) return;
    if (!all_done) ++next;
  }
}

}  // namespace sequences
