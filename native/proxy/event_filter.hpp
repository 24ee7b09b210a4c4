// Passing a stream of server-sent events on byte for byte, in whole events, but for those that are kept back.
//
//   EventFilter filter({.usage = true});
//   client.write(filter.pass(piece));  // the view lives until the next call
//   filter.end_event()                 // with `end`: "data: [DONE]\n\n", for when all is said
//   if (filter.inside()) ...           // the stream has ended in the middle of an event, which was not passed
//
// What a client is given ends with an event, so that whatever is written behind it is read as an event of its own. An
// event longer than held_bytes_max is passed on as it comes.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace plumb::proxy {

struct KeptBack {
  bool usage = false;  // OpenAI's chunk without a choice that tells the usage: for clients that did not ask for it
  bool end = false;    // the protocol's own end, for whoever has something to say before it
};

class EventFilter {
 public:
  static constexpr std::size_t held_bytes_max = std::size_t{256} << 10;

  explicit EventFilter(KeptBack kept_back) : kept_back_(kept_back) {}

  std::string_view pass(std::string_view piece);
  bool inside() const { return !held_.empty() || passing_; }
  // What was passed last does not end with an event: nothing may be written between.
  bool passing() const { return passing_; }
  const std::string& end_event() const { return end_event_; }

 private:
  bool is_kept_back(std::string_view event);

  KeptBack kept_back_;
  std::string held_;      // the beginning of an event
  std::string passed_;    // what pass() gave last, where it is not the piece itself
  bool passing_ = false;  // in the middle of an event that is too long to be held
  std::string end_event_;
};

}  // namespace plumb::proxy
