// What users, on purpose or not, have done to the manager, and what must come of it. Most of it needs root,
// to be several users.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <linux/sched.h>
#include <mqueue.h>
#include <sched.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <functional>
#include <random>
#include <thread>

#include "sam-manager/protocol/connection.h"
#include "sam-manager/protocol/document.h"
#include "sam-manager/protocol/names.h"
#include "sam-manager/protocol/shared_memory.h"
#include "sam-manager/protocol/words.h"
#include "sam-manager/tests/testbed.h"

namespace samcl {
namespace {

using lease::Lease;
using nlohmann::json;
using protocol::Connection;
using testing::Child;
using testing::Daemon;
using testing::FreezableGroup;
using ::testing::HasSubstr;
using testing::kGpu;
using ::testing::SizeIs;
using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

constexpr uid_t kStranger = 65534;
constexpr uid_t kOther = 65533;

struct AttackTest : ::testing::Test {
  Daemon daemon;
  const std::string folder =
      std::filesystem::temp_directory_path() / ("samcl-attack." + std::to_string(getpid()) + "." +
                                                ::testing::UnitTest::GetInstance()->current_test_info()->name());

  void SetUp() override {
    if (geteuid() != 0) GTEST_SKIP() << "needs root";
    std::filesystem::create_directories(folder);
  }
  ~AttackTest() override { std::filesystem::remove_all(folder); }

  void start(const std::string& config = "", Daemon::Tasks tasks = Daemon::Tasks::in_memory) {
    const std::string file = folder + "/m.toml";
    std::ofstream(file) << "log_level = 'warn'\n" << config;
    ASSERT_TRUE(daemon.start({"--config", file}, tasks));
  }

  // As root finds it.
  const std::string path = protocol::socket_path(protocol::own_socket_directory(), daemon.instance());

  // "" or the reason of the refusal, as that user sees it.
  static std::string as_user(uid_t user, const std::function<std::string()>& body) {
    int out[2];
    if (pipe(out) != 0) return "no pipe";
    const pid_t pid = fork();
    if (pid == 0) {
      if (setgid(user) != 0 || setuid(user) != 0) _exit(1);
      const std::string text = body();
      if (write(out[1], text.data(), text.size()) < 0) _exit(1);
      _exit(0);
    }
    close(out[1]);
    std::string text(4096, '\0');
    size_t size = 0;
    for (ssize_t got; (got = read(out[0], text.data() + size, text.size() - size)) > 0;)
      size += static_cast<size_t>(got);
    close(out[0]);
    int status = 0;
    waitpid(pid, &status, 0);
    if (status != 0) return "the process failed";
    return text.substr(0, size);
  }

  std::string ask_as(uid_t user, const json& question) {
    return as_user(user, [&] {
      const auto answer = daemon.ask(question);
      return answer ? std::string() : answer.error().message;
    });
  }

  std::string connect_as(uid_t user, const std::vector<std::string>& devices = {"a"}) {
    return as_user(user, [&] {
      const auto client = lease::Client::connect({daemon.instance(), "", 5000, 0}, devices);
      return client ? std::string() : client.error().message;
    });
  }

  json task(const std::string& name, int priority) const {
    return {{"name", name}, {"priority", priority}, {"period_ns", 1000}, {"deadline_ns", 1000}};
  }

  protocol::Descriptor raw() const {
    protocol::Descriptor socket(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    path.copy(address.sun_path, sizeof address.sun_path - 1);
    EXPECT_EQ(connect(socket.get(), reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
    return socket;
  }

  bool serves() const { return daemon.status().contains("programs"); }
};

TEST_F(AttackTest, OnlyAdministratorsChangeTasks) {
  start("[access]\nadministrators = ['" + std::to_string(kOther) + "']\n[[access.allow]]\nwho = ['" +
        std::to_string(kStranger) + "']\n");
  const json question = {{"ask", "register"}, {"task", task("mine", 98)}};
  // A request says nothing of who sends it that would be believed.
  json posing = question;
  posing["pid"] = getpid();
  EXPECT_THAT(ask_as(kStranger, posing), HasSubstr("only root, the user who runs sam-managerd"));
  EXPECT_THAT(ask_as(kStranger, {{"ask", "unregister"}, {"name", "mine"}}), HasSubstr("only root"));
  EXPECT_THAT(ask_as(kStranger, {{"ask", "release"}, {"device", "a"}}), HasSubstr("only root"));
  EXPECT_THAT(ask_as(kStranger, {{"ask", "set"}, {"name", "mine"}, {"changes", {}}}), HasSubstr("only root"));
  EXPECT_EQ(ask_as(kOther, question), "") << "the configuration names it";
  EXPECT_EQ(ask_as(0, question), "");
}

TEST_F(AttackTest, StrangersMayNotUseDevices) {
  start("[[access.allow]]\nwho = ['" + std::to_string(kStranger) + "']\ndevices = ['a']\nhighest_priority = 3\n");
  EXPECT_THAT(connect_as(kOther), HasSubstr("user 65533 may not use the devices"));
  EXPECT_EQ(connect_as(kStranger), "");
  EXPECT_THAT(connect_as(kStranger, {"b"}), HasSubstr("may use none of the program's devices"));
  ASSERT_EQ(daemon.register_task("urgent", 50), "");
  EXPECT_EQ(as_user(kStranger,
                    [&] {
                      const auto client = daemon.connect("urgent");
                      if (!client) return std::string("refused");
                      const auto given = client->assignment();
                      return std::to_string(given.priority) + " of " + std::to_string(given.devices.size());
                    }),
            "3 of 1");
}

TEST_F(AttackTest, NobodyElseCanPoseAsTheManager) {
  start();
  daemon.stop(SIGKILL);
  // Not where the system's daemons are.
  EXPECT_EQ(as_user(kStranger,
                    [&]() -> std::string {
                      if (unlink(path.c_str()) == 0) return "took the socket away";
                      const int file = open((path + ".new").c_str(), O_CREAT | O_WRONLY, 0600);
                      return file >= 0 ? "made a file" : "";
                    }),
            "");
  // Nor where a user can make files.
  const auto problem_of = [&](const std::string& directory) {
    setenv("SAMCL_RUNTIME_DIR", directory.c_str(), 1);
    const auto client = lease::Client::connect({"fake", "", 500, 0}, {"a"});
    unsetenv("SAMCL_RUNTIME_DIR");
    return client ? std::string() : client.error().message;
  };
  const auto pose = [](const std::string& directory) {
    return std::make_unique<Child>([directory](const Child::Line& line) {
      if (setuid(kStranger) != 0) return 1;
      const int socket = ::socket(AF_UNIX, SOCK_SEQPACKET, 0);
      sockaddr_un address{};
      address.sun_family = AF_UNIX;
      protocol::socket_path(directory, "fake").copy(address.sun_path, sizeof address.sun_path - 1);
      if (bind(socket, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0 || listen(socket, 9) != 0) return 2;
      line.say('l');
      line.hear(60'000);
      return 0;
    });
  };
  for (const mode_t mode : {mode_t{0777}, mode_t{0755}}) {
    const std::string directory = folder + "/" + std::to_string(mode);
    std::filesystem::create_directories(directory);
    ASSERT_EQ(chown(directory.c_str(), kStranger, kStranger), 0);
    ASSERT_EQ(chmod(directory.c_str(), mode), 0);
    const auto poser = pose(directory);
    ASSERT_EQ(poser->line().hear(), 'l');
    EXPECT_THAT(problem_of(directory), HasSubstr(mode == 0777 ? "can be written by others" : "belongs to user 65534"));
  }
}

TEST_F(AttackTest, SharedMemoryCannotBeSpoiledForTheReader) {
  start();
  auto connection = Connection::open(daemon.instance());
  ASSERT_TRUE(connection);
  const auto answer = (*connection)->ask({{"ask", "hello"}, {"devices", {"a"}}}, 5000);
  ASSERT_TRUE(answer) << answer.error().message;
  ASSERT_THAT(answer->attached, SizeIs(3));
  for (const auto& memory : answer->attached) {
    EXPECT_NE(ftruncate(memory.get(), 0), 0) << "a mapping of it would end its reader";
    EXPECT_NE(ftruncate(memory.get(), 1 << 20), 0);
  }
  EXPECT_FALSE(protocol::Shared<protocol::Notice>::map(answer->attached[0], protocol::Protection::read_write))
      << "only the daemon says that it lives";
  // What can be shrunk is not mapped.
  const protocol::Descriptor loose(memfd_create("loose", MFD_CLOEXEC));
  ASSERT_EQ(ftruncate(loose.get(), sizeof(protocol::Words)), 0);
  EXPECT_FALSE(protocol::Shared<protocol::Words>::map(loose, protocol::Protection::read_write));
}

TEST_F(AttackTest, KilledAskersLeaveNothing) {
  start();
  for (int i = 0; i < 300; ++i) {
    const pid_t asker = fork();
    if (asker == 0) {
      while (true) daemon.status();
    }
    std::this_thread::sleep_for(std::chrono::microseconds(300 * (i % 10)));
    kill(asker, SIGKILL);
    waitpid(asker, nullptr, 0);
  }
  EXPECT_TRUE(serves());
  EXPECT_EQ(connect_as(0), "");
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(protocol::own_socket_directory()))
    files += entry.path().filename().string().starts_with(daemon.instance() + ".");
  EXPECT_EQ(files, 2) << "its socket and its lock";
  const auto left = std::filesystem::directory_iterator("/proc/" + std::to_string(daemon.pid()) + "/fd");
  EXPECT_LT(std::distance(begin(left), end(left)), 30);
}

TEST_F(AttackTest, WhatOlderReleasesLeftIsRemoved) {
  const std::string name = "/samcl." + daemon.instance();
  close(shm_open((name + ".state").c_str(), O_CREAT | O_RDWR, 0600));
  mq_attr shape{};
  shape.mq_maxmsg = 1;
  shape.mq_msgsize = 8;
  mq_close(mq_open((name + ".requests").c_str(), O_CREAT | O_RDWR, 0600, &shape));
  start();
  EXPECT_LT(shm_open((name + ".state").c_str(), O_RDONLY, 0), 0);
  EXPECT_LT(mq_open((name + ".requests").c_str(), O_RDONLY), 0);
}

TEST_F(AttackTest, NoRequestEndsTheDaemon) {
  start();
  const auto problem = [&](const json& question) {
    const auto answer = daemon.ask(question);
    return answer ? "none" : answer.error().message;
  };
  json bad = task("x", 1);
  bad["period_ns"] = -5;
  EXPECT_THAT(problem({{"ask", "register"}, {"task", bad}}), HasSubstr("period_ns: expected an integer, 1 to"));
  bad = task("a\nb", 1);
  EXPECT_THAT(problem({{"ask", "register"}, {"task", bad}}), HasSubstr("name: has a control character"));
  EXPECT_THAT(problem({{"ask", "register"}, {"task", 5}}), HasSubstr("expected an object"));
  EXPECT_THAT(problem({{"ask", "dance"}}), HasSubstr("ask: expected one of "));
  const auto raw_problem = [&](const std::string& bytes) -> std::string {
    const auto socket = raw();
    if (send(socket.get(), bytes.data(), bytes.size(), 0) < 0) return "not sent";
    std::string answer(4096, '\0');
    const ssize_t got = recv(socket.get(), answer.data(), answer.size(), 0);
    return got <= 0 ? "disconnected" : answer.substr(0, static_cast<size_t>(got));
  };
  const std::string ours = "{\"samcl\": " + std::to_string(protocol::kVersion) + ", \"ask\": ";
  EXPECT_THAT(raw_problem(ours + "\"register\", \"task\": {\"name\": \"bad\xff\"}}"), HasSubstr("no JSON object"));
  EXPECT_THAT(raw_problem(ours + std::string(100'000, '[') + std::string(100'000, ']') + "}"),
              HasSubstr("nested more than 32 levels deep"));
  EXPECT_THAT(raw_problem("{\"samcl\": 3}"),
              HasSubstr("it speaks version 3, expected " + std::to_string(protocol::kVersion)));
  EXPECT_EQ(raw_problem(std::string(2, '\x53') + "garbage"), raw_problem("garbage"));
  EXPECT_EQ(raw_problem(std::string(protocol::Message().bytes())), "disconnected") << "without hello";
  EXPECT_TRUE(serves());
}

TEST_F(AttackTest, RandomPacketsHarmNobody) {
  start();
  const auto client = daemon.connect();
  ASSERT_TRUE(client);
  const auto seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  const std::vector<std::string> words = {"{",
                                          "}",
                                          "[",
                                          "]",
                                          ":",
                                          ",",
                                          "\"samcl\"",
                                          "5",
                                          "\"ask\"",
                                          "\"hello\"",
                                          "\"register\"",
                                          "\"task\"",
                                          "\"devices\"",
                                          "\"a\"",
                                          "-1",
                                          "1e999",
                                          "null",
                                          "\"name\"",
                                          "\"set\"",
                                          "\"changes\"",
                                          "\"\\u0000\"",
                                          "true",
                                          "\xff"};
  for (int i = 0; i < 300; ++i) {
    const auto socket = raw();
    std::string bytes = i % 3 == 0 ? "{\"samcl\":4,\"ask\":" : "";
    if (i % 3 == 1) {
      protocol::Message message;
      for (size_t at = 2; at < sizeof message; ++at)
        reinterpret_cast<unsigned char*>(&message)[at] = static_cast<unsigned char>(random());
      if (i % 2) message.kind = static_cast<protocol::MessageKind>(random() % 5);
      bytes = message.bytes();
      const std::string hello = protocol::format_document({{"ask", "hello"}, {"devices", {"a"}}});
      if (i % 4 == 1) send(socket.get(), hello.data(), hello.size(), MSG_NOSIGNAL);
    } else {
      for (size_t count = random() % 30; count > 0; --count) bytes += words[random() % words.size()];
    }
    send(socket.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
  }
  const Lease gpu(client.get(), kGpu, 0);
  EXPECT_TRUE(serves());
  EXPECT_TRUE(client->managed());
}

TEST_F(AttackTest, SpoiledStateFileIsNamedWithItsField) {
  const std::string state = folder + "/state.json";
  std::ofstream(state) << R"({"format": 1, "tasks": [{"name": "camera", "priority": 3, "period_ns": -5,
                              "deadline_ns": 4, "gpus": 1, "match": ""}]})";
  std::ofstream(folder + "/m.toml") << "state_file = '" << state << "'\ninstance = '" << daemon.instance() << "'\n";
  int out[2];
  ASSERT_EQ(pipe(out), 0);
  Child failing([&](const Child::Line&) {
    dup2(out[1], STDERR_FILENO);
    execl(SAM_MANAGERD, SAM_MANAGERD, "--foreground", "--config", (folder + "/m.toml").c_str(), nullptr);
    return 127;
  });
  EXPECT_EQ(failing.join(), 1);
  std::string text(4096, '\0');
  text.resize(static_cast<size_t>(read(out[0], text.data(), text.size())));
  close(out[0]);
  close(out[1]);
  EXPECT_THAT(text, HasSubstr("task \"camera\": period_ns: expected an integer, 1 to"));
}

TEST_F(AttackTest, OneProgramCannotGiveBackForAnother) {
  start();
  const auto client = daemon.connect();
  ASSERT_TRUE(client);
  const Lease gpu(client.get(), kGpu, 0);
  const auto socket = raw();
  const std::string hello = protocol::format_document({{"ask", "hello"}, {"devices", {"a"}}});
  ASSERT_GT(send(socket.get(), hello.data(), hello.size(), 0), 0);
  protocol::Message release;
  release.kind = protocol::MessageKind::release;
  ASSERT_GT(send(socket.get(), release.bytes().data(), release.bytes().size(), 0), 0);
  EXPECT_EQ(daemon.status()["resources"][0]["holder"]["pid"], getpid());
}

TEST_F(AttackTest, StrangersCannotTakeTheLock) {
  start();
  daemon.stop(SIGKILL);
  EXPECT_EQ(as_user(kStranger,
                    [&]() -> std::string {
                      const std::string lock = path.substr(0, path.size() - 5) + ".lock";
                      const int file = open(lock.c_str(), O_RDONLY);
                      return file >= 0 && flock(file, LOCK_EX | LOCK_NB) == 0 ? "locked" : "";
                    }),
            "");
  EXPECT_TRUE(daemon.start());
}

TEST_F(AttackTest, DaemonWhoseFilesAreRemovedEndsBeforeTwoServe) {
  start();
  const auto client = daemon.connect();
  ASSERT_TRUE(client);
  ASSERT_EQ(unlink(path.c_str()), 0);
  int status = 0;
  pid_t ended = 0;
  for (int i = 0; i < 500 && ended == 0; ++i) {
    ended = waitpid(daemon.pid(), &status, WNOHANG);
    std::this_thread::sleep_for(10ms);
  }
  EXPECT_EQ(ended, daemon.pid());
  EXPECT_FALSE(client->managed());
  ASSERT_TRUE(daemon.start());
  EXPECT_TRUE(testing::finds_daemon(*client));
}

TEST_F(AttackTest, LogThatNobodyReadsStopsNoGrant) {
  int log[2];
  ASSERT_EQ(pipe(log), 0);
  const int stderr_before = dup(STDERR_FILENO);
  fcntl(log[1], F_SETPIPE_SZ, 4096);
  dup2(log[1], STDERR_FILENO);
  const std::string file = folder + "/m.toml";
  std::ofstream(file) << "log_level = 'debug'\n";
  const bool started = daemon.start({"--config", file});
  dup2(stderr_before, STDERR_FILENO);
  close(stderr_before);
  ASSERT_TRUE(started);
  const auto start = Clock::now();
  for (int i = 0; i < 300; ++i) ASSERT_TRUE(daemon.connect()) << i;  // two lines each
  const auto holder = testing::start_holder(daemon);
  const auto waiter = testing::start_waiter(daemon);
  ASSERT_TRUE(holder && waiter);
  holder->line().say('r');
  EXPECT_EQ(waiter->line().hear(), 'h');
  EXPECT_LT(Clock::now() - start, 20s);
  EXPECT_EQ(daemon.stop(SIGTERM), 0) << "nor its end";
  close(log[0]);
  close(log[1]);
}

TEST_F(AttackTest, ProgramThatCallsExecGivesBackWhatItHeld) {
  start();
  Child holder([&](const Child::Line& line) {
    const auto client = daemon.connect();
    if (!client) return 1;
    client->acquire(kGpu, 0);
    const pid_t copy = fork();  // keeps what it has open
    if (copy == 0) {
      line.hear(60'000);
      _exit(0);
    }
    line.say('h');
    execl("/bin/sleep", "sleep", "60", nullptr);
    return 1;
  });
  ASSERT_EQ(holder.line().hear(), 'h');
  const auto waiter = testing::start_taker(daemon);
  ASSERT_TRUE(waiter);
  waiter->line().say('t');
  EXPECT_EQ(waiter->line().hear(), 'h');
}

struct FreezeTest : AttackTest, ::testing::WithParamInterface<FreezableGroup::Version> {};

TEST_P(FreezeTest, FrozenHolderDoesNotKeepOthersWaiting) {
  const auto group = FreezableGroup::make(daemon.instance(), GetParam());
  if (!group) GTEST_SKIP() << "no control group of this version can be made here";
  start();
  const auto holder = testing::start_holder(daemon);
  ASSERT_TRUE(holder);
  group->add(holder->pid());
  group->freeze();
  const auto waiter = testing::start_taker(daemon);
  ASSERT_TRUE(waiter);
  waiter->line().say('t');
  EXPECT_EQ(waiter->line().hear(10'000), 'h');
  // It goes on as one that has lost its lease, and gets the next one.
  group->thaw();
  holder->line().say('r');
  EXPECT_EQ(holder->line().hear(), 'f');
  waiter->line().say('r');
  EXPECT_EQ(waiter->line().hear(), 'f');
  holder->line().say('t');
  EXPECT_EQ(holder->line().hear(), 'h');
}

INSTANTIATE_TEST_SUITE_P(ControlGroups, FreezeTest,
                         ::testing::Values(FreezableGroup::Version::v1, FreezableGroup::Version::v2),
                         [](const auto& version) {
                           return version.param == FreezableGroup::Version::v1 ? "v1" : "v2";
                         });

TEST_F(AttackTest, OneUserCannotShutOutOthers) {
  start("[access]\nprograms_per_user = 4\n[[access.allow]]\nwho = ['" + std::to_string(kStranger) + "', '" +
        std::to_string(kOther) + "']\n");
  EXPECT_THAT(as_user(kStranger,
                      [&]() -> std::string {
                        std::vector<std::unique_ptr<lease::Client>> clients;
                        for (int i = 0; i < 9; ++i) {
                          auto client = lease::Client::connect({daemon.instance(), "", 5000, 0}, {"a"});
                          if (!client) return std::to_string(i) + " connected, then: " + client.error().message;
                          clients.push_back(*std::move(client));
                        }
                        return "all connected";
                      }),
              HasSubstr("4 connected, then: user 65534 has 4 programs connected already"));
  EXPECT_THAT(as_user(kStranger,
                      [&]() -> std::string {
                        std::vector<protocol::Descriptor> sockets;
                        for (int i = 0; i < 100; ++i) sockets.push_back(raw());
                        return lease::Client::connect({daemon.instance(), "", 5000, 0}, {"a"}) ? "" : "refused";
                      }),
              "refused");
  EXPECT_EQ(connect_as(kOther), "");
}

TEST_F(AttackTest, HundredsOfProgramsAreServed) {
  start();
  std::vector<std::unique_ptr<lease::Client>> clients;
  for (int i = 0; i < 300; ++i) {
    clients.push_back(daemon.connect());
    ASSERT_TRUE(clients.back()) << i;
  }
  EXPECT_THAT(daemon.status()["programs"], SizeIs(300));  // a long answer
  for (const auto& client : clients) const Lease gpu(client.get(), kGpu, 0);
}

TEST_F(AttackTest, ManyRequestsOfOneProgramCostNoMore) {
  start();
  const auto client = daemon.connect();
  ASSERT_TRUE(client);
  client->acquire(kGpu, 0);
  auto connection = Connection::open(daemon.instance());
  ASSERT_TRUE(connection);
  ASSERT_TRUE((*connection)->ask({{"ask", "hello"}, {"devices", {"a"}}}, 5000));
  protocol::Message acquire;
  const auto start = Clock::now();
  for (int i = 0; i < 20'000; ++i) {
    ++acquire.sequence;
    ASSERT_TRUE((*connection)->send(acquire, 5000));
  }
  EXPECT_THAT(daemon.status()["resources"][0]["waiting"], SizeIs(1)) << "one request per program and resource";
  EXPECT_LT(Clock::now() - start, 5s);
  client->release(kGpu, 0);
}

TEST_F(AttackTest, KilledDaemonIsNoticedWithoutWaiting) {
  start();
  const auto client = daemon.connect();
  ASSERT_TRUE(client);
  daemon.stop(SIGKILL);
  EXPECT_FALSE(client->managed());
}

TEST_F(AttackTest, ProgramInAnotherPidNamespaceIsServed) {
  start();
  ASSERT_EQ(daemon.register_task("urgent", 12), "");
  Child outer([&](const Child::Line& line) {
    if (unshare(CLONE_NEWPID) != 0) {
      line.say('s');
      return 0;
    }
    const pid_t inner = fork();  // number 1 there
    if (inner == 0) {
      const auto client = daemon.connect("urgent");
      if (!client) _exit(1);
      client->attach_thread(getpid());
      const Lease gpu(client.get(), kGpu, 0);
      line.say('h');
      line.hear(60'000);
      _exit(0);
    }
    waitpid(inner, nullptr, 0);
    return 0;
  });
  const char heard = outer.line().hear();
  if (heard == 's') GTEST_SKIP() << "no PID namespaces here";
  ASSERT_EQ(heard, 'h');
  json status = daemon.status();
  for (int i = 0; i < 100 && status["programs"][0]["threads"] == 0; ++i) status = daemon.status();
  EXPECT_EQ(status["programs"][0]["threads"], 1) << "its number is ours now";
  const pid_t pid = status["programs"][0]["pid"];
  EXPECT_NE(pid, 1);
  EXPECT_EQ(status["resources"][0]["holder"]["pid"], pid);
  kill(pid, SIGKILL);
  for (int i = 0; i < 500 && !status["programs"].empty(); ++i) {
    status = daemon.status();
    std::this_thread::sleep_for(2ms);
  }
  EXPECT_THAT(status["programs"], SizeIs(0));
}

TEST_F(AttackTest, ConfigurationIsReadAgain) {
  start();
  EXPECT_THAT(connect_as(kStranger), HasSubstr("may not use"));
  std::ofstream(folder + "/m.toml") << "[[access.allow]]\nwho = ['" << kStranger << "']\n";
  kill(daemon.pid(), SIGHUP);
  EXPECT_EQ(connect_as(kStranger), "");
  std::ofstream(folder + "/m.toml") << "no toml";
  kill(daemon.pid(), SIGHUP);
  EXPECT_EQ(connect_as(kStranger), "") << "the old one stays";
}

TEST_F(AttackTest, FullDiskLosesNoTask) {
  const std::string disk = folder + "/disk";
  std::filesystem::create_directories(disk);
  if (mount("tmpfs", disk.c_str(), "tmpfs", 0, "size=64k") != 0) GTEST_SKIP() << "nothing can be mounted here";
  const struct Unmount {
    std::string at;
    ~Unmount() { umount2(at.c_str(), MNT_DETACH); }
  } unmount{disk};
  start("state_file = '" + disk + "/state.json'\n", Daemon::Tasks::in_their_file);
  ASSERT_EQ(daemon.register_task("first", 5), "");
  std::ofstream(disk + "/filler") << std::string(1 << 17, 'x');
  EXPECT_THAT(daemon.register_task("second", 6),
              HasSubstr("cannot write the tasks to " + disk + "/state.json: No space left"));
  const auto names = [&] {
    std::string all;
    const auto list = daemon.ask({{"ask", "list"}});
    for (const auto& each : list->at("tasks")) all += each["name"].get<std::string>() + " ";
    return all;
  };
  EXPECT_EQ(names(), "first ") << "what is not on the disk does not hold";
  daemon.stop(SIGKILL);
  start("state_file = '" + disk + "/state.json'\n", Daemon::Tasks::in_their_file);
  EXPECT_EQ(names(), "first ");
  std::filesystem::remove(disk + "/filler");
  EXPECT_EQ(daemon.register_task("second", 6), "");
}

// A draft that is a pipe without reader: opening it takes as long as a disk that hangs.
TEST_F(AttackTest, DiskThatHangsDelaysNoGrant) {
  ASSERT_EQ(mkfifo((folder + "/state.json.new").c_str(), 0600), 0);
  start("state_file = '" + folder + "/state.json'\n", Daemon::Tasks::in_their_file);
  Child asker([&](const Child::Line&) { return daemon.register_task("camera", 5).empty() ? 0 : 1; });
  std::this_thread::sleep_for(100ms);
  const auto holder = testing::start_holder(daemon);
  const auto waiter = testing::start_waiter(daemon);
  ASSERT_TRUE(holder && waiter);
  const auto before = Clock::now();
  holder->line().say('r');
  ASSERT_EQ(waiter->line().hear(), 'h');
  EXPECT_LT(Clock::now() - before, 1s);
  EXPECT_EQ(waitpid(asker.pid(), nullptr, WNOHANG), 0) << "it waits for the disk all the while";
  const protocol::Descriptor reader(open((folder + "/state.json.new").c_str(), O_RDONLY | O_NONBLOCK));
  EXPECT_EQ(asker.join(), 1) << "a pipe is no disk";
}

TEST_F(AttackTest, ProcessWithTheNumberOfADeadOneHasNothingOfIt) {
  start();
  auto holder = testing::start_holder(daemon);
  const auto waiter = testing::start_waiter(daemon);
  ASSERT_TRUE(holder && waiter);
  // While the daemon looks away.
  kill(daemon.pid(), SIGSTOP);
  const pid_t number = holder->pid();
  holder->kill_hard();
  clone_args arguments{};
  arguments.exit_signal = SIGCHLD;
  arguments.set_tid = reinterpret_cast<uint64_t>(&number);
  arguments.set_tid_size = 1;
  const long next = syscall(SYS_clone3, &arguments, sizeof arguments);
  if (next == 0) {
    while (true) pause();
  }
  kill(daemon.pid(), SIGCONT);
  if (next < 0) GTEST_SKIP() << "no process can be given a number here";
  EXPECT_EQ(waiter->line().hear(), 'h');
  const nlohmann::json status = daemon.status();
  for (const auto& program : status["programs"]) EXPECT_NE(program["pid"], number);
  kill(number, SIGKILL);
  waitpid(number, nullptr, 0);
}

TEST_F(AttackTest, WordThatNamesNobodyStopsNoDevice) {
  start();
  auto connection = Connection::open(daemon.instance());
  ASSERT_TRUE(connection);
  const auto answer = (*connection)->ask({{"ask", "hello"}, {"devices", {"a"}}}, 5000);
  ASSERT_TRUE(answer) << answer.error().message;
  const auto words = protocol::Shared<protocol::Words>::map(answer->attached[1], protocol::Protection::read_write);
  ASSERT_TRUE(words);
  const auto client = daemon.connect();
  ASSERT_TRUE(client);
  for (const protocol::Word spoiled : {protocol::Word{0xdeadbeef}, protocol::Word{0xdeadbeef} | protocol::kWaiters,
                                       protocol::kWaiters | protocol::kRevoke, ~protocol::Word{0}}) {
    (*words)->words[0] = spoiled;
    const auto before = Clock::now();
    const Lease gpu(client.get(), kGpu, 0);
    EXPECT_LT(Clock::now() - before, 2s) << std::hex << spoiled;
    EXPECT_TRUE(client->managed()) << std::hex << spoiled;
  }
}

TEST_F(AttackTest, LimitOfFilesIsAnErrorAndNoSignal) {
  int out[2];
  ASSERT_EQ(pipe(out), 0);
  Child failing([&](const Child::Line&) {
    dup2(out[1], STDERR_FILENO);
    const rlimit none{0, 0};
    setrlimit(RLIMIT_FSIZE, &none);
    execl(SAM_MANAGERD, SAM_MANAGERD, "--foreground", "--instance", daemon.instance().c_str(), nullptr);
    return 127;
  });
  EXPECT_EQ(failing.join(), 1);
  close(out[1]);
  std::string text(4096, '\0');
  text.resize(static_cast<size_t>(std::max<ssize_t>(0, read(out[0], text.data(), text.size()))));
  close(out[0]);
  EXPECT_THAT(text, HasSubstr("File too large"));
}

}  // namespace
}  // namespace samcl
