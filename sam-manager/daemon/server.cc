#include "sam-manager/daemon/server.h"

#include <fcntl.h>
#include <poll.h>
#include <spdlog/spdlog.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <ctime>
#include <vector>

#include "sam-manager/protocol/names.h"
#include "sam-manager/protocol/process.h"

namespace samcl::daemon {

using protocol::Kind;
using protocol::Reply;
using protocol::Request;

namespace {

bool wants_reply(Kind kind) {
  return kind != Kind::goodbye && kind != Kind::acquire && kind != Kind::release && kind != Kind::adopt;
}

// Messages do not say who sent them, but only its owner can have made the reply queue.
struct Sender {
  uid_t user = static_cast<uid_t>(-1);
  bool is_process = false;  // the process it names is that user's, and is the sender as far as can be told
};

uint64_t now_ns() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<uint64_t>(now.tv_sec) * 1'000'000'000ULL + static_cast<uint64_t>(now.tv_nsec);
}

// In another PID namespace, or after it ended, its number stands for another process. 0: can't be told.
bool is_same_process(pid_t pid, uint64_t start_time) {
  const uint64_t present = protocol::process_start_time(pid);
  return present == 0 || start_time == 0 || present == start_time;
}

Sender find_sender(pid_t pid, uint64_t start_time, mqd_t replies) {
  struct stat queue {};
  struct stat process {};
  if (replies < 0 || fstat(replies, &queue) != 0) return {};
  const bool found = stat(("/proc/" + std::to_string(pid)).c_str(), &process) == 0;
  return {queue.st_uid,
          found && (process.st_uid == queue.st_uid || queue.st_uid == 0) && is_same_process(pid, start_time)};
}

}  // namespace

Server::Server(Objects& objects, Broker& broker, std::string instance)
    : objects_(objects), broker_(broker), instance_(std::move(instance)) {}

Server::~Server() {
  for (const auto& [pid, fd] : pidfds_) close(fd);
}

void Server::run(int exit_with) {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  const int stop = signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK);
  constexpr size_t kFirstProgram = 4;
  while (true) {
    std::vector<pollfd> fds = {{objects_.requests(), POLLIN, 0},
                               {stop, POLLIN, 0},
                               {exit_with, POLLIN, 0},
                               {broker_.decided(), POLLIN, 0}};
    std::vector<pid_t> pids;
    for (const auto& [pid, fd] : pidfds_) {
      fds.push_back({fd, POLLIN, 0});
      pids.push_back(pid);
    }
    // The limit is for beat(), and for programs that left while the queue was full: they send nothing more.
    if (poll(fds.data(), fds.size(), pids.empty() ? -1 : 1000) < 0 && errno != EINTR) {
      spdlog::error("poll: {}", std::strerror(errno));
      break;
    }
    broker_.beat(now_ns());
    if (fds[1].revents || fds[2].revents) break;
    for (size_t i = 0; i < pids.size(); ++i)
      if (fds[kFirstProgram + i].revents) bury(pids[i]);
    if (fds[0].revents) receive_all();
    if (fds[3].revents)
      if (auto decision = broker_.settle(); decision && decision->request) send_later(*decision);
    broker_.forget_those_that_left();
    watch_programs();
  }
  close(stop);
}

// At most a few messages in a row, so that deaths are noticed under any load.
void Server::receive_all() {
  for (int i = 0; i < 16; ++i) {
    Request request;
    const ssize_t bytes =
        mq_receive(objects_.requests(), reinterpret_cast<char*>(&request), sizeof request, nullptr);
    if (bytes < 0) return;
    if (const auto checked = protocol::check(request, static_cast<size_t>(bytes)); !checked)
      spdlog::warn("message ignored: {}", checked.error().message);
    else
      handle(request);
  }
}

void Server::handle(const Request& request) {
  const pid_t pid = request.header.pid;
  if (!wants_reply(request.header.kind)) {
    broker_.handle(request, false, "");
    return;
  }
  const std::string name = protocol::reply_queue(instance_, pid);
  const mqd_t replies = mq_open(name.c_str(), O_WRONLY | O_NONBLOCK | O_CLOEXEC);
  if (replies < 0) {
    spdlog::warn("request of process {} ignored: its reply queue {}: {}", pid, name, std::strerror(errno));
    return;
  }
  const Sender sender = find_sender(pid, request.start_time, replies);
  if (sender.is_process) {
    const bool administrator = sender.user == 0 || sender.user == geteuid();
    if (auto reply = broker_.handle(request, administrator, protocol::process_executable(pid)))
      send_reply(request, *reply, replies);
  } else {
    spdlog::warn("request ignored: the reply queue {} is not of process {}", name, pid);
  }
  mq_close(replies);
}

void Server::send_reply(const Request& request, Reply& reply, mqd_t replies) {
  reply.header.kind = Kind::reply;
  reply.header.pid = getpid();
  reply.header.sequence = request.header.sequence;
  if (mq_send(replies, reinterpret_cast<const char*>(&reply), sizeof reply, 0) != 0)
    spdlog::warn("process {} can't be answered: {}", request.header.pid, std::strerror(errno));
}

// To whom asked some time ago, if it still waits.
void Server::send_later(Admission::Decision& decision) {
  const std::string name = protocol::reply_queue(instance_, decision.request->header.pid);
  const mqd_t replies = mq_open(name.c_str(), O_WRONLY | O_NONBLOCK | O_CLOEXEC);
  if (replies < 0) return;
  send_reply(*decision.request, decision.reply, replies);
  mq_close(replies);
}

// One pidfd for each connected program, none for others.
void Server::watch_programs() {
  std::vector<pid_t> dead;
  std::map<pid_t, int> watched;
  for (const auto& [id, program] : broker_.programs()) {
    const auto known = pidfds_.extract(program.pid);
    const int fd = known ? known.mapped() : protocol::open_pidfd(program.pid);
    if (fd >= 0)
      watched[program.pid] = fd;
    else
      dead.push_back(program.pid);
  }
  for (const auto& [pid, fd] : pidfds_) close(fd);
  pidfds_ = std::move(watched);
  for (pid_t pid : dead) bury(pid);
}

void Server::bury(pid_t pid) {
  broker_.forget(pid);
  mq_unlink(protocol::reply_queue(instance_, pid).c_str());
}

}  // namespace samcl::daemon
