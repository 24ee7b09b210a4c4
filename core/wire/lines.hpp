// Lines of JSON (NDJSON), as Ollama streams them: reading in any pieces.
//
//   LineReader reader(8 << 20);
//   reader.push(piece);                      // the piece must live until next() has said false
//   for (std::string_view line; reader.next(line);) { ... }
//   reader.end();                            // then next() once more, for a last line without a line end
//
// A line ends at LF; blank lines are passed over. A line longer than its bound fails, and nothing is read after it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace plumb::wire {

class LineReader {
 public:
  explicit LineReader(std::size_t line_bytes_max) : line_bytes_max_(line_bytes_max) {}

  void push(std::string_view piece) { rest_ = piece; }
  void end() { ended_ = true; }
  // The line lives until the next one is asked for.
  bool next(std::string_view& line);

  bool failed() const { return !problem_.empty(); }
  std::string_view problem() const { return problem_; }

 private:
  std::size_t line_bytes_max_;
  std::string_view rest_;
  std::string line_;  // the beginning of a line that the piece cut
  bool line_used_ = false;
  bool ended_ = false;
  std::string problem_;
};

}  // namespace plumb::wire
