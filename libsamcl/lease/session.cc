#include "libsamcl/lease/session.h"

#include <algorithm>
#include <chrono>
#include <thread>

#include "libsamcl/lease/heartbeat.h"
#include "libsamcl/lease/trace_request.h"
#include "sam-manager/protocol/document.h"

namespace samcl::lease {

using protocol::Message;
using protocol::MessageKind;
using std::chrono::milliseconds;

namespace {

constexpr int kLookMs = 50;         // between looks whether the daemon is alive
constexpr int kSendLimitMs = 2000;  // a daemon that takes no message for so long counts as dead,
constexpr int kHungMs = 4000;       // and so does one that does not move for so long

Result<nlohmann::json> make_hello(const Settings& settings, const std::vector<std::string>& devices) {
  if (devices.empty() || devices.size() > protocol::kMaxDevices)
    return fail("the manager takes 1 to " + std::to_string(protocol::kMaxDevices) + " devices, not " +
                std::to_string(devices.size()));
  constexpr size_t kMost = protocol::kNameBytes - 1;
  if (const auto checked = protocol::check_name(settings.task, kMost); !settings.task.empty() && !checked)
    return fail("the task's name \"" + settings.task + "\" " + checked.error().message);
  for (const std::string& device : devices)
    if (const auto checked = protocol::check_name(device, kMost); !checked)
      return fail("the device's name \"" + device + "\" " + checked.error().message);
  nlohmann::json hello = {{"ask", "hello"}, {"task", settings.task}, {"gpus", settings.gpus}, {"devices", devices}};
  if (!settings.memory.empty()) hello["memory"] = settings.memory;
  return hello;
}

}  // namespace

Result<std::shared_ptr<Session>> Session::open(const Settings& settings, const std::vector<std::string>& devices) {
  const auto hello = make_hello(settings, devices);
  if (!hello) return tl::unexpected(hello.error());
  auto connection = protocol::Connection::open(settings.instance);
  if (!connection) return tl::unexpected(connection.error());
  auto answer = (*connection)->ask(*hello, settings.connect_timeout_ms);
  if (!answer) return tl::unexpected(answer.error());
  auto grant = parse_grant(*std::move(answer), devices.size());
  if (!grant) return fail("the manager's answer makes no sense: " + grant.error().message);
  std::shared_ptr<Session> session(new Session(*std::move(connection), *std::move(grant)));
  session->wait_for_run_far();
  session->wait_for_memory();
  return session;
}

// Of who was alone before us: what he has in flight.
void Session::wait_for_run_far() const {
  const auto until = std::chrono::steady_clock::now() + milliseconds(Client::kLongestRunMs);
  for (uint32_t device = 0; device < devices_; ++device)
    for (const auto kind : {ResourceKind::gpu, ResourceKind::link}) {
      const auto& far_ahead = words_->far_ahead[resource_of(kind, device)];
      for (uint32_t who; (who = far_ahead.load()) != 0 && who != id_ && std::chrono::steady_clock::now() < until;)
        std::this_thread::sleep_for(std::chrono::microseconds(200));
    }
}

void Session::wake() {
  Message message;
  message.kind = MessageKind::wake;
  const auto is_awake = [this](uint32_t) { return !is_idle(); };
  if (ask(message, is_awake, [] { std::this_thread::sleep_for(std::chrono::microseconds(50)); })) wait_for_run_far();
}

// That the daemon has asked others to give back, since our task reserved it.
void Session::wait_for_memory() const {
  const auto until = std::chrono::steady_clock::now() + milliseconds(protocol::kMemoryWaitMs);
  while (page_->awaits_memory.load() != 0 && usable() && std::chrono::steady_clock::now() < until)
    std::this_thread::sleep_for(milliseconds(1));
}

void Session::wait_for_memory_limit(int ms) {
  const uint32_t now = page_->memory_limits_set.load();
  if (limits_seen_.exchange(now) == now) protocol::futex_wait(page_->memory_limits_set, now, ms);
}

Result<Session::Grant> Session::parse_grant(protocol::Answer answer, size_t devices) {
  Grant grant;
  protocol::Fields fields(answer.document, "hello");
  grant.id = static_cast<uint32_t>(fields.integer("client", 1, UINT32_MAX));
  for (const int64_t index : fields.integers("devices", devices, 0, protocol::kMaxKnownDevices - 1))
    grant.devices.push_back(static_cast<uint8_t>(index));
  if (auto read = fields.end(); !read) return tl::unexpected(read.error());
  if (answer.attached.size() != 3) return fail("it lacks the shared memory");
  auto notice = protocol::Shared<const protocol::Notice>::map(answer.attached[0], protocol::Protection::read_only);
  if (!notice) return tl::unexpected(notice.error());
  auto words = protocol::Shared<protocol::Words>::map(answer.attached[1], protocol::Protection::read_write);
  if (!words) return tl::unexpected(words.error());
  auto page = protocol::Shared<protocol::ClientPage>::map(answer.attached[2], protocol::Protection::read_write);
  if (!page) return tl::unexpected(page.error());
  if ((*notice)->version != protocol::kVersion) return fail("its memory is of another release of samcl");
  grant.notice = *std::move(notice);
  grant.words = *std::move(words);
  grant.page = *std::move(page);
  return grant;
}

Session::Session(std::unique_ptr<protocol::Connection> connection, Grant grant)
    : connection_(std::move(connection)),
      notice_keeper_(std::move(grant.notice)),
      words_keeper_(std::move(grant.words)),
      page_keeper_(std::move(grant.page)),
      notice_(&*notice_keeper_),
      words_(&*words_keeper_),
      page_(&*page_keeper_),
      life_(notice_->life.mark()),
      id_(grant.id),
      devices_(static_cast<uint32_t>(grant.devices.size())) {
  std::copy(grant.devices.begin(), grant.devices.end(), device_.begin());
  if (life_ == 0) gone_.store(true);  // it died after its answer
}

Session::~Session() = default;

bool Session::hangs() const {
  return gone_.load() && notice_->life.held(life_) && notice_->beats.load() == last_beats_.load();
}

bool Session::wait_for(ResourceKind kind, uint32_t device) {
  Message message;
  message.kind = MessageKind::acquire;
  message.resource = resource_of(kind, device);
  const auto& grants = words_->grants[message.resource];
  uint32_t seen = 0;
  const auto granted = [&](uint32_t sequence) {
    seen = grants.load();
    return is_granted(message.resource, sequence);
  };
  if (!ask(message, granted, [&] { protocol::futex_wait_as(id_, grants, seen, kLookMs); })) return false;
  page_->count_lease(message.resource);
  return true;
}

bool Session::is_granted(uint32_t resource, uint32_t sequence) {
  using Outcome = protocol::LookForGrant::Outcome;
  protocol::LookForGrant look(id_, sequence);
  Outcome outcome = Outcome::undecided;
  while (outcome == Outcome::undecided) outcome = look.step(words_->words[resource], page_->grants[resource]);
  return outcome == Outcome::granted;
}

// `granted`: whether what the message with this number asks for is ours; `sleep`: until that may have changed since.
template <typename Granted, typename Sleep>
bool Session::ask(Message message, Granted granted, Sleep sleep) {
  message.sequence = sequence_.fetch_add(1) + 1;
  if (!send(message, kSendLimitMs)) return false;
  Heartbeat heartbeat(notice_->beats.load(), Heartbeat::Clock::now(), milliseconds(kHungMs), milliseconds(2 * kLookMs));
  // The connection was open a moment ago, when the message went.
  for (bool has_slept = false; !granted(static_cast<uint32_t>(message.sequence)); has_slept = true) {
    if (!usable() || (has_slept && !connection_->is_open()) ||
        !heartbeat.is_alive(notice_->beats.load(), Heartbeat::Clock::now())) {
      give_up();
      return false;
    }
    sleep();
  }
  return true;
}

protocol::ClientPage::Telling Session::tell_job_began() {
  using Page = protocol::ClientPage;
  const Page::Telling telling = usable() ? page_->tells_jobs.load(std::memory_order_relaxed) : Page::kUntold;
  if (telling == Page::kUntold) return telling;
  Message message;
  message.kind = MessageKind::begin_job;
  return send(message, kSendLimitMs) ? telling : Page::kUntold;
}

void Session::tell_job_ended() {
  if (!usable()) return;
  Message message;
  message.kind = MessageKind::end_job;
  send(message, kSendLimitMs);
}

bool Session::wait_for_gpu() {
  if (!usable()) return false;
  Message message;
  message.kind = MessageKind::request_gpu;
  uint32_t seen = 0;
  const auto granted = [&](uint32_t sequence) { return (seen = page_->gpu_grant.load()) == sequence; };
  return ask(message, granted, [&] { protocol::futex_wait(page_->gpu_grant, seen, kLookMs); });
}

void Session::give_back(uint32_t resource, protocol::GiveBack giving, protocol::GiveBack::Outcome outcome) {
  using Outcome = protocol::GiveBack::Outcome;
  while (outcome == Outcome::undecided) outcome = giving.step(words_->words[resource]);
  if (outcome == Outcome::handed) {
    words_->wake_granted(resource, giving.next());
    tell(MessageKind::handed, resource);
  } else if (outcome == Outcome::told) {
    tell(MessageKind::release, resource);
  }
}

void Session::tell(MessageKind kind, uint32_t resource) {
  if (!usable()) return;
  Message message;
  message.kind = kind;
  message.resource = resource;
  send(message, kSendLimitMs);
}

void Session::attach_thread(int tid, bool again) {
  if (!usable()) return;
  Message message;
  message.kind = MessageKind::attach_thread;
  message.tid = tid;
  message.again = again ? 1 : 0;
  send(message, kSendLimitMs);
}

Assignment Session::assignment() const {
  auto value = page_->assignment.read();
  return {std::move(value.task), value.priority, value.gpus,
          std::vector<uint32_t>(value.devices.begin(), value.devices.end())};
}

void Session::begin_trace(uint64_t until_ns) {
  if (traced_until_.exchange(until_ns) == until_ns) return;
  const auto begin = lease::begin_trace.load();
  const int descriptor = begin ? begin(until_ns) : -1;
  page_->trace_descriptor.store(descriptor > 0 ? descriptor : 0);
}

bool Session::send(const Message& message, int limit_ms) {
  if (connection_->send(message, limit_ms)) return true;
  give_up();
  return false;
}

// If the daemon lives after all, it learns here that it must not wait for us: what we hold is granted on.
void Session::give_up() {
  if (given_up_.exchange(true)) return;
  last_beats_.store(notice_->beats.load());
  gone_.store(true);
  connection_->end();
}

}  // namespace samcl::lease
