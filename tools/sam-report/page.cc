#include "tools/sam-report/page.h"

#include <algorithm>
#include <cstdio>
#include <map>
#include <nlohmann/json.hpp>
#include <vector>

#include "base/json_text.h"
#include "base/xml_text.h"
#include "tools/sam-report/timeline.h"

namespace samcl::report {
namespace {

using nlohmann::json;

constexpr unsigned kWidth = 1000;  // of the time line, in units of the drawing
constexpr unsigned kNames = 150, kRowHeight = 26, kBar = 18;

constexpr char kStyle[] = R"(
:root { color-scheme: light dark; --ink: #1c2430; --soft: #5b6675; --line: #d9dee5; --page: #ffffff; --panel: #f6f8fa;
  --kernel: #2f6fb2; --up: #3a8f4d; --down: #c07a16; --other: #7b6aa8; --fault: #b3261e; }
@media (prefers-color-scheme: dark) { :root { --ink: #e4e9f0; --soft: #9aa6b5; --line: #364150; --page: #12171e;
  --panel: #1b222c; --kernel: #6aa5e6; --up: #6fc083; --down: #e0a552; --other: #b0a1dc; --fault: #f2847c; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 1080px; padding: 24px 20px 48px; background: var(--page); color: var(--ink);
  font: 15px/1.5 system-ui, sans-serif; }
h1 { font-size: 24px; margin: 0 0 4px; } h2 { font-size: 18px; margin: 32px 0 8px; }
p { margin: 6px 0; } .soft { color: var(--soft); }
.facts { display: flex; flex-wrap: wrap; gap: 12px; margin: 16px 0; }
.fact { background: var(--panel); border: 1px solid var(--line); border-radius: 8px; padding: 10px 16px; min-width: 130px; }
.fact b { display: block; font-size: 20px; font-variant-numeric: tabular-nums; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; }
th, td { padding: 6px 10px; border-bottom: 1px solid var(--line); text-align: right; white-space: nowrap;
  font-variant-numeric: tabular-nums; vertical-align: top; }
th { color: var(--soft); font-weight: 600; font-size: 13px; white-space: normal; vertical-align: bottom; }
th:first-child, td:first-child, td.words, th.words { text-align: left; }
td.words { white-space: normal; min-width: 220px; }
td:first-child { font-family: ui-monospace, monospace; font-size: 14px; min-width: 24ch; overflow-wrap: anywhere; white-space: normal; }
svg { display: block; width: 100%; min-width: 900px; height: auto; }
svg text { fill: var(--ink); font: 12px system-ui, sans-serif; } svg .soft { fill: var(--soft); font-size: 11px; }
.lane { fill: var(--panel); } .grid { stroke: var(--line); }
.kernel { fill: var(--kernel); } .up { fill: var(--up); } .down { fill: var(--down); } .other { fill: var(--other); }
.key { display: inline-block; width: 11px; height: 11px; border-radius: 2px; margin: 0 5px 0 14px; }
.key:first-child { margin-left: 0; }
i.kernel { background: var(--kernel); } i.up { background: var(--up); } i.down { background: var(--down); }
i.other { background: var(--other); } .much { color: var(--fault); font-weight: 600; }
)";

std::string number(double value, int decimals) {
  char text[64];
  std::snprintf(text, sizeof text, "%.*f", decimals, value);
  return text;
}

// Three digits that count, in a unit that fits.
std::string in_unit(double value, double step, std::initializer_list<const char*> units) {
  auto unit = units.begin();
  while (value >= step && unit + 1 != units.end()) {
    value /= step;
    ++unit;
  }
  const bool is_first = unit == units.begin();
  return number(value, is_first ? 0 : value < 10 ? 2 : value < 100 ? 1 : 0) + " " + *unit;
}
std::string time(double ns) { return ns == 0 ? "0" : in_unit(ns, 1000, {"ns", "µs", "ms", "s"}); }
std::string bytes(double count) { return in_unit(count, 1024, {"B", "KiB", "MiB", "GiB", "TiB"}); }

std::string rate(double bytes_moved, double ns) {
  return ns > 0 && bytes_moved > 0 ? number(bytes_moved / ns, 2) + " GB/s" : "";
}

std::string row(std::initializer_list<std::string> cells, const char* tag, const char* last_class = nullptr) {
  std::string text = "<tr>";
  for (auto cell = cells.begin(); cell != cells.end(); ++cell) {
    const bool is_last = last_class && cell + 1 == cells.end();
    text += std::string("<") + tag + (is_last ? std::string(" class=\"") + last_class + "\"" : "") + ">" + *cell +
            "</" + tag + ">";
  }
  return text + "</tr>\n";
}

std::string table(const std::string& head, const std::string& rows) {
  return "<div class=\"scroll\"><table>\n<thead>" + head + "</thead>\n<tbody>\n" + rows + "</tbody></table></div>\n";
}

std::string fact(const std::string& name, const std::string& value) {
  return "<div class=\"fact\"><b>" + value + "</b><span class=\"soft\">" + name + "</span></div>\n";
}

uint64_t sum(const json& entries, const char* field) {
  uint64_t total = 0;
  for (const json& entry : entries) total += entry.at(field).get<uint64_t>();
  return total;
}

// Kernels that took longest first.
std::vector<json> by_time(const json& kernels) {
  std::vector<json> sorted = kernels.get<std::vector<json>>();
  std::ranges::stable_sort(sorted, [](const json& a, const json& b) { return a.at("launch_ns") > b.at("launch_ns"); });
  return sorted;
}

std::string facts(const json& report) {
  const json& kernels = report.at("kernels");
  const uint64_t launches = sum(kernels, "launches"), split = sum(kernels, "split_launches");
  return "<div class=\"facts\">\n" + fact("whole program", time(report.at("wall_ns").get<double>())) +
         fact("kernel launches", std::to_string(launches)) +
         fact("of these on several devices", std::to_string(split)) +
         fact("to the devices", bytes(static_cast<double>(sum(report.at("devices"), "uploaded_bytes")))) +
         fact("back from them", bytes(static_cast<double>(sum(report.at("devices"), "downloaded_bytes")))) + "</div>\n";
}

std::string where(const json& report) {
  std::string rows;
  for (const json& kernel : by_time(report.at("kernels"))) {
    const uint64_t launches = kernel.at("launches"), split = kernel.at("split_launches");
    const std::string why = kernel.at("why_not_more");
    const std::string said = !why.empty() ? xml_escaped(why) : split > 0 ? "split" : "";
    rows += row({xml_escaped(kernel.at("name")), std::to_string(launches), std::to_string(split),
                 std::to_string(kernel.at("devices").get<unsigned>()), time(kernel.at("launch_ns").get<double>()),
                 time(kernel.at("upload_ns").get<double>()), time(kernel.at("download_ns").get<double>()),
                 time(kernel.at("merge_ns").get<double>()),
                 split > 0 && split < launches && !why.empty() ? "not always: " + said : said},
                "td", "words");
  }
  if (rows.empty()) return "<p>The program launched no kernel.</p>\n";
  return "<p class=\"soft\">Times are sums over devices, which work at the same time.</p>\n" +
         table(row({"kernel", "launches", "split", "devices at most", "computing", "uploads", "downloads", "merging",
                    "why on no more devices"},
                   "th", "words"),
               rows);
}

std::string transfers(const json& report) {
  std::string rows;
  for (const json& device : report.at("devices")) {
    rows += row({"device " + std::to_string(device.at("index").get<unsigned>()),
                 bytes(device.at("uploaded_bytes").get<double>()), bytes(device.at("downloaded_bytes").get<double>())},
                "td");
  }
  std::string moved;
  for (const json& kernel : by_time(report.at("kernels"))) {
    const double up = kernel.at("uploaded_bytes"), down = kernel.at("downloaded_bytes"),
                 copied = kernel.at("copied_bytes");
    if (up + down + copied == 0) continue;
    moved += row({xml_escaped(kernel.at("name")), bytes(up), rate(up, kernel.at("upload_ns")), bytes(down),
                  rate(down, kernel.at("download_ns")), bytes(copied)},
                 "td");
  }
  if (rows.empty() && moved.empty())
    return "<p>No bytes moved over a link: the devices and the host have one memory, or nothing was needed.</p>\n";
  return (rows.empty() ? "" : table(row({"link of", "uploaded", "downloaded"}, "th"), rows)) +
         (moved.empty()
              ? ""
              : "<p class=\"soft\">For which commands; rates where the time is known.</p>\n" +
                    table(row({"for", "uploaded", "rate", "downloaded", "rate", "copied within devices"}, "th"),
                          moved));
}

std::string predictions(const json& report) {
  std::string rows;
  for (const json& kernel : by_time(report.at("kernels"))) {
    const uint64_t launches = kernel.value("predicted_launches", uint64_t{0});
    if (launches == 0) continue;
    const double predicted = kernel.at("predicted_ns"), took = kernel.at("took_ns");
    const double off = took > 0 ? 100 * (predicted / took - 1) : 0;
    const std::string percent = (off >= 0 ? "+" : "") + number(off, 0) + " %";
    rows += row({xml_escaped(kernel.at("name")), std::to_string(launches),
                 time(predicted / static_cast<double>(launches)), time(took / static_cast<double>(launches)),
                 off > 50 || off < -33 ? "<span class=\"much\">" + percent + "</span>" : percent},
                "td");
  }
  if (rows.empty())
    return "<p>No launch was predicted: that begins when a kernel's times are known, and where it may run both "
           "ways.</p>\n";
  return "<p class=\"soft\">Computing time of a launch on all its devices together, on average; prediction decides "
         "whether a kernel is split.</p>\n" +
         table(row({"kernel", "launches predicted", "predicted", "took", "prediction is off by"}, "th"), rows);
}

const char* class_of(const std::string& row_name, const std::string& block) {
  if (row_name.ends_with(": up") || block == "upload") return "up";
  if (row_name.ends_with(": down") || block == "download") return "down";
  if (row_name.ends_with(": compute") && block != "copy" && block != "fill" && block != "call") return "kernel";
  return "other";
}

std::string svg(const Timeline& timeline) {
  const unsigned height = kRowHeight * static_cast<unsigned>(timeline.rows.size()) + 24;
  std::string text = "<svg viewBox=\"0 0 " + std::to_string(kNames + kWidth + 70) + " " + std::to_string(height) +
                     "\" role=\"img\" aria-label=\"time line of devices, links and host\">\n";
  const double scale = kWidth / std::max(1.0, static_cast<double>(timeline.length));
  unsigned y = 0;
  for (const TimelineRow& lane : timeline.rows) {
    const std::string top = std::to_string(y + (kRowHeight - kBar) / 2),
                      middle = std::to_string(y + kRowHeight / 2 + 4);
    text += "<text x=\"0\" y=\"" + middle + "\">" + xml_escaped(lane.name) + "</text>\n";
    text += "<rect class=\"lane\" x=\"" + std::to_string(kNames) + "\" y=\"" + top + "\" width=\"" +
            std::to_string(kWidth) + "\" height=\"" + std::to_string(kBar) + "\"/>\n";
    for (const Block& block : lane.blocks) {
      const double x = kNames + static_cast<double>(block.begin) * scale;
      const double width = std::max(0.8, static_cast<double>(block.end - block.begin) * scale);
      std::string tip = block.name + (block.count > 1 ? " and " + std::to_string(block.count - 1) + " more" : "") +
                        ": " + time(static_cast<double>(block.busy)) + " from " +
                        time(static_cast<double>(block.begin)) + " on";
      if (block.bytes > 0) tip += ", " + bytes(static_cast<double>(block.bytes));
      text += std::string("<rect class=\"") + class_of(lane.name, block.name) + "\" x=\"" + number(x, 2) + "\" y=\"" +
              top + "\" width=\"" + number(width, 2) + "\" height=\"" + std::to_string(kBar) + "\"><title>" +
              xml_escaped(tip) + "</title></rect>\n";
    }
    const double share = 100 * static_cast<double>(lane.busy) / std::max(1.0, static_cast<double>(timeline.length));
    text += "<text x=\"" + std::to_string(kNames + kWidth + 8) + "\" y=\"" + middle + "\" class=\"soft\">" +
            number(share, 0) + " % busy</text>\n";
    y += kRowHeight;
  }
  for (unsigned tick = 0; tick <= 5; ++tick) {
    const unsigned x = kNames + tick * kWidth / 5;
    const char* const anchor = tick == 0 ? "start" : tick == 5 ? "end" : "middle";
    text += "<line class=\"grid\" x1=\"" + std::to_string(x) + "\" x2=\"" + std::to_string(x) + "\" y1=\"0\" y2=\"" +
            std::to_string(y + 6) + "\"/><text class=\"soft\" text-anchor=\"" + anchor + "\" x=\"" + std::to_string(x) +
            "\" y=\"" + std::to_string(y + 19) + "\">" +
            (tick == 0 ? "0" : time(static_cast<double>(timeline.length) * tick / 5)) + "</text>\n";
  }
  return text + "</svg>\n";
}

std::string time_lines(const Timeline& timeline) {
  if (timeline.rows.empty()) return "<p>The trace has no operation.</p>\n";
  return "<p class=\"soft\"><i class=\"key kernel\"></i>kernels<i class=\"key up\"></i>uploads<i class=\"key "
         "down\"></i>downloads"
         "<i class=\"key other\"></i>other operations. Point at a block to see what it was; the trace itself opens in "
         "Perfetto.</p>\n<div class=\"scroll\">" +
         svg(timeline) + "</div>\n";
}

std::string document(const json& report, const std::string& drawn) {
  const std::string program = xml_escaped(report.value("program", "the program"));
  return "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
         "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>samcl: " +
         program + "</title>\n<style>" + kStyle + "</style>\n</head>\n<body>\n<h1>" + program +
         "</h1>\n<p class=\"soft\">What samcl did for it</p>\n" + facts(report) + "<h2>What ran where</h2>\n" +
         where(report) + (drawn.empty() ? "" : "<h2>Time lines</h2>\n" + drawn) + "<h2>Transfers</h2>\n" +
         transfers(report) + "<h2>Prediction and measurement</h2>\n" + predictions(report) + "</body>\n</html>\n";
}

}  // namespace

Result<std::string> page(const std::string& report, const std::string& trace) {
  const json read = try_read_json(report);
  if (!read.is_object() || !read.contains("kernels") || !read.contains("devices")) {
    return fail("no report: expected what sam-run --report=FILE.json writes");
  }
  std::string drawn;
  if (!trace.empty()) {
    const auto timeline = timeline_of(trace, kWidth);
    if (!timeline) return tl::unexpected(timeline.error());
    drawn = time_lines(*timeline);
  }
  try {
    return document(read, drawn);
  } catch (const json::exception& error) {
    return fail(std::string("the report is not as expected: ") + error.what());
  }
}

}  // namespace samcl::report
