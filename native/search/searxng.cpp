#include "native/search/searxng.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include "core/ascii.hpp"
#include "core/json/arena.hpp"
#include "core/json/members.hpp"
#include "core/json/number_text.hpp"
#include "core/json/value.hpp"
#include "core/json/writer.hpp"
#include "native/search/search_value.hpp"

namespace plumb::search {

namespace {

using json::Kind;
using json::text_of;
using json::Value;

constexpr std::string_view name = "searxng";
constexpr std::size_t text_code_points_max = 2000;  // of a title or a snippet
constexpr std::size_t url_bytes_max = 2048;
constexpr std::uint64_t retry_seconds_max = 24ULL * 3600;

void append_escaped(std::string_view text, std::string& out) {
  static constexpr std::string_view digits = "0123456789ABCDEF";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (ascii::is_alphanumeric(c) || c == '-' || c == '.' || c == '_' || c == '~') {
      out += c;
    } else {
      out += '%';
      out += digits[byte >> 4U];
      out += digits[byte & 15U];
    }
  }
}

std::uint64_t retry_after(const provider::ExchangeHead& head, std::uint64_t otherwise_ms) {
  for (const provider::HeaderField& field : head.headers) {
    std::uint64_t seconds = 0;
    if (field.name == "retry-after" && json::read_uint(field.value, seconds)) {
      return std::min(seconds, retry_seconds_max) * 1000;
    }
  }
  return otherwise_ms;
}

bool is_web_address(std::string_view url) {
  return url.size() <= url_bytes_max && (url.starts_with("http://") || url.starts_with("https://"));
}

// Engines that did not answer: [["google", "too many requests"], ...].
struct Silent {
  std::string names;
  bool limited = false;
};

Silent silent_engines(const Value& answer) {
  Silent out;
  const Value* list = answer.find("unresponsive_engines");
  if (list == nullptr) {
    return out;
  }
  for (const Value& one : list->array()) {
    const auto pair = one.array();
    if (pair.empty()) {
      continue;
    }
    const std::string why = pair.size() > 1 ? ascii::lower(pair[1].str()) : "";
    if (out.names.size() < 200) {
      out.names += (out.names.empty() ? "" : ", ") + std::string(pair[0].str()) + (why.empty() ? "" : " (" + why + ")");
    }
    out.limited = out.limited || why.find("too many requests") != std::string::npos ||
                  why.find("captcha") != std::string::npos || why.find("suspended") != std::string::npos;
  }
  return out;
}

std::size_t put_results(json::Writer& json, const Value& answer, std::size_t limit) {
  std::size_t count = 0;
  const Value* list = answer.find("results");
  if (list == nullptr) {
    return 0;
  }
  std::vector<std::string_view> seen;
  for (const Value& one : list->array()) {
    const std::string_view url = text_of(one, "url");
    const std::string passage = json::excerpt(one_line(text_of(one, "content")), text_code_points_max);
    // Without an address nothing can be cited, without words nothing quoted.
    if (count == limit || !is_web_address(url) || passage.empty() ||
        std::find(seen.begin(), seen.end(), url) != seen.end()) {
      continue;
    }
    seen.push_back(url);
    const std::string title = json::excerpt(one_line(text_of(one, "title")), text_code_points_max);
    json.begin_object().member("title", title.empty() ? std::string(url) : title).member("uri", url);
    json.member("file", "").member("passage", passage);
    if (const Value* score = one.find("score"); score != nullptr && score->is(Kind::number)) {
      json.key("score").value(*score);
    }
    json.end_object();
    ++count;
  }
  return count;
}

std::string refusal(int status) {
  if (status == 403) {
    return "the SearXNG instance gives no JSON: its settings must have json among search.formats";
  }
  if (status >= 300 && status < 400) {
    return "the SearXNG instance sends on to another address; name that one";
  }
  return "the SearXNG instance answered with status " + std::to_string(status);
}

}  // namespace

std::string searxng_target(std::string_view base_path, std::string_view query) {
  std::string target(base_path);
  target += "/search?format=json&q=";
  append_escaped(query, target);
  return target;
}

std::string searxng_value(std::string_view query, std::size_t limit, const provider::ExchangeHead& head,
                          std::string_view body, std::uint64_t retry_after_ms) {
  if (head.status == 429) {
    return limited_value(query, name, "the SearXNG instance had too many questions", retry_after(head, retry_after_ms));
  }
  if (head.status != 200) {
    return failed_value(query, name, refusal(head.status));
  }
  json::Arena arena;
  const Result<Value> answer = json::parse(body, arena, {.depth_max = 64});
  if (!answer || !answer.value().is(Kind::object) || answer.value().find("results") == nullptr) {
    return failed_value(query, name, "what answers there is no SearXNG: its answer is not the JSON of a search");
  }
  std::string results;
  json::Writer list(results);
  list.begin_array();
  const std::size_t count = put_results(list, answer.value(), limit);
  list.end_array();
  const Silent silent = silent_engines(answer.value());
  if (count == 0 && !silent.names.empty()) {
    const std::string why = "no engine of the SearXNG instance had an answer: " + silent.names;
    return silent.limited ? limited_value(query, name, why, retry_after_ms) : failed_value(query, name, why);
  }
  std::string out;
  json::Writer json(out);
  json.begin_object().member("status", count == 0 ? "no_results" : "success").member("query", query);
  json.member("provider", name).key("results").raw(results).end_object();
  return out;
}

provider::ExchangeId Searxng::ask(std::string_view query, std::size_t limit, std::uint64_t deadline_ms,
                                  std::function<void(std::string value)> done) {
  provider::ExchangeRequest request;
  request.method = "GET";
  request.origin = settings_.base.origin;
  request.target = searxng_target(settings_.base.path, query);
  request.headers = {{"accept", "application/json"}, {"user-agent", "plumb"}};
  provider::ExchangeLimits limits;
  limits.deadline_ms = std::min(deadline_ms == 0 ? settings_.deadline_ms : deadline_ms, settings_.deadline_ms);
  limits.first_byte_ms = limits.idle_ms = limits.deadline_ms;
  limits.connect_ms = std::min<std::uint64_t>(limits.connect_ms, limits.deadline_ms);
  limits.body_bytes_max = settings_.bytes_max;
  struct Coming {
    provider::ExchangeHead head;
    std::string body;
  };
  auto coming = std::make_shared<Coming>();
  return transport_.start(
      std::move(request), limits,
      {[coming](const provider::ExchangeHead& head) { coming->head = head; },
       [coming](std::string_view bytes) {
         coming->body += bytes;
         return provider::Flow::go_on;
       },
       [coming, limit, query = std::string(query), retry_ms = settings_.retry_after_ms,
        done = std::move(done)](const provider::ExchangeOutcome& outcome) {
         if (outcome.end != provider::ExchangeEnd::complete) {
           done(failed_value(query, name, "the SearXNG instance did not answer: " + outcome.message));
         } else {
           done(searxng_value(query, limit, coming->head, coming->body, retry_ms));
         }
       }});
}

}  // namespace plumb::search
