#include "tools/sam-run/cluster_file.h"

#include <fstream>
#include <iterator>
#include <sstream>

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
    if (kind != "server" || !(words >> address >> word >> devices) || word != "devices" || devices == 0)
      return fail("line " + std::to_string(number) + " is not one of sam-cluster's: " + line);
    for (unsigned device = 0; device < devices; ++device, ++cluster.devices) {
      cluster.environment["POCL_REMOTE" + std::to_string(cluster.devices) + "_PARAMETERS"] =
          address + "/" + std::to_string(device);
      names += names.empty() ? "remote" : " remote";
    }
  }
  if (cluster.devices == 0) return fail("it has no line 'server ADDRESS:PORT devices N'");
  if (!cluster.environment.count("OCL_ICD_VENDORS")) return fail("it has no line 'vendors DIRECTORY'");
  cluster.environment["POCL_DEVICES"] = names;
  return cluster;
}

Result<Cluster> read_cluster(const std::string& file) {
  std::ifstream in(file);
  if (!in) return fail("cannot read " + file + "; `sam-cluster up` makes such a file");
  auto cluster = parse_cluster({std::istreambuf_iterator<char>(in), {}});
  if (!cluster) return fail(file + ": " + cluster.error().message);
  return cluster;
}

}  // namespace samcl::run
