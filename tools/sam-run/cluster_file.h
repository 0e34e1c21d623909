// The file that sam-cluster writes: PoCL's servers on several machines, and how programs come by their devices.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/result.h"

namespace samcl::run {

struct Cluster {
  std::vector<std::string> servers;                // as ADDRESS:PORT
  unsigned devices = 0;                            // of all servers
  bool is_tunnelled = false;                       // they do not reach each other where they are reached from here
  bool is_managed = false;                         // each machine's own manager grants its devices to what servers run
  std::map<std::string, std::string> environment;  // for PoCL's remote driver: OCL_ICD_VENDORS, POCL_DEVICES, ...
};

// text: the file's contents. Errors name the line that is not as sam-cluster writes it.
Result<Cluster> parse_cluster(const std::string& text);

// Errors name the file.
Result<Cluster> read_cluster(const std::string& file);

// Whether somebody listens there (ADDRESS:PORT); waits two seconds at most for each of its addresses.
bool answers(const std::string& server);

}  // namespace samcl::run
