#include "core/budget/request.hpp"

#include <algorithm>

#include "core/budget/percent_text.hpp"
#include "core/json/decimal.hpp"
#include "core/json/number_text.hpp"
#include "core/json/pointer.hpp"
#include "core/text/suggest.hpp"
#include "core/wording.hpp"

namespace plumb::budget {

namespace {

using json::Decimal;
using json::Value;

std::string shown(const Value& value) {
  std::string out;
  json::append_value(out, value);
  return json::excerpt(out, 40);
}

// What is wrong with a number that is to be whole and from 0 to `max`; empty: nothing, and it is in `out`.
struct Wrong {
  std::string_view rule;
  std::string message;
};
Wrong read_whole(const Value& value, std::uint64_t max, std::uint64_t& out) {
  if (!value.is(json::Kind::number)) {
    return {"type", "must be a whole number, and is " + std::string(kind_name(value.kind)) + " " + shown(value)};
  }
  Decimal number;
  const bool read = Decimal::read(value.str(), Decimal::exponent_max_default, number) == json::DecimalStatus::ok;
  if (read && number.sign() < 0) {
    return {"minimum", "must not be below 0, and is " + shown(value)};
  }
  if (read && !number.is_integer()) {
    return {"type", "must be a whole number, and is " + shown(value)};
  }
  std::uint64_t whole_number = 0;
  if (!read || !number.to_uint64(whole_number) || whole_number > max) {
    return {"maximum", "must be at most " + json::uint_text(max) + ", and is " + shown(value)};
  }
  out = whole_number;
  return {};
}

// Hundredths of a number that is known to be from 0 to 1,000 with at most two decimals.
Share hundredths(const std::string& canonical) {
  Share out = 0;
  std::uint32_t decimals = 0;
  bool behind = false;
  for (const char c : canonical) {
    if (c == '.') {
      behind = true;
    } else {
      out = out * 10 + static_cast<Share>(c - '0');
      decimals += behind ? 1 : 0;
    }
  }
  for (; decimals < 2; ++decimals) {
    out *= 10;
  }
  return out;
}

}  // namespace

void Request::find(std::string_view rule, std::string at, std::string message, bool error) {
  errors += error ? 1 : 0;
  if (findings.size() == findings_max) {
    ++findings_more;
    return;
  }
  findings.push_back({std::string(rule), error, std::move(at), std::move(message)});
}

void write_findings(json::Writer& json, const Request& request) {
  json.key("findings").begin_array();
  for (const Finding& one : request.findings) {
    json.begin_object().member("rule", one.rule).member("severity", one.error ? "error" : "warning");
    json.member("at", one.at).member("message", one.message).end_object();
  }
  json.end_array();
  if (request.findings_more > 0) {
    json.member_uint("findings_more", request.findings_more);
  }
}

std::string item_place(const std::string& at, std::size_t index) { return at + "/" + json::uint_text(index); }

Amount read_amount(Request& request, const Value& value, const std::string& at) {
  Amount out;
  if (value.is(json::Kind::string)) {
    const text::TokenEstimate estimate = text::estimate_tokens(value.str(), request.encoding);
    out = {estimate.safe, estimate.likely, true, value.str(), true};
    return out;
  }
  if (!value.is(json::Kind::number)) {
    request.find(
        "type", at,
        "must be a number of tokens, or a text, and is " + std::string(kind_name(value.kind)) + " " + shown(value));
    return out;
  }
  std::uint64_t number = 0;
  if (Wrong wrong = read_whole(value, tokens_max, number); !wrong.rule.empty()) {
    request.find(wrong.rule, at, std::move(wrong.message));
    return out;
  }
  out = {number, number, true, {}, false};
  return out;
}

Fields::Fields(Request& request, const Value& value, std::string at)
    : request_(request), value_(value), at_(std::move(at)) {
  if (!value.is(json::Kind::object)) {
    request_.find("type", at_, "must be an object, and is " + std::string(kind_name(value.kind)) + " " + shown(value));
  }
}

std::string Fields::place(std::string_view key) const {
  std::string out = at_;
  json::append_token(out, key);
  return out;
}

bool Fields::has(std::string_view key) const {
  const Value* value = value_.find(key);
  return value != nullptr && !value->is(json::Kind::null);
}

const Value* Fields::take(std::string_view key) {
  known_.push_back(key);
  return has(key) ? value_.find(key) : nullptr;
}

void Fields::wrong(std::string_view rule, std::string_view key, std::string message) {
  request_.find(rule, place(key), std::move(message));
}

void Fields::required(std::string_view key, std::string_view what) {
  if (!has(key)) {
    wrong("required", key, "is missing: " + std::string(what));
  }
}

std::optional<std::uint64_t> Fields::whole(std::string_view key, std::uint64_t max) {
  const Value* value = take(key);
  if (value == nullptr) {
    return std::nullopt;
  }
  std::uint64_t number = 0;
  if (Wrong found = read_whole(*value, max, number); !found.rule.empty()) {
    wrong(found.rule, key, std::move(found.message));
    return std::nullopt;
  }
  return number;
}

std::uint64_t Fields::whole(std::string_view key, std::uint64_t max, std::uint64_t otherwise) {
  return whole(key, max).value_or(otherwise);
}

Amount Fields::amount(std::string_view key) {
  const Value* value = take(key);
  return value == nullptr ? Amount() : read_amount(request_, *value, place(key));
}

std::optional<Share> Fields::share(std::string_view key, std::uint32_t max_percent) {
  const Value* value = take(key);
  if (value == nullptr) {
    return std::nullopt;
  }
  Decimal number;
  Decimal step;
  Decimal::read("0.01", 10, step);
  const bool read = value->is(json::Kind::number) &&
                    Decimal::read(value->str(), Decimal::exponent_max_default, number) == json::DecimalStatus::ok;
  if (!read || number.sign() < 0 || compare(number, Decimal::from_uint64(max_percent)) > 0 ||
      !number.is_multiple_of(step)) {
    wrong("type", key,
          "must be a percentage from 0 to " + json::uint_text(max_percent) + " with at most two decimals, and is " +
              shown(*value));
    return std::nullopt;
  }
  return hundredths(number.canonical());
}

std::optional<std::string_view> Fields::text(std::string_view key) {
  const Value* value = take(key);
  if (value != nullptr && !value->is(json::Kind::string)) {
    wrong("type", key, "must be a text, and is " + std::string(kind_name(value->kind)) + " " + shown(*value));
    return std::nullopt;
  }
  return value == nullptr ? std::nullopt : std::optional<std::string_view>(value->str());
}

bool Fields::flag(std::string_view key) {
  const Value* value = take(key);
  if (value != nullptr && !value->is(json::Kind::boolean)) {
    wrong("type", key, "must be true or false, and is " + shown(*value));
    return false;
  }
  return value != nullptr && value->boolean;
}

std::span<const Value> Fields::list(std::string_view key) {
  const Value* value = take(key);
  if (value == nullptr) {
    return {};
  }
  if (!value->is(json::Kind::array)) {
    wrong("type", key, "must be a list, and is " + std::string(kind_name(value->kind)) + " " + shown(*value));
    return {};
  }
  if (value->size > items_max) {
    wrong("maximum", key,
          "has " + json::uint_text(value->size) + " items, and at most " + json::uint_text(items_max) + " are taken");
    return {};
  }
  return value->array();
}

std::vector<std::string> Fields::texts(std::string_view key) {
  std::vector<std::string> out;
  const std::span<const Value> items = list(key);
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (items[i].is(json::Kind::string)) {
      out.emplace_back(items[i].str());
    } else {
      request_.find("type", item_place(place(key), i), "must be a text, and is " + shown(items[i]));
    }
  }
  return out;
}

int Fields::choice(std::string_view key, std::span<const std::string_view> names) {
  const Value* value = take(key);
  if (value == nullptr) {
    return -1;
  }
  std::string all;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (value->is(json::Kind::string) && value->str() == names[i]) {
      return static_cast<int>(i);
    }
    all += (i == 0 ? "" : i + 1 == names.size() ? " or " : ", ") + std::string(names[i]);
  }
  wrong("enum", key, "must be " + all + ", and is " + shown(*value));
  return -1;
}

void Fields::done() {
  for (const json::Member& member : value_.object()) {
    if (std::find(known_.begin(), known_.end(), member.key) != known_.end()) {
      continue;
    }
    const auto near = text::nearest(member.key, known_);
    std::string all = joined(known_);
    wrong("unknown", member.key,
          "is not known here" + (near ? "; did you mean '" + std::string(known_[*near]) + "'?" : "; known are " + all));
  }
}

}  // namespace plumb::budget
