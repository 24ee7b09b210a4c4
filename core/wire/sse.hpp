// Server-sent events, as the WHATWG specification has them: reading in any pieces, and writing.
//
//   SseReader reader;
//   reader.push(piece);                        // the piece must live until next() has said false
//   for (SseEvent event; reader.next(event);) { use(event.type, event.data); }
//   if (reader.failed()) { ... reader.problem() ... }
//
// Lines end at CR, LF or CRLF; one byte order mark at the beginning is passed over; comments and unknown fields are
// ignored; bytes that are no UTF-8 become U+FFFD; `id` stays until it is set again; an event without data is none; what
// has not been ended by an empty line when the stream ends is none. Bounds: the bytes of a line, and of the data of an
// event; beyond them the reader has failed and reads no more. How the bytes were cut changes nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace plumb::wire {

struct SseLimits {
  std::size_t line_bytes_max = std::size_t{8} << 20;
  std::size_t event_bytes_max = std::size_t{8} << 20;
  // Longer lines are left out and counted, for a reader that need not see every event.
  bool skips_long = false;
};

// The texts live until the next event is asked for.
struct SseEvent {
  std::string_view type;  // "message" where the stream names none
  std::string_view data;
  std::string_view id;  // the last one set
};

class SseReader {
 public:
  explicit SseReader(SseLimits limits = {}) : limits_(limits) {}

  void push(std::string_view piece);
  bool next(SseEvent& event);

  bool failed() const { return !problem_.empty(); }
  // One sentence.
  std::string_view problem() const { return problem_; }
  // Lines and data left out because they were too long.
  std::uint64_t skipped() const { return skipped_; }
  // Something has begun that no empty line has ended.
  bool inside() const { return (!line_.empty() && !line_used_) || has_data_ || !type_.empty(); }
  // The last `retry` field.
  bool has_retry() const { return has_retry_; }
  std::uint64_t retry_ms() const { return retry_ms_; }

 private:
  bool take_line(std::string_view& line);
  void skip_line(std::size_t size);
  bool read_line(std::string_view line);
  void add_data(std::string_view value);
  void skip_byte_order_mark();
  void keep();

  SseLimits limits_;
  std::string_view rest_;  // of the piece
  std::size_t mark_ = 0;   // bytes of a byte order mark seen; 3: that question is settled
  bool after_cr_ = false;  // a LF that follows belongs to the line before
  std::string line_;       // the beginning of a line that the piece cut
  bool skipping_ = false;  // inside a line that is left out
  std::uint64_t skipped_ = 0;
  bool line_used_ = false;  // line_ was handed out whole and can go
  std::string data_;
  std::string_view data_in_piece_;  // the only data so far, in place
  bool has_data_ = false;
  bool data_used_ = false;  // was handed out and can go
  std::string type_;
  std::string shown_type_;
  std::string id_;
  bool has_retry_ = false;
  std::uint64_t retry_ms_ = 0;
  std::string problem_;
};

// Appends an event; each line of `data` (CR, LF and CRLF end one) gets a field of its own. No `event` field for an
// empty type, no `id` field for an empty id. Line ends in `type` and `id` are left out.
void append_sse(std::string& out, std::string_view data, std::string_view type = {}, std::string_view id = {});
// Appends a comment, which keeps a stream alive.
void append_sse_comment(std::string& out, std::string_view text);
void append_sse_retry(std::string& out, std::uint64_t retry_ms);

// `text` with each broken piece of UTF-8 as one U+FFFD, as decoders do; true when there was any.
bool replace_broken_utf8(std::string_view text, std::string& out);

}  // namespace plumb::wire
