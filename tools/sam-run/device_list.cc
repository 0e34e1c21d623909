#include "tools/sam-run/device_list.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>

#include "libsamcl/driver/devices.h"

namespace samcl::run {
namespace {

// In the child: "=N" for a count, else the error's text.
std::string answer(const std::string& selection) {
  unsetenv("OPENCL_LAYERS");  // the real devices, even if sam-run itself runs under samcl
  const auto devices = driver::select_devices(driver::list_devices(), selection);
  if (!devices) return devices.error().message;
  if (devices->empty()) return "there is no OpenCL device here";
  return "=" + std::to_string(devices->size());
}

[[noreturn]] void answer_to(int pipe, const std::string& selection) {
  const std::string text = answer(selection);
  size_t sent = 0;
  while (sent < text.size()) {
    const ssize_t count = write(pipe, text.data() + sent, text.size() - sent);
    if (count <= 0) break;
    sent += static_cast<size_t>(count);
  }
  _exit(0);  // the driver's exit handlers are no business of ours
}

// All that comes until the other side closes.
std::string read_all(int pipe) {
  std::string text;
  for (;;) {
    char buffer[1024];
    const ssize_t count = read(pipe, buffer, sizeof(buffer));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return text;
    text.append(buffer, static_cast<size_t>(count));
  }
}

}  // namespace

Result<unsigned> count_devices(const std::string& selection) {
  int pipe[2];
  if (pipe2(pipe, O_CLOEXEC) != 0) return fail("cannot make a pipe");
  const pid_t child = fork();
  if (child < 0) return fail("cannot start a process to list the devices");
  if (child == 0) {
    close(pipe[0]);
    answer_to(pipe[1], selection);
  }
  close(pipe[1]);
  const std::string text = read_all(pipe[0]);
  close(pipe[0]);
  int status = 0;
  waitpid(child, &status, 0);
  if (!WIFEXITED(status)) return fail("OpenCL crashed while listing its devices");
  if (text.empty() || text[0] != '=')
    return fail(text.empty() ? "OpenCL ended the process listing its devices" : text);
  return static_cast<unsigned>(std::stoul(text.substr(1)));
}

}  // namespace samcl::run
