#include "tools/sam-run/device_list.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <sstream>

#include "base/bytes.h"
#include "libsamcl/driver/devices.h"
#include "libsamcl/driver/driver.h"
#include "libsamcl/driver/vendor.h"

namespace samcl::run {
namespace {

using Devices = std::vector<driver::Device>;

// Of the devices that are selected, what `tell` says; in a child.
using Tell = std::string (*)(const Devices& devices, double share);

// "=" and what was asked for, else the error's text.
std::string answer(const std::string& selection, Tell tell, double share) {
  unsetenv("OPENCL_LAYERS");  // the real devices, even if sam-run itself runs under samcl
  const auto devices = driver::select_devices(driver::list_devices(), selection);
  if (!devices) return devices.error().message;
  if (devices->empty()) return "there is no OpenCL device here";
  return "=" + tell(*devices, share);
}

[[noreturn]] void answer_to(int pipe, const std::string& text) {
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

Result<std::string> ask_in_child(const std::string& selection, Tell tell, double share = 1) {
  int pipe[2];
  if (pipe2(pipe, O_CLOEXEC) != 0) return fail("cannot make a pipe");
  const pid_t child = fork();
  if (child < 0) return fail("cannot start a process to list the devices");
  if (child == 0) {
    close(pipe[0]);
    answer_to(pipe[1], answer(selection, tell, share));
  }
  close(pipe[1]);
  const std::string text = read_all(pipe[0]);
  close(pipe[0]);
  int status = 0;
  waitpid(child, &status, 0);
  if (!WIFEXITED(status)) return fail("OpenCL crashed while listing its devices");
  if (text.empty() || text[0] != '=') return fail(text.empty() ? "OpenCL ended the process listing its devices" : text);
  return text.substr(1);
}

std::string tell_count(const Devices& devices, double) { return std::to_string(devices.size()); }

// A line for each device.
std::string tell_shares(const Devices& devices, double share) {
  std::string lines;
  for (const driver::Device& device : devices) {
    const auto way = driver::share_way(device.id, share);
    lines += std::to_string(static_cast<int>(way)) + " " +
             std::to_string(driver::units_of_share(device.compute_units, share)) + " " +
             std::to_string(device.compute_units) + " " + device.name + "\n";
  }
  return lines;
}

std::optional<driver::LinkTimes> link_of(cl_device_id device) {
  const auto& cl = driver::real();
  cl_int error;
  const cl_context context = cl.clCreateContext(nullptr, 1, &device, nullptr, nullptr, &error);
  const cl_command_queue queue = context ? cl.clCreateCommandQueue(context, device, 0, &error) : nullptr;
  return queue ? driver::measure_link(context, queue) : std::nullopt;
}

std::string server_of(const driver::Device& device) { return device.server.substr(0, device.server.find('/')); }

// Which device of another machine its bytes come from by the shortest way, the first of its own server or, of that
// itself, the first of all; itself: none.
const driver::Device& source_of(const driver::Device& device, const Devices& devices) {
  const auto of_server = std::ranges::find(devices, server_of(device), server_of);
  if (of_server->id != device.id) return *of_server;
  const auto of_all = std::ranges::find_if(devices, [](const auto& each) { return driver::is_remote(each.id); });
  return of_all != devices.end() && of_all->platform == device.platform ? *of_all : device;
}

// A line for each device. A machine's name has no blanks; "-": this one.
std::string tell_reached(const Devices& devices, double) {
  std::string lines;
  for (const driver::Device& device : devices) {
    const std::string machine = server_of(device);
    const driver::LinkTimes link = link_of(device.id).value_or(driver::LinkTimes());
    const driver::Device& source = machine.empty() ? device : source_of(device, devices);
    const auto exchange = source.id != device.id ? driver::measure_exchange(source.id, device.id) : std::nullopt;
    const auto [through_host, in_one_context] = exchange.value_or(driver::ExchangeTimes());
    lines += (machine.empty() ? "-" : machine) + " " + std::to_string(device.index) + " " +
             std::to_string(source.index) + " " + std::to_string(device.compute_units) + " " +
             std::to_string(device.global_memory) + " " + std::to_string(link.few_ns) + " " +
             std::to_string(link.many_ns) + " " + std::to_string(through_host.few_ns) + " " +
             std::to_string(through_host.many_ns) + " " + std::to_string(in_one_context.few_ns) + " " +
             std::to_string(in_one_context.many_ns) + " " + device.name + "\n";
  }
  return lines;
}

}  // namespace

Result<unsigned> count_devices(const std::string& selection) {
  const auto count = ask_in_child(selection, tell_count);
  if (!count) return tl::unexpected(count.error());
  return static_cast<unsigned>(std::stoul(*count));
}

Result<std::vector<SharedDevice>> shared_devices(const std::string& selection, double share) {
  const auto lines = ask_in_child(selection, tell_shares, share);
  if (!lines) return tl::unexpected(lines.error());
  std::vector<SharedDevice> devices;
  std::istringstream in(*lines);
  int way = 0;
  for (SharedDevice device;
       in >> way >> device.units >> device.all_units >> std::ws && std::getline(in, device.name);) {
    device.way = static_cast<driver::ShareWay>(way);
    devices.push_back(device);
  }
  return devices;
}

Result<std::vector<ReachedDevice>> reached_devices(const std::string& selection) {
  const auto lines = ask_in_child(selection, tell_reached);
  if (!lines) return tl::unexpected(lines.error());
  std::vector<ReachedDevice> devices;
  std::istringstream in(*lines);
  ReachedDevice device;
  driver::LinkTimes link;
  driver::ExchangeTimes exchange;
  auto& [through_host, in_one_context] = exchange;
  while (in >> device.machine >> device.index >> device.source >> device.units >> device.memory >> link.few_ns >>
             link.many_ns >> through_host.few_ns >> through_host.many_ns >> in_one_context.few_ns >>
             in_one_context.many_ns >> std::ws &&
         std::getline(in, device.name)) {
    if (device.machine == "-") device.machine.clear();
    device.link = link.many_ns > 0 ? std::optional(link) : std::nullopt;
    device.exchange = through_host.many_ns > 0 ? std::optional(exchange) : std::nullopt;
    devices.push_back(device);
  }
  return devices;
}

namespace {

std::string text_of(const driver::LinkTimes& times) {
  std::array<char, 96> text{};
  std::snprintf(text.data(), text.size(), "%.3g ms and %.3g GB/s", static_cast<double>(times.few_ns) / 1e6,
                times.bytes_per_ns());
  return text.data();
}

std::string text_of(const driver::ExchangeTimes& times) {
  const auto least = times.least_in_one_context();
  const std::string choice = !least       ? "never taken"
                             : *least > 0 ? "taken from " + format_bytes(*least) + " on"
                                          : "always taken";
  return text_of(times.through_host) + " through this machine, " + text_of(times.in_one_context) +
         " by the driver itself (" + choice + ")";
}

}  // namespace

std::string machine_text(const std::vector<ReachedDevice>& devices) {
  std::string text;
  const std::string* machine = nullptr;
  for (const ReachedDevice& device : devices) {
    if (!machine || *machine != device.machine)
      text += (device.machine.empty() ? "this machine" : device.machine) + "\n";
    machine = &device.machine;
    const std::string link = device.link ? text_of(*device.link) + " away" : "its link cannot be tried";
    text += "  " + std::to_string(device.index) + "  " + device.name + ": " + std::to_string(device.units) +
            " compute units, " + format_bytes(device.memory) + ", " + link + "\n";
    if (device.exchange)
      text += "     from device " + std::to_string(device.source) + ": " + text_of(*device.exchange) + "\n";
  }
  return text;
}

std::string SharedDevice::text() const {
  switch (way) {
    case driver::ShareWay::units:
      return name + ": " + std::to_string(units) + " of " + std::to_string(all_units) + " compute units";
    case driver::ShareWay::mps: return name + ": by NVIDIA's Multi-Process Service";
    case driver::ShareWay::slices: break;
  }
  return name + ": in slices of time";
}

}  // namespace samcl::run
