// JSON lines in batches: a file of any size, cut at line ends, never more in memory than a batch.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "core/result.hpp"
#include "native/base/file_bytes.hpp"

namespace plumb::cli {

class LineBatches {
 public:
  static constexpr std::size_t batch_bytes = std::size_t{256} * 1024;
  static constexpr std::size_t line_bytes_max = std::size_t{4} * 1024 * 1024;  // longer lines come in pieces

  // What next() gives.
  enum class Kind : std::uint8_t {
    lines,       // whole lines, each with its line end but the file's last
    long_piece,  // the first or a further piece of a line that is too long to hold
    long_end,    // its last piece, without the line end
    end,
  };
  struct Batch {
    Kind kind = Kind::end;
    std::string bytes;
    std::uint64_t first_line = 1;  // the number of its first line
    std::uint64_t consumed = 0;    // bytes of the file, line ends included
  };

  static Result<LineBatches> open(const std::string& path);

  Result<Batch> next();

 private:
  explicit LineBatches(FileReader reader) : reader_(std::move(reader)) {}

  FileReader reader_;
  std::string carry_;       // read, not given yet
  std::uint64_t line_ = 1;  // of carry_'s first byte
  bool in_long_ = false;
  bool ended_ = false;
};

// One line of a batch.
struct Line {
  std::string_view text;  // without line end
  bool blank = false;     // nothing but white space: not an artifact
};
// Takes the first line off `bytes`. False when there is none left.
bool take_line(std::string_view& bytes, Line& line);

}  // namespace plumb::cli
