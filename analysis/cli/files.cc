#include "base/files.h"

#include <iostream>
#include <iterator>

#include "analysis/cli/subcommand.h"
#include "analysis/csv/task_set_csv.h"
#include "analysis/json/place.h"

namespace samcl::analysis::cli {

Result<std::string> read_text(const std::string& file) {
  if (file == "-") return std::string(std::istreambuf_iterator<char>(std::cin), {});
  return read_file(file);
}

Result<std::string> write_results(const std::string& out, const std::string& csv, const std::vector<Chart>& charts,
                                  int columns) {
  for (const auto& [ending, text] : {std::pair{".csv", csv}, {".json", format_charts(charts, columns)}})
    if (auto good = write_file(out + ending, text); !good) return tl::unexpected(good.error());
  return "Written: " + out + ".csv, " + out + ".json\n";
}

Result<TaskSetDocument> task_set_from(const std::string& file, const std::string& text, Model model) {
  return file.ends_with(".csv") ? parse_task_set_csv(text, model) : parse_task_set(text, model);
}

bool is_task_set(const std::string& file, const std::string& text) {
  return file.ends_with(".csv") || tasks_have(text, "stages");
}

Result<TaskSetDocument> read_task_set(const std::string& file, Model model) {
  return read_by([&](const std::string& text) { return task_set_from(file, text, model); }, file);
}

Result<TaskSetDocument> read_task_set(const std::string& file, const Modes& modes) {
  auto document = read_task_set(file);
  if (!document || modes.empty()) return document;
  if (auto good = check(document->set, modes); !good) return fail("--modes: " + good.error().message);
  document->modes = modes;
  return document;
}

}  // namespace samcl::analysis::cli
