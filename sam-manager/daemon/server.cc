#include "sam-manager/daemon/server.h"

#include <spdlog/spdlog.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <exception>
#include <iterator>
#include <span>
#include <utility>

#include "base/clock.h"
#include "sam-manager/daemon/log.h"
#include "sam-manager/daemon/report.h"
#include "sam-manager/protocol/document.h"
#include "sam-manager/protocol/limits.h"

namespace samcl::daemon {

using nlohmann::json;
using protocol::Descriptor;
using protocol::Received;
using protocol::Sent;

namespace {

// What an event is about: one of these, or a connection's id, doubled, plus 1 for the end of its process.
enum Tag : uint64_t { kListener, kSignals, kOwner, kDecided, kWritten, kMetrics, kFirstConnection };
constexpr uint64_t kPrometheus = 0;  // who asks for the metrics: no connection

constexpr uint64_t kMillisecondNs = 1'000'000;  // ns
constexpr int kHeartbeatMs = 500;
constexpr int kIdleMs = 5000;
constexpr int kPauseMs = 5;                          // of those who ask too much
constexpr uint64_t kBesideGrantsNs = 200'000;        // that all but programs take in a row
constexpr int kMostAccepted = 32;                    // connections in a row
constexpr int kMostInARow = 16;                      // packets of one connection, so that all others come in between
constexpr size_t kMostAtOnce = 32'768;               // bytes of an answer that is not attached as memory
constexpr unsigned kConnectionsBesidePrograms = 32;  // of a user

// To the nanosecond: what is looked at late is in bounds. Before Linux 5.11, to the millisecond.
int wait_for_events(int epoll, std::span<epoll_event> events, uint64_t timeout_ns) {
  const timespec timeout{static_cast<time_t>(timeout_ns / (1000 * kMillisecondNs)),
                         static_cast<long>(timeout_ns % (1000 * kMillisecondNs))};
  const auto most = static_cast<int>(events.size());
  const int count = epoll_pwait2(epoll, events.data(), most, &timeout, nullptr);
  if (count >= 0 || errno != ENOSYS) return count;
  return epoll_wait(epoll, events.data(), most, static_cast<int>((timeout_ns + kMillisecondNs - 1) / kMillisecondNs));
}

uint64_t cost_of(std::string_view packet) {
  if (!protocol::is_message(packet)) return RateLimit::kDocument;
  const auto message = protocol::parse_message(packet);
  return message && message->kind != protocol::MessageKind::attach_thread ? 1 : RateLimit::kAttachThread;
}

// A long answer is attached as memory, so that none waits for its reader, and nobody can change what others read.
// Without bytes: there is no memory.
protocol::Packet as_packet(std::string document) {
  if (document.size() <= kMostAtOnce) return {std::move(document), {}};
  auto memory = protocol::make_shared_memory("samcl-answer", document.size());
  if (!memory || pwrite(memory->get(), document.data(), document.size(), 0) != static_cast<ssize_t>(document.size()) ||
      !protocol::forbid_new_writers(memory->get()))
    return {};
  protocol::Packet packet{protocol::format_document({{"attached_bytes", document.size()}}), {}};
  packet.attached.push_back(*std::move(memory));
  return packet;
}

}  // namespace

Server::Server(Endpoint& endpoint, Board& board, Broker& broker, const Config& config, const ServiceNotice& service,
               Reload reload)
    : endpoint_(endpoint),
      board_(board),
      broker_(broker),
      config_(config),
      service_(service),
      reload_(std::move(reload)),
      events_(epoll_create1(EPOLL_CLOEXEC)) {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int signal : {SIGTERM, SIGINT, SIGHUP}) sigaddset(&signals, signal);
  signals_ = Descriptor(signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK));
  if (!config_.metrics.empty()) {
    auto metrics = Metrics::open(config_.metrics);
    if (metrics)
      metrics_ = *std::move(metrics);
    else
      spdlog::error("metrics: {}", metrics.error().message);
  }
}

// Those who wait notice the end at once.
Server::~Server() {
  board_.notice().life.let_go();
  for (auto& grants : board_.words().grants) protocol::futex_wake_all(grants);
  for (const auto& [id, program] : broker_.programs()) protocol::futex_wake_all(program.page->gpu_grant);
}

void Server::watch(int fd, uint64_t tag) {
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.u64 = tag;
  if (fd >= 0) epoll_ctl(events_.get(), EPOLL_CTL_ADD, fd, &event);
}

void Server::run(int exit_with) {
  watch(endpoint_.socket(), kListener);
  watch(signals_.get(), kSignals);
  watch(exit_with, kOwner);
  watch(broker_.decided(), kDecided);
  watch(reports_.ready(), kWritten);
  if (metrics_) watch(metrics_->ready(), kMetrics);
  std::array<epoll_event, 64> events;
  uint64_t last_heartbeat = 0;
  while (true) {
    const int count = wait_for_events(events_.get(), events, timeout_ns());
    if (broker_.next_tick_ns() <= now_ns()) broker_.tick(now_ns());
    if (count < 0 && errno != EINTR) {
      spdlog::error("epoll_wait: {}", std::strerror(errno));
      return;
    }
    // Programs first, which wait for grants. What is left comes again.
    const auto end = events.begin() + std::max(count, 0);
    const auto others =
        std::partition(events.begin(), end, [this](const epoll_event& event) { return is_program(event.data.u64); });
    for (auto event = events.begin(); event != others; ++event) handle_event(event->data.u64);
    const uint64_t begin = now_ns();
    for (auto event = others; event != end && now_ns() - begin < kBesideGrantsNs; ++event)
      if (handle_event(event->data.u64) == State::ends) return;
    resume_paused();
    if (accept_again_ns_ != 0 && accept_again_ns_ <= now_ns()) stop_accepting(false);
    if (now_ns() - last_heartbeat < uint64_t{kHeartbeatMs} * 1'000'000 / 2) continue;
    last_heartbeat = now_ns();
    if (heartbeat() == State::ends) return;
  }
}

// A heartbeat shows programs that we move, and the service manager that we live.
uint64_t Server::timeout_ns() const {
  const uint64_t now = now_ns(), look = std::max(now, broker_.next_tick_ns());
  const uint64_t until_look = std::min(look - now, kHeartbeatMs * kMillisecondNs);
  if (paused_ > 0 || accept_again_ns_ != 0) return std::min(kPauseMs * kMillisecondNs, until_look);
  if (!connections_.empty() || !accepting_) return until_look;
  const int idle_ms = service_.watchdog_ms() > 0 ? std::min(service_.watchdog_ms(), kIdleMs) : kIdleMs;
  return static_cast<uint64_t>(idle_ms) * kMillisecondNs;
}

Server::State Server::handle_event(uint64_t tag) {
  switch (tag) {
    case kListener: accept_all(); return State::goes_on;
    case kSignals: return handle_signal();
    case kOwner: return State::ends;
    case kDecided: complete_change(); return State::goes_on;
    case kWritten: finish_report(); return State::goes_on;
    case kMetrics:
      if (metrics_->look()) begin_metrics();
      return State::goes_on;
    default: break;
  }
  const uint64_t id = tag / 2;
  if (tag % 2 == 1)
    drop(id);
  else
    receive(id);
  return State::goes_on;
}

Server::State Server::handle_signal() {
  signalfd_siginfo signal{};
  while (read(signals_.get(), &signal, sizeof signal) == sizeof signal) {
    if (signal.ssi_signo != SIGHUP) return State::ends;
    reload();
  }
  return State::goes_on;
}

void Server::reload() {
  service_.tell("RELOADING=1\nMONOTONIC_USEC=" + std::to_string(now_ns() / 1000));
  if (auto config = reload_()) {
    config_ = *std::move(config);
    broker_.reconfigure(config_);
    spdlog::info("the configuration was read again");
  }
  service_.tell("READY=1");
}

Server::State Server::heartbeat() {
  const auto missed = broker_.heartbeat(now_ns());
  if (!missed.empty()) tell_watchers(missed);
  stop_accepting(false);
  for (auto user = users_.begin(); user != users_.end();) {
    const bool is_forgotten = user->second.connections == 0 && user->second.accepted.is_full(now_ns()) &&
                              user->second.documents.is_full(now_ns());
    user = is_forgotten ? users_.erase(user) : std::next(user);
  }
  service_.tell("WATCHDOG=1");
  if (!endpoint_.is_lost()) return State::goes_on;
  spdlog::error("the socket or the lock was taken away: ending, so that two managers never serve one instance");
  return State::ends;
}

// As long as no descriptor is left, say, there is no use in trying at once again.
void Server::stop_accepting(bool stop) {
  if (accepting_ != stop) return;
  accepting_ = !stop;
  if (accepting_) accept_again_ns_ = 0;
  epoll_event event{};
  event.events = stop ? 0u : static_cast<uint32_t>(EPOLLIN);
  event.data.u64 = kListener;
  epoll_ctl(events_.get(), EPOLL_CTL_MOD, endpoint_.socket(), &event);
}

void Server::accept_all() {
  bool all_were_taken = true;
  for (int i = 0; i < kMostAccepted; ++i) {
    Descriptor socket(accept4(endpoint_.socket(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (socket) {
      all_were_taken &= accept_one(std::move(socket));
      continue;
    }
    if (errno == EAGAIN || errno == ECONNABORTED || errno == EINTR) break;
    spdlog::error("no connection can be accepted: {}", std::strerror(errno));
    accept_again_ns_ = 0;
    stop_accepting(true);
    return;
  }
  if (all_were_taken) return;
  accept_again_ns_ = now_ns() + uint64_t{kPauseMs} * 1'000'000;
  stop_accepting(true);
}

Rights Server::rights_of_peer(const protocol::Peer& peer) const {
  return rights_of(peer.user, peer.groups, geteuid(), config_.access);
}

// False: its user connects more often than anybody needs to, and was left out.
bool Server::accept_one(Descriptor socket) {
  const uid_t who = protocol::user_of(socket.get());
  RateLimit& accepted = users_[who].accepted;
  if (who != 0 && who != geteuid()) {
    if (!accepted.has_any(now_ns())) {
      protocol::send_packet(
          socket.get(), protocol::format_document({{"error", "user " + std::to_string(who) + " connects too often"}}));
      return false;
    }
    accepted.take(RateLimit::kConnection);
  }
  auto peer = protocol::peer_of(socket.get());
  if (!peer) return true;
  const Rights rights = rights_of_peer(*peer);
  User& user = users_[peer->user];
  const unsigned most = rights.may_administrate ? UINT_MAX : rights.programs + kConnectionsBesidePrograms;
  const unsigned all = protocol::kMaxPrograms + 8 * kConnectionsBesidePrograms;
  if (user.connections >= most || (connections_.size() >= all && !rights.may_administrate)) {
    protocol::send_packet(
        socket.get(),
        protocol::format_document({{"error", "user " + std::to_string(peer->user) + " has " +
                                                 std::to_string(user.connections) + " connections already"}}));
    return true;
  }
  ++user.connections;
  const uint64_t id = ++last_id_ + kFirstConnection;
  protocol::widen(socket.get());
  watch(socket.get(), 2 * id);
  watch(peer->process.get(), 2 * id + 1);
  connections_[id] = {std::move(socket), *std::move(peer), 0, false, rights.may_administrate};
  return true;
}

void Server::drop(uint64_t id) {
  const auto found = connections_.find(id);
  if (found == connections_.end()) return;
  if (found->second.is_paused) --paused_;
  if (found->second.program != 0) broker_.on_client_exit(found->second.program);
  --users_[found->second.peer.user].connections;
  connections_.erase(found);
}

// More connections let a user ask no more.
RateLimit& Server::limit_of(ClientConnection& client) {
  const bool is_alone = client.program != 0 || client.may_administrate;
  return is_alone ? client.rate_limit : users_[client.peer.user].documents;
}

bool Server::is_program(uint64_t tag) const {
  const auto found = connections_.find(tag / 2);
  return tag > 2 * kFirstConnection && found != connections_.end() && found->second.program != 0;
}

void Server::receive(uint64_t id) {
  for (int i = 0; i < kMostInARow; ++i) {
    const auto found = connections_.find(id);
    if (found == connections_.end()) return;
    // After a document others come first: it takes as long as many messages.
    if (i > 0 && found->second.program == 0) return;
    if (!limit_of(found->second).has_any(now_ns())) return pause(id, found->second, true);
    protocol::Packet packet;
    // A program that has connected sends small messages only, and many of them.
    const size_t limit = found->second.program != 0 ? sizeof(protocol::Message) : protocol::kMaxDocumentBytes;
    switch (protocol::receive_packet(found->second.socket.get(), limit, packet)) {
      case Received::nothing: return;
      case Received::end: return drop(id);
      case Received::packet: break;
    }
    limit_of(found->second).take(cost_of(packet.bytes));
    State state = State::ends;
    try {
      state = handle(id, found->second, packet.bytes);
    } catch (const std::exception& problem) {
      spdlog::error("a message of process {} could not be handled: {}", found->second.peer.pid, problem.what());
    }
    if (state == State::ends) return drop(id);
  }
}

// Its packets stay with the kernel, which makes their sender wait; the end of its process is heard of all the same.
void Server::pause(uint64_t id, ClientConnection& client, bool pause) {
  if (std::exchange(client.is_paused, pause) == pause) return;
  pause ? ++paused_ : --paused_;
  epoll_event event{};
  event.events = pause ? 0u : static_cast<uint32_t>(EPOLLIN);
  event.data.u64 = 2 * id;
  epoll_ctl(events_.get(), EPOLL_CTL_MOD, client.socket.get(), &event);
}

// In turn, so that none of a user's connections has all that he may ask.
void Server::resume_paused() {
  if (paused_ == 0) return;
  std::vector<uint64_t> paused;
  for (auto& [id, client] : connections_)
    if (client.is_paused && limit_of(client).has_any(now_ns())) paused.push_back(id);
  std::ranges::rotate(paused, std::ranges::upper_bound(paused, resumed_));
  for (const uint64_t id : paused) {
    const auto client = connections_.find(id);
    if (client == connections_.end() || !limit_of(client->second).has_any(now_ns())) continue;
    resumed_ = id;
    pause(id, client->second, false);
    receive(id);
  }
}

Server::State Server::handle(uint64_t id, ClientConnection& client, const std::string& bytes) {
  if (protocol::is_message(bytes)) {
    const auto message = protocol::parse_message(bytes);
    if (message && client.program != 0) {
      broker_.handle(client.program, *message, now_ns());
      return State::goes_on;
    }
    spdlog::warn("process {} is disconnected: its message makes no sense: {}", client.peer.pid,
                 message ? "it did not say hello" : message.error().message);
    return State::ends;
  }
  std::vector<int> attached;
  const json answer = ask(id, client, bytes, attached);
  if (answer.is_null()) return State::goes_on;
  return send(client, answer, attached) ? State::goes_on : State::ends;
}

// null: the answer comes later.
json Server::ask(uint64_t id, ClientConnection& client, const std::string& bytes, std::vector<int>& attached) {
  const auto request = protocol::parse_document(bytes);
  if (!request) return {{"error", "the request makes no sense: " + request.error().message}};
  broker_.tick(now_ns());
  const Caller caller{id, client.peer, rights_of_peer(client.peer), client.program};
  auto outcome = daemon::handle(broker_, board_, config_.instance, caller, *request);
  if (!outcome) {
    const LogSubject about(client.peer.pid, "");
    spdlog::info("process {} of user {} was refused: {}", client.peer.pid, client.peer.user, outcome.error().message);
    return {{"error", outcome.error().message}};
  }
  if (outcome->program != 0) client.program = outcome->program;
  if (outcome->watches) client.watches = true;
  attached = std::move(outcome->attached);
  if (outcome->report) begin_report(id, *std::move(outcome->report));
  return outcome->answer ? *std::move(outcome->answer) : json();
}

bool Server::send(ClientConnection& client, const json& document, const std::vector<int>& attached) {
  return protocol::send_packet(client.socket.get(), protocol::format_document(document), attached) == Sent::yes;
}

void Server::begin_report(uint64_t asker, Report report) {
  reports_.ask(asker, report.name, [begin = std::move(report.begin), instance = config_.instance] {
    return [document = begin(), instance] {
      json all = document();
      all["instance"] = instance;
      return as_packet(protocol::format_document(std::move(all)));
    };
  });
}

void Server::begin_metrics() {
  reports_.ask(kPrometheus, "metrics",
               [this] { return [write = show_metrics(broker_)] { return protocol::Packet{write(), {}}; }; });
}

void Server::finish_report() {
  const auto written = reports_.finish();
  if (!written) return;
  const auto& [bytes, memory] = written->packet;
  std::vector<int> attached;
  for (const Descriptor& each : memory) attached.push_back(each.get());
  for (const uint64_t asker : written->askers) {
    if (asker == kPrometheus) {
      metrics_->answer(bytes);
      continue;
    }
    const auto connection = connections_.find(asker);
    if (connection == connections_.end()) continue;
    if (bytes.empty() || protocol::send_packet(connection->second.socket.get(), bytes, attached) != Sent::yes)
      drop(asker);
  }
}

void Server::complete_change() {
  const auto decision = broker_.complete_change();
  if (!decision || decision->change.asker == 0) return;
  const auto asker = connections_.find(decision->change.asker);
  if (asker != connections_.end() && !send(asker->second, answer_to(broker_, *decision))) drop(decision->change.asker);
}

void Server::tell_watchers(const std::vector<DeadlineMiss>& misses) {
  std::vector<uint64_t> dropped;
  for (auto& [id, client] : connections_) {
    if (!client.watches) continue;
    for (const DeadlineMiss& miss : misses) {
      if (send(client, {{"event", "miss"},
                        {"task", miss.task},
                        {"pid", miss.pid},
                        {"jobs", miss.jobs},
                        {"last_response_ns", miss.last_ns}}))
        continue;
      dropped.push_back(id);
      break;
    }
  }
  for (const uint64_t id : dropped) drop(id);
}

}  // namespace samcl::daemon
