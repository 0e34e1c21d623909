// How long jobs of the most urgent program take beside others that never rest, with samcl's manager and without: the
// experiment that Shen et al. publish of XSched (OSDI 2025) with one program beside.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/result.h"
#include "benchmarks/harness/catalogue.h"
#include "benchmarks/harness/measurement.h"

namespace samcl::bench {

struct UrgentSettings {
  std::string folder;                        // of sam-run, sam-managerd and sam-ctl
  std::vector<unsigned> beside = {0, 1, 7};  // programs, a run for each
  uint64_t elements = 1 << 20;               // of the urgent one's jobs
  uint64_t elements_beside = 1 << 20;        // of the others'
  double load = 0.02;                        // part of its period that a job takes alone
  size_t jobs = 1000;                        // of each run
  uint64_t slice_us = 500;                   // that the manager lets others have
};

struct UrgentRow {
  bool managed = false;
  unsigned beside = 0;
  std::vector<double> responses_ms;  // of every job, in their order
  std::string failure;               // why there is nothing; "" if there is
};

struct UrgentSession {
  std::string program;
  Machine machine;
  UrgentSettings settings;
  double period_ms = 0;
  std::vector<UrgentRow> rows;

  // The row's without programs beside, managed or not as it is; nullptr: there is none.
  const UrgentRow* alone(const UrgentRow& row) const;
  // Whether 99 % of its jobs take no longer than 1.05 times what they take alone, and one slice.
  bool is_within_target(const UrgentRow& row) const;
};

std::string urgent_text(const UrgentSession& session);
std::string urgent_json(const UrgentSession& session);

// Every pair of runs, with the manager and without, one after the other. `tell`: what is being done, for people.
// Errors: the program fails alone, or the manager does.
Result<UrgentSession> run_urgent(const Program& program, const UrgentSettings& settings,
                                 const std::function<void(const std::string&)>& tell);

}  // namespace samcl::bench
