#include "sam-manager/protocol/connection.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>

#include "sam-manager/protocol/copies.h"
#include "sam-manager/protocol/document.h"
#include "sam-manager/protocol/limits.h"
#include "sam-manager/protocol/names.h"

namespace samcl::protocol {

using Clock = std::chrono::steady_clock;

namespace {

constexpr timeval kConnectLimit = {0, 500'000};

int ms_until(Clock::time_point end) {
  const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now()).count();
  return static_cast<int>(std::clamp<int64_t>(left, 0, INT32_MAX));
}

std::string daemon_of(const std::string& instance) { return "sam-managerd \"" + instance + "\""; }

// A long answer is attached as memory.
Result<std::string> read_attached(const Descriptor& memory, uint64_t bytes) {
  struct stat facts{};
  if (fstat(memory.get(), &facts) != 0 || static_cast<uint64_t>(facts.st_size) != bytes)
    return fail("it lacks its attachment");
  std::string text(bytes, '\0');
  for (size_t done = 0; done < bytes;) {
    const ssize_t got = pread(memory.get(), text.data() + done, bytes - done, static_cast<off_t>(done));
    if (got <= 0) return fail("its attachment can't be read");
    done += static_cast<size_t>(got);
  }
  return text;
}

Result<Answer> parse_answer(Packet packet) {
  auto document = parse_document(packet.bytes);
  if (!document) return tl::unexpected(document.error());
  if (const auto size = document->find("attached_bytes"); size != document->end()) {
    if (packet.attached.size() != 1 || !size->is_number_unsigned()) return fail("it lacks its attachment");
    const auto text = read_attached(packet.attached[0], size->get<uint64_t>());
    if (!text) return tl::unexpected(text.error());
    document = parse_json(*text, text->size());
    if (!document) return tl::unexpected(document.error());
    packet.attached.clear();
  }
  return Answer{*std::move(document), std::move(packet.attached)};
}

}  // namespace

Connection::Connection(std::string instance, Descriptor socket)
    : instance_(std::move(instance)), socket_(std::move(socket)) {
  struct stat facts{};
  if (fstat(socket_.get(), &facts) == 0) inode_ = facts.st_ino;
  close_in_copies(socket_.get(), inode_);
}

Connection::~Connection() {
  keep_in_copies(socket_.get());
  if (!is_ours()) socket_.release();
}

Result<std::unique_ptr<Connection>> Connection::open(const std::string& instance) {
  if (auto checked = check_instance(instance); !checked) return tl::unexpected(checked.error());
  Result<void> problem = fail("no " + daemon_of(instance) + " runs");
  for (const std::string& directory : socket_directories()) {
    Descriptor socket(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
    if (!socket) return fail(std::string("no socket can be made: ") + std::strerror(errno));
    std::unique_ptr<Connection> connection(new Connection(instance, std::move(socket)));
    const auto connected = connection->connect(directory);
    if (connected) return connection;
    if (!connected.error().message.empty()) problem = connected;
  }
  return tl::unexpected(problem.error());
}

// An error without a message: nothing is there.
Result<void> Connection::connect(const std::string& directory) {
  const std::string path = socket_path(directory, instance_);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path) return fail("the path of the socket is too long: " + path);
  std::memcpy(address.sun_path, path.c_str(), path.size());
  // While many connect at once it takes a moment.
  setsockopt(socket_.get(), SOL_SOCKET, SO_SNDTIMEO, &kConnectLimit, sizeof kConnectLimit);
  const int connected = ::connect(socket_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address);
  const int problem = errno;
  fcntl(socket_.get(), F_SETFL, fcntl(socket_.get(), F_GETFL) | O_NONBLOCK);
  if (connected != 0) {
    errno = problem;
    if (errno == ENOENT || errno == ECONNREFUSED || errno == ENOTDIR) return fail("");
    if (errno == EAGAIN) return fail(daemon_of(instance_) + " takes no connections");
    return fail("cannot connect to " + daemon_of(instance_) + " at " + path + ": " + std::strerror(errno));
  }
  // Whoever can make files in the directory, or is not root, this user or the directory's owner, may be
  // anybody.
  const auto owner = owner_of_directory(directory);
  if (!owner) return fail("no " + daemon_of(instance_) + " that can be trusted: " + owner.error().message);
  const auto peer = peer_of(socket_.get());
  if (!peer) return tl::unexpected(peer.error());
  const bool is_systems = directory == "/run/samcl";
  if (peer->user != 0 && peer->user != geteuid() && !(is_systems && peer->user == *owner))
    return fail("what poses as " + daemon_of(instance_) + " at " + path + " belongs to user " +
                std::to_string(peer->user));
  widen(socket_.get());
  return {};
}

bool Connection::is_ours() const {
  struct stat facts{};
  return socket_ && fstat(socket_.get(), &facts) == 0 && S_ISSOCK(facts.st_mode) && facts.st_ino == inode_;
}

bool Connection::wait_until(short event, int limit_ms) const {
  pollfd fd{socket_.get(), event, 0};
  return poll(&fd, 1, limit_ms) > 0;
}

bool Connection::is_open() const {
  pollfd fd{socket_.get(), POLLRDHUP, 0};
  return poll(&fd, 1, 0) == 0 && is_ours();
}

void Connection::end() {
  if (is_ours()) shutdown(socket_.get(), SHUT_RDWR);
}

bool Connection::send(const Message& message, int limit_ms) const {
  const auto end = Clock::now() + std::chrono::milliseconds(limit_ms);
  while (true) {
    const Sent sent = send_packet(socket_.get(), message.bytes());
    if (sent != Sent::later) return sent == Sent::yes;
    if (Clock::now() >= end || !is_open()) return false;
    wait_until(POLLOUT, ms_until(end));
  }
}

Result<Answer> Connection::ask(const nlohmann::json& question, int limit_ms) {
  const std::string bytes = format_document(question);
  if (bytes.size() > kMaxDocumentBytes)
    return fail("the question has " + std::to_string(bytes.size()) + " bytes, expected at most " +
                std::to_string(kMaxDocumentBytes));
  if (send_packet(socket_.get(), bytes) != Sent::yes) {
    // What it refused at once it may have explained.
    auto reason = next(0);
    return reason ? fail(daemon_of(instance_) + " takes no messages") : std::move(reason);
  }
  return next(limit_ms);
}

Result<Answer> Connection::next(int limit_ms) {
  const auto end = Clock::now() + std::chrono::milliseconds(limit_ms);
  while (true) {
    Packet packet;
    switch (receive_packet(socket_.get(), kMaxDocumentBytes, packet)) {
      case Received::end: return fail(daemon_of(instance_) + " ended");
      case Received::packet: {
        auto answer = parse_answer(std::move(packet));
        if (!answer)
          return fail("the answer of " + daemon_of(instance_) + " makes no sense: " + answer.error().message);
        const auto error = answer->document.find("error");
        if (error == answer->document.end()) return answer;
        return fail(error->is_string() ? error->get<std::string>() : error->dump());
      }
      case Received::nothing: break;
    }
    if (limit_ms >= 0 && Clock::now() >= end)
      return fail(daemon_of(instance_) + " did not answer within " + std::to_string(limit_ms) + " ms");
    wait_until(POLLIN, limit_ms < 0 ? -1 : std::max(1, ms_until(end)));
  }
}

}  // namespace samcl::protocol
