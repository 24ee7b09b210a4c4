#include "native/mcp/sse_events.hpp"

#include "core/wire/sse.hpp"
#include "native/mcp/message.hpp"

namespace plumb::mcp {

bool SseEvents::take(std::string& raw) {
  for (;;) {
    const std::size_t end = bytes_.find_first_of("\r\n", line_);
    if (end == std::string::npos) {
      bytes_.erase(0, from_);
      line_ -= from_;
      from_ = 0;
      return false;
    }
    const bool empty = end == line_;
    // A line feed that follows a carriage return belongs to it; where it is still to come it is an empty event of its
    // own, which says nothing.
    const bool both = bytes_[end] == '\r' && end + 1 < bytes_.size() && bytes_[end + 1] == '\n';
    line_ = end + (both ? 2 : 1);
    if (!empty) {
      continue;
    }
    raw.assign(bytes_, from_, line_ - from_);
    from_ = line_;
    return true;
  }
}

SseParts parts_of(std::string_view raw) {
  wire::SseReader reader({message_bytes_max, message_bytes_max});
  reader.push(raw);
  wire::SseEvent event;
  SseParts out;
  if (!reader.next(event) || event.data.empty()) {
    return out;
  }
  out.there = true;
  out.type = event.type == "message" ? std::string_view() : event.type;
  out.id = event.id;
  out.data = event.data;
  return out;
}

}  // namespace plumb::mcp
