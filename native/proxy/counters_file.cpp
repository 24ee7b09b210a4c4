#include "native/proxy/counters_file.hpp"

#include <unistd.h>

#include <cerrno>
#include <charconv>

#include "core/json/value.hpp"
#include "core/json/writer.hpp"
#include "native/base/file_bytes.hpp"

namespace plumb::proxy {

namespace {

constexpr std::uint64_t file_bytes_max = 64U << 20;

bool read_number(const json::Value& object, std::string_view name, std::uint64_t& into) {
  const json::Value* value = object.find(name);
  if (value == nullptr || !value->is(json::Kind::number)) {
    return false;
  }
  const std::string_view text = value->str();
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), into);
  return failed == std::errc() && end == text.data() + text.size();
}

}  // namespace

std::string counters_text(const std::vector<Used>& used, std::uint64_t today) {
  std::string out;
  json::Writer json(out, 1);
  json.begin_object().member_uint("plumb_counters", 1).member_uint("day", today).key("accounts").begin_array();
  for (const Used& one : used) {
    if (one.day != today || one.requests_day == 0) {
      continue;
    }
    json.begin_object().member("scope", one.scope).member_uint("requests", one.requests_day);
    json.member_uint("tokens", one.tokens_day + one.reserved.tokens);
    json.member_uint("nano_usd", one.nano_usd_day + one.reserved.nano_usd).end_object();
  }
  json.end_array().end_object();
  return out + "\n";
}

Result<std::vector<Used>> read_counters(std::string_view text, const std::string& where) {
  json::Arena arena;
  const Result<json::Value> read = json::parse(text, arena, {8, file_bytes_max});
  std::uint64_t day = 0;
  const json::Value* accounts = read ? read.value().find("accounts") : nullptr;
  if (accounts == nullptr || !accounts->is(json::Kind::array) || !read_number(read.value(), "day", day)) {
    return Error{ErrorCode::invalid_argument,
                 "is not a file of counters; take it away to begin at 0 (limits of a day begin anew)", where, 0, 0};
  }
  std::vector<Used> out;
  for (const json::Value& one : accounts->array()) {
    Used used;
    const json::Value* scope = one.find("scope");
    used.day = day;
    if (scope == nullptr || !scope->is(json::Kind::string) || !read_number(one, "requests", used.requests_day) ||
        !read_number(one, "tokens", used.tokens_day) || !read_number(one, "nano_usd", used.nano_usd_day)) {
      return Error{ErrorCode::invalid_argument,
                   "/accounts/" + std::to_string(out.size()) +
                       ": scope, requests, tokens and nano_usd are required; delete the file to start at 0",
                   where, 0, 0};
    }
    used.scope = scope->str();
    out.push_back(std::move(used));
  }
  return out;
}

Result<std::vector<Used>> read_counters_file(const std::string& path) {
  if (::access(path.c_str(), F_OK) != 0 && errno == ENOENT) {
    return std::vector<Used>{};
  }
  const Result<std::string> text = plumb::read_file(path, file_bytes_max);
  if (!text) {
    return text.error();
  }
  return read_counters(text.value(), path);
}

}  // namespace plumb::proxy
