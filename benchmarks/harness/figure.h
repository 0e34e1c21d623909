// The papers' figures of single programs over their size.
//
//   figure 3   upload, kernel and download against the size, on one device and on two: what splitting brings
//   to each figure 5   matrix multiplication of 256 x 256 to 2048 x 2048, without samcl and with
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "benchmarks/harness/comparison.h"

namespace samcl::bench {

// What is drawn over the size: a phase, or the total.
struct Panel {
  std::string title;
  std::optional<Phase> phase;  // none: the total
};

struct Figure {
  std::string command;  // as Session::command
  std::string title;
  std::string program;
  std::vector<std::string> size_options;  // each is given the size
  std::string axis;                       // what the size counts
  std::vector<uint64_t> sizes;
  std::vector<unsigned> devices;
  std::vector<Panel> panels;
};

// Nothing if there is no such figure.
std::optional<Figure> find_figure(int number);

// The figure that a session is of; nothing if it is of none.
std::optional<Figure> figure_of(const Session& session);

// A panel beside the other, a curve for each number of devices; both axes logarithmic, since sizes and times
// are.
std::string figure_svg(const Figure& figure, const std::vector<Row>& rows);

}  // namespace samcl::bench
