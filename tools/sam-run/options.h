// sam-run's command line.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"

namespace samcl::run {

enum class Manager { automatic, off, embedded, required };
enum class Mix { off, on, exact };

struct Options {
  std::string devices;                 // --devices: as SAMCL_DEVICES; empty: not given
  std::optional<std::string> cluster;  // --cluster: an absolute path
  Mix mix = Mix::off;                  // --mix[=exact]
  bool survive = false;                // --survive
  std::optional<unsigned> gpus;        // --gpus, at least 1
  std::optional<double> share;         // --share: which part of each device
  std::optional<Manager> manager;      // --manager
  std::string task;                    // --task; empty: not given
  std::optional<std::string> report;   // --report: "-" for the table on stderr, else an absolute path for JSON
  std::optional<std::string> trace;    // --trace: an absolute path
  std::optional<std::string> plan;     // --plan: an absolute path
  std::string what_if;                 // --what-if: machines, as SAMCL_WHAT_IF; empty: not given
  std::string what_if_to;              // --json: an absolute path for its JSON; empty: a table on stderr
  std::vector<std::string> program;    // PROGRAM and its arguments; never empty
  bool machine = false;                // --machine: print the machines and devices and exit with 0; needs no program
  bool help = false;                   // --help was given: print help_text() and exit with 0
  bool version = false;                // --version likewise
};

const char* help_text();

// Reads the command line without argv[0]. Options end at "--" or at the first word that is not an option;
// what follows is the program's. `directory`: the working directory, for relative files.
// Errors name the option, its value and what was expected.
Result<Options> parse_options(const std::vector<std::string>& arguments, const std::string& directory);

}  // namespace samcl::run
