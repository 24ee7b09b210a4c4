// One exchange: a connection, the request that is written to it, and the answer that is read from it. Internal to
// transport_exchange.cpp (how it begins and ends, the connection), transport_request.cpp (what is written) and
// transport_answer.cpp (what is read).
//
//   auto exchange = std::make_shared<Exchange>(state, id, std::move(request), limits, std::move(reader));
//   state.begin(exchange);
//
// It is a state machine of callbacks. What ends it is one function, finish(), after which callbacks that are still on
// their way find `over` set and leave.
#pragma once

#include <boost/asio/ip/tcp.hpp>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "native/provider/answer_parser.hpp"
#include "native/provider/inflater.hpp"
#include "native/provider/transport.hpp"
#include "native/provider/transport_connection.hpp"
#include "native/provider/transport_state.hpp"

namespace plumb::provider {

struct Exchange : std::enable_shared_from_this<Exchange> {
  enum class Step : std::uint8_t {
    connecting,
    waiting,  // the request is on its way, and nothing has come back
    reading,  // something has
  };

  Exchange(TransportState& of, ExchangeId with_id, ExchangeRequest what, const ExchangeLimits& within,
           std::shared_ptr<ExchangeReader> tells);

  // How it begins and ends: transport_exchange.cpp.
  void begin();
  void connect(std::vector<tcp::endpoint> to);
  void connected();
  void begin_tls();
  void on_tls(const Failed& failed);
  void time_is_up(Clock::time_point now);
  void finish(ExchangeEnd how, std::string message);

  // What is written: transport_request.cpp.
  void send();
  void write_head();
  void write_more();
  // Thousands of streams are open at once, and what was asked is not asked again.
  void forget_request();

  // What is read: transport_answer.cpp.
  void new_parser();
  void read_more();
  void on_readable();
  void on_read(const Failed& failed, std::string_view bytes);
  // False when the exchange is over.
  bool parse(std::string_view bytes);
  void on_end_of_connection(const Failed& failed);
  void on_head(const ExchangeHead& answer);
  void on_body(std::string_view bytes);
  void give(std::string_view bytes);
  void resume();
  void complete(bool nothing_left);
  // We ask for none; some servers compress anyway.
  void read_coding(const ExchangeHead& answer);
  // What has come of a compressed body, to the reader, as far as it takes it. False: it is broken, or too long.
  bool inflate_more();
  bool end_of_coding();

  TransportState& owner;
  ExchangeId id = 0;
  ExchangeRequest request;
  ExchangeLimits limits;
  std::shared_ptr<ExchangeReader> reader;
  Clock::time_point deadline;
  Clock::time_point due;
  Step step = Step::connecting;
  bool over = false;
  bool sent = false;
  std::size_t written = 0;
  bool head_told = false;
  bool paused = false;
  bool stopped = false;
  bool reading = false;
  std::unique_ptr<Inflater> inflater;  // of a compressed answer
  std::uint64_t inflated = 0;
  bool inflated_any = false;
  bool unread = false;
  bool unread_coding = false;
  bool ended_paused = false;
  std::string head;
  std::optional<tcp::resolver> resolver;
  std::vector<tcp::endpoint> endpoints;
  std::shared_ptr<Connection> connection;
  std::optional<AnswerParser> parser;
};

}  // namespace plumb::provider
