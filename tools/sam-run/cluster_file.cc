#include "tools/sam-run/cluster_file.h"

#include <netdb.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <sstream>

#include "base/files.h"

namespace samcl::run {

Result<Cluster> parse_cluster(const std::string& text) {
  Cluster cluster;
  std::string names;
  std::istringstream lines(text);
  unsigned number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    std::istringstream words(line);
    std::string kind, address, word;
    unsigned devices = 0;
    words >> kind;
    if (kind.empty() || kind[0] == '#') continue;
    if (kind == "vendors" && words >> cluster.environment["OCL_ICD_VENDORS"]) continue;
    if (kind == "tunnelled") {
      cluster.is_tunnelled = true;
      continue;
    }
    if (kind == "managed") {
      cluster.is_managed = true;
      continue;
    }
    if (kind != "server" || !(words >> address >> word >> devices) || word != "devices" || devices == 0)
      return fail("line " + std::to_string(number) + " is not one of sam-cluster's: " + line);
    cluster.servers.push_back(address);
    for (unsigned device = 0; device < devices; ++device, ++cluster.devices) {
      // What follows # is where other servers reach it: nowhere.
      cluster.environment["POCL_REMOTE" + std::to_string(cluster.devices) + "_PARAMETERS"] =
          address + "/" + std::to_string(device) + (cluster.is_tunnelled ? "#-" : "");
      names += names.empty() ? "remote" : " remote";
    }
  }
  if (cluster.devices == 0) return fail("it has no line 'server ADDRESS:PORT devices N'");
  if (!cluster.environment.count("OCL_ICD_VENDORS")) return fail("it has no line 'vendors DIRECTORY'");
  cluster.environment["POCL_DEVICES"] = names;
  return cluster;
}

Result<Cluster> read_cluster(const std::string& file) {
  const auto text = read_file(file);
  if (!text) return fail("cannot read " + text.error().message + "; `sam-cluster up` makes such a file");
  auto cluster = parse_cluster(*text);
  if (!cluster) return fail(file + ": " + cluster.error().message);
  return cluster;
}

bool answers(const std::string& server) {
  const size_t colon = server.rfind(':');
  if (colon == std::string::npos) return false;
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  if (getaddrinfo(server.substr(0, colon).c_str(), server.substr(colon + 1).c_str(), &hints, &found) != 0) return false;
  bool connected = false;
  for (const addrinfo* each = found; each && !connected; each = each->ai_next) {
    const int fd = socket(each->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0) continue;
    const timeval limit{2, 0};
    setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);  // of connect(), too
    connected = connect(fd, each->ai_addr, each->ai_addrlen) == 0;
    close(fd);
  }
  freeaddrinfo(found);
  return connected;
}

}  // namespace samcl::run
