// What one client is sent for its call: the head at the last moment, then a stream or a whole answer, or an error in
// the client's own format, wherever the answer is by then.
//
//   ClientAnswer answer(client, Wire::openai);
//   answer.add_fields("x-request-id: c...\r\n");            // with every head
//   answer.stream(bytes)                                    // begins a stream with the first of them
//   answer.end();
//   answer.fail(failure);                                   // a status and a body; or, once begun, an error event
//
// A stream that fails because its provider did is cut behind the error event: it must not look complete to whoever
// passes over that event. Everything sent can be kept, to be given again.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "core/wire/failure.hpp"
#include "core/wire/model.hpp"
#include "native/proxy/http_server.hpp"
#include "native/proxy/secret.hpp"
#include "native/proxy/stored_replies.hpp"

namespace plumb::proxy {

// How the answer ends that is told an error after it has begun.
enum class ErrorEnd : std::uint8_t {
  cut,    // the connection breaks behind the error event
  clean,  // the error event is the protocol's own end
};

class ClientAnswer {
 public:
  ClientAnswer(Client& client, wire::Wire wire, bool stream) : client_(&client), wire_(wire), stream_(stream) {}

  void set_stream(bool stream) { stream_ = stream; }
  // Of responses: the number of the error event, should there be one.
  void set_sequence(std::uint64_t number) { sequence_ = number; }
  // Lines of the head: ours, those of the provider's answer, and those that belong to the answer and are kept with it.
  void add_fields(std::string_view lines) { fields_ += lines; }
  void add_request_id(std::string_view id) {
    fields_.reserve(fields_.size() + fields_usual);
    fields_.append("x-request-id: ").append(id).append("\r\n");
  }
  void set_forwarded_headers(std::string lines) { passed_ = std::move(lines); }
  void add_kept_fields(std::string_view lines) { added_ += lines; }
  // The id that the provider gave its answer, also of one that is told as a failure.
  void set_provider_id(std::string_view id) { provider_id_ = id; }
  // Keys that may be in what a provider writes: that of the provider, which lives as long as the call, and the
  // client's own, where the provider has got to see it.
  void hide(const Secret* of_provider) { provider_secret_ = of_provider; }
  void hide_client_key(Secret key) { client_secret_ = std::make_unique<Secret>(std::move(key)); }
  // Keeps what is sent, up to so many bytes.
  void keep(std::uint64_t bytes_max) { kept_max_ = std::max(kept_max_, bytes_max); }

  // True: there is room for more.
  bool stream(std::string_view bytes);
  // A comment that keeps the connection open; begins the stream.
  void keep_alive(std::uint64_t now_ms);
  // Bytes of a body that is no stream of events, of unknown length.
  bool body(std::string_view content_type, std::string_view bytes);
  void end();
  void whole(int status, std::string_view content_type, std::string_view body);
  void again(const StoredReply& reply);
  void fail(const wire::Failure& failure, ErrorEnd how = ErrorEnd::cut);
  // What was sent is no whole answer, and no more can be said.
  void cut();
  // No more is possible: the client has gone.
  void drop() { client_ = nullptr; }

  bool open() const { return client_ != nullptr; }
  bool begun() const { return begun_; }
  // Something of an answer has been sent, other than comments.
  bool released() const { return released_; }
  int status() const { return status_; }
  std::uint64_t sent_at_ms() const { return sent_at_ms_; }
  void sent_at(std::uint64_t now_ms) { sent_at_ms_ = now_ms; }
  // What was kept; nullptr where it was too much, or is an error.
  std::shared_ptr<const StoredReply> kept() const;

 private:
  static constexpr std::size_t fields_usual = 384;  // what follows the first of our lines, and that one
  void begin(int status, std::string_view content_type, std::uint64_t length);
  void remember(std::string_view bytes);
  std::string_view safe(std::string_view bytes);
  std::string_view safe_piece(std::string_view bytes);
  bool send(std::string_view bytes);

  Client* client_;
  wire::Wire wire_;
  bool stream_;
  std::string fields_;
  std::string passed_;
  std::string added_;
  std::string content_type_;
  std::string kept_;
  std::string provider_id_;
  const Secret* provider_secret_ = nullptr;
  std::unique_ptr<Secret> client_secret_;
  std::string changed_;  // what safe() has changed
  std::string held_;     // the end of a piece, which may be the beginning of a key
  std::uint64_t kept_max_ = 0;
  std::uint64_t sent_at_ms_ = 0;
  std::uint64_t sequence_ = 0;
  int status_ = 0;
  bool begun_ = false;
  bool released_ = false;
  bool too_much_ = false;
};

// "retry-after: 3\r\n" and the like for a failure that says when; empty for others.
std::string retry_fields(const wire::Failure& failure);

}  // namespace plumb::proxy
