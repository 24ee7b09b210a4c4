// Beast's request parser, which fills the session's request. Internal to the sources of the HTTP server.
//
// Before the parser sees a head, it is checked for ambiguities (http_head.hpp). The resulting views point into the
// session's copy of the head.
#pragma once

#include <boost/beast/http/basic_parser.hpp>
#include <cstddef>
#include <cstdint>

namespace plumb::proxy {

namespace http = boost::beast::http;

struct Session;

struct RequestParser final : http::basic_parser<true> {
  using Failed = boost::system::error_code;

  explicit RequestParser(Session& of) : session(of) {}
  void on_request_impl(http::verb /*verb*/, boost::beast::string_view method, boost::beast::string_view target,
                       int version, Failed& failed) override;
  void on_response_impl(int /*code*/, boost::beast::string_view /*reason*/, int /*version*/,
                        Failed& /*failed*/) override {}
  void on_field_impl(http::field /*name*/, boost::beast::string_view name, boost::beast::string_view value,
                     Failed& failed) override;
  void on_header_impl(Failed& /*failed*/) override {}
  void on_body_init_impl(const boost::optional<std::uint64_t>& /*length*/, Failed& /*failed*/) override {}
  std::size_t on_body_impl(boost::beast::string_view body, Failed& failed) override;
  void on_chunk_header_impl(std::uint64_t /*size*/, boost::beast::string_view /*extensions*/,
                            Failed& /*failed*/) override {}
  std::size_t on_chunk_body_impl(std::uint64_t /*remain*/, boost::beast::string_view body, Failed& failed) override {
    return on_body_impl(body, failed);
  }
  void on_finish_impl(Failed& /*failed*/) override {}

  Session& session;
};

}  // namespace plumb::proxy
