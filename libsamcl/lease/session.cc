#include "libsamcl/lease/session.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>

#include "libsamcl/lease/pulse.h"
#include "sam-manager/protocol/process.h"

namespace samcl::lease {

using protocol::Kind;
using protocol::Request;
using std::chrono::milliseconds;

namespace {

constexpr int kLookMs = 50;         // between looks whether the daemon is alive
constexpr int kSendLimitMs = 2000;  // a daemon that takes no message for so long counts as dead,
constexpr int kHungMs = 4000;       // and so does one that does not move for so long
constexpr int kGoodbyeLimitMs = 50;

Result<Request> make_hello(const Settings& settings, const std::vector<std::string>& devices) {
  if (devices.empty() || devices.size() > protocol::kMaxDevices)
    return fail("the manager takes 1 to " + std::to_string(protocol::kMaxDevices) + " devices, not " +
                std::to_string(devices.size()));
  Request hello;
  hello.header.kind = Kind::hello;
  hello.start_time = protocol::process_start_time(getpid());
  hello.gpus = settings.gpus;
  hello.device_count = static_cast<uint32_t>(devices.size());
  if (!protocol::store(settings.task, hello.task))
    return fail("the task's name is too long: " + settings.task);
  for (size_t i = 0; i < devices.size(); ++i)
    if (devices[i].empty() || !protocol::store(devices[i], hello.devices[i]))
      return fail("the device's name is empty or too long: \"" + devices[i] + "\"");
  return hello;
}

}  // namespace

Result<std::shared_ptr<Session>> Session::open(const Settings& settings,
                                               const std::vector<std::string>& devices) {
  const auto hello = make_hello(settings, devices);
  if (!hello) return tl::unexpected(hello.error());
  auto connection = protocol::Connection::open(settings.instance);
  if (!connection) return tl::unexpected(connection.error());
  const auto reply = (*connection)->ask(*hello, settings.connect_timeout_ms);
  if (!reply) return tl::unexpected(reply.error());
  std::vector<uint8_t> indices(reply->devices, reply->devices + devices.size());
  for (uint8_t index : indices)
    if (index >= protocol::kMaxDevices) return fail("the manager's answer makes no sense");
  return std::make_shared<Session>(*std::move(connection), reply->header.client, indices);
}

Session::Session(std::unique_ptr<protocol::Connection> connection, uint32_t id,
                 const std::vector<uint8_t>& devices)
    : connection_(std::move(connection)),
      segment_(connection_->segment()),
      id_(id),
      cell_(segment_.clients[protocol::slot_of(id)]),
      process_(getpid()) {
  std::copy(devices.begin(), devices.end(), device_.begin());
}

Session::~Session() {
  if (!usable() || getpid() != process_) return;
  Request goodbye;
  goodbye.header.kind = Kind::goodbye;
  send(goodbye, kGoodbyeLimitMs);
}

bool Session::hangs() const {
  return gone_.load() && segment_.beats.load() == last_beats_.load() && connection_->daemon_alive();
}

bool Session::wait_for(ResourceKind kind, uint32_t device) {
  Request request;
  request.header.kind = Kind::acquire;
  request.header.sequence = sequence_.fetch_add(1) + 1;
  request.resource = resource_of(kind, device);
  const auto sequence = static_cast<uint32_t>(request.header.sequence);
  if (!send(request, kSendLimitMs)) return false;
  const auto& grant = cell_.grants[request.resource];
  Pulse pulse(segment_.beats.load(), Pulse::Clock::now(), milliseconds(kHungMs), milliseconds(2 * kLookMs));
  for (uint32_t seen = grant.load(); seen != sequence; seen = grant.load()) {
    if (!usable() || !connection_->daemon_alive() ||
        !pulse.beats(segment_.beats.load(), Pulse::Clock::now())) {
      give_up();
      return false;
    }
    protocol::futex_wait(grant, seen, kLookMs);
  }
  cell_.count_lease(request.resource);
  return true;
}

void Session::send_release(uint32_t resource) {
  if (!usable()) return;
  Request request;
  request.header.kind = Kind::release;
  request.resource = resource;
  send(request, kSendLimitMs);
}

void Session::adopt(int tid, bool again) {
  if (!usable()) return;
  Request request;
  request.header.kind = Kind::adopt;
  request.tid = tid;
  request.again = again ? 1 : 0;
  send(request, kSendLimitMs);
}

Assignment Session::assignment() const {
  auto value = cell_.assignment.read();
  return {std::move(value.task), value.priority, value.gpus,
          std::vector<uint32_t>(value.devices.begin(), value.devices.end())};
}

bool Session::send(Request& request, int limit_ms) {
  request.header.pid = process_;
  request.header.client = id_;
  if (connection_->send(request, limit_ms)) return true;
  give_up();
  return false;
}

// If the daemon lives after all, it learns here that it must not wait for us. Told once, and before a next
// session can be opened: the cell may be that one's too.
void Session::give_up() {
  if (given_up_.exchange(true)) return;
  last_beats_.store(segment_.beats.load());
  cell_.left.store(id_);
  gone_.store(true);
}

}  // namespace samcl::lease
