// The executions of a session: what runs when, and what is not repeated.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "benchmarks/harness/catalogue.h"
#include "benchmarks/harness/measurement.h"

namespace samcl::bench {

// A program with one size.
struct Item {
  Program program;
  uint64_t parameter = 0;
  std::vector<std::string> arguments;
};

struct Campaign {
  std::vector<Item> items;
  std::vector<unsigned> devices;  // each item runs on each of them
  unsigned repeat = 5;            // rounds

  size_t executions() const { return items.size() * devices.size() * repeat; }
};

// What a campaign asks of the world.
struct Conduct {
  // Makes one execution; it is given the item and an Execution that says which.
  std::function<Execution(const Item&, Execution)> execute;
  // Told of each execution before it is made: its number from 0, and which.
  std::function<void(size_t, const Item&, const Execution&)> announce;
  // Told of all executions so far when an item is done with: a long session should not be lost whole.
  std::function<void(const std::vector<Execution>&)> item_done;
  // Whether to stop here; an execution during which it became true does not count.
  std::function<bool()> stopped;
};

// Item after item, round after round, in each round all numbers of devices, alternately (order_in_round()).
// What did not end by itself is not repeated: it would cost its time limit again.
std::vector<Execution> measure(const Campaign& campaign, const Conduct& conduct);

}  // namespace samcl::bench
