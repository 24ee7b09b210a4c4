#include "core/wire/lines.hpp"

#include "core/ascii.hpp"
#include "core/json/number_text.hpp"

namespace plumb::wire {

bool LineReader::next(std::string_view& line) {
  while (!failed()) {
    if (line_used_) {
      std::string().swap(line_);
      line_used_ = false;
    }
    const std::size_t end = rest_.find('\n');
    const std::string_view part = rest_.substr(0, end);
    if (line_.size() + part.size() > line_bytes_max_) {
      problem_ = "A line of the stream is longer than ";
      json::append_uint(problem_, line_bytes_max_);
      problem_ += " bytes";
      return false;
    }
    rest_.remove_prefix(end == std::string_view::npos ? rest_.size() : end + 1);
    if (end == std::string_view::npos || !line_.empty()) {
      line_ += part;
      if (end == std::string_view::npos && (!ended_ || line_.empty())) {
        return false;
      }
      line = line_;
      line_used_ = true;
    } else {
      line = part;
    }
    if (!ascii::only(line, ascii::line_blanks)) {
      return true;
    }
  }
  return false;
}

}  // namespace plumb::wire
