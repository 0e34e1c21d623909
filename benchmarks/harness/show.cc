#include "benchmarks/harness/show.h"

#include <cstdio>

#include "base/json_text.h"
#include "base/text_table.h"
#include "benchmarks/harness/session_json.h"

namespace samcl::bench {
namespace {

using nlohmann::ordered_json;

std::string fixed(double value, int decimals) {
  char text[48];
  std::snprintf(text, sizeof text, "%.*f", decimals, value);
  return text;
}

std::string between(const Spread& spread, int decimals) {
  return fixed(spread.low, decimals) + " - " + fixed(spread.high, decimals);
}

double mib(double bytes) { return bytes / (1 << 20); }

std::string verdict(const Row& row) {
  const std::string outcome = kOutcomeNames[static_cast<size_t>(row.outcome)];
  return row.same_result == false ? outcome + ", other result than bare" : outcome;
}

std::string note(const Row& row) {
  const bool fewer = row.outcome == Outcome::pass && row.devices_used > 0 && row.devices_used < row.devices;
  const std::string used = fewer ? "used " + std::to_string(row.devices_used) : "";
  return used.empty() || row.note.empty() ? used + row.note : used + ": " + row.note;
}

ordered_json to_json(const Spread& spread) {
  return {{"median", spread.median},
          {"lower_quartile", spread.low},
          {"upper_quartile", spread.high},
          {"runs", spread.count}};
}

ordered_json to_json(const Row& row) {
  ordered_json phases;
  for (size_t p = 0; p < kPhases; ++p) phases[kPhaseNames[p]] = row.phases_ms[p];
  return {{"program", row.program},
          {"size", row.size},
          {"parameter", row.parameter},
          {"devices", row.devices},
          {"outcome", kOutcomeNames[static_cast<size_t>(row.outcome)]},
          {"note", row.note},
          {"total_ms", to_json(row.total_ms)},
          {"phases_ms", phases},
          {"uploaded_bytes", row.uploaded_bytes},
          {"downloaded_bytes", row.downloaded_bytes},
          {"devices_used", row.devices_used},
          {"speedup", row.speedup ? to_json(*row.speedup) : ordered_json()},
          {"same_result", row.same_result ? ordered_json(*row.same_result) : ordered_json()}};
}

}  // namespace

std::string variant_name(unsigned devices) {
  if (devices == kBare) return "bare";
  return std::to_string(devices) + (devices == 1 ? " device" : " devices");
}

std::string rows_text(const std::vector<Row>& rows) {
  std::vector<std::vector<std::string>> cells = {{"PROGRAM", "SIZE", "ON", "RESULT", "UPLOAD", "KERNEL", "DOWNLOAD",
                                                  "MERGE", "REST", "TOTAL MS", "QUARTILES", "SPEED-UP", "QUARTILES",
                                                  "MOVED MIB"}};
  std::string before, notes;
  for (const Row& row : rows) {
    const std::string name = row.program + "\n" + row.size;
    const bool again = before == name;
    before = name;
    std::vector<std::string> line = {again ? "" : row.program, again ? "" : row.size, variant_name(row.devices),
                                     verdict(row)};
    const bool measured = row.total_ms.count > 0;
    for (const double ms : row.phases_ms) line.push_back(measured ? fixed(ms, 3) : "-");
    line.push_back(measured ? fixed(row.total_ms.median, 3) : "-");
    line.push_back(measured ? between(row.total_ms, 3) : "-");
    line.push_back(row.speedup ? fixed(row.speedup->median, 2) : "");
    line.push_back(row.speedup ? between(*row.speedup, 2) : "");
    // What a program moves by itself, on real devices, nobody counts.
    line.push_back(
        row.uploaded_bytes + row.downloaded_bytes > 0 ? fixed(mib(row.uploaded_bytes + row.downloaded_bytes), 2) : "");
    cells.push_back(std::move(line));
    if (const std::string words = note(row); !words.empty())
      notes += row.program + ", " + variant_name(row.devices) + ": " + words + "\n";
  }
  return table(cells, 4) + (notes.empty() ? "" : "\n" + notes);
}

std::string machine_text(const Machine& machine) {
  std::vector<std::vector<std::string>> cells;
  std::vector<std::pair<std::string, int>> alike;  // devices, and how many
  for (const DeviceFacts& device : machine.devices) {
    const std::string words = device.name + ", " + std::to_string(device.units) + " units, " +
                              fixed(mib(static_cast<double>(device.memory_bytes)) / 1024, 1) + " GiB; " +
                              device.platform + "; driver " + device.driver;
    if (alike.empty() || alike.back().first != words) alike.emplace_back(words, 0);
    ++alike.back().second;
  }
  for (const auto& [words, count] : alike) cells.push_back({"devices", std::to_string(count) + " x " + words});
  if (alike.empty()) cells.push_back({"devices", "none was found"});
  cells.push_back({"processor", std::to_string(machine.processors) + " x " + machine.processor});
  cells.push_back({"system", machine.kernel});
  cells.push_back({"samcl", machine.commit});
  cells.push_back({"date", machine.date});
  for (const auto& [name, value] : machine.environment) cells.push_back({name, value});
  return table(cells, 2);
}

std::string programs_text(const std::vector<Program>& programs) {
  std::string text;
  for (const Program& program : programs) {
    text += program.name + (program.has_jobs ? "" : "  (runs no jobs: not part of \"all\")") + "\n";
    for (const std::string& option : program.options) {
      if (program.has_jobs) text += "    " + option + "\n";
    }
  }
  return text;
}

std::string rows_json(const Session& session, const std::vector<Row>& rows) {
  ordered_json document{{"command", session.command},
                        {"options", session.options},
                        {"machine", to_json(session.machine)},
                        {"rows", ordered_json::array()}};
  for (const Row& row : rows) document["rows"].push_back(to_json(row));
  return json_text(document, 1) + "\n";
}

}  // namespace samcl::bench
