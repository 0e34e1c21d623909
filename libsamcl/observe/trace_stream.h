// Where a trace's lines go: files that grow while the program runs. Lines are kept for a moment and written together by
// a thread that lives as long as there is something to write, so that what a killed program leaves lacks its last
// moment at most. Where there can be no thread, who adds lines writes them now and then.
//
// Any thread. A child made by fork writes nothing.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace samcl::observe {

class TraceStream {
 public:
  static constexpr uint64_t kMostBytes = uint64_t{512} << 20;

  // Lives as long as the process: its thread does not hold it.
  static TraceStream& make() { return *new TraceStream; }

  // Another file to write to, from now on; it begins with what was described so far. It becomes ours, and is closed
  // when `most_bytes` are written (more lines are counted as dropped), or by finish().
  void add_file(int descriptor, uint64_t most_bytes = kMostBytes);

  // Complete lines (base/trace_events.h).
  void add(std::string_view lines);
  // The same for lines that every file needs, however late it was added: names.
  void describe(std::string_view lines);

  // Writes what is kept, ends the arrays and closes the files. Lines that come later are lost.
  // last: a line for each file's end, made of how many were dropped.
  template <typename Last>
  void finish(Last last) {
    flush();
    std::lock_guard one_at_a_time(writing_);
    std::lock_guard lock(mutex_);
    for (File& file : files_) end(file, last(file.dropped + lost_));
    files_.clear();
  }

  // The same for one of the files.
  template <typename Last>
  void finish_file(int descriptor, Last last) {
    flush();
    std::lock_guard one_at_a_time(writing_);
    std::lock_guard lock(mutex_);
    for (File& file : files_) {
      if (file.descriptor == descriptor) end(file, last(file.dropped + lost_));
    }
    std::erase_if(files_, [descriptor](const File& file) { return file.descriptor == descriptor; });
  }

  // Writes what is kept; false if that was nothing.
  bool flush();

 private:
  struct File {
    int descriptor;
    uint64_t left;
    uint64_t dropped = 0;
  };

  TraceStream() = default;
  void start_thread();
  void run();
  void write_all(const std::string& lines);
  static void end(File& file, std::string last_line);

  std::mutex mutex_;  // guards what is added
  std::string kept_;
  std::string described_;
  uint64_t lost_ = 0;               // lines, because the writer was too slow
  bool running_ = false;            // the thread
  std::atomic<pid_t> process_ = 0;  // whose files they are

  std::mutex writing_;  // guards the files; taken before mutex_
  std::vector<File> files_;
};

}  // namespace samcl::observe
