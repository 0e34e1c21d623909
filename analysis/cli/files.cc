#include "base/files.h"

#include <iostream>
#include <iterator>

#include "analysis/cli/subcommand.h"
#include "analysis/csv/task_set_csv.h"
#include "analysis/json/locking_json.h"
#include "analysis/json/place.h"
#include "analysis/locking/pipeline.h"
#include "base/duration.h"
#include "base/hash_text.h"

namespace samcl::analysis::cli {

CLI::Validator nanoseconds(Time least, Time most) {
  const auto read = [least, most](std::string& given) -> std::string {
    const auto time = parse_duration(given);
    if (!time) return time.error().message;
    if (*time < least || *time > most)
      return given + ", expected " + format_duration(least) + " to " + format_duration(most);
    given = std::to_string(*time);
    return "";
  };
  return {read, ""};
}

std::string read_text(const std::string& file) {
  if (file == "-") return {std::istreambuf_iterator<char>(std::cin), {}};
  return need(read_file(file));
}

Origin origin_of(const std::string& what, const std::string& csv) { return {SAMCL_VERSION, what, hash_text(csv)}; }

std::string write_results(const std::string& out, const std::string& what, const std::string& csv,
                          const std::vector<Chart>& charts, int columns) {
  need(write_file(out + ".csv", csv));
  need(write_file(out + ".json", format_charts(charts, columns, origin_of(what, csv))));
  return "Written: " + out + ".csv, " + out + ".json\n";
}

Result<TaskSetDocument> task_set_from(const std::string& file, const std::string& text, Model model) {
  return file.ends_with(".csv") ? parse_task_set_csv(text, model) : parse_task_set(text, model);
}

bool is_task_set(const std::string& file, const std::string& text) {
  return file.ends_with(".csv") || tasks_have(text, "stages");
}

TaskSetDocument read_task_set(const std::string& file, Model model) {
  return read_by([&](const std::string& text) { return task_set_from(file, text, model); }, file);
}

TaskSetDocument read_task_set(const std::string& file, const Modes& modes) {
  TaskSetDocument document = read_task_set(file);
  if (modes.empty()) return document;
  need(check(document.set, modes), "--modes: ");
  document.modes = modes;
  return document;
}

locking::TaskSet read_locking_set(const std::string& file) {
  return read_either(parse_locking_set, locking::shared_gpus, file);
}

}  // namespace samcl::analysis::cli
