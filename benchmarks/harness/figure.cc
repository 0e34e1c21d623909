#include "benchmarks/harness/figure.h"

namespace samcl::bench {

std::optional<Figure> find_figure(int number) {
  if (number == 3) {
    return Figure{"figure 3",  "VectorAdd: phases of a job over its size",
                  "VectorAdd", {"--size"},
                  "elements",  {1 << 14, 1 << 16, 1 << 18, 1 << 20, 1 << 22, 1 << 24, 1 << 26},
                  {1, 2},      {{"upload", kUpload}, {"kernel", kKernel}, {"download", kDownload}}};
  }
  if (number == 5) {
    return Figure{"figure 5",
                  "MatrixMultiplication: time of a job over the matrices' width",
                  "MatrixMultiplication",
                  {"--rows", "--inner", "--columns"},
                  "rows and columns",
                  {256, 512, 1024, 2048},
                  {kBare, 1, 2},
                  {{"total", std::nullopt}, {"kernel", kKernel}}};
  }
  return std::nullopt;
}

std::optional<Figure> figure_of(const Session& session) {
  for (const int number : {3, 5}) {
    auto figure = find_figure(number);
    if (figure->command == session.command) return figure;
  }
  return std::nullopt;
}

}  // namespace samcl::bench
