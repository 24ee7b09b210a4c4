// Streams: those of a log are made where they are not there, and are asked what they hold. Internal to
// native/store/nats.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/json/value.hpp"
#include "native/store/nats/servers.hpp"

namespace plumb::store {

struct StreamWish {
  std::string name;
  std::string subjects;
  bool once = false;            // each subject keeps its last message alone
  std::uint64_t bytes_max = 0;  // of a stream that is bounded (KeptBounds); 0: it is not
};

class Streams {
 public:
  explicit Streams(const Servers& servers) : servers_(servers) {}

  // Made, or there with these subjects; a bounded one is brought to its bounds.
  std::optional<Error> make(const StreamWish& wish);
  // The least that a stream made so far has; 0: none was.
  int replicas() const { return replicas_; }

  // unavailable also where only a minority of its servers is there.
  Result<LogHead> head(const std::string& stream) const;
  // Asked of the stream's leader, which has what was confirmed. not_found: the subject has no message.
  Result<Owned<natsMsg>> last(const std::string& stream, const std::string& subject) const;
  // Also where it is gone already.
  Result<bool> erase(const std::string& stream, std::uint64_t sequence) const;
  // Messages of the subjects (which may end in '*') before that sequence go.
  Result<bool> purge(const std::string& stream, const std::string& subjects, std::uint64_t before) const;
  // All subjects of the stream that are of these.
  Result<std::vector<std::string>> subjects(const std::string& stream, const std::string& filter) const;

 private:
  Result<std::string> first_request(const std::string& what, const std::string& text) const;
  std::string config_text(const StreamWish& wish, int replicas) const;
  std::optional<Error> bound(const std::string& text, const json::Value& config) const;

  const Servers& servers_;
  int replicas_ = 0;
};

}  // namespace plumb::store
