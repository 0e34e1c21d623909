#include <algorithm>
#include <cmath>
#include <set>

#include "benchmarks/harness/drawing.h"
#include "benchmarks/harness/figure.h"
#include "benchmarks/harness/show.h"

namespace samcl::bench {
namespace {

constexpr double kLeft = 64, kTop = 60, kWidth = 300, kHeight = 280, kGap = 70, kBelow = 60, kLegend = 110;

double value_of(const Row& row, const Panel& panel) {
  return panel.phase ? row.phases_ms[*panel.phase] : row.total_ms.median;
}

// Logarithmic, over whole powers of its base.
struct Scale {
  double low, high;  // exponents
  double base;
  double from, to;  // pixels
  double operator()(double value) const {
    const double share = high > low ? (std::log(value) / std::log(base) - low) / (high - low) : 0.5;
    return from + share * (to - from);
  }
};

Scale scale_over(const std::vector<double>& values, double base, double from, double to) {
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  const auto exponent = [&](double value) { return std::log(value) / std::log(base); };
  Scale scale{std::floor(exponent(*least) + 1e-9), std::ceil(exponent(*most) - 1e-9), base, from, to};
  if (scale.low == scale.high) scale.high += 1;
  return scale;
}

class FigureDrawing {
 public:
  FigureDrawing(const Figure& figure, const std::vector<Row>& rows)
      : figure_(figure),
        rows_(rows),
        width_(kLeft + static_cast<double>(figure.panels.size()) * (kWidth + kGap) + kLegend) {
    for (const Row& row : rows) {
      variants_.insert(row.devices);
      sizes_.insert(row.parameter);
    }
  }

  std::string draw() {
    svg_.text(kLeft, 24, figure_.title);
    for (size_t p = 0; p < figure_.panels.size(); ++p)
      panel(figure_.panels[p], kLeft + static_cast<double>(p) * (kWidth + kGap));
    legend(kLeft + static_cast<double>(figure_.panels.size()) * (kWidth + kGap) - kGap + 14);
    return svg_.finish(width_, kTop + kHeight + kBelow);
  }

 private:
  void panel(const Panel& panel, double left) {
    std::vector<double> values;
    for (const Row& row : rows_) {
      if (value_of(row, panel) > 0) values.push_back(value_of(row, panel));
    }
    svg_.text(left + kWidth / 2, kTop - 10, panel.title + ", ms", kMiddle);
    if (values.empty()) return svg_.text(left + kWidth / 2, kTop + kHeight / 2, "nothing was measured", kMiddle);
    const Scale y = scale_over(values, 10, kTop + kHeight, kTop);
    const Scale x = scale_over({sizes_.begin(), sizes_.end()}, 2, left, left + kWidth);
    axes(x, y, left);
    for (const unsigned devices : variants_) curve(panel, devices, x, y);
  }

  void axes(const Scale& x, const Scale& y, double left) {
    for (double exponent = y.low; exponent <= y.high; ++exponent) {
      const double value = std::pow(10, exponent);
      svg_.line(left, y(value), left + kWidth, y(value), kGrid);
      svg_.text(left - 8, y(value) + 4, short_number(value), kEnd);
    }
    for (const auto size : sizes_) {
      const double at = x(static_cast<double>(size));
      svg_.line(at, kTop + kHeight, at, kTop + kHeight + 5, kFrame);
      svg_.text(at, kTop + kHeight + 19, short_size(size), kMiddle);
    }
    svg_.line(left, kTop + kHeight, left + kWidth, kTop + kHeight, kFrame);
    svg_.line(left, kTop + kHeight, left, kTop, kFrame);
    svg_.text(left + kWidth / 2, kTop + kHeight + 42, figure_.axis, kMiddle);
  }

  void curve(const Panel& panel, unsigned devices, const Scale& x, const Scale& y) {
    std::vector<std::pair<double, double>> points;
    for (const Row& row : rows_) {
      const double value = value_of(row, panel);
      if (row.devices != devices || value <= 0) continue;
      points.emplace_back(x(static_cast<double>(row.parameter)), y(value));
      svg_.circle(points.back().first, points.back().second, 3, fill(colour(devices)),
                  variant_name(devices) + ", " + short_size(row.parameter) + ": " + short_number(value) + " ms");
    }
    svg_.polyline(points, stroke(colour(devices), 1.5) + (devices == kBare ? " stroke-dasharray=\"5 3\"" : ""));
  }

  void legend(double left) {
    double row = kTop + 12;
    for (const unsigned devices : variants_) {
      svg_.line(left, row - 4, left + 20, row - 4, stroke(colour(devices), 2));
      svg_.text(left + 26, row, variant_name(devices));
      row += 20;
    }
  }

  // Powers of two as people say them: 64K, 4M.
  static std::string short_size(uint64_t size) {
    if (size >= 1 << 20 && size % (1 << 20) == 0) return std::to_string(size >> 20) + "M";
    if (size >= 1 << 14 && size % (1 << 10) == 0) return std::to_string(size >> 10) + "K";
    return std::to_string(size);
  }

  static std::string colour(unsigned devices) {
    return devices == kBare ? "#222222" : analysis::svg_colour(devices - 1);
  }

  const Figure& figure_;
  const std::vector<Row>& rows_;
  const double width_;
  analysis::Svg svg_;
  std::set<unsigned> variants_;
  std::set<uint64_t> sizes_;
};

}  // namespace

std::string figure_svg(const Figure& figure, const std::vector<Row>& rows) {
  return FigureDrawing(figure, rows).draw();
}

}  // namespace samcl::bench
