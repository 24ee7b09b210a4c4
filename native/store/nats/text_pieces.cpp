#include "native/store/nats/text_pieces.hpp"

#include <algorithm>
#include <cstdlib>

namespace plumb::store {

namespace {

constexpr std::size_t piece_bytes_max = std::size_t{512} * 1024;

}  // namespace

std::size_t TextPieces::piece_bytes() const { return std::min(piece_bytes_max, servers_.body_bytes_max()); }

std::string TextPieces::subject(const std::string& name, const std::string& piece) const {
  return servers_.subject(room_ + "." + name + "." + piece);
}

void TextPieces::put_from(const std::shared_ptr<const std::string>& text, const std::string& name, std::size_t piece,
                          Answered done) {
  const std::size_t size = piece_bytes();
  const std::size_t count = std::max<std::size_t>(1, (text->size() + size - 1) / size);
  Headers headers;
  if (piece == 0) {
    headers = {{"Plumb-Pieces", std::to_string(count)}, {"Plumb-Bytes", std::to_string(text->size())}};
  }
  publishing_.publish(subject(name, std::to_string(piece)), std::string_view(*text).substr(piece * size, size), headers,
                      [this, text, name, piece, done = std::move(done)](const LogAnswer& answer) {
                        if (piece == 0 || answer.what != LogAnswer::What::stored) {
                          done(answer);
                        } else {
                          put_from(text, name, piece - 1, done);
                        }
                      });
}

void TextPieces::put(const std::string& name, std::string text, Answered done) {
  const std::size_t count = std::max<std::size_t>(1, (text.size() + piece_bytes() - 1) / piece_bytes());
  put_from(std::make_shared<const std::string>(std::move(text)), name, count - 1, std::move(done));
}

Result<Owned<natsMsg>> TextPieces::piece_of(const std::string& name, std::size_t piece) const {
  return streams_.last(stream_, subject(name, std::to_string(piece)));
}

Result<std::string> TextPieces::text(const std::string& name) const {
  Result<Owned<natsMsg>> first = piece_of(name, 0);
  if (!first) {
    return first.error();
  }
  natsMsg* const one = first.value().get();
  std::string out = text_of(one);
  const auto number = [&](const char* header) { return std::strtoull(header_of(one, header).c_str(), nullptr, 10); };
  const std::size_t count = static_cast<std::size_t>(number("Plumb-Pieces"));
  const std::size_t bytes = static_cast<std::size_t>(number("Plumb-Bytes"));
  for (std::size_t piece = 1; piece < count && out.size() < bytes; ++piece) {
    Result<Owned<natsMsg>> more = piece_of(name, piece);
    if (!more) {
      return more.error();
    }
    out += text_of(more.value().get());
  }
  if (out.size() != bytes) {
    return servers_.not_there("the text " + name + " is there in part only");
  }
  return out;
}

Result<bool> TextPieces::remove(const std::string& name, std::uint64_t before_ms) const {
  Result<Owned<natsMsg>> first = piece_of(name, 0);
  if (!first) {
    return first.error().code == ErrorCode::not_found ? Result<bool>(false) : Result<bool>(first.error());
  }
  natsMsg* const one = first.value().get();
  if (natsMsg_GetTime(one) / 1'000'000 >= static_cast<std::int64_t>(before_ms)) {
    return false;
  }
  // What somebody gives at this moment has a later sequence, and stays.
  return streams_.purge(stream_, subject(name, "*"), natsMsg_GetSequence(one) + 1);
}

Result<std::vector<std::string>> TextPieces::names() const {
  Result<std::vector<std::string>> subjects = streams_.subjects(stream_, subject("*", "0"));
  if (!subjects) {
    return subjects;
  }
  const std::size_t before = servers_.subject(room_ + ".").size();
  for (std::string& one : subjects.value()) {
    one = one.substr(before, one.size() - before - 2);
  }
  return subjects;
}

}  // namespace plumb::store
