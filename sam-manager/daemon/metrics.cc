#include "sam-manager/daemon/metrics.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>

namespace samcl::daemon {

using protocol::Descriptor;

namespace {

constexpr size_t kMostReaders = 16;

Result<Descriptor> listen_at(const sockaddr* address, socklen_t bytes) {
  Descriptor socket(::socket(address->sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  const int yes = 1;
  setsockopt(socket.get(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  // An answer fits, whoever reads it.
  const int room = 1 << 20;
  setsockopt(socket.get(), SOL_SOCKET, SO_SNDBUF, &room, sizeof room);
  if (!socket || bind(socket.get(), address, bytes) != 0 || listen(socket.get(), 16) != 0)
    return fail(std::string("cannot listen: ") + std::strerror(errno));
  return socket;
}

}  // namespace

Result<std::unique_ptr<Metrics>> Metrics::open(const std::string& place) {
  std::unique_ptr<Metrics> metrics(new Metrics);
  Result<Descriptor> socket = fail("");
  if (place.find('/') == std::string::npos) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<uint16_t>(std::atoi(place.c_str())));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socket = listen_at(reinterpret_cast<const sockaddr*>(&address), sizeof address);
  } else {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    if (place.size() >= sizeof address.sun_path) return fail("the path is too long: " + place);
    std::memcpy(address.sun_path, place.c_str(), place.size());
    struct stat facts{};
    if (lstat(place.c_str(), &facts) == 0 && !S_ISSOCK(facts.st_mode)) return fail(place + " is there and no socket");
    unlink(place.c_str());
    socket = listen_at(reinterpret_cast<const sockaddr*>(&address), sizeof address);
    metrics->path_ = place;
  }
  if (!socket) return fail(place + ": " + socket.error().message);
  metrics->socket_ = *std::move(socket);
  metrics->events_ = Descriptor(epoll_create1(EPOLL_CLOEXEC));
  metrics->watch(metrics->socket_.get());
  return metrics;
}

Metrics::~Metrics() {
  if (!path_.empty()) unlink(path_.c_str());
}

void Metrics::watch(int socket) const {
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.fd = socket;
  epoll_ctl(events_.get(), EPOLL_CTL_ADD, socket, &event);
}

void Metrics::accept_one() {
  Descriptor reader(accept4(socket_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
  if (!reader) return;
  if (readers_.size() >= kMostReaders) readers_.pop_front();
  watch(reader.get());
  readers_.push_back(std::move(reader));
}

// Whatever the question is, the answer is the same.
void Metrics::answer(const std::function<std::string()>& text) {
  epoll_event event{};
  if (epoll_wait(events_.get(), &event, 1, 0) != 1) return;
  if (event.data.fd == socket_.get()) return accept_one();
  const auto reader =
      std::find_if(readers_.begin(), readers_.end(), [&](const Descriptor& one) { return one.get() == event.data.fd; });
  if (reader == readers_.end()) return;
  std::array<char, 8192> question;
  if (recv(reader->get(), question.data(), question.size(), MSG_DONTWAIT) > 0) {
    const std::string body = text();
    const std::string answer =
        "HTTP/1.0 200 OK\r\nContent-Type: text/plain; version=0.0.4\r\nContent-Length: " + std::to_string(body.size()) +
        "\r\nConnection: close\r\n\r\n" + body;
    send(reader->get(), answer.data(), answer.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
  }
  readers_.erase(reader);
}

}  // namespace samcl::daemon
