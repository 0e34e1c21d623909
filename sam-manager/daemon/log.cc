#include "sam-manager/daemon/log.h"

#include <pthread.h>
#include <spdlog/sinks/base_sink.h>
#include <spdlog/spdlog.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <syslog.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <boost/lockfree/spsc_queue.hpp>
#include <chrono>
#include <thread>

#include "base/visible.h"
#include "sam-manager/protocol/descriptor.h"
#include "sam-manager/protocol/limits.h"

namespace samcl::daemon {
namespace {

using Clock = std::chrono::steady_clock;

constexpr size_t kLines = 512;  // that wait to be written
constexpr size_t kLineBytes = 480;
constexpr double kBurst = 200, kPerSecond = 20;

// Text of limited size, without memory of its own.
template <size_t N>
struct Short {
  uint32_t length = 0;
  std::array<char, N> bytes{};

  void set(std::string_view text) {
    text = text.substr(0, N);
    length = static_cast<uint32_t>(text.size());
    std::ranges::copy(text, bytes.begin());
  }
  std::string_view view() const { return {bytes.data(), length}; }
};

struct Subject {
  pid_t pid = 0;  // 0: none
  std::string_view task;
};
thread_local Subject subject;

struct Line {
  int priority = LOG_INFO;
  pid_t pid = 0;
  Short<protocol::kNameBytes> task;
  Short<kLineBytes> text;
};

int priority_of(spdlog::level::level_enum level) {
  switch (level) {
    case spdlog::level::err:
    case spdlog::level::critical: return LOG_ERR;
    case spdlog::level::warn: return LOG_WARNING;
    case spdlog::level::info: return LOG_INFO;
    default: return LOG_DEBUG;
  }
}

double seconds_now() { return std::chrono::duration<double>(Clock::now().time_since_epoch()).count(); }

}  // namespace

bool LineRate::pass(double now_s) {
  left_ = std::min(burst_, left_ + (now_s - last_s_) * per_second_);
  last_s_ = now_s;
  if (left_ < 1) return false;
  left_ -= 1;
  return true;
}

LogSubject::LogSubject(pid_t pid, std::string_view task) { subject = {pid, task}; }

LogSubject::~LogSubject() { subject = {}; }

// Lines go from the one thread that logs to the one that writes through a queue without locks.
struct Log::Writer {
  Writer(LogTarget target, std::string instance, const std::string& journal_path)
      : target(target), instance(std::move(instance)), wake(eventfd(0, EFD_CLOEXEC)) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    if (target != LogTarget::journal || journal_path.size() >= sizeof address.sun_path) return;
    journal_path.copy(address.sun_path, journal_path.size());
    protocol::Descriptor socket(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
    if (connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0)
      journal = std::move(socket);
  }
  ~Writer() { close(wake); }

  void put(int priority, std::string_view text) {
    const size_t lost = left_out.load(std::memory_order_relaxed);
    Line line;
    line.priority = priority;
    line.pid = subject.pid;
    line.task.set(subject.task);
    line.text.set(text);
    if (!rate.pass(seconds_now()) || !lines.push(line))
      left_out.store(lost + 1, std::memory_order_relaxed);
    else
      eventfd_write(wake, 1);
  }

  void run() {
    pthread_setname_np(pthread_self(), "log");
    size_t told = 0;
    while (true) {
      Line line;
      while (lines.pop(line)) write_line(line);
      if (const size_t lost = left_out.load(std::memory_order_relaxed); lost != told) {
        Line about;
        about.priority = LOG_WARNING;
        about.text.set(std::to_string(lost - told) + " lines were left out: too many at once");
        write_line(about);
        told = lost;
      }
      if (stop.load() && lines.empty()) break;
      eventfd_t count = 0;
      eventfd_read(wake, &count);
    }
    done.store(true);
  }

  void write_line(const Line& line) const {
    const std::string_view text = line.text.view();
    if (target == LogTarget::syslog) return syslog(line.priority, "%.*s", static_cast<int>(text.size()), text.data());
    if (journal && write_fields(line)) return;
    std::string whole = target == LogTarget::journal ? "<" + std::to_string(line.priority) + ">" : "sam-managerd: ";
    whole.append(text).append("\n");
    for (std::string_view rest = whole; !rest.empty();) {
      const ssize_t written = write(STDERR_FILENO, rest.data(), rest.size());
      if (written <= 0) break;
      rest.remove_prefix(static_cast<size_t>(written));
    }
  }

  // A field per line, as the journal takes them; no value has a line's end in it.
  bool write_fields(const Line& line) const {
    std::string fields = "PRIORITY=" + std::to_string(line.priority) +
                         "\nSYSLOG_IDENTIFIER=sam-managerd\nSAMCL_INSTANCE=" + instance + "\n";
    if (line.pid > 0) fields += "SAMCL_PID=" + std::to_string(line.pid) + "\n";
    if (line.task.length > 0) fields.append("SAMCL_TASK=").append(line.task.view()).append("\n");
    fields.append("MESSAGE=").append(line.text.view()).append("\n");
    return send(journal.get(), fields.data(), fields.size(), MSG_NOSIGNAL) >= 0;
  }

  const LogTarget target;
  const std::string instance;
  protocol::Descriptor journal;  // none: there is none
  const int wake;                // eventfd
  LineRate rate{kBurst, kPerSecond};
  boost::lockfree::spsc_queue<Line, boost::lockfree::capacity<kLines>> lines;
  std::atomic<size_t> left_out{0};
  std::atomic<bool> stop{false};
  std::atomic<bool> done{false};
};

namespace {

// One thread logs, so nothing is locked.
class Sink final : public spdlog::sinks::base_sink<spdlog::details::null_mutex> {
 public:
  explicit Sink(std::function<void(int, std::string_view)> put) : put_(std::move(put)) {}

 private:
  void sink_it_(const spdlog::details::log_msg& message) override {
    put_(priority_of(message.level), visible({message.payload.data(), message.payload.size()}));
  }
  void flush_() override {}

  std::function<void(int, std::string_view)> put_;
};

}  // namespace

Log::Log(LogTarget target, const std::string& level, const std::string& instance, const std::string& journal)
    : writer_(std::make_shared<Writer>(target, instance, journal)) {
  if (target == LogTarget::syslog) openlog("sam-managerd", LOG_PID, LOG_DAEMON);
  auto sink = std::make_shared<Sink>(
      [writer = writer_.get()](int priority, std::string_view text) { writer->put(priority, text); });
  spdlog::set_default_logger(std::make_shared<spdlog::logger>("sam-managerd", std::move(sink)));
  spdlog::set_level(spdlog::level::from_str(level == "warn" ? "warning" : level));
  std::thread([writer = writer_] { writer->run(); }).detach();
}

Log::~Log() {
  spdlog::set_default_logger(std::make_shared<spdlog::logger>("sam-managerd"));
  writer_->stop.store(true);
  eventfd_write(writer_->wake, 1);
  for (int i = 0; i < 50 && !writer_->done.load(); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(10));
}

}  // namespace samcl::daemon
