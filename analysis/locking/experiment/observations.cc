#include "analysis/locking/experiment/observations.h"

#include <algorithm>
#include <cmath>

#include "analysis/model/number_text.h"

namespace samcl::analysis::locking {
namespace {

constexpr int64_t kEnough = 30;  // sets of which a share can be told at all
constexpr int64_t kFew = 10;     // schedulable sets of which the farthest can
constexpr Counted kShared = Counted::shared_resource, kContained = Counted::containers;
constexpr size_t kBy4 = 2, kBy8 = 3, kBy16 = 4;  // axes

// What is read off one observation's figures, and whether it is what the paper reads.
class Reading {
 public:
  Reading(int number, std::string paper) { result_ = {number, std::move(paper), "", true}; }

  // What schedulable sets reach.
  void near(const std::string& where, const Histogram& sets, double found, double paper) {
    note(where, sets.total(Counted::either) >= kFew, significant(found, 6), std::abs(found - paper) <= 1);
  }
  void above(const std::string& where, const Histogram& sets, double found, double paper) {
    note(where, sets.total(Counted::either) >= kFew, significant(found, 6), found > paper);
  }
  // The share of the class that begins at `utilisation`.
  void share_near(const std::string& where, const Histogram& sets, size_t axis, double utilisation, double paper) {
    const auto bin = static_cast<size_t>(utilisation / kClassWidth);
    const double found = sets.share(axis, bin, kContained);
    note(where, sets.at(axis, bin, Counted::sets) >= kEnough, percent(found, 1), std::abs(found - paper) <= 0.1);
  }
  void note(const std::string& where, const Histogram& sets, const std::string& found, bool agrees) {
    note(where, sets.total(Counted::sets) >= kEnough, found, agrees);
  }
  void note(const std::string& where, bool enough, const std::string& found, bool agrees) {
    result_.found += (result_.found.empty() ? "" : ", ") + where + " " + (enough ? found : "too few sets");
    if (!enough)
      unknown_ = true;
    else if (!agrees)
      result_.agrees = false;
  }
  void remark(const std::string& words) { result_.found += "; " + words; }

  Observation result() const {
    Observation result = result_;
    if (unknown_ && result.agrees == true) result.agrees.reset();
    return result;
  }

 private:
  Observation result_;
  bool unknown_ = false;
};

// The figures' insets by number and letter.
class Insets {
 public:
  explicit Insets(const Histograms& all) : all_(all) {}
  Histogram operator()(int figure, char letter) const {
    const ElliottFigure shown = elliott_figure(figure);
    for (const Inset& inset : shown.insets)
      if (inset.letter == letter) return over_periods(inset.curves.front().scenario, all_);
    return {};
  }
  Histogram of(size_t utilisation, size_t use, size_t share, size_t cpus) const {
    return over_periods({utilisation, 0, use, share, cpus}, all_);
  }

 private:
  const Histograms& all_;
};

double most_reached(const Histogram& sets, size_t axis) {
  return std::max(sets.reached(axis, kShared), sets.reached(axis, kContained));
}

std::string name(int figure, char letter) { return std::to_string(figure) + "(" + letter + ")"; }

Observation beyond_the_cpus(const Insets& insets) {
  Reading reading(1, "effective utilisations reached: 6(d) 8, 6(f) 15, 8(i) 20, 9(f) 23");
  for (const auto& [figure, letter, paper] :
       {std::tuple{6, 'd', 8.0}, {6, 'f', 15.0}, {8, 'i', 20.0}, {9, 'f', 23.0}}) {
    const Histogram sets = insets(figure, letter);
    reading.near(name(figure, letter), sets, most_reached(sets, kBy16), paper);
  }
  return reading.result();
}

Observation four_cpus(const Insets& insets) {
  Reading reading(2, "4x on 4 CPUs: CM at 4.0: 6(a) 80%, 6(d) 90%, up to 4.5; SRM above 5 in 7");
  for (const auto& [letter, paper] : {std::pair{'a', 0.8}, {'d', 0.9}}) {
    const Histogram sets = insets(6, letter);
    reading.share_near(name(6, letter), sets, kBy4, 4, paper);
    reading.near("up to", sets, sets.reached(kBy4, kContained), 4.5);
  }
  Histogram heavy;
  for (const char letter : {'a', 'b', 'c'}) heavy.add(insets(7, letter));
  reading.above("7", heavy, heavy.reached(kBy4, kShared), 5);
  return reading.result();
}

Observation eight_cpus(const Insets& insets) {
  Reading reading(3, "8x on 8 CPUs: CM at 8.0: 8(a), 8(d) 60%, up to 9 or 9.5; SRM with 4x above 8 in 8(g) to (i)");
  for (const char letter : {'a', 'd'}) {
    const Histogram sets = insets(8, letter);
    reading.share_near(name(8, letter), sets, kBy8, 8, 0.6);
    reading.near("up to", sets, sets.reached(kBy8, kContained), 9.25);
  }
  for (const char letter : {'g', 'h', 'i'}) {
    const Histogram sets = insets(8, letter);
    reading.above(name(8, letter), sets, sets.reached(kBy4, kShared), 8);
  }
  return reading.result();
}

Observation twelve_cpus(const Insets& insets) {
  Reading reading(4, "4x on 12 CPUs: more than 12 in 9");
  for (const char letter : {'a', 'b', 'c', 'd', 'e', 'f'}) {
    const Histogram sets = insets(9, letter);
    reading.above(name(9, letter), sets, most_reached(sets, kBy4), 12);
  }
  return reading.result();
}

Observation methods_compared(const Insets& insets) {
  Reading reading(5, "CM schedules more than SRM in (a), (b), (c), (e), (f) of 6, 8 and 9");
  for (const int figure : {6, 8, 9})
    for (const char letter : {'a', 'b', 'c', 'e', 'f'}) {
      const Histogram sets = insets(figure, letter);
      const double contained = sets.share(kContained), shared = sets.share(kShared);
      reading.note(name(figure, letter), sets, percent(contained, 1) + "/" + percent(shared, 1), contained > shared);
    }
  return reading.result();
}

Observation larger_tasks(const Insets& insets) {
  Reading reading(6, "SRM with 16x reaches more with larger tasks: 8(a) 13, 8(g) 18");
  for (const auto& [letter, paper] : {std::pair{'a', 13.0}, {'g', 18.0}}) {
    const Histogram sets = insets(8, letter);
    reading.near(name(8, letter), sets, sets.reached(kBy16, kShared), paper);
  }
  reading.remark("on 12 CPUs: 9(a) " + significant(insets(9, 'a').reached(kBy16, kShared), 6) + ", 10(g) " +
                 significant(insets(10, 'g').reached(kBy16, kShared), 6));
  return reading.result();
}

Observation heavy_tasks(const Insets& insets) {
  Reading reading(7, "CM schedules no heavy set");
  Histogram heavy;
  for (const auto& [figure, letters] :
       {std::pair{6, "ghi"}, std::pair{7, "abc"}, std::pair{8, "ghi"}, std::pair{10, "ghi"}})
    for (const char* letter = letters; *letter != 0; ++letter) heavy.add(insets(figure, *letter));
  reading.note("6(g) to (i), 7, 8(g) to (i), 10:", heavy,
               std::to_string(heavy.total(kContained)) + " of " + std::to_string(heavy.total(Counted::sets)),
               heavy.share(kContained) < 0.001);
  return reading.result();
}

Observation light_tasks(const Insets& insets) {
  Reading reading(8, "6(c), 16x: CM reaches 15, SRM 7");
  const Histogram sets = insets(6, 'c');
  reading.near("CM", sets, sets.reached(kBy16, kContained), 15);
  reading.near("SRM", sets, sets.reached(kBy16, kShared), 7);
  return reading.result();
}

// The share of GPU-using tasks that includes, or is beside, 1 / m reaches most.
Observation best_share(const Insets& insets) {
  Reading reading(9,
                  "most is reached (here: by 10% of sets) with about 1/m of the tasks: 11(a) 30-40 %, 12(a) 10-20 %");
  constexpr size_t kMostUse = 2;
  for (size_t cpus = 0; cpus < kCpus.size(); ++cpus)
    for (const Counted method : {kShared, kContained}) {
      const double even = 10.0 / kCpus[cpus];
      size_t best = 0;
      Histogram of_best;
      double beside = 0;  // what shares that include, or are next to, 1/m reach
      for (size_t share = 0; share < kShares; ++share) {
        Histogram sets = insets.of(kMedium, kMostUse, share, cpus);
        const double reached = sets.reached(kBy16, method, 0.1), from = static_cast<double>(share);
        if (from - 1 <= even && even <= from + 2) beside = std::max(beside, reached);
        if (reached <= of_best.reached(kBy16, method, 0.1)) continue;
        best = share;
        of_best = std::move(sets);
      }
      const double most = of_best.reached(kBy16, method, 0.1);
      reading.note(name(static_cast<int>(11 + cpus), method == kShared ? 'a' : 'b'), of_best,
                   share_name(best) + " % " + significant(most, 6) + " (about 1/m: " + significant(beside, 6) + ")",
                   beside >= most - 2 * kClassWidth);
    }
  return reading.result();
}

Observation bottleneck(const Insets& insets) {
  Reading reading(10, "13(b), 90-100 %: all schedulable up to 12, none above");
  const Histogram sets = insets.of(kMedium, 2, kShares - 1, 2);
  int64_t below = 0, schedulable = 0;
  for (size_t bin = 0; bin < static_cast<size_t>(12 / kClassWidth); ++bin) {
    below += sets.at(kBy16, bin, Counted::sets);
    schedulable += sets.at(kBy16, bin, kContained);
  }
  const double share = below == 0 ? 0 : static_cast<double>(schedulable) / static_cast<double>(below);
  reading.note("up to 12", below >= kEnough, percent(share, 1), share > 0.99);
  reading.near("none above", sets, sets.reached(kBy16, kContained), 12);
  return reading.result();
}

std::string describe(const Scenario& scenario) {
  return std::string(kUtilisations[scenario.utilisation].name) + "," + kPeriods[scenario.period].name + "," +
         std::to_string(kGpuUse[scenario.gpu_use]) + "," + share_name(scenario.share) + "," +
         std::to_string(scenario.cpu_count());
}

}  // namespace

std::vector<Observation> observations(const Histograms& all) {
  const Insets insets(all);
  return {beyond_the_cpus(insets),  four_cpus(insets),    eight_cpus(insets),  twelve_cpus(insets),
          methods_compared(insets), larger_tasks(insets), heavy_tasks(insets), light_tasks(insets),
          best_share(insets),       bottleneck(insets)};
}

std::string format_csv(const Histograms& all) {
  std::string csv = "task_utilisation,period,gpu_use_percent,gpu_tasks_percent,cpus,speed_up,utilisation_up_to";
  for (size_t c = 0; c < kCounted; ++c) csv += std::string(",") + name(static_cast<Counted>(c));
  csv += "\n";
  for (size_t point = 0; point < all.size(); ++point)
    for (size_t n = 0; n < kAxes; ++n)
      for (size_t bin = 0; bin < kClasses; ++bin) {
        if (all[point].at(n, bin, Counted::sets) == 0) continue;
        csv += describe(scenario(point)) + "," + std::to_string(speed_up(n)) + "," +
               (bin + 1 == kClasses ? "inf" : significant(kClassWidth * static_cast<double>(bin + 1), 6));
        for (size_t c = 0; c < kCounted; ++c)
          csv += "," + std::to_string(all[point].at(n, bin, static_cast<Counted>(c)));
        csv += "\n";
      }
  return csv;
}

}  // namespace samcl::analysis::locking
