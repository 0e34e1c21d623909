// Results for people and for tools.
#pragma once

#include <string>
#include <vector>

#include "benchmarks/harness/catalogue.h"
#include "benchmarks/harness/comparison.h"

namespace samcl::bench {

std::string variant_name(unsigned devices);  // "bare", "1 device", "2 devices"

// Times in ms, moved bytes in MiB, a line for each row.
std::string rows_text(const std::vector<Row>& rows);
std::string machine_text(const Machine& machine);
std::string programs_text(const std::vector<Program>& programs);

// The session's machine, and the rows with all their numbers.
std::string rows_json(const Session& session, const std::vector<Row>& rows);

// The papers' bar chart: for each program a bar per number of devices, its phases one upon the other, in
// parts of bare's total (of the first one's where bare was not run).
std::string bars_svg(const std::vector<Row>& rows);

}  // namespace samcl::bench
