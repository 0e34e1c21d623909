// Linked to libOpenCL. usage: linked [exec PROGRAM | threads]
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <thread>

#include "tests/interposition/guest.h"

int main(int argc, char** argv) {
  const Functions cl = linked_functions();
  if (argc > 2 && !std::strcmp(argv[1], "exec")) {  // a child of another program
    const pid_t child = fork();
    if (child == 0) {
      execl(argv[2], argv[2], nullptr);
      _exit(127);
    }
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
  }
  if (argc > 1 && !std::strcmp(argv[1], "threads")) {  // the first use from many threads at once
    std::vector<std::thread> threads;
    std::vector<cl_uint> platforms(8);
    for (cl_uint& count : platforms) threads.emplace_back([&] { cl.get_platform_ids(0, nullptr, &count); });
    for (std::thread& thread : threads) thread.join();
    for (const cl_uint count : platforms)
      if (count != platforms[0] || count == 0) return 1;
  }
  const std::vector<cl_device_id> devices = print_devices(cl);
  if (!devices.empty()) run_kernel(cl, cl, devices[0]);
}
