// One client connection: its requests one after another, and their answers. Internal to http_session.cpp (beginning,
// end, timeouts), http_session_request.cpp (reading) and http_session_answer.cpp (writing).
//
// It holds no buffers while it is idle: when it becomes readable, data goes into one buffer of the loop and is parsed
// at once. Written data is collected until the end of the loop's round.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "native/provider/socket_poller.hpp"
#include "native/proxy/answer_phase.hpp"
#include "native/proxy/http_server.hpp"
#include "native/proxy/request_parser.hpp"

namespace plumb::proxy {

inline constexpr std::size_t kept_bytes_max = 16 << 10;  // a larger buffer is given back between requests

struct LoopState;

struct Session final : Client, provider::PolledSocket, std::enable_shared_from_this<Session> {
  enum class Step : std::uint8_t {
    head,       // of the next request, of which nothing may have arrived
    body,       //
    answering,  //
    lingering,  // the answer is sent, and the rest of the request is discarded
  };

  // Takes ownership of the socket `with`, and closes it.
  Session(LoopState& of, int with, std::string address);
  ~Session() override { close_socket(); }

  // Beginning, end and timeouts: http_session.cpp.
  bool start();  // false: the kernel does not accept it
  void next_request();
  // Closing with unread data from the client would break the connection before the client has read the answer. So the
  // client's side is read to the end first, for a limited time.
  void linger();
  void lost(Gone why);
  void close();
  void close_socket();
  void sweep(std::uint64_t now);

  // Reading: http_session_request.cpp.
  void on_readable() override;
  void feed(std::string_view bytes);
  bool feed_head(std::string_view& bytes);  // false: not enough data yet
  bool feed_body(std::string_view& bytes);
  void handle();
  void refuse(int status, std::string_view message);

  // Writing: http_session_answer.cpp.
  void begin(int status, std::string_view fields, std::uint64_t length) override;
  bool write(std::string_view bytes) override;
  void end() override;
  void cut() override;
  bool begun() const override { return answer_at.is_begun(); }
  std::string address() const override { return from; }
  void flush_soon();
  void flush();
  void after_flush();  // the socket has taken everything that was written
  // The client is slow: what it has not taken is kept, and the time without progress is bounded.
  void send_more();
  void on_writable() override;

  LoopState& loop;
  int socket;
  std::string from;
  std::optional<RequestParser> parser;
  HttpRequest request;
  std::string head;   // the request's views point into it
  std::string early;  // arrived, but not used yet
  std::string out;    // written but not taken, from `out_taken` on
  std::size_t out_taken = 0;
  std::shared_ptr<Answering> answering;
  std::uint64_t due = 0;
  std::uint64_t close_at = 0;  // for a cut answer: when to close
  std::uint64_t body_size = 0;
  Step step = Step::head;
  AnswerProgress answer_at;
  bool closed = false;
  bool waiting_writable = false;
  bool flush_planned = false;
  bool chunked = false;
  bool keep = true;       // keep the connection after this answer
  bool bodiless = false;  // HEAD
  bool wants_room = false;
  bool old_http = false;
  bool in_feed = false;
};

}  // namespace plumb::proxy
