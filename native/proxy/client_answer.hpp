// ClientAnswer: what one client is sent for its call. The head is written as late as possible; then follows a stream,
// a whole answer, or an error in the client's format, at any stage.
//
//   ClientAnswer answer(client, Wire::openai);
//   answer.add_fields("x-request-id: c...\r\n");            // with every head
//   answer.stream(bytes)                                    // the first bytes begin a stream
//   answer.end();
//   answer.fail(failure);                                   // a status and a body; or, once begun, an error event
//
// If a stream fails because of its provider, the connection is cut after the error event, so that the answer does not
// look complete to clients that ignore the event. Everything sent can be kept, to be repeated.
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

// How an answer ends that has begun and then gets an error.
enum class ErrorEnd : std::uint8_t {
  cut,    // the connection is cut after the error event
  clean,  // the error event is the protocol's own end
};

class ClientAnswer {
 public:
  ClientAnswer(Client& client, wire::Wire wire, bool stream) : client_(&client), wire_(wire), stream_(stream) {}

  void set_stream(bool stream) { stream_ = stream; }
  // For responses: the number for an error event.
  void set_sequence(std::uint64_t number) { sequence_ = number; }
  // Adds header lines: ours, those from the provider's answer, and those that are kept with the answer.
  void add_fields(std::string_view lines) { fields_ += lines; }
  void add_request_id(std::string_view id) {
    fields_.reserve(fields_.size() + fields_usual);
    fields_.append("x-request-id: ").append(id).append("\r\n");
  }
  void set_forwarded_headers(std::string lines) { passed_ = std::move(lines); }
  void add_kept_fields(std::string_view lines) { added_ += lines; }
  // Upstream calls of this answer so far, and their tokens: told in its head, the tokens only of a whole answer.
  void set_spent(std::uint64_t attempts, std::uint64_t tokens) {
    attempts_ = attempts;
    tokens_ = tokens;
  }
  // The proxy has made its own tries: another of the client is of no use.
  void set_final() { final_ = true; }
  // The provider's id of its answer, also for one that becomes a failure.
  void set_provider_id(std::string_view id) { provider_id_ = id; }
  // Keys to remove from what a provider writes: the provider's, which lives as long as the call, and the client's own,
  // if the provider has seen it.
  void hide(const Secret* of_provider) { provider_secret_ = of_provider; }
  void hide_client_key(Secret key) { client_secret_ = std::make_unique<Secret>(std::move(key)); }
  // Keeps what is sent, up to this many bytes.
  void keep(std::uint64_t bytes_max) { kept_max_ = std::max(kept_max_, bytes_max); }

  // True: there is room for more.
  bool stream(std::string_view bytes);
  // Sends a comment that keeps the connection open; begins the stream.
  void keep_alive(std::uint64_t now_ms);
  // Sends bytes of a body of unknown length that is not a stream of events.
  bool body(std::string_view content_type, std::string_view bytes);
  void end();
  void whole(int status, std::string_view content_type, std::string_view body);
  void again(const StoredReply& reply);
  void fail(const wire::Failure& failure, ErrorEnd how = ErrorEnd::cut);
  // What was sent is incomplete, and nothing more can be sent.
  void cut();
  // The client has gone.
  void drop() { client_ = nullptr; }

  bool open() const { return client_ != nullptr; }
  bool begun() const { return begun_; }
  // Part of an answer has been sent, other than comments.
  bool released() const { return released_; }
  int status() const { return status_; }
  std::uint64_t sent_at_ms() const { return sent_at_ms_; }
  void sent_at(std::uint64_t now_ms) { sent_at_ms_ = now_ms; }
  // What was kept; nullptr if it was too much, or is an error.
  std::shared_ptr<const StoredReply> kept() const;

 private:
  static constexpr std::size_t fields_usual = 384;  // usual size of our header lines
  std::string_view stream_type() const;
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
  std::string held_;     // the end of a piece, which may begin a key
  std::uint64_t kept_max_ = 0;
  std::uint64_t attempts_ = 0;
  std::uint64_t tokens_ = 0;
  bool final_ = false;
  std::uint64_t sent_at_ms_ = 0;
  std::uint64_t sequence_ = 0;
  int status_ = 0;
  bool begun_ = false;
  bool released_ = false;
  bool too_much_ = false;
};

// "retry-after: 3\r\n" and so on, if the failure has a time; else empty.
std::string retry_fields(const wire::Failure& failure);

}  // namespace plumb::proxy
