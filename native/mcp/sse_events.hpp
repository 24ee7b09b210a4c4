// A stream of server-sent events cut into whole events, each with all of its bytes, so that what is not touched can be
// passed on as it came.
//
//   SseEvents events;
//   events.push(piece);
//   for (std::string raw; events.take(raw);) ... data_of(raw) ...
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace plumb::mcp {

class SseEvents {
 public:
  void push(std::string_view piece) { bytes_ += piece; }
  // The next event with the empty line that ends it; comments and fields without data are one too.
  bool take(std::string& raw);
  std::size_t held() const { return bytes_.size() - from_; }
  // What no empty line has ended: by the standard it is no event.
  std::string_view rest() const { return std::string_view(bytes_).substr(from_); }

 private:
  std::string bytes_;
  std::size_t from_ = 0;  // of the next event
  std::size_t line_ = 0;  // of its last line that has not ended
};

struct SseParts {
  bool there = false;  // it has data
  std::string type, id, data;
};
SseParts parts_of(std::string_view raw);

}  // namespace plumb::mcp
