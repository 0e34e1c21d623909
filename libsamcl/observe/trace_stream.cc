#include "libsamcl/observe/trace_stream.h"

#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <system_error>
#include <thread>
#include <utility>

#include "base/trace_events.h"

namespace samcl::observe {
namespace {

constexpr auto kTogether = std::chrono::milliseconds(20);
constexpr size_t kEnough = 64 << 10;       // kept where there is no thread
constexpr size_t kMostKept = 16 << 20;     // if the disk is slower than the program
constexpr uint64_t kRoomForTheEnd = 4096;  // of a file

// Whether all was written.
bool write_bytes(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t done = ::write(descriptor, bytes.data(), bytes.size());
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) return false;
    bytes.remove_prefix(static_cast<size_t>(done));
  }
  return true;
}

uint64_t count_lines(std::string_view lines) { return static_cast<uint64_t>(std::ranges::count(lines, '\n')); }

}  // namespace

void TraceStream::add_file(int descriptor, uint64_t most_bytes) {
  std::lock_guard one_at_a_time(writing_);
  std::lock_guard lock(mutex_);
  process_ = getpid();
  const std::string begin = std::string(trace_events::kArrayBegin) + described_;
  File file{descriptor, most_bytes - std::min<uint64_t>(most_bytes, begin.size() + kRoomForTheEnd)};
  if (!write_bytes(descriptor, begin)) file.left = 0;
  files_.push_back(file);
}

void TraceStream::add(std::string_view lines) {
  if (getpid() != process_) return;
  std::unique_lock lock(mutex_);
  if (kept_.size() + lines.size() > kMostKept) {
    lost_ += count_lines(lines);
    return;
  }
  kept_ += lines;
  if (!running_) start_thread();
  if (running_ || kept_.size() < kEnough) return;
  lock.unlock();
  flush();
}

void TraceStream::describe(std::string_view lines) {
  {
    std::lock_guard lock(mutex_);
    described_ += lines;
  }
  add(lines);
}

bool TraceStream::flush() {
  if (getpid() != process_) return false;
  std::lock_guard one_at_a_time(writing_);
  std::string lines;
  {
    std::lock_guard lock(mutex_);
    lines.swap(kept_);
  }
  write_all(lines);
  return !lines.empty();
}

// Whole lines, or a reader could not go on behind them.
void TraceStream::write_all(const std::string& lines) {
  for (File& file : files_) {
    size_t fits = lines.size();
    if (fits > file.left) {
      fits = file.left == 0 ? 0 : lines.rfind('\n', file.left - 1) + 1;
      file.dropped += count_lines(std::string_view(lines).substr(fits));
      file.left = fits;  // and nothing after them
    }
    file.left = write_bytes(file.descriptor, std::string_view(lines).substr(0, fits)) ? file.left - fits : 0;
  }
}

void TraceStream::end(File& file, std::string last_line) {
  const size_t comma = last_line.rfind(',');
  if (comma != std::string::npos) last_line.erase(comma);
  write_bytes(file.descriptor, last_line + "\n]\n");
  close(file.descriptor);
}

// It blocks all signals: these are the program's threads' business.
void TraceStream::start_thread() {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  try {
    std::thread([this] { run(); }).detach();
    running_ = true;
  } catch (const std::system_error&) {  // without a thread: who adds lines writes them
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

void TraceStream::run() {
  pthread_setname_np(pthread_self(), "samcl-trace");
  while (true) {
    std::this_thread::sleep_for(kTogether);
    if (flush()) continue;
    std::lock_guard lock(mutex_);
    if (!kept_.empty()) continue;
    running_ = false;
    return;
  }
}

}  // namespace samcl::observe
