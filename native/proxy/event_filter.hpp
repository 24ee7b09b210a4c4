// EventFilter: passes a stream of server-sent events byte for byte, in whole events, except those that are held back.
//
//   EventFilter filter({.usage = true});
//   client.write(filter.pass(piece));  // the view is valid until the next call
//   filter.end_event()                 // with `end`: "data: [DONE]\n\n", to send last
//   if (filter.inside()) ...           // the stream has ended inside an event, which was not passed
//
// Each piece given to a client ends with an event, so that anything written after it is read as a separate event. An
// event longer than held_bytes_max is passed as it arrives.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace plumb::proxy {

struct KeptBack {
  // Hold back OpenAI's chunk without a choice that reports usage, for clients that did not ask for it.
  bool usage = false;
  bool end = false;  // hold back the protocol's own end, so that something can be sent before it
};

class EventFilter {
 public:
  static constexpr std::size_t held_bytes_max = std::size_t{256} << 10;

  explicit EventFilter(KeptBack kept_back) : kept_back_(kept_back) {}

  std::string_view pass(std::string_view piece);
  // The same up to the first event that tells an error or is not valid JSON; nothing more can be passed then.
  std::string_view pass_before_error(std::string_view piece);
  bool inside() const { return !held_.empty() || passing_; }
  // True if the last passed piece does not end with an event, so nothing may be written now.
  bool passing() const { return passing_; }
  const std::string& end_event() const { return end_event_; }

 private:
  bool is_kept_back(std::string_view event);

  KeptBack kept_back_;
  std::string held_;      // the beginning of an event
  std::string passed_;    // what pass() returned last, unless it was the piece itself
  bool passing_ = false;  // inside an event that is too long to hold
  bool stops_at_error_ = false;
  std::string end_event_;
};

}  // namespace plumb::proxy
