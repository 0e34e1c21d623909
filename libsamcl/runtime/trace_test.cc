#include "libsamcl/runtime/trace.h"

#include <gmock/gmock.h>
#include <stdlib.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "libsamcl/coherence/storage.h"
#include "libsamcl/plan/planner.h"
#include "libsamcl/runtime/testing/fake_driver.h"
#include "libsamcl/runtime/testing/fake_manager.h"

namespace samcl {
namespace {

using nlohmann::json;
using ::testing::ExitedWithCode;

constexpr uint64_t kSize = (20 << 20) + 5;  // three chunks

// Uploads to devices 0 and 1, at the same time.
class Upload : public Command {
 public:
  explicit Upload(std::shared_ptr<Storage> storage) : storage_(std::move(storage)), bytes_(kSize) {}

  cl_int plan(Planner& planner, const std::shared_ptr<Event>& event) override {
    event->set_running();
    const Rectangle all = Rectangle::run(0, kSize);
    Planner::Together both;
    for (unsigned device : {0u, 1u}) {
      both.push_back({transfer_lane(kHost, device, kSize),
                      engine::ProgramCopy{{storage_, device}, all, bytes_.data(), all, false, &traffic_},
                      {{storage_, device, {0, kSize}, true}}});
    }
    planner.add(std::move(both));
    return CL_SUCCESS;
  }

 private:
  const std::shared_ptr<Storage> storage_;
  std::vector<std::byte> bytes_;
  Traffic traffic_;
};

// Settings are read once per process, so each trace is of a process of its own.
struct TraceDeathTest : ::testing::Test {
  const std::string file = std::filesystem::temp_directory_path() /
                           ("samcl-trace." + std::to_string(getpid()) + "." +
                            ::testing::UnitTest::GetInstance()->current_test_info()->name());
  ~TraceDeathTest() override { std::filesystem::remove(file); }

  template <typename Work>
  json trace_of(Work work, const char* variable = "SAMCL_TRACE") {
    EXPECT_EXIT(
        {
          setenv(variable, file.c_str(), 1);
          work();
          trace::write();
          _exit(0);
        },
        ExitedWithCode(0), "");
    return json::parse(std::ifstream(file), nullptr, false);
  }

  static std::shared_ptr<Event> run(const std::shared_ptr<Context>& context,
                                    std::shared_ptr<Command> command) {
    auto queue = Queue::make_shared(context, nullptr, 0, std::vector<cl_queue_properties>());
    auto event = Event::make_shared(context, queue, CL_COMMAND_WRITE_BUFFER);
    context->graph.submit(event, std::move(command), {}, Order::ordinary);
    event->wait();
    EXPECT_TRUE(context->devices[0]->drain(10000) && context->devices[1]->drain(10000));
    return event;
  }

  // The rows of a table, each as an object.
  static std::vector<json> rows(const json& trace, const char* name) {
    std::vector<json> objects;
    for (const json& row : trace.at(name).at("rows")) {
      json object;
      for (size_t i = 0; i < row.size(); ++i)
        object[trace.at(name).at("columns").at(i).get<std::string>()] = row[i];
      objects.push_back(object);
    }
    return objects;
  }
};

TEST_F(TraceDeathTest, SpansAreOfTheirCommandWhicheverThreadWorksForIt) {
  const json trace = trace_of([] {
    testing::FakeDriver driver(2);
    auto context = driver.make_context();
    run(context, std::make_unique<EmptyCommand>());
    run(context, std::make_unique<Upload>(std::make_shared<Storage>(context, kSize, nullptr)));
  });
  const auto commands = rows(trace, "commands"), spans = rows(trace, "spans");
  ASSERT_EQ(commands.size(), 2u);
  EXPECT_EQ(commands[0]["number"], 1);
  EXPECT_EQ(commands[1]["number"], 2);
  EXPECT_EQ(commands[1]["type"], CL_COMMAND_WRITE_BUFFER);
  EXPECT_EQ(commands[1]["status"], 0);
  ASSERT_EQ(spans.size(), 2u);
  EXPECT_EQ(spans[0]["device"].get<int>() + spans[1]["device"].get<int>(), 1) << "one on each device";
  for (const json& span : spans) {
    EXPECT_EQ(span["command"], 2);
    EXPECT_EQ(trace["activities"][span["activity"].get<size_t>()], "upload");
    EXPECT_EQ(span["bytes"], kSize);
    EXPECT_EQ(span["pieces"], 1) << "unmanaged: whole";
    EXPECT_LE(commands[1]["started"], span["begin"]);
    EXPECT_LE(span["begin"], span["end"]);
    EXPECT_LE(span["end"], commands[1]["ended"]);
  }
  EXPECT_EQ(trace["managed"], false);
  EXPECT_EQ(trace["dropped"], 0);
}

TEST_F(TraceDeathTest, ManagedTransfersTellTheirLongestChunk) {
  const json trace = trace_of([] {
    testing::FakeDriver driver(2);
    testing::FakeManager manager;
    auto context = driver.make_context(&manager);
    run(context, std::make_unique<Upload>(std::make_shared<Storage>(context, kSize, nullptr)));
  });
  EXPECT_EQ(trace["managed"], true);
  for (const json& span : rows(trace, "spans")) {
    EXPECT_EQ(span["pieces"], 3);
    EXPECT_LE(span["longest_piece"].get<uint64_t>(),
              span["end"].get<uint64_t>() - span["begin"].get<uint64_t>());
  }
}

TEST_F(TraceDeathTest, KernelsHaveTheirNameOnce) {
  const json trace = trace_of([] {
    testing::FakeDriver driver(2);
    auto context = driver.make_context();
    struct Launch : EmptyCommand {
      cl_int plan(Planner&, const std::shared_ptr<Event>& event) override {
        trace::name_command(*event, "smooth");
        return CL_SUCCESS;
      }
    };
    run(context, std::make_unique<Launch>());
    run(context, std::make_unique<EmptyCommand>());
    run(context, std::make_unique<Launch>());
  });
  EXPECT_EQ(trace["names"], json({"", "smooth"}));
  const auto commands = rows(trace, "commands");
  EXPECT_EQ(commands[0]["name"], 1);
  EXPECT_EQ(commands[1]["name"], 0);
  EXPECT_EQ(commands[2]["name"], 1);
}

TEST_F(TraceDeathTest, MarksAreKeptInOrder) {
  const json trace = trace_of([] {
    for (const bool begin : {true, false, true}) trace::mark_job(begin);
  });
  const auto marks = rows(trace, "marks");
  ASSERT_EQ(marks.size(), 3u);
  EXPECT_EQ(marks[0]["begin"], 1);
  EXPECT_EQ(marks[1]["begin"], 0);
  EXPECT_LE(marks[0]["time"], marks[1]["time"]);
}

TEST_F(TraceDeathTest, WhatIsKeptIsBounded) {
  const json trace = trace_of([] {
    for (size_t i = 0; i < trace::kMostRecords + 7; ++i) trace::mark_job(true);
  });
  EXPECT_EQ(trace.at("marks").at("rows").size(), trace::kMostRecords);
  EXPECT_EQ(trace["dropped"], 7);
}

TEST_F(TraceDeathTest, NothingIsKeptOrWrittenUnlessWanted) {
  trace_of(
      [] {
        testing::FakeDriver driver(2);
        auto context = driver.make_context();
        if (run(context, std::make_unique<EmptyCommand>())->number != 0) _exit(1);
        trace::mark_job(true);
      },
      "SAMCL_NO_TRACE");
  EXPECT_FALSE(std::filesystem::exists(file));
}

TEST_F(TraceDeathTest, AProcessThatDidNothingWritesNothing) {
  trace_of([] {});
  EXPECT_FALSE(std::filesystem::exists(file));
}

}  // namespace
}  // namespace samcl
