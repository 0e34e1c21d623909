#include "libsamcl/observe/trace.h"

#include <gmock/gmock.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "libsamcl/memory/storage.h"
#include "libsamcl/objects/planner.h"
#include "libsamcl/testing/fake_driver.h"
#include "libsamcl/testing/fake_manager.h"
#include "tests/support/trace_check.h"
#include "tools/trace/events.h"

namespace samcl {
namespace {

using nlohmann::json;
using testing::events_of;
using ::testing::ExitedWithCode;
using testing::faults_of;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using Events = std::vector<json>;

constexpr uint64_t kSize = (36 << 20) + 5;  // five chunks

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
  const std::string file =
      std::filesystem::temp_directory_path() / ("samcl-trace." + std::to_string(getpid()) + "." +
                                                ::testing::UnitTest::GetInstance()->current_test_info()->name());
  ~TraceDeathTest() override { std::filesystem::remove(file); }

  // Whole as it is, when the process has ended well.
  template <typename Work>
  Events trace_of(Work work) {
    leave_trace_of(work);
    Events events = testing::read_trace(file);
    EXPECT_THAT(faults_of(events), IsEmpty());
    return events;
  }

  template <typename Work>
  void leave_trace_of(Work work, const char* variable = "SAMCL_TRACE", const std::string& before = "") {
    EXPECT_EXIT(
        {
          setenv(variable, (before + file).c_str(), 1);
          work();
          trace::write();
          _exit(0);
        },
        ExitedWithCode(0), "");
  }

  static std::shared_ptr<Event> run(const std::shared_ptr<Context>& context, std::shared_ptr<Command> command) {
    auto queue = Queue::make_shared(context, nullptr, 0, std::vector<cl_queue_properties>());
    auto event = Event::make_shared(context, queue, CL_COMMAND_WRITE_BUFFER);
    context->graph.submit(event, std::move(command), {}, Order::ordinary);
    event->wait();
    EXPECT_TRUE(context->devices[0]->drain(10000) && context->devices[1]->drain(10000));
    return event;
  }

  // An argument that one of the naming events has.
  static json about(const Events& events, const char* name) {
    for (const json& event : events_of(events, 'M')) {
      if (event.at("args").contains(name)) return event.at("args").at(name);
    }
    return {};
  }
  static std::string row_name(const Events& events, const json& row) {
    for (const json& event : events_of(events, 'M')) {
      if (event.at("name") == "thread_name" && event.at("tid") == row) return event.at("args").at("name");
    }
    return "";
  }
};

TEST_F(TraceDeathTest, SpansAreOfTheirCommandWhicheverThreadWorksForIt) {
  const Events trace = trace_of([] {
    testing::FakeDriver driver(2);
    auto context = driver.make_context();
    run(context, std::make_unique<EmptyCommand>());
    run(context, std::make_unique<Upload>(std::make_shared<Storage>(context, kSize, nullptr)));
  });
  const Events commands = events_of(trace, 'e', "command"), spans = events_of(trace, 'X', "resource");
  ASSERT_THAT(commands, SizeIs(2));
  EXPECT_EQ(commands[0]["id"], 1);
  EXPECT_EQ(commands[1]["id"], 2);
  EXPECT_EQ(commands[1]["name"], "write buffer");
  EXPECT_EQ(commands[1]["args"]["type"], CL_COMMAND_WRITE_BUFFER);
  EXPECT_EQ(commands[1]["args"]["status"], 0);
  ASSERT_THAT(spans, SizeIs(2));
  EXPECT_EQ(spans[0]["args"]["device"].get<int>() + spans[1]["args"]["device"].get<int>(), 1) << "one on each device";
  for (const json& span : spans) {
    EXPECT_EQ(span["args"]["command"], 2);
    EXPECT_EQ(span["args"]["activity"], "upload");
    EXPECT_EQ(span["args"]["bytes"], kSize);
    EXPECT_EQ(span["args"]["pieces"], 1) << "unmanaged: whole";
    EXPECT_EQ(row_name(trace, span["tid"]), "device " + span["args"]["device"].dump() + ": up");
    EXPECT_LE(commands[1]["args"]["started"], trace_events::ns_of(span, "ts"));
    EXPECT_LE(trace_events::ns_of(span, "ts") + trace_events::ns_of(span, "dur"),
              trace_events::ns_of(commands[1], "ts"));
  }
  EXPECT_TRUE(about(trace, "managed").is_null());
  EXPECT_EQ(about(trace, "format"), "samcl-trace 2");
  EXPECT_EQ(about(trace, "dropped"), 0);
}

TEST_F(TraceDeathTest, AnOperationIsASliceOfItsLane) {
  const Events trace = trace_of([] {
    testing::FakeDriver driver(2);
    auto context = driver.make_context();
    run(context, std::make_unique<Upload>(std::make_shared<Storage>(context, kSize, nullptr)));
  });
  const Events operations = events_of(trace, 'X', "operation");
  ASSERT_THAT(operations, SizeIs(2));
  for (const json& operation : operations) {
    EXPECT_EQ(operation["name"], "upload");
    EXPECT_EQ(operation["args"]["of"], "write buffer");
    EXPECT_EQ(operation["args"]["bytes"], kSize);
  }
}

TEST_F(TraceDeathTest, ManagedTransfersTellTheirChunks) {
  const Events trace = trace_of([] {
    testing::FakeDriver driver(2);
    testing::FakeManager manager;
    manager.chosen.task = "camera";
    auto context = driver.make_context(&manager);
    run(context, std::make_unique<Upload>(std::make_shared<Storage>(context, kSize, nullptr)));
  });
  EXPECT_FALSE(about(trace, "managed").is_null());
  for (const json& span : events_of(trace, 'X', "resource")) {
    EXPECT_EQ(span["args"]["pieces"], 5);
    EXPECT_LE(span["args"]["longest_piece"], trace_events::ns_of(span, "dur"));
  }
  EXPECT_THAT(events_of(trace, 'X', "piece"), SizeIs(10)) << "five on each device";
}

TEST_F(TraceDeathTest, ManagedTransfersOfNoTaskTellWhenTheyCouldGiveWay) {
  const Events trace = trace_of([] {
    testing::FakeDriver driver(2);
    testing::FakeManager manager;
    auto context = driver.make_context(&manager);
    run(context, std::make_unique<Upload>(std::make_shared<Storage>(context, kSize, nullptr)));
  });
  const Events spans = events_of(trace, 'X', "resource");
  ASSERT_THAT(spans, SizeIs(2));
  for (const json& span : spans) {
    EXPECT_EQ(span["args"]["pieces"], kSize / (512 << 10) + 2) << "before each chunk of 512 KiB, and at the end";
    EXPECT_LE(span["args"]["longest_piece"], trace_events::ns_of(span, "dur"));
  }
}

// Three steps, each on the bytes of the one before.
class Fills : public Command {
 public:
  explicit Fills(std::shared_ptr<Storage> storage) : storage_(std::move(storage)) {}

  cl_int plan(Planner& planner, const std::shared_ptr<Event>& event) override {
    event->set_running();
    for (int i = 0; i < 3; ++i) {
      planner.add({engine::LaneKind::compute, 0}, engine::HostCall{[] { return usleep(1000), CL_SUCCESS; }},
                  {{storage_, 0, {0, 64}, true}});
    }
    return CL_SUCCESS;
  }

 private:
  const std::shared_ptr<Storage> storage_;
};

TEST_F(TraceDeathTest, ArrowsLeadToWhatWaited) {
  const Events trace = trace_of([] {
    testing::FakeDriver driver(2);
    auto context = driver.make_context();
    run(context, std::make_unique<Fills>(std::make_shared<Storage>(context, kSize, nullptr)));
  });
  EXPECT_THAT(events_of(trace, 'X', "operation"), SizeIs(3));
  EXPECT_THAT(events_of(trace, 's', "arrow"), SizeIs(2));
  EXPECT_THAT(events_of(trace, 'f', "arrow"), SizeIs(2));
}

TEST_F(TraceDeathTest, CommandsHaveTheirKernelsName) {
  const Events trace = trace_of([] {
    testing::FakeDriver driver(2);
    auto context = driver.make_context();
    struct Launch : EmptyCommand {
      cl_int plan(Planner&, const std::shared_ptr<Event>& event) override {
        trace::name_command(event->number, "smooth", "it prints");
        return CL_SUCCESS;
      }
    };
    run(context, std::make_unique<Launch>());
    run(context, std::make_unique<EmptyCommand>());
  });
  const Events commands = events_of(trace, 'e', "command");
  ASSERT_THAT(commands, SizeIs(2));
  EXPECT_EQ(commands[0]["name"], "smooth");
  EXPECT_EQ(commands[0]["args"]["kernel"], "smooth");
  EXPECT_EQ(commands[0]["args"]["why_not_more_devices"], "it prints");
  EXPECT_EQ(commands[1]["name"], "write buffer");
  EXPECT_FALSE(commands[1]["args"].contains("kernel"));
}

TEST_F(TraceDeathTest, MarksAreKeptInOrder) {
  const Events trace = trace_of([] {
    for (const bool begin : {true, false, true, false}) trace::mark_job(begin);
  });
  const Events begins = events_of(trace, 'b', "job"), ends = events_of(trace, 'e', "job");
  ASSERT_THAT(begins, SizeIs(2));
  ASSERT_THAT(ends, SizeIs(2));
  EXPECT_LE(trace_events::ns_of(begins[0], "ts"), trace_events::ns_of(ends[0], "ts"));
  EXPECT_LE(trace_events::ns_of(ends[0], "ts"), trace_events::ns_of(begins[1], "ts"));
}

TEST_F(TraceDeathTest, AKilledProgramLeavesWhatItDid) {
  EXPECT_EXIT(
      {
        setenv("SAMCL_TRACE", file.c_str(), 1);
        testing::FakeDriver driver(2);
        auto context = driver.make_context();
        run(context, std::make_unique<Upload>(std::make_shared<Storage>(context, kSize, nullptr)));
        usleep(500'000);
        kill(getpid(), SIGKILL);
      },
      ::testing::KilledBySignal(SIGKILL), "");
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  Events events;
  const auto read = trace_events::for_each_event(text.str(), [&](const json& event) { events.push_back(event); });
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_THAT(faults_of(events, true), IsEmpty());
  EXPECT_THAT(events_of(events, 'e', "command"), SizeIs(1));
  EXPECT_THAT(events_of(events, 'X', "operation"), SizeIs(2));
}

TEST_F(TraceDeathTest, TheProcessNumberMayBeInTheName) {
  EXPECT_EXIT(
      {
        setenv("SAMCL_TRACE", (file + ".%p").c_str(), 1);
        trace::mark_job(true);
        trace::mark_job(false);
        trace::write();
        _exit(std::filesystem::remove(file + "." + std::to_string(getpid())) ? 0 : 1);
      },
      ExitedWithCode(0), "");
}

TEST_F(TraceDeathTest, NothingIsKeptOrWrittenUnlessWanted) {
  leave_trace_of(
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
  leave_trace_of([] {});
  EXPECT_FALSE(std::filesystem::exists(file));
}

TEST_F(TraceDeathTest, ThePlanIsAPicture) {
  leave_trace_of(
      [] {
        testing::FakeDriver driver(2);
        auto context = driver.make_context();
        auto storage = std::make_shared<Storage>(context, kSize, nullptr);
        run(context, std::make_unique<Fills>(storage));
        run(context, std::make_unique<Fills>(storage));
      },
      "SAMCL_PLAN", "dot:");
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  EXPECT_THAT(text.str(), HasSubstr("subgraph cluster_2 {"));
  for (const char* arrow : {"o1 -> o2;", "o2 -> o3;", "o3 -> o4 [style=dotted];", "o4 -> o5;", "o5 -> o6;"}) {
    EXPECT_THAT(text.str(), HasSubstr(arrow));
  }
}

}  // namespace
}  // namespace samcl
