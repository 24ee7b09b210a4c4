#include "core/pipelines/discovery/csv.hpp"

#include <algorithm>
#include <utility>

namespace plumb::pipelines::discovery {

Table read_csv(std::string_view text) {
  if (text.starts_with("\xEF\xBB\xBF")) {
    text.remove_prefix(3);
  }
  const std::string_view first = text.substr(0, text.find('\n'));
  char separator = ',';
  for (const char one : {';', '\t'}) {
    if (std::count(first.begin(), first.end(), one) > std::count(first.begin(), first.end(), separator)) {
      separator = one;
    }
  }
  Table out;
  CsvRow row{1, {}};
  std::string cell;
  std::uint64_t line = 1;
  bool quoted = false;
  const auto end_row = [&] {
    row.cells.push_back(std::move(cell));
    cell.clear();
    if (row.cells.size() > 1 || !row.cells.front().empty()) {
      if (out.header.empty()) {
        out.header = std::move(row.cells);
      } else {
        out.rows.push_back(std::move(row));
      }
    }
    row = {line + 1, {}};
  };
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted) {
      if (c == '"' && i + 1 < text.size() && text[i + 1] == '"') {
        cell += text[++i];
      } else if (c == '"') {
        quoted = false;
      } else {
        cell += c;
      }
    } else if (c == '"' && cell.empty()) {
      quoted = true;
    } else if (c == separator) {
      row.cells.push_back(std::move(cell));
      cell.clear();
    } else if (c == '\n') {
      if (!cell.empty() && cell.back() == '\r') {
        cell.pop_back();
      }
      end_row();
    } else {
      cell += c;
    }
    line += c == '\n' ? 1 : 0;
  }
  if (!cell.empty() || !row.cells.empty()) {
    end_row();
  }
  return out;
}

}  // namespace plumb::pipelines::discovery
