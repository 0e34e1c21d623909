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
#include <utility>

namespace samcl::daemon {

using protocol::Descriptor;

namespace {

constexpr size_t kMostReaders = 16;

Result<Descriptor> listen_at(const sockaddr* address, socklen_t bytes) {
  Descriptor socket(::socket(address->sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  const int yes = 1;
  setsockopt(socket.get(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
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
  metrics->watch(metrics->socket_.get(), EPOLLIN, EPOLL_CTL_ADD);
  return metrics;
}

Metrics::~Metrics() {
  if (!path_.empty()) unlink(path_.c_str());
}

void Metrics::watch(int socket, uint32_t events, int change) const {
  epoll_event event{};
  event.events = events;
  event.data.fd = socket;
  epoll_ctl(events_.get(), change, socket, &event);
}

void Metrics::accept_one() {
  Descriptor socket(accept4(socket_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
  if (!socket) return;
  if (readers_.size() >= kMostReaders) readers_.pop_front();
  watch(socket.get(), EPOLLIN, EPOLL_CTL_ADD);
  readers_.push_back({std::move(socket)});
}

bool Metrics::look() {
  epoll_event event{};
  if (epoll_wait(events_.get(), &event, 1, 0) != 1) return false;
  if (event.data.fd == socket_.get()) return accept_one(), false;
  const auto reader = std::ranges::find(readers_, event.data.fd, [](const Reader& one) { return one.socket.get(); });
  if (reader == readers_.end()) return false;
  if (!reader->rest.empty()) {
    if (!go_on(*reader)) readers_.erase(reader);
    return false;
  }
  // Whatever the question is, the answer is the same.
  std::array<char, 8192> question;
  if (recv(reader->socket.get(), question.data(), question.size(), MSG_DONTWAIT) <= 0) {
    readers_.erase(reader);
    return false;
  }
  watch(reader->socket.get(), 0, EPOLL_CTL_MOD);
  return !std::exchange(reader->has_asked, true);
}

void Metrics::answer(const std::string& text) {
  const std::string whole =
      "HTTP/1.0 200 OK\r\nContent-Type: text/plain; version=0.0.4\r\nContent-Length: " + std::to_string(text.size()) +
      "\r\nConnection: close\r\n\r\n" + text;
  std::erase_if(readers_, [&](Reader& reader) {
    if (!reader.has_asked || !reader.rest.empty()) return false;
    reader.rest = whole;
    return !go_on(reader);
  });
}

// Sends what the reader takes at once. False: it has all, or is gone.
bool Metrics::go_on(Reader& reader) const {
  const ssize_t sent = send(reader.socket.get(), reader.rest.data(), reader.rest.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
  if (sent < 0 && errno != EAGAIN) return false;
  reader.rest.erase(0, sent > 0 ? static_cast<size_t>(sent) : 0);
  if (reader.rest.empty()) return false;
  watch(reader.socket.get(), EPOLLOUT, EPOLL_CTL_MOD);
  return true;
}

}  // namespace samcl::daemon
