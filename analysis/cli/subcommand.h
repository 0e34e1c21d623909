// One file per subcommand of sam-analyze; main.cc lists them. A subcommand adds its options to CLI11's
// parser and returns what to do when it is chosen.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <stdexcept>
#include <string>

#include "analysis/experiment/chart.h"
#include "analysis/json/task_set_json.h"
#include "analysis/locking/task_set.h"
#include "base/one_of.h"

namespace samcl::analysis::cli {

// Exit codes: 0 done (and schedulable, where there is a verdict), 1 not schedulable or a bound exceeded,
// 2 bad input or usage.
inline constexpr int kGood = 0;
inline constexpr int kNotSchedulable = 1;
inline constexpr int kBadInput = 2;

using Run = std::function<int()>;

// Ends the subcommand: main() prints the message after "sam-analyze: ".
[[noreturn]] inline void refuse(const std::string& message) { throw std::runtime_error(message); }
// The value, or refuses with what was wrong behind `where`.
template <typename T>
T need(Result<T> result, const std::string& where = "") {
  if (!result) refuse(where + result.error().message);
  if constexpr (!std::is_void_v<T>) return *std::move(result);
}

// Called once at start: the parser outlives what is returned. Each has a namespace, as they use names alike.
namespace convert_command {
Run add(CLI::App& parent);
}
namespace rta_command {
Run add(CLI::App& parent);
}
namespace modes_command {
Run add(CLI::App& parent);
}
namespace experiment_command {
Run add(CLI::App& parent);
}
namespace simulate_command {
Run add(CLI::App& parent);
}
namespace locking_command {
Run add(CLI::App& parent);
}
namespace compare_command {
Run add(CLI::App& parent);
}
namespace makespan_command {
Run add(CLI::App& parent);
}
namespace dag_command {
Run add(CLI::App& parent);
}
namespace dbf_command {
Run add(CLI::App& parent);
}
namespace access_command {
Run add(CLI::App& parent);
}
namespace check_command {
Run add(CLI::App& parent);
}
// Of sam-analyze experiment.
namespace berezovskyi_command {
Run add(CLI::App& experiment);
}
namespace gap_command {
Run add(CLI::App& experiment);
}
namespace nunna_command {
Run add(CLI::App& experiment);
}
namespace reductions_command {
Run add(CLI::App& experiment);
}

// An option that is a time, "40ms", into its nanoseconds, which are so many; or a list of them.
CLI::Validator nanoseconds(Time least, Time most);
template <typename Target>
CLI::Option* add_time(CLI::App& command, const std::string& option, Target& target, const std::string& words,
                      Time least = 0, Time most = kLongest) {
  return command.add_option(option, target, words)->transform(nanoseconds(least, most))->type_name("TIME");
}

// What a file's text says, CSV if its name ends so; whether it is such a task set at all.
Result<TaskSetDocument> task_set_from(const std::string& file, const std::string& text, Model model);
bool is_task_set(const std::string& file, const std::string& text);
// The file, or standard input for "-". All that read one refuse with its name before what is wrong.
std::string read_text(const std::string& file);
TaskSetDocument read_task_set(const std::string& file, Model model = Model::pipeline);
// Its modes are those of --modes, if these are any.
TaskSetDocument read_task_set(const std::string& file, const Modes& modes);
// A JSON file as locking/README.md or analysis/README.md has them.
locking::TaskSet read_locking_set(const std::string& file);
// What `parse` makes of its text.
template <typename Parse>
auto read_by(Parse parse, const std::string& file) {
  return need(parse(read_text(file)), (file == "-" ? "standard input" : file) + ": ");
}
// What `parse` makes of its text; or if that is a task set with stages, what `convert` makes of that in another model.
template <typename Parse, typename Convert>
auto read_either(Parse parse, Convert convert, const std::string& file) {
  return read_by(
      [&](const std::string& text) -> decltype(parse(text)) {
        if (!is_task_set(file, text)) return parse(text);
        const auto document = task_set_from(file, text, Model::pipeline);
        if (!document) return tl::unexpected(document.error());
        return convert(document->set, document->modes);
      },
      file);
}
// Of the numbers of an experiment, `what` being all that they depend on.
Origin origin_of(const std::string& what, const std::string& csv);
// OUT.csv, and OUT.json for sam-plot, with so many charts beside each other; the line that says so.
std::string write_results(const std::string& out, const std::string& what, const std::string& csv,
                          const std::vector<Chart>& charts, int columns = 1);

}  // namespace samcl::analysis::cli
