#include "sam-manager/daemon/objects.h"

#include <fcntl.h>
#include <grp.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <ctime>
#include <new>

#include "sam-manager/protocol/names.h"
#include "sam-manager/protocol/process.h"

namespace samcl::daemon {

using protocol::Segment;

namespace {

std::string why() {
  return std::strerror(errno);
}

constexpr gid_t kKeep = static_cast<gid_t>(-1);

Result<gid_t> find_group(const std::string& name) {
  const group* found = getgrnam(name.empty() ? "samcl" : name.c_str());
  if (found) return found->gr_gid;
  if (name.empty()) return kKeep;
  return fail("group: there is no group \"" + name + "\"");
}

Segment* map_segment(int file) {
  void* memory = mmap(nullptr, sizeof(Segment), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  return memory == MAP_FAILED ? nullptr : static_cast<Segment*>(memory);
}

// Clients of a daemon that died must not go on with words that nobody looks after.
void close_segment(Segment& segment) {
  segment.closed.store(1);
  for (auto& client : segment.clients)
    for (auto& grant : client.grants) protocol::futex_wake_all(grant);
}

void close_leftover(const std::string& name) {
  const int file = shm_open(name.c_str(), O_RDWR | O_CLOEXEC, 0);
  if (file < 0) return;
  struct stat facts {};
  if (fstat(file, &facts) == 0 && facts.st_size == static_cast<off_t>(sizeof(Segment))) {
    if (Segment* segment = map_segment(file)) {
      close_segment(*segment);
      munmap(segment, sizeof(Segment));
    }
  }
  close(file);
  shm_unlink(name.c_str());
}

}  // namespace

Result<std::unique_ptr<Objects>> Objects::make(const Config& config) {
  const auto group = find_group(config.group);
  if (!group) return tl::unexpected(group.error());
  std::unique_ptr<Objects> objects(new Objects(config.instance));
  if (auto made = objects->lock(); !made) return tl::unexpected(made.error());
  // The segment last: who sees it can send.
  if (auto made = objects->make_queue(config.mode, *group); !made) return tl::unexpected(made.error());
  if (auto made = objects->make_segment(config.mode, *group); !made) return tl::unexpected(made.error());
  return objects;
}

Objects::~Objects() {
  if (segment_) {
    close_segment(*segment_);
    shm_unlink(protocol::state_segment(instance_).c_str());
    munmap(segment_, sizeof(Segment));
  }
  if (requests_ >= 0) {
    mq_unlink(protocol::request_queue(instance_).c_str());
    mq_close(requests_);
  }
  if (lock_ >= 0) {
    shm_unlink(protocol::lock_segment(instance_).c_str());
    close(lock_);
  }
}

Result<void> Objects::lock() {
  const std::string name = protocol::lock_segment(instance_);
  while (true) {
    const int file = shm_open(name.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (file < 0) return fail("cannot make the lock " + name + ": " + why());
    if (flock(file, LOCK_EX | LOCK_NB) != 0) {
      close(file);
      return fail("another sam-managerd serves the instance \"" + instance_ + "\"");
    }
    // A daemon that was just ending may have unlinked it meanwhile: then it guards nothing.
    struct stat facts {};
    if (fstat(file, &facts) == 0 && facts.st_nlink > 0) {
      lock_ = file;
      return {};
    }
    close(file);
  }
}

Result<void> Objects::make_queue(mode_t mode, gid_t group) {
  const std::string name = protocol::request_queue(instance_);
  mq_unlink(name.c_str());
  mq_attr shape{};
  shape.mq_maxmsg = 10;  // what the system allows everyone
  shape.mq_msgsize = sizeof(protocol::Request);
  requests_ = mq_open(name.c_str(), O_RDWR | O_CREAT | O_EXCL | O_NONBLOCK | O_CLOEXEC, 0600, &shape);
  if (requests_ < 0)
    return fail(
        "cannot make the request queue " + name + ": " + why() +
        (errno == EMFILE || errno == ENOSPC ? " (see `ulimit -q` and /proc/sys/fs/mqueue/queues_max)" : ""));
  if (fchown(requests_, static_cast<uid_t>(-1), group) != 0 || fchmod(requests_, mode) != 0)
    return fail("cannot open the request queue " + name + " to its group: " + why());
  return {};
}

Result<void> Objects::make_segment(mode_t mode, gid_t group) {
  const std::string name = protocol::state_segment(instance_);
  close_leftover(name);
  // Made with no rights for others and filled before its name can be opened by them.
  const int file = shm_open(name.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (file < 0) return fail("cannot make the shared memory " + name + ": " + why());
  if (ftruncate(file, sizeof(Segment)) != 0) {
    close(file);
    return fail("cannot size the shared memory " + name + ": " + why());
  }
  segment_ = map_segment(file);
  if (!segment_) {
    close(file);
    return fail("cannot map the shared memory " + name + ": " + why());
  }
  new (segment_) Segment{};
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  segment_->daemon_pid = getpid();
  segment_->daemon_start = protocol::process_start_time(getpid());
  segment_->generation =
      static_cast<uint64_t>(now.tv_sec) * 1'000'000'000ULL + static_cast<uint64_t>(now.tv_nsec);
  segment_->version = protocol::kVersion;
  segment_->magic = protocol::kMagic;
  const bool opened = fchown(file, static_cast<uid_t>(-1), group) == 0 && fchmod(file, mode) == 0;
  close(file);
  if (!opened) return fail("cannot open the shared memory " + name + " to its group: " + why());
  return {};
}

}  // namespace samcl::daemon
