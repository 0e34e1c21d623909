#include "kernel-translator/client/run_translator.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>

#include "kernel-translator/client/unseen_child.h"

extern char** environ;

namespace samcl {
namespace {

// An answer that is longer, in bytes, is none: the largest real ones have a few million.
constexpr size_t kLongestAnswer = 64u << 20;
// Of what it says on stderr the first error is shown.
constexpr size_t kDiagnosticsKept = 64u << 10;

class Descriptor {
 public:
  explicit Descriptor(int fd = -1) : fd_(fd) {}
  ~Descriptor() { close(); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return fd_; }
  void close() {
    if (fd_ >= 0) ::close(fd_);
    fd_ = -1;
  }
  void reset(int fd) {
    close();
    fd_ = fd;
  }

 private:
  int fd_;
};

// A connected pair whose ends are above the standard descriptors, which the host program may have closed.
// Sockets, because send() can be told not to raise SIGPIPE.
bool make_pair(Descriptor& ours, Descriptor& theirs) {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) return false;
  Descriptor low0(ends[0]), low1(ends[1]);
  ours.reset(fcntl(ends[0], F_DUPFD_CLOEXEC, 3));
  theirs.reset(fcntl(ends[1], F_DUPFD_CLOEXEC, 3));
  return ours.get() >= 0 && theirs.get() >= 0;
}

std::vector<char*> clean_environment() {
  std::vector<char*> kept;
  for (char** entry = environ; entry && *entry; ++entry) {
    const std::string text = *entry;
    if (text.starts_with("LD_PRELOAD=") || text.starts_with("OPENCL_LAYERS=") || text.starts_with("SAMCL_")) continue;
    kept.push_back(*entry);
  }
  kept.push_back(nullptr);
  return kept;
}

// Reads of what is there, and keeps it up to `most` bytes and a little more; closes at the end of the stream. Whether
// there was anything.
bool drain(Descriptor& from, std::string& into, size_t most) {
  char block[65536];
  ssize_t got = 0;
  do got = recv(from.get(), block, sizeof block, MSG_DONTWAIT);
  while (got < 0 && errno == EINTR);
  if (got > 0) {
    if (into.size() <= most) into.append(block, static_cast<size_t>(got));
  } else if (got == 0 || errno != EAGAIN) {
    from.close();
  }
  return got > 0;
}

// Who reads the other end learns of it even if a process that the host program forked meanwhile has this one as well.
void end(Descriptor& stream) {
  shutdown(stream.get(), SHUT_WR);
  stream.close();
}

void feed(Descriptor& to, const std::string& input, size_t& sent) {
  const ssize_t count = send(to.get(), input.data() + sent, input.size() - sent, MSG_NOSIGNAL | MSG_DONTWAIT);
  if (count > 0) sent += static_cast<size_t>(count);
  if (sent == input.size() || (count < 0 && errno != EAGAIN && errno != EINTR)) end(to);
}

std::string first_diagnostic(const std::string& text) {
  size_t begin = text.find("error:");
  begin = begin == std::string::npos                     ? 0
          : text.rfind('\n', begin) == std::string::npos ? 0
                                                         : text.rfind('\n', begin) + 1;
  return text.substr(begin, std::min<size_t>(text.find('\n', begin), begin + 300) - begin);
}

}  // namespace

Result<std::string> run_translator(const std::vector<std::string>& arguments, const std::string& input, int timeout_ms,
                                   bool* died) {
  Descriptor in, in_child, out, out_child, err, err_child;
  if (!make_pair(in, in_child) || !make_pair(out, out_child) || !make_pair(err, err_child)) {
    return fail(std::string("no descriptors left to run the translator: ") + strerror(errno));
  }
  const auto started =
      UnseenChild::start(arguments, clean_environment(), in_child.get(), out_child.get(), err_child.get());
  if (!started) return fail("the translator " + arguments[0] + " can't be run: " + started.error().message);
  UnseenChild& child = **started;
  in_child.close();
  out_child.close();
  err_child.close();

  std::string output, diagnostics;
  size_t sent = 0;
  if (input.empty()) end(in);
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::milliseconds(timeout_ms);
  bool late = false;
  // Until it has ended and what it wrote is read. Its streams may end before it does, and long after it, with a process
  // that the host program forked while they were open here.
  while (out.get() >= 0 || err.get() >= 0 || child.descriptor() >= 0) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
    pollfd polled[4] = {
        {in.get(), POLLOUT, 0}, {out.get(), POLLIN, 0}, {err.get(), POLLIN, 0}, {child.descriptor(), POLLIN, 0}};
    const int ready = left.count() > 0 ? poll(polled, 4, static_cast<int>(left.count())) : 0;
    const bool too_long = output.size() > kLongestAnswer;
    if (ready == 0 || (ready < 0 && errno != EINTR) || too_long) {
      late = !too_long;
      child.kill();
      break;
    }
    if (ready < 0) continue;
    if (polled[3].revents) {
      while (out.get() >= 0 && output.size() <= kLongestAnswer && drain(out, output, kLongestAnswer)) continue;
      while (err.get() >= 0 && diagnostics.size() <= kDiagnosticsKept && drain(err, diagnostics, kDiagnosticsKept))
        continue;
      break;
    }
    if (in.get() >= 0 && polled[0].revents) feed(in, input, sent);
    if (out.get() >= 0 && polled[1].revents) drain(out, output, kLongestAnswer);
    if (err.get() >= 0 && polled[2].revents) drain(err, diagnostics, kDiagnosticsKept);
  }
  const int status = child.wait();
  if (died) *died = late || WIFSIGNALED(status);
  if (late) return fail("the translator took longer than " + std::to_string(timeout_ms) + " ms");
  if (output.size() > kLongestAnswer) return fail("the translator's answer is longer than any it gives");
  if (WIFSIGNALED(status)) return fail("the translator crashed (signal " + std::to_string(WTERMSIG(status)) + ")");
  if (output.empty()) return fail("the source could not be translated: " + first_diagnostic(diagnostics));
  return output;
}

}  // namespace samcl
