#include "sam-manager/daemon/calibration.h"

#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <optional>
#include <system_error>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "base/json_text.h"
#include "sam-manager/daemon/thread_scheduling.h"
#include "sam-manager/protocol/messages.h"
#include "sam-manager/protocol/socket.h"
#include "sam-manager/protocol/words.h"
#include "sam-manager/scheduler/scheduler.h"

namespace samcl::daemon {
namespace {

using nlohmann::json;
using protocol::Message;
using protocol::MessageKind;

constexpr int kServerPriority = 99, kClientPriority = 98;
constexpr int kLimitMs = 1000;  // of one wait: the machine is too busy
constexpr unsigned kWarmUp = 16;
constexpr std::chrono::microseconds kFallingAsleep{50};  // who is told sooner is not woken: it has not slept yet
constexpr scheduler::ClientId kHolder = 1, kWaiter = 2, kNobody = 3;

std::string this_system() {
  utsname names{};
  uname(&names);
  return std::string(names.release) + " " + names.machine + ", " + std::to_string(std::thread::hardware_concurrency()) +
         " CPUs";
}

// The part of the daemon through which requests go.
class Server {
 public:
  Server() : scheduler_(words_, [this](uint32_t, const scheduler::Waiter& waiter) { grant(waiter); }) {
    scheduler_.add_client(kHolder, {1});
    scheduler_.add_client(kWaiter, {2});
    for (auto& pair : sockets_) {
      int ends[2] = {-1, -1};
      if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) return;
      pair = {protocol::Descriptor(ends[0]), protocol::Descriptor(ends[1])};
    }
    events_ = protocol::Descriptor(epoll_create1(EPOLL_CLOEXEC));
    for (uint32_t client = kHolder; client <= kNobody; ++client) {
      epoll_event event{};
      event.events = EPOLLIN;
      event.data.u32 = client;
      if (epoll_ctl(events_.get(), EPOLL_CTL_ADD, sockets_[client - 1][0].get(), &event) != 0) return;
    }
    thread_ = std::thread([this] { run(); });
  }
  ~Server() {
    sockets_[kNobody - 1][1].reset();
    if (thread_.joinable()) thread_.join();
  }
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  bool works() const { return thread_.joinable(); }
  bool realtime() const { return realtime_.load(); }

  void send(scheduler::ClientId client, MessageKind kind, uint64_t sequence = 0) {
    Message message;
    message.kind = kind;
    message.sequence = sequence;
    protocol::send_packet(sockets_[client - 1][1].get(), message.bytes());
  }

  std::atomic<uint32_t> granted{0};  // the waiter's last sequence
  protocol::Word word() const { return words_[0].load(); }
  void set_owner(scheduler::ClientId client) { words_[0].store(client); }  // as a client does; 0: none
  // Through us, though the word says who is next: that is what costs the most.
  void give_back(scheduler::ClientId owner) {
    words_[0].fetch_or(protocol::kGivenBack);
    send(owner, MessageKind::release);
  }

 private:
  void grant(const scheduler::Waiter& waiter) {
    granted.store(static_cast<uint32_t>(waiter.ticket));
    protocol::futex_wake_all(granted);
  }

  void run() {
    realtime_ = set_scheduling(0, fifo(kServerPriority)) == 0;
    std::array<epoll_event, 8> events;
    while (true) {
      const int count = epoll_wait(events_.get(), events.data(), events.size(), -1);
      for (int i = 0; i < count; ++i)
        if (!receive(events[static_cast<size_t>(i)].data.u32)) return;
    }
  }

  bool receive(uint32_t client) {
    protocol::Packet packet;
    switch (protocol::receive_packet(sockets_[client - 1][0].get(), sizeof(Message), packet)) {
      case protocol::Received::end: return false;
      case protocol::Received::nothing: return true;
      case protocol::Received::packet: break;
    }
    if (const auto message = protocol::parse_message(packet.bytes); message && message->kind == MessageKind::acquire)
      scheduler_.acquire(client, 0, message->sequence);
    else if (message)
      scheduler_.release(client, 0);
    return true;
  }

  std::array<std::atomic<protocol::Word>, 1> words_{};
  scheduler::Scheduler scheduler_;
  std::array<std::array<protocol::Descriptor, 2>, 3> sockets_;
  protocol::Descriptor events_;
  std::atomic<bool> realtime_{false};
  std::thread thread_;
};

// Times of the rounds, without the first ones.
Measured summary(std::vector<uint64_t> times) {
  times.erase(times.begin(), times.begin() + kWarmUp);
  std::sort(times.begin(), times.end());
  return {times[times.size() / 2], times[times.size() * 99 / 100], times.back()};
}

bool wait_for(const std::atomic<uint32_t>& cell, uint32_t wanted) {
  const uint64_t until = now_ns() + uint64_t{kLimitMs} * 1'000'000;
  for (uint32_t seen = cell.load(); seen != wanted; seen = cell.load()) {
    if (now_ns() > until) return false;
    protocol::futex_wait(cell, seen, kLimitMs);
  }
  return true;
}

// Who waits: asks each time it is told to, and notes when it had what it asked for.
class Waiter {
 public:
  explicit Waiter(Server& server) : server_(server), thread_([this] { run(); }) {}
  ~Waiter() {
    say(round_ + 1, Task::end);
    thread_.join();
  }
  Waiter(const Waiter&) = delete;
  Waiter& operator=(const Waiter&) = delete;

  enum class Task { wake, ask, end };
  // Returns when it was told.
  uint64_t say(uint32_t round, Task task) {
    round_ = round;
    task_.store(task);
    const uint64_t now = now_ns();
    told_.store(round);
    protocol::futex_wake_all(told_);
    return now;
  }
  bool wait_until_done(uint32_t round) const { return wait_for(done_, round); }
  // In the last round: when it began to execute, and when it had the resource.
  uint64_t woke_ns() const { return woke_.load(); }
  uint64_t asked_ns() const { return asked_.load(); }
  uint64_t had_ns() const { return had_.load(); }

 private:
  void run() {
    set_scheduling(0, fifo(kClientPriority));
    for (uint32_t round = 1;; ++round) {
      while (!wait_for(told_, round)) continue;
      woke_ = now_ns();
      if (task_.load() == Task::end) return;
      if (task_.load() == Task::ask) {
        asked_ = now_ns();
        server_.send(kWaiter, MessageKind::acquire, round);
        if (wait_for(server_.granted, round)) had_ = now_ns();
      }
      done_.store(round);
      protocol::futex_wake_all(done_);
    }
  }

  Server& server_;
  uint32_t round_ = 0;
  std::atomic<Task> task_{Task::wake};
  std::atomic<uint32_t> told_{0}, done_{0};
  std::atomic<uint64_t> woke_{0}, asked_{0}, had_{0};
  std::thread thread_;
};

// At a real-time priority for as long as this lives.
class Urgent {
 public:
  Urgent() : before_(scheduling_of(0)) { set_scheduling(0, fifo(kClientPriority)); }
  ~Urgent() {
    if (before_) set_scheduling(0, *before_);
  }
  Urgent(const Urgent&) = delete;
  Urgent& operator=(const Urgent&) = delete;

 private:
  const std::optional<ThreadScheduling> before_;
};

Result<Calibration> measure(unsigned rounds) {
  const Error busy{"the machine is too busy to measure what a hand-over costs"};
  Server server;
  if (!server.works()) return fail("no sockets to measure what a hand-over costs");
  std::vector<uint64_t> request, section, wake;
  const Urgent urgent;
  Waiter waiter(server);
  uint32_t round = 0;
  for (unsigned n = 0; n < rounds + kWarmUp; ++n) {
    std::this_thread::sleep_for(kFallingAsleep);
    const uint64_t told = waiter.say(++round, Waiter::Task::wake);
    if (!waiter.wait_until_done(round)) return tl::unexpected(busy);
    wake.push_back(waiter.woke_ns() - told);

    waiter.say(++round, Waiter::Task::ask);
    if (!waiter.wait_until_done(round)) return tl::unexpected(busy);
    request.push_back(waiter.had_ns() - waiter.asked_ns());

    // Its turn is over; we hold it, it asks, and we give way.
    server.set_owner(kHolder);
    waiter.say(++round, Waiter::Task::ask);
    const uint64_t until = now_ns() + uint64_t{kLimitMs} * 1'000'000;
    while ((server.word() & protocol::kRevoke) == 0) {
      if (now_ns() > until) return tl::unexpected(busy);
      std::this_thread::sleep_for(std::chrono::microseconds(20));
    }
    const uint64_t gave = now_ns();
    server.give_back(kHolder);
    if (!waiter.wait_until_done(round)) return tl::unexpected(busy);
    section.push_back(waiter.had_ns() - gave);
    server.set_owner(0);
  }
  Calibration calibration;
  calibration.request = summary(std::move(request));
  calibration.section = summary(std::move(section));
  calibration.wake = summary(std::move(wake));
  calibration.rounds = rounds;
  calibration.realtime = server.realtime();
  calibration.system = this_system();
  return calibration;
}

json to_json(const Measured& measured) {
  return {{"p50_ns", measured.p50_ns}, {"p99_ns", measured.p99_ns}, {"max_ns", measured.max_ns}};
}

Measured measured_from(const json& value) { return {value.at("p50_ns"), value.at("p99_ns"), value.at("max_ns")}; }

}  // namespace

analysis::Handovers Calibration::handovers() const {
  return {static_cast<analysis::Time>(request.max_ns), static_cast<analysis::Time>(section.max_ns),
          static_cast<analysis::Time>(wake.max_ns)};
}

json Calibration::describe() const {
  return {{"request", to_json(request)}, {"section", to_json(section)},
          {"wake", to_json(wake)},       {"rounds", rounds},
          {"realtime", realtime},        {"system", system}};
}

Result<Calibration> calibrate(unsigned rounds) {
  try {
    return measure(std::max(rounds, 1u));
  } catch (const std::system_error& error) {
    return fail(std::string("no thread to measure what a hand-over costs: ") + error.what());
  }
}

Result<Calibration> load_calibration(const std::string& file) {
  std::ifstream in(file);
  const json value = try_read_json(std::string(std::istreambuf_iterator<char>(in), {}));
  Calibration calibration;
  try {
    calibration.request = measured_from(value.at("request"));
    calibration.section = measured_from(value.at("section"));
    calibration.wake = measured_from(value.at("wake"));
    calibration.rounds = value.at("rounds");
    calibration.realtime = value.at("realtime");
    calibration.system = value.at("system");
  } catch (const json::exception&) {
    return fail(file + " holds no calibration");
  }
  if (calibration.system != this_system()) return fail(file + " is of another system: " + calibration.system);
  const auto longest = static_cast<uint64_t>(analysis::kLongest);
  for (const Measured* measured : {&calibration.request, &calibration.section, &calibration.wake})
    if (measured->max_ns > longest / 16) return fail(file + " holds times beyond belief");
  return calibration;
}

Result<void> save(const std::string& file, const Calibration& calibration) {
  std::ofstream out(file + ".new");
  out << json_text(calibration.describe(), 2) << "\n";
  out.close();
  std::error_code error;
  if (out) std::filesystem::rename(file + ".new", file, error);
  if (!out || error) return fail("cannot write the calibration to " + file);
  return {};
}

}  // namespace samcl::daemon
