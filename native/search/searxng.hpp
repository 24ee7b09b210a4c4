// SearXNG, a metasearch engine that people host themselves, over its JSON API.
//
//   Searxng web({.base = base}, transport);
//   web.ask("How many cars were sold in Norway in 2023?", 8, deadline_ms, [](std::string value) { ... });
//
// Only the address that was set is ever asked: no redirect is followed, and no result is fetched. What goes wrong is a
// value with status error or rate_limited (search_value.hpp). The instance must have `json` among `search.formats`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "native/provider/endpoint.hpp"
#include "native/provider/transport.hpp"

namespace plumb::search {

struct SearxngSettings {
  provider::BaseUrl base;
  std::uint64_t deadline_ms = 20'000;                 // of one question, where less is not asked for
  std::uint64_t bytes_max = std::uint64_t{4} << 20U;  // of an answer
  std::uint64_t retry_after_ms = 60'000;              // told where the instance says no time
};

class Searxng {
 public:
  Searxng(SearxngSettings settings, provider::Transport& transport)
      : settings_(std::move(settings)), transport_(transport) {}

  // `done` is called once, from the transport's thread.
  provider::ExchangeId ask(std::string_view query, std::size_t limit, std::uint64_t deadline_ms,
                           std::function<void(std::string value)> done);

 private:
  SearxngSettings settings_;
  provider::Transport& transport_;
};

// The path and query of a question.
std::string searxng_target(std::string_view base_path, std::string_view query);
// What an answer says, whatever it is.
std::string searxng_value(std::string_view query, std::size_t limit, const provider::ExchangeHead& head,
                          std::string_view body, std::uint64_t retry_after_ms);

}  // namespace plumb::search
