// Beast's parser of an answer, which collects the head and calls the exchange with it, then with each piece of the
// body. Internal to the sources of the transport.
//
// The exchange gives it what it has read, by put(): Beast's own read operations grow a buffer from 512 bytes and cost
// half of the throughput.
#pragma once

#include <algorithm>
#include <boost/beast/http/basic_parser.hpp>
#include <cstddef>
#include <cstdint>
#include <string>

#include "core/ascii.hpp"
#include "native/provider/transport.hpp"

namespace plumb::provider {

namespace http = boost::beast::http;

inline constexpr std::size_t fields_usual = 16;  // of an answer's head

struct Exchange;

struct AnswerParser final : http::basic_parser<false> {
  using Failed = boost::system::error_code;

  explicit AnswerParser(Exchange& of) : exchange(of) { head.headers.reserve(fields_usual); }

  void on_request_impl(http::verb /*verb*/, boost::beast::string_view /*method*/, boost::beast::string_view /*target*/,
                       int /*version*/, Failed& /*failed*/) override {}
  void on_response_impl(int code, boost::beast::string_view /*reason*/, int /*version*/, Failed& /*failed*/) override {
    head.status = code;
  }
  void on_field_impl(http::field /*name*/, boost::beast::string_view name, boost::beast::string_view value,
                     Failed& /*failed*/) override {
    HeaderField& field = head.headers.emplace_back(HeaderField{std::string(name), std::string(value)});
    std::transform(field.name.begin(), field.name.end(), field.name.begin(), [](char c) { return ascii::lower(c); });
  }
  void on_header_impl(Failed& failed) override;
  void on_body_init_impl(const boost::optional<std::uint64_t>& /*length*/, Failed& /*failed*/) override {}
  std::size_t on_body_impl(boost::beast::string_view body, Failed& failed) override;
  void on_chunk_header_impl(std::uint64_t /*size*/, boost::beast::string_view /*extensions*/,
                            Failed& /*failed*/) override {}
  std::size_t on_chunk_body_impl(std::uint64_t /*remain*/, boost::beast::string_view body, Failed& failed) override {
    return on_body_impl(body, failed);
  }
  void on_finish_impl(Failed& /*failed*/) override {}

  Exchange& exchange;
  ExchangeHead head;
};

}  // namespace plumb::provider
