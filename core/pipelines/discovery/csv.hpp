// Tables with a header, as spreadsheets and exports write them (RFC 4180): commas, semicolons or tabs, quotes doubled.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace plumb::pipelines::discovery {

struct CsvRow {
  std::uint64_t line = 0;  // where it begins, from 1
  std::vector<std::string> cells;
};
struct Table {
  std::vector<std::string> header;
  std::vector<CsvRow> rows;
};

// What separates the cells is the mark of these three that the first line has most of. Linear in the text.
Table read_csv(std::string_view text);

}  // namespace plumb::pipelines::discovery
