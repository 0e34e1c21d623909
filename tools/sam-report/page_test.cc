#include "tools/sam-report/page.h"

#include <gmock/gmock.h>

#include <regex>
#include <set>
#include <vector>

namespace samcl::report {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr char kReport[] = R"({"format": "samcl-report 1", "program": "app <1>", "wall_ns": 2500000000, "kernels": [
{"name": "smooth", "launches": 10, "split_launches": 8, "devices": 2, "slices": 0, "why_not_more": "",
 "launch_ns": 3000000, "merge_ns": 0, "predicted_launches": 4, "predicted_ns": 800000, "took_ns": 1000000,
 "uploaded_bytes": 4194304, "downloaded_bytes": 1048576, "copied_bytes": 0, "upload_ns": 419430, "download_ns": 0},
{"name": "print<&>", "launches": 3, "split_launches": 0, "devices": 1, "slices": 0, "why_not_more": "it calls \"printf\"",
 "launch_ns": 9000000, "merge_ns": 0, "predicted_launches": 0, "predicted_ns": 0, "took_ns": 0,
 "uploaded_bytes": 0, "downloaded_bytes": 0, "copied_bytes": 0, "upload_ns": 0, "download_ns": 0}],
"devices": [{"index": 0, "uploaded_bytes": 4194304, "downloaded_bytes": 1048576, "copied_bytes": 0, "upload_ns": 0, "download_ns": 0}]})";

constexpr char kTrace[] = R"([
{"ph":"M","name":"thread_name","pid":1,"tid":8,"ts":0.000,"args":{"name":"device 0: compute"}},
{"ph":"X","name":"smooth","pid":1,"tid":8,"ts":10.000,"dur":30.000,"cat":"operation","args":{"bytes":0}},
)";

// What is wrong with the page's elements: each opened and closed in its turn.
std::string faults(const std::string& html) {
  static const std::set<std::string> empty = {"meta", "br"};
  std::vector<std::string> open;
  const std::regex element("<(/?)([a-z0-9]+)([^<>]*?)(/?)>");
  for (std::sregex_iterator at(html.begin(), html.end(), element), end; at != end; ++at) {
    const std::string name = (*at)[2];
    if (empty.contains(name) || (*at)[4] == "/") continue;
    if ((*at)[1] != "/") {
      open.push_back(name);
    } else if (open.empty() || open.back() != name) {
      return "</" + name + "> closes " + (open.empty() ? "nothing" : open.back());
    } else {
      open.pop_back();
    }
  }
  return open.empty() ? "" : open.back() + " stays open";
}

std::string made(const std::string& trace = "") {
  const auto text = page(kReport, trace);
  EXPECT_TRUE(text) << text.error().message;
  return text.value_or("");
}

TEST(Page, IsWhole) {
  EXPECT_THAT(faults(made()), IsEmpty());
  EXPECT_THAT(faults(made(kTrace)), IsEmpty());
}

TEST(Page, NeedsNothingElse) {
  for (const char* reference : {"http:", "https:", "src=", "href=", "url(", "@import", "<script"}) {
    EXPECT_THAT(made(kTrace), Not(HasSubstr(reference)));
  }
}

TEST(Page, NamesAreText) {
  EXPECT_THAT(made(), HasSubstr("print&lt;&amp;&gt;"));
  EXPECT_THAT(made(), HasSubstr("<h1>app &lt;1&gt;</h1>"));
}

TEST(Page, SaysWhatRanWhereTheLongestFirst) {
  const std::string html = made();
  EXPECT_LT(html.find("print&lt;"), html.find(">smooth<"));
  EXPECT_THAT(html, HasSubstr("<td>smooth</td><td>10</td><td>8</td><td>2</td><td>3.00 ms</td>"));
  EXPECT_THAT(html, HasSubstr("<td class=\"words\">it calls &quot;printf&quot;</td>"));
}

TEST(Page, SaysHowWellTimesWerePredicted) {
  EXPECT_THAT(made(), HasSubstr("<td>smooth</td><td>4</td><td>200 µs</td><td>250 µs</td><td>-20 %</td>"));
}

TEST(Page, SaysWhatMovedAndHowFast) {
  EXPECT_THAT(made(), HasSubstr("<td>device 0</td><td>4.00 MiB</td><td>1.00 MiB</td>"));
  EXPECT_THAT(made(),
              HasSubstr("<td>smooth</td><td>4.00 MiB</td><td>10.00 GB/s</td><td>1.00 MiB</td><td></td><td>0 B</td>"));
}

TEST(Page, DrawsTheTrace) {
  EXPECT_THAT(made(), Not(HasSubstr("<svg")));
  EXPECT_THAT(made(kTrace), HasSubstr("<rect class=\"kernel\" x=\"150.00\" y=\"4\" width=\"1000.00\" height=\"18\">"
                                      "<title>smooth: 30.0 µs from 0 on</title></rect>"));
  EXPECT_THAT(made(kTrace), HasSubstr("100 % busy"));
}

TEST(Page, AnEmptyReportIsOneToo) {
  const auto html = page(R"({"wall_ns": 5, "kernels": [], "devices": []})", "[\n]\n");
  ASSERT_TRUE(html);
  EXPECT_THAT(*html, HasSubstr("The program launched no kernel."));
  EXPECT_THAT(*html, HasSubstr("The trace has no operation."));
  EXPECT_THAT(faults(*html), IsEmpty());
}

TEST(Page, SaysWhatIsNoReport) {
  EXPECT_FALSE(page("", ""));
  EXPECT_FALSE(page("[]", ""));
  EXPECT_FALSE(page(R"({"kernels": [{"name": 5}], "devices": []})", ""));
  EXPECT_FALSE(page(kReport, "no trace"));
}

}  // namespace
}  // namespace samcl::report
