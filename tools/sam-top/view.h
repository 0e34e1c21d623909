// What sam-top shows, as lines of text: from the manager's status and the user's choices. Pure logic.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace samcl::top {

enum class Order { priority, misses, slowest, jobs };

// The next one, and round again.
Order next(Order order);
const char* name(Order order);

struct Choices {
  Order order = Order::priority;
  std::string filter;   // programs whose task or executable contains it; "": all
  size_t selected = 0;  // row of the programs shown
};

struct Row {
  pid_t pid = 0;
  std::string task;  // "": none
  int priority = 0;
  bool late = false;  // it missed a deadline
  std::string text;
};

struct View {
  std::string head;
  std::string columns;
  std::vector<Row> programs;         // in their order
  std::vector<std::string> devices;  // with a head of their own
};

// Lines of at most `width` characters, as long as the terminal is at least 80 wide.
View make_view(const nlohmann::json& status, const Choices& choices, size_t width);

// "12.3ms": three digits and a unit.
std::string short_time(uint64_t ns);

// "99999", "123k".
std::string short_count(uint64_t count);

// "4.0G": of 1024.
std::string short_bytes(uint64_t bytes);

}  // namespace samcl::top
