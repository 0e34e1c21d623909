#include "libsamcl/observe/trace_stream.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <nlohmann/json.hpp>
#include <thread>

#include "base/trace_events.h"

namespace samcl::observe {
namespace {

using nlohmann::json;
using ::testing::EndsWith;
using ::testing::SizeIs;
using trace_events::Event;

// A file without a name. `reader` shares it with the stream, which closes its own descriptor.
struct Memory {
  const int reader = memfd_create("trace_stream_test", MFD_CLOEXEC);
  ~Memory() { close(reader); }
  int give() const { return dup(reader); }
  std::string text() const {
    std::string bytes(static_cast<size_t>(lseek(reader, 0, SEEK_END)), '\0');
    EXPECT_EQ(pread(reader, bytes.data(), bytes.size(), 0), static_cast<ssize_t>(bytes.size()));
    return bytes;
  }
};

std::string slice(const std::string& name, uint64_t begin_ns) {
  std::string line;
  Event(line, 'X', name, {7, 8}, begin_ns).category("test").duration(2'000).argument("bytes", 5);
  return line;
}
std::string last_line(uint64_t dropped) {
  std::string line;
  Event(line, 'M', "end", {7, 0}, 0).argument("dropped", dropped);
  return line;
}

TEST(TraceEvents, AreWrittenAsTheFormatHasThem) {
  EXPECT_EQ(slice("smooth", 1'234'567),
            "{\"ph\":\"X\",\"name\":\"smooth\",\"pid\":7,\"tid\":8,\"ts\":1234.567,\"cat\":\"test\",\"dur\":2.000,"
            "\"args\":{\"bytes\":5}},\n");
}

TEST(TraceEvents, NamesMayHoldAnything) {
  for (const std::string name :
       {"a \"quoted\" one", "back\\slash", "line\nbreak", "gr\xc3\xbc\xc3\x9f", "no utf-8: \xff"}) {
    std::string line = slice(name, 1);
    line.erase(line.rfind(','));
    const json event = json::parse(line, nullptr, false);
    ASSERT_TRUE(event.is_object()) << line;
    if (name.find('\xff') == std::string::npos) {
      EXPECT_EQ(event["name"], name);
    }
  }
}

TEST(TraceStream, IsAnArrayWhenItHasEnded) {
  const Memory memory;
  TraceStream& stream = TraceStream::make();
  stream.describe(slice("name", 0));
  stream.add_file(memory.give());
  stream.add(slice("one", 1));
  stream.add(slice("two", 2));
  stream.finish(last_line);
  const json events = json::parse(memory.text(), nullptr, false);
  ASSERT_THAT(events, SizeIs(4)) << memory.text();
  EXPECT_EQ(events[0]["name"], "name");
  EXPECT_EQ(events[1]["name"], "one");
  EXPECT_EQ(events[3]["args"]["dropped"], 0);
}

TEST(TraceStream, WhileItGrowsItLacksOnlyItsEnd) {
  const Memory memory;
  TraceStream& stream = TraceStream::make();
  stream.add_file(memory.give());
  stream.add(slice("one", 1));
  const auto start = std::chrono::steady_clock::now();
  while (memory.text().size() < 10 && std::chrono::steady_clock::now() - start < std::chrono::seconds(10)) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  std::string text = memory.text();
  EXPECT_THAT(text, EndsWith("},\n"));
  text.replace(text.size() - 2, 2, "\n]");
  EXPECT_THAT(json::parse(text, nullptr, false), SizeIs(1));
}

TEST(TraceStream, ALateFileBeginsWithWhatWasDescribed) {
  const Memory early, late;
  TraceStream& stream = TraceStream::make();
  stream.add_file(early.give());
  stream.describe(slice("name", 0));
  stream.add(slice("one", 1));
  stream.flush();
  stream.add_file(late.give());
  stream.add(slice("two", 2));
  stream.finish(last_line);
  const json events = json::parse(late.text(), nullptr, false);
  ASSERT_THAT(events, SizeIs(3));
  EXPECT_EQ(events[0]["name"], "name");
  EXPECT_EQ(events[1]["name"], "two");
  EXPECT_THAT(json::parse(early.text(), nullptr, false), SizeIs(4));
}

TEST(TraceStream, AFullFileKeepsWholeLinesAndCountsTheRest) {
  const Memory memory;
  TraceStream& stream = TraceStream::make();
  const std::string line = slice("one", 1);
  stream.add_file(memory.give(), 4096 + 2 + 10 * line.size() + 5);
  for (int i = 0; i < 17; ++i) stream.add(line);
  stream.finish(last_line);
  const json events = json::parse(memory.text(), nullptr, false);
  ASSERT_THAT(events, SizeIs(11));
  EXPECT_EQ(events.back()["args"]["dropped"], 7);
}

TEST(TraceStream, AForkedChildWritesNothing) {
  const Memory memory;
  TraceStream& stream = TraceStream::make();
  stream.add_file(memory.give());
  const pid_t child = fork();
  if (child == 0) {
    stream.add(slice("child's", 1));
    stream.flush();
    _exit(0);
  }
  waitpid(child, nullptr, 0);
  stream.add(slice("ours", 1));
  stream.finish(last_line);
  const json events = json::parse(memory.text(), nullptr, false);
  ASSERT_THAT(events, SizeIs(2));
  EXPECT_EQ(events[0]["name"], "ours");
}

}  // namespace
}  // namespace samcl::observe
