#include "sam-manager/daemon/log.h"

#include <pthread.h>
#include <spdlog/sinks/base_sink.h>
#include <spdlog/spdlog.h>
#include <sys/eventfd.h>
#include <syslog.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <boost/lockfree/spsc_queue.hpp>
#include <chrono>
#include <cstring>
#include <thread>

namespace samcl::daemon {
namespace {

using Clock = std::chrono::steady_clock;

constexpr size_t kLines = 512;  // that wait to be written
constexpr size_t kLineBytes = 480;
constexpr double kBurst = 200, kPerSecond = 20;

struct Line {
  int priority = LOG_INFO;
  uint32_t length = 0;
  std::array<char, kLineBytes> text{};
};

int priority_of(spdlog::level::level_enum level) {
  switch (level) {
    case spdlog::level::err:
    case spdlog::level::critical:
      return LOG_ERR;
    case spdlog::level::warn:
      return LOG_WARNING;
    case spdlog::level::info:
      return LOG_INFO;
    default:
      return LOG_DEBUG;
  }
}

double seconds_now() {
  return std::chrono::duration<double>(Clock::now().time_since_epoch()).count();
}

}  // namespace

std::string visible(std::string_view text) {
  std::string shown;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && byte != 0x7f) {
      shown += c;
      continue;
    }
    constexpr char kDigits[] = "0123456789abcdef";
    shown += "\\x";
    shown += kDigits[byte >> 4];
    shown += kDigits[byte & 15];
  }
  return shown;
}

bool LineRate::pass(double now_s) {
  left_ = std::min(burst_, left_ + (now_s - last_s_) * per_second_);
  last_s_ = now_s;
  if (left_ < 1) return false;
  left_ -= 1;
  return true;
}

// Lines go from the one thread that logs to the one that writes through a queue without locks.
struct Log::Writer {
  explicit Writer(LogTarget target) : target(target), wake(eventfd(0, EFD_CLOEXEC)) {}
  ~Writer() { close(wake); }

  void put(int priority, std::string_view text) {
    const size_t lost = left_out.load(std::memory_order_relaxed);
    Line line;
    line.priority = priority;
    line.length = static_cast<uint32_t>(std::min(text.size(), kLineBytes));
    std::memcpy(line.text.data(), text.data(), line.length);
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
      while (lines.pop(line)) write_line(line.priority, {line.text.data(), line.length});
      if (const size_t lost = left_out.load(std::memory_order_relaxed); lost != told) {
        write_line(LOG_WARNING, std::to_string(lost - told) + " lines were left out: too many at once");
        told = lost;
      }
      if (stop.load() && lines.empty()) break;
      eventfd_t count = 0;
      eventfd_read(wake, &count);
    }
    done.store(true);
  }

  void write_line(int priority, std::string_view text) const {
    if (target == LogTarget::syslog) {
      syslog(priority, "%.*s", static_cast<int>(text.size()), text.data());
      return;
    }
    std::string line = target == LogTarget::journal ? "<" + std::to_string(priority) + ">" : "sam-managerd: ";
    line.append(text).append("\n");
    for (std::string_view rest = line; !rest.empty();) {
      const ssize_t written = write(STDERR_FILENO, rest.data(), rest.size());
      if (written <= 0) break;
      rest.remove_prefix(static_cast<size_t>(written));
    }
  }

  const LogTarget target;
  const int wake;  // eventfd
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

Log::Log(LogTarget target, const std::string& level) : writer_(std::make_shared<Writer>(target)) {
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
  for (int i = 0; i < 50 && !writer_->done.load(); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
}

}  // namespace samcl::daemon
