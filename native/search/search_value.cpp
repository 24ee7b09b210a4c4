#include "native/search/search_value.hpp"

#include <charconv>
#include <cmath>

#include "core/ascii.hpp"
#include "core/json/writer.hpp"
#include "core/text/unicode.hpp"

namespace plumb::search {

namespace {

// Two digits behind the point are enough to compare with.
std::string score_text(double score) {
  char buffer[64];
  const auto hundredths = static_cast<std::int64_t>(std::llround(score * 100));
  const std::to_chars_result end = std::to_chars(buffer, buffer + sizeof buffer, hundredths / 100);
  std::string out(buffer, end.ptr);
  const std::int64_t rest = std::abs(hundredths % 100);
  out += '.';
  out += static_cast<char>('0' + rest / 10);
  out += static_cast<char>('0' + rest % 10);
  return out;
}

void put_readings(json::Writer& json, const Hits& hits, bool with_results) {
  json.key("insufficient_specificity").begin_object().key("readings").begin_array();
  for (const HitReading& one : hits.readings) {
    if (!with_results) {
      json.string(one.reading);
      continue;
    }
    json.begin_object().member("reading", one.reading).member("word", one.word).key("results").begin_array();
    for (const std::size_t hit : one.hits) {
      json.uint(hit);
    }
    json.end_array().end_object();
  }
  json.end_array().member("separator", separator_of(hits)).end_object();
}

std::string place_of(const Hit& hit) { return hit.path + ":" + std::to_string(hit.quote_line); }

}  // namespace

std::string file_uri(std::string_view folder, std::string_view path) {
  static constexpr std::string_view digits = "0123456789ABCDEF";
  std::string out = "file://";
  std::string whole(folder);
  whole += '/';
  whole += path;
  for (const char c : whole) {
    const auto byte = static_cast<unsigned char>(c);
    if (ascii::is_alphanumeric(c) || std::string_view("-._~/+,:=@").find(c) != std::string_view::npos) {
      out += c;
    } else {
      out += '%';
      out += digits[byte >> 4U];
      out += digits[byte & 15U];
    }
  }
  return out;
}

std::string one_line(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const bool space = c == ' ' || c == '\n' || c == '\t' || c == '\r' || c == '\f';
    if (!space) {
      out += c;
    } else if (!out.empty() && out.back() != ' ') {
      out += ' ';
    }
  }
  while (!out.empty() && out.back() == ' ') {
    out.pop_back();
  }
  return out;
}

std::string separator_of(const Hits& hits) {
  std::string out;
  for (std::size_t i = 0; i < hits.readings.size(); ++i) {
    out += (i == 0 ? "" : i + 1 == hits.readings.size() ? " or " : ", ") + hits.readings[i].word;
  }
  return out;
}

std::string corpus_value(std::string_view query, const Hits& hits, std::string_view folder) {
  std::string out;
  json::Writer json(out);
  json.begin_object()
      .member("status", hits.hits.empty()       ? "no_results"
                        : hits.readings.empty() ? "success"
                                                : "insufficient_specificity")
      .member("query", query)
      .member("provider", "corpus")
      .key("results")
      .begin_array();
  for (const Hit& hit : hits.hits) {
    json.begin_object()
        .member("title", hit.title)
        .member("uri", file_uri(folder, hit.path))
        .member("file", hit.path)
        .member_uint("line", hit.line)
        .member_uint("line_to", hit.line_to)
        .member("heading", hit.heading)
        .member("passage", hit.passage)
        .member("quote", hit.quote)
        .member_uint("quote_line", hit.quote_line)
        .member_uint("quote_line_to", hit.quote_line_to)
        .key("score")
        .raw(score_text(hit.score))
        .end_object();
  }
  json.end_array();
  if (!hits.readings.empty()) {
    put_readings(json, hits, true);
  }
  if (!hits.not_found.empty()) {
    json.key("not_found").begin_array();
    for (const std::string& word : hits.not_found) {
      json.string(word);
    }
    json.end_array();
  }
  json.end_object();
  return out;
}

std::string corpus_answer(const Hits& hits, std::string_view folder) {
  std::string answer;
  std::size_t number = 0;
  for (const Hit& hit : hits.hits) {
    answer += (answer.empty() ? "- \"" : "\n- \"") + one_line(hit.quote) + "\" [" + std::to_string(++number) + "]";
  }
  std::string out;
  json::Writer json(out);
  json.begin_object().member("answer", answer).key("sources").begin_array();
  for (const Hit& hit : hits.hits) {
    json.begin_object()
        .member("title", hit.title)
        .member("url", file_uri(folder, hit.path))
        .member("place", place_of(hit))
        .member("heading", hit.heading)
        .member("quote", hit.quote)
        .end_object();
  }
  json.end_array();
  if (!hits.readings.empty()) {
    put_readings(json, hits, false);
  }
  json.end_object();
  return out;
}

std::string failed_value(std::string_view query, std::string_view provider, std::string_view error) {
  std::string out;
  json::Writer json(out);
  json.begin_object().member("status", "error").member("query", query).member("provider", provider);
  json.key("results").begin_array().end_array().member("error", error).end_object();
  return out;
}

std::string limited_value(std::string_view query, std::string_view provider, std::string_view error,
                          std::uint64_t retry_after_ms) {
  std::string out;
  json::Writer json(out);
  json.begin_object().member("status", "rate_limited").member("query", query).member("provider", provider);
  json.key("results").begin_array().end_array().member("error", error);
  json.member_uint("retry_after_ms", retry_after_ms).end_object();
  return out;
}

}  // namespace plumb::search
