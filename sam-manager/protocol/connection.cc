#include "sam-manager/protocol/connection.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <ctime>

#include "sam-manager/protocol/names.h"
#include "sam-manager/protocol/process.h"

namespace samcl::protocol {
namespace {

constexpr int kSliceMs = 50;  // between looks whether the daemon is alive

timespec in_ms(int ms) {
  timespec time;
  clock_gettime(CLOCK_REALTIME, &time);
  time.tv_sec += ms / 1000;
  time.tv_nsec += (ms % 1000) * 1'000'000L;
  if (time.tv_nsec >= 1'000'000'000L) {
    time.tv_nsec -= 1'000'000'000L;
    ++time.tv_sec;
  }
  return time;
}

std::string why() {
  return std::strerror(errno);
}

}  // namespace

Result<std::unique_ptr<Connection>> Connection::open(const std::string& instance) {
  if (auto checked = check_instance(instance); !checked) return tl::unexpected(checked.error());
  std::unique_ptr<Connection> connection(new Connection(instance));
  if (auto mapped = connection->map_segment(); !mapped) return tl::unexpected(mapped.error());
  if (auto opened = connection->open_requests(); !opened) return tl::unexpected(opened.error());
  return connection;
}

Connection::~Connection() {
  if (segment_) munmap(segment_, sizeof(Segment));
  if (requests_ >= 0) mq_close(requests_);
  if (daemon_ >= 0) close(daemon_);
}

Result<void> Connection::map_segment() {
  const std::string daemon = "sam-managerd \"" + instance_ + "\"";
  const int file = shm_open(state_segment(instance_).c_str(), O_RDWR | O_CLOEXEC, 0);
  if (file < 0) {
    if (errno == ENOENT) return fail("no " + daemon + " runs");
    return fail("cannot use the shared memory of " + daemon + ": " + why());
  }
  struct stat facts {};
  void* memory = MAP_FAILED;
  if (fstat(file, &facts) == 0 && facts.st_size == static_cast<off_t>(sizeof(Segment)))
    memory = mmap(nullptr, sizeof(Segment), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  group_ = facts.st_gid;
  close(file);
  if (memory == MAP_FAILED)
    return fail("the shared memory of " + daemon + " is not of this release of samcl");
  segment_ = static_cast<Segment*>(memory);
  if (segment_->magic != kMagic || segment_->version != kVersion)
    return fail("the shared memory of " + daemon + " is not of this release of samcl");
  daemon_ = open_pidfd(segment_->daemon_pid);
  if (daemon_ < 0 || process_start_time(segment_->daemon_pid) != segment_->daemon_start || !daemon_alive())
    return fail("no " + daemon + " runs (the last one died)");
  return {};
}

Result<void> Connection::open_requests() {
  requests_ = mq_open(request_queue(instance_).c_str(), O_WRONLY | O_CLOEXEC);
  if (requests_ < 0) return fail("cannot use the request queue " + request_queue(instance_) + ": " + why());
  return {};
}

bool Connection::daemon_alive() const {
  if (segment_->closed.load() != 0) return false;
  pollfd fd{daemon_, POLLIN, 0};
  return poll(&fd, 1, 0) == 0;
}

bool Connection::send(const Request& request, int limit_ms) const {
  for (int waited = 0; waited <= limit_ms && daemon_alive(); waited += kSliceMs) {
    const timespec until = in_ms(kSliceMs);
    int sent;
    do sent = mq_timedsend(requests_, reinterpret_cast<const char*>(&request), sizeof request, 0, &until);
    while (sent != 0 && errno == EINTR);
    if (sent == 0) return true;
    if (errno != ETIMEDOUT) return false;
  }
  return false;
}

Result<Reply> Connection::ask(Request request, int limit_ms) {
  request.header.pid = getpid();
  request.header.sequence = ++sequence_;
  // The queue lives as long as the question: nothing is left behind however we end.
  const std::string name = reply_queue(instance_, getpid());
  mq_unlink(name.c_str());
  mq_attr shape{};
  shape.mq_maxmsg = 2;
  shape.mq_msgsize = sizeof(Reply);
  const mqd_t replies =
      mq_open(name.c_str(), O_RDONLY | O_CREAT | O_EXCL | O_NONBLOCK | O_CLOEXEC, 0600, &shape);
  if (replies < 0) return fail("cannot make the reply queue " + name + ": " + why());
  // A daemon of another user reaches it through the group; where that fails it is root's or our own.
  if (fchown(replies, static_cast<uid_t>(-1), group_) == 0) fchmod(replies, 0620);
  Result<Reply> reply = fail("sam-managerd \"" + instance_ + "\" takes no messages");
  if (send(request, limit_ms)) reply = receive(replies, request.header.sequence, limit_ms);
  mq_close(replies);
  mq_unlink(name.c_str());
  if (reply && reply->refused) return fail(reply->text);
  return reply;
}

Result<Reply> Connection::receive(mqd_t replies, uint64_t sequence, int limit_ms) const {
  using Clock = std::chrono::steady_clock;
  const auto until = Clock::now() + std::chrono::milliseconds(limit_ms);
  while (true) {
    Reply reply;
    const ssize_t bytes = mq_receive(replies, reinterpret_cast<char*>(&reply), sizeof reply, nullptr);
    if (bytes >= 0 && check(reply, static_cast<size_t>(bytes), sequence)) return reply;
    if (bytes >= 0) continue;
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(until - Clock::now()).count();
    if (!daemon_alive()) return fail("sam-managerd \"" + instance_ + "\" ended");
    if (left <= 0)
      return fail("sam-managerd \"" + instance_ + "\" did not answer within " + std::to_string(limit_ms) +
                  " ms");
    pollfd fds[] = {{replies, POLLIN, 0}, {daemon_, POLLIN, 0}};
    poll(fds, 2, static_cast<int>(left));
  }
}

}  // namespace samcl::protocol
