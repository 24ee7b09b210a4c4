// TextPieces: texts by name in a stream of their own, in pieces where they are long. The first piece says how many
// there are, and is put last. Internal to native/store/nats.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "native/store/nats/publishing.hpp"
#include "native/store/nats/streams.hpp"

namespace plumb::store {

class TextPieces {
 public:
  // `room`: the part of subjects behind the log's name.
  TextPieces(const Servers& servers, const Streams& streams, Publishing& publishing, std::string stream,
             std::string room)
      : servers_(servers),
        streams_(streams),
        publishing_(publishing),
        stream_(std::move(stream)),
        room_(std::move(room)) {}

  // As SharedLog's functions of texts.
  void put(const std::string& name, std::string text, Answered done);
  Result<std::string> text(const std::string& name) const;
  Result<bool> remove(const std::string& name, std::uint64_t before_ms) const;
  Result<std::vector<std::string>> names() const;

 private:
  std::size_t piece_bytes() const;
  std::string subject(const std::string& name, const std::string& piece) const;
  void put_from(const std::shared_ptr<const std::string>& text, const std::string& name, std::size_t piece,
                Answered done);
  Result<Owned<natsMsg>> piece_of(const std::string& name, std::size_t piece) const;

  const Servers& servers_;
  const Streams& streams_;
  Publishing& publishing_;
  const std::string stream_, room_;
};

}  // namespace plumb::store
