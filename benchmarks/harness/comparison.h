// Sessions summarized: one row for each program, size and number of devices.
#pragma once

#include <optional>
#include <vector>

#include "benchmarks/harness/measurement.h"

namespace samcl::bench {

// Median and quartiles, interpolated linearly between order statistics (type 7 of Hyndman and Fan, 1996).
struct Spread {
  size_t count = 0;
  double low = 0, median = 0, high = 0;
};
Spread spread_of(std::vector<double> values);

// Nearest rank: that share of all values is no larger. 0 if there are none.
double percentile(std::vector<double> values, double share);

struct Row {
  std::string program, size;
  uint64_t parameter = 0;
  unsigned devices = kBare;
  Outcome outcome = Outcome::pass;          // the first that is no PASS
  std::string note;                         // why not, or why fewer devices than given were used
  Spread total_ms;                          // over the runs that passed
  std::array<double, kPhases> phases_ms{};  // medians
  double uploaded_bytes = 0, downloaded_bytes = 0;
  unsigned devices_used = 0;
  // Bare total by this one's, each round for itself, so that what is slow for a while slows both; absent for
  // bare, and without a round in which both passed.
  std::optional<Spread> speedup;
  std::optional<bool> same_result;  // as bare has, by checksum; absent for bare and where one of them has none
};

// In the order in which the runs come first.
std::vector<Row> summarize(const std::vector<Execution>& runs);

// Whether every run passed, and gave the result that bare gave.
bool all_good(const std::vector<Row>& rows);

// The variants of a program in the order for that round: every second one backwards, so that neither drift
// nor what one leaves in caches is always to the same one's advantage.
std::vector<unsigned> order_in_round(std::vector<unsigned> devices, unsigned round);

}  // namespace samcl::bench
