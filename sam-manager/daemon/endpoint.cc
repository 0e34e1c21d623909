#include "sam-manager/daemon/endpoint.h"

#include <fcntl.h>
#include <mqueue.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "sam-manager/protocol/names.h"

namespace samcl::daemon {

using protocol::Descriptor;

namespace {

constexpr int kFirstGiven = 3;  // as sd_listen_fds(3) has it

std::string why() { return std::strerror(errno); }

// Releases before version 4 of the protocol had named objects, which stayed when a process was killed.
void remove_what_older_releases_left(const std::string& instance) {
  const std::string name = "samcl." + instance;
  for (const char* object : {".state", ".lock"}) shm_unlink(("/" + name + object).c_str());
  mq_unlink(("/" + name + ".requests").c_str());
  std::error_code error;
  for (std::filesystem::directory_iterator at("/dev/mqueue", error), end; !error && at != end; at.increment(error))
    if (const std::string queue = at->path().filename(); queue.starts_with(name + ".reply."))
      mq_unlink(("/" + queue).c_str());
}

bool is_same_file(const std::string& path, ino_t inode) {
  struct stat facts{};
  return lstat(path.c_str(), &facts) == 0 && facts.st_ino == inode;
}

}  // namespace

Endpoint::Endpoint(std::string instance)
    : instance_(std::move(instance)), directory_(protocol::own_socket_directory()) {}

Result<std::unique_ptr<Endpoint>> Endpoint::make(const std::string& instance) {
  std::unique_ptr<Endpoint> endpoint(new Endpoint(instance));
  if (auto made = endpoint->make_directory(); !made) return tl::unexpected(made.error());
  if (auto made = endpoint->lock(); !made) return tl::unexpected(made.error());
  remove_what_older_releases_left(instance);
  const auto given = endpoint->take_given_socket();
  if (!given) return tl::unexpected(given.error());
  if (*given) return endpoint;
  if (auto made = endpoint->make_socket(); !made) return tl::unexpected(made.error());
  return endpoint;
}

Endpoint::~Endpoint() {
  const std::string path = protocol::socket_path(directory_, instance_);
  if (made_ != 0 && is_same_file(path, made_)) unlink(path.c_str());
  if (holds_lock()) unlink(lock_path().c_str());
}

std::string Endpoint::lock_path() const { return directory_ + "/" + instance_ + ".lock"; }

bool Endpoint::holds_lock() const {
  struct stat facts{};
  return lock_ && fstat(lock_.get(), &facts) == 0 && is_same_file(lock_path(), facts.st_ino);
}

Result<void> Endpoint::make_directory() {
  std::error_code error;
  std::filesystem::create_directories(std::filesystem::path(directory_).parent_path(), error);
  if (mkdir(directory_.c_str(), 0755) != 0 && errno != EEXIST)
    return fail("cannot make the directory " + directory_ + ": " + why());
  const auto owner = protocol::owner_of_directory(directory_);
  if (!owner) return fail("cannot serve there: " + owner.error().message);
  if (*owner != geteuid() && geteuid() != 0) return fail("cannot serve there: " + directory_ + " is not ours");
  return {};
}

Result<void> Endpoint::lock() {
  const std::string path = lock_path();
  while (true) {
    lock_ = Descriptor(open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
    if (!lock_) return fail("cannot make the lock " + path + ": " + why());
    if (flock(lock_.get(), LOCK_EX | LOCK_NB) != 0) {
      lock_.reset();
      return fail("another sam-managerd serves the instance \"" + instance_ + "\"");
    }
    // A daemon that was just ending may have unlinked it meanwhile: then it guards nothing.
    if (holds_lock()) return {};
  }
}

bool Endpoint::is_lost() const {
  if (!holds_lock()) return true;
  return made_ != 0 && !is_same_file(protocol::socket_path(directory_, instance_), made_);
}

Result<bool> Endpoint::take_given_socket() {
  const char* process = std::getenv("LISTEN_PID");
  const char* count = std::getenv("LISTEN_FDS");
  const bool is_for_us = process && count && std::atoi(process) == getpid();
  const int sockets = is_for_us ? std::atoi(count) : 0;
  unsetenv("LISTEN_PID");
  unsetenv("LISTEN_FDS");
  unsetenv("LISTEN_FDNAMES");
  if (sockets == 0) return false;
  int type = 0, listens = 0;
  socklen_t bytes = sizeof type;
  if (sockets != 1 || getsockopt(kFirstGiven, SOL_SOCKET, SO_TYPE, &type, &bytes) != 0 || type != SOCK_SEQPACKET ||
      getsockopt(kFirstGiven, SOL_SOCKET, SO_ACCEPTCONN, &listens, &bytes) != 0 || listens == 0)
    return fail("the service manager gave " + std::to_string(sockets) +
                " sockets, expected one that listens (ListenSequentialPacket=)");
  fcntl(kFirstGiven, F_SETFD, FD_CLOEXEC);
  fcntl(kFirstGiven, F_SETFL, fcntl(kFirstGiven, F_GETFL) | O_NONBLOCK);
  socket_ = Descriptor(kFirstGiven);
  return true;
}

Result<void> Endpoint::make_socket() {
  const std::string path = protocol::socket_path(directory_, instance_);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path) return fail("the path of the socket is too long: " + path);
  std::memcpy(address.sun_path, path.c_str(), path.size());
  socket_ = Descriptor(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  // We hold the lock: what is there is nobody's.
  unlink(path.c_str());
  // Everybody may connect; who may do what is decided by the kernel's word on who they are.
  struct stat facts{};
  if (!socket_ || bind(socket_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
      chmod(path.c_str(), 0666) != 0 || lstat(path.c_str(), &facts) != 0 || listen(socket_.get(), 1024) != 0)
    return fail("cannot make the socket " + path + ": " + why());
  made_ = facts.st_ino;
  return {};
}

}  // namespace samcl::daemon
