#include "core/pipelines/research/search_effect.hpp"

#include <algorithm>
#include <array>

#include "core/json/members.hpp"
#include "core/json/number_text.hpp"
#include "core/json/writer.hpp"
#include "core/pipelines/tool_envelope.hpp"
#include "core/text/sentences.hpp"

namespace plumb::pipelines::research {

namespace {

using json::Kind;
using json::Value;

constexpr std::size_t readings_max = 10;
constexpr std::array<std::string_view, 5> names = {"success", "no_results", "insufficient_specificity", "rate_limited",
                                                   "error"};

// The first bytes of a text, cut between code points.
std::string_view first_bytes(std::string_view text, std::size_t bytes_max) {
  std::size_t end = std::min(text.size(), bytes_max);
  while (end > 0 && end < text.size() && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) {
    --end;
  }
  return text.substr(0, end);
}

void read_results(const Value& value, SearchReply& out) {
  for (const Value& one : list_of(value, "results")) {
    if (out.results.size() == search_limit_max) {
      break;
    }
    auto result = json::record_of<SearchResult>(one);
    result.line_to = std::max(result.line, result.line_to);
    result.passage.resize(first_bytes(result.passage, passage_bytes_max).size());
    out.results.push_back(std::move(result));
  }
  const Value* unclear = value.find("insufficient_specificity");
  if (unclear == nullptr) {
    return;
  }
  out.separator = text_of(*unclear, "separator");
  for (const Value& one : list_of(*unclear, "readings")) {
    if (out.readings.size() == readings_max) {
      break;
    }
    Interpretation reading;
    reading.reading = one.is(Kind::string) ? one.str() : text_of(one, "reading");
    for (const Value& index : list_of(one, "results")) {
      std::uint64_t number = 0;
      if (json::read_uint(index.str(), number) && number < out.results.size()) {
        reading.results.push_back(static_cast<std::size_t>(number));
      }
    }
    out.readings.push_back(std::move(reading));
  }
}

}  // namespace

std::span<const std::string_view> names_of(SearchStatus /*status*/) { return names; }

std::span<const json::Field> SearchResult::fields() {
  static constexpr json::Field table[] = {
      json::field<&SearchResult::title>("title"),     json::field<&SearchResult::uri>("uri"),
      json::field<&SearchResult::file>("file"),       json::field<&SearchResult::line>("line"),
      json::field<&SearchResult::line_to>("line_to"), json::field<&SearchResult::heading>("heading"),
      json::field<&SearchResult::passage>("passage")};
  return table;
}

std::string search_request(std::string_view query, std::span<const std::string> providers, std::size_t limit) {
  std::string out;
  json::Writer json(out);
  json.begin_object().member("query", query);
  if (!providers.empty()) {
    json::write_list(json, "providers", std::vector(providers.begin(), providers.end()));
  }
  json.member_uint("limit", std::clamp<std::size_t>(limit, 1, search_limit_max)).end_object();
  return out;
}

SearchReply read_search(const run::Reply& reply, std::string_view query) {
  SearchReply out;
  out.query = query;
  if (!reply.ok()) {
    out.error = std::string(run::status_name(reply.status)) + (reply.error.empty() ? "" : ": " + reply.error);
    return out;
  }
  const Value& value = reply.value.value();
  const auto found = std::find(names.begin(), names.end(), text_of(value, "status"));
  if (found == names.end()) {
    out.error = "the search answered with a status that is none";
    return out;
  }
  out.status = static_cast<SearchStatus>(found - names.begin());
  out.provider = text_of(value, "provider");
  out.error = text_of(value, "error");
  out.retry_after_ms = number_of(value, "retry_after_ms");
  read_results(value, out);
  // What it says of itself must fit what it brings.
  if (out.status == SearchStatus::success && out.results.empty()) {
    out.status = SearchStatus::no_results;
  }
  if (out.status == SearchStatus::insufficient_specificity && (out.readings.size() < 2 || out.results.empty())) {
    out.status = out.results.empty() ? SearchStatus::no_results : SearchStatus::success;
  }
  if (out.failed() && out.error.empty()) {
    out.error = out.status == SearchStatus::error ? "the search failed" : "too many searches for the provider";
  }
  return out;
}

std::string search_envelope(const SearchReply& reply) {
  const auto error = [&](json::Writer& json) { json.member("error", reply.error); };
  const auto nothing = [&](json::Writer& json) { json.member("query", reply.query); };
  const auto found = [&](json::Writer& json) {
    json.member("query", reply.query).key("data").begin_array();
    std::size_t number = 0;
    for (const SearchResult& one : reply.results) {
      json.begin_object().member_uint("n", ++number).member("title", one.title);
      if (!one.heading.empty()) {
        json.member("heading", one.heading);
      }
      json.member("uri", one.uri);
      if (one.line > 0) {
        json.member_uint("line", one.line);
      }
      json.member("passage", one.passage).end_object();
    }
    json.end_array();
    if (reply.status == SearchStatus::insufficient_specificity) {
      json.key("insufficient_specificity").begin_object().key("readings").begin_array();
      for (const Interpretation& reading : reply.readings) {
        json.string(reading.reading);
      }
      json.end_array().member("separator", reply.separator).end_object();
    }
  };
  switch (reply.status) {
    case SearchStatus::success:
      return envelope("success", found, "Use these passages: state only what they say, and quote them word for word.");
    case SearchStatus::insufficient_specificity:
      return envelope("success", found, "Name which of the readings is meant, in the words of the separator.");
    case SearchStatus::no_results:
      return envelope("no_results", nothing,
                      "Nothing was found. Go on with what is known, or name another piece of evidence.");
    case SearchStatus::rate_limited:
      return envelope("rate_limited", error, "The search is not available now. Go on without this information.");
    case SearchStatus::error:
      break;
  }
  return envelope("error", error, "The search is not available. Go on without this information.");
}

}  // namespace plumb::pipelines::research
