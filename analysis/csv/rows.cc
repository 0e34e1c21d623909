#include "analysis/csv/rows.h"

namespace samcl::analysis {
namespace {

class Reader {
 public:
  explicit Reader(const std::string& text) : text_(text) {}

  Result<std::vector<CsvRow>> rows() {
    std::vector<CsvRow> rows;
    while (at_ < text_.size()) {
      if (text_[at_] == '#') {
        skip_line();
        continue;
      }
      CsvRow row;
      row.line = line_;
      do {
        auto cell = this->cell();
        if (!cell) return tl::unexpected(cell.error());
        row.cells.push_back(std::move(*cell));
      } while (take(','));
      take('\r');
      if (at_ < text_.size() && !take('\n')) return fail(here() + "a comma or the end of the line");
      ++line_;
      if (row.cells.size() > 1 || !row.cells.front().empty()) rows.push_back(std::move(row));
    }
    return rows;
  }

 private:
  std::string here() const { return "line " + std::to_string(line_) + ": expected "; }

  bool take(char wanted) {
    if (at_ >= text_.size() || text_[at_] != wanted) return false;
    ++at_;
    return true;
  }

  void skip_blanks() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t')) ++at_;
  }

  void skip_line() {
    while (at_ < text_.size() && text_[at_] != '\n') ++at_;
    take('\n');
    ++line_;
  }

  Result<std::string> cell() {
    std::string cell;
    skip_blanks();
    if (!take('"')) {
      while (at_ < text_.size() && std::string(",\r\n").find(text_[at_]) == std::string::npos) cell += text_[at_++];
      cell.erase(cell.find_last_not_of(" \t") + 1);
      return cell;
    }
    while (true) {
      if (at_ >= text_.size()) return fail(here() + "a closing quote");
      const char c = text_[at_++];
      if (c == '"' && !take('"')) {
        skip_blanks();
        return cell;
      }
      line_ += c == '\n' ? 1 : 0;
      cell += c;
    }
  }

  const std::string& text_;
  size_t at_ = 0;
  int line_ = 1;
};

}  // namespace

Result<std::vector<CsvRow>> parse_rows(const std::string& text) { return Reader(text).rows(); }

std::string format_row(const std::vector<std::string>& cells) {
  std::string line;
  for (size_t i = 0; i < cells.size(); ++i) {
    if (i > 0) line += ",";
    const bool padded =
        cells[i].find_first_not_of(" \t") != 0 || cells[i].find_last_not_of(" \t") + 1 != cells[i].size();
    if (cells[i].empty() || (!padded && cells[i].find_first_of(",\"\r\n#") == std::string::npos)) {
      line += cells[i];
      continue;
    }
    line += '"';
    for (const char c : cells[i]) line += c == '"' ? std::string("\"\"") : std::string(1, c);
    line += '"';
  }
  return line + "\n";
}

}  // namespace samcl::analysis
