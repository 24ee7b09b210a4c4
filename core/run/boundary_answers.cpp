#include "core/run/boundary_answers.hpp"

#include <algorithm>
#include <unordered_map>

#include "core/ascii.hpp"
#include "core/json/arena.hpp"
#include "core/json/members.hpp"
#include "core/json/number_text.hpp"
#include "core/run/boundary_notes.hpp"
#include "core/run/usage.hpp"
#include "core/text/tokens.hpp"

namespace plumb::run {

namespace {

using json::Kind;
using json::text_of;
using json::Value;

constexpr std::size_t reason_code_points_max = 500;
// Tokens of an item besides its text: its id and name, the lines around it, its place in the answer.
constexpr std::uint64_t tokens_around = 60;
// Up to this size, tokens are estimated from the whole text; above it, from a sample.
constexpr std::size_t estimated_bytes_max = std::size_t{256} << 10U;
constexpr std::size_t sample_max = 64;
constexpr std::size_t items_shown_max = 1000;

// An id as models write it: a string, or a number that looks like the id.
std::string_view id_in(const Value& value) {
  const Value* found = value.is(Kind::object) ? value.find("item_id") : &value;
  if (found == nullptr && value.is(Kind::object)) {
    found = value.find("id");
  }
  return found == nullptr ? std::string_view() : found->str();
}

using Mend = std::function<std::string(std::string_view text)>;

std::string answer_text(const Reply& reply, const Mend& mend) {
  if (!reply.ok()) {
    return {};
  }
  const std::string_view text = text_of(reply.value.value(), "text");
  return mend ? mend(text) : std::string(text);
}

// How bad a version is by the rules without a model: 0 without a fault, 1 with a fault of meaning, 2 of structure.
struct Rated {
  unsigned badness = 0;
  std::string reason;
};
Rated rated(const Boundary& boundary, const BoundaryItem& item, const Data& value) {
  BoundaryItem version = item;
  version.value = value;
  const Gate gate = boundary.gate ? boundary.gate(version) : Gate{};
  return gate.rejected ? Rated{gate.rejected->structural ? 2U : 1U, gate.rejected->reason} : Rated{};
}

// Unpacks a document that a model wrote into a string, for an item that is an object or a list.
Value unpacked(const Value& value, json::Kind kind, json::Arena& arena) {
  const bool document = kind == Kind::object || kind == Kind::array;
  if (!document || !value.is(Kind::string)) {
    return value;
  }
  const Result<Value> inner = json::parse(value.str(), arena);
  return inner && inner.value().is(kind) ? inner.value() : value;
}

// The parts of an answer, in any of the forms that models use.
std::vector<Value> parts_of(const Value& answer, bool item_is_list) {
  const Value* list = answer.is(Kind::array) ? &answer : nullptr;
  if (answer.is(Kind::object) && answer.size == 1 && answer.find("items") != nullptr) {
    list = answer.find("items");
  }
  if (list == nullptr || !list->is(Kind::array)) {
    return {answer};
  }
  if (item_is_list) {
    return {list->size == 1 && list->array().front().is(Kind::array) ? list->array().front() : answer};
  }
  return {list->array().begin(), list->array().end()};
}

}  // namespace

Batches batches_of(std::span<const std::string_view> texts, std::uint64_t tokens_max) {
  Batches out;
  std::size_t bytes = 0;
  for (const std::string_view text : texts) {
    bytes += text.size();
  }
  // A token has at least one byte, so texts that fit by their bytes need no estimate.
  const bool all_fit = bytes + tokens_around * texts.size() <= tokens_max;
  const bool exact = bytes <= estimated_bytes_max;
  std::uint64_t per_1000_bytes = 0;
  if (!all_fit && !exact) {
    const std::size_t step = texts.size() / sample_max + 1;
    for (std::size_t i = 0; i < texts.size(); i += step) {
      const std::string_view text = texts[i].substr(0, 4096);
      if (text.size() >= 64) {
        per_1000_bytes = std::max(per_1000_bytes, text::estimate_tokens(text).safe * 1000 / text.size() + 1);
      }
    }
    per_1000_bytes = per_1000_bytes == 0 ? 1000 : per_1000_bytes + per_1000_bytes / 10;
  }
  std::uint64_t used = 0;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const std::uint64_t tokens = tokens_around + (all_fit ? texts[i].size()
                                                  : exact ? text::estimate_tokens(texts[i]).safe
                                                          : texts[i].size() * per_1000_bytes / 1000 + 1);
    if (tokens > tokens_max) {
      out.too_large.push_back(i);
      continue;
    }
    if (out.sizes.empty() || used + tokens > tokens_max) {
      out.sizes.push_back(0);
      used = 0;
    }
    used += tokens;
    ++out.sizes.back();
  }
  return out;
}

void read_answer(const Reply& reply, const Boundary& boundary, std::span<const BoundaryItem* const> asked,
                 Answers& out) {
  out.tokens += usage_of(reply.value.value()).tokens();
  const std::string text = answer_text(reply, boundary.mend);
  json::Arena arena;
  const Result<Value> answer = json::parse(text, arena);
  const Value* list = answer ? answer.value().find("rejected_items") : nullptr;
  if (list == nullptr || !list->is(Kind::array)) {
    ++out.calls_failed;
    if (out.call_error.empty() && !boundary.by_rule) {
      out.call_error = reply.ok() ? "the answer is no JSON with `rejected_items`"
                                  : json::excerpt(reply.error, reason_code_points_max);
    }
    for (const BoundaryItem* item : asked) {
      out.unverified.push_back(item->id);
    }
    return;
  }
  struct ItemAnswer {
    bool mentioned = false, rejected = false, unfounded = false, observed = false;
  };
  std::unordered_map<std::string_view, ItemAnswer> said;
  for (const BoundaryItem* item : asked) {
    said.emplace(item->id, ItemAnswer{});
  }
  auto find = [&](const Value& value) -> ItemAnswer* {
    const auto found = said.find(id_in(value));
    if (found == said.end()) {
      ++out.unknown_ids;
      return nullptr;
    }
    found->second.mentioned = true;
    return &found->second;
  };
  if (const Value* accepted = answer.value().find("accepted_items")) {
    for (const Value& one : accepted->array()) {
      (void)find(one);
    }
  }
  for (const Value& one : list->array()) {
    ItemAnswer* item = find(one);
    if (item == nullptr || item->rejected) {
      continue;
    }
    Rejection why;
    why.rule = text_of(one, "rule");
    why.reason = json::excerpt(text_of(one, "rejection_reason"), reason_code_points_max);
    why.suggestion = json::excerpt(text_of(one, "suggested_improvement"), reason_code_points_max);
    const bool known = std::find(boundary.rules.begin(), boundary.rules.end(), why.rule) != boundary.rules.end();
    if (!known || ascii::only(why.reason, ascii::spaces)) {
      item->unfounded = true;
      continue;
    }
    if (boundary.observed.has(why.rule)) {
      if (!std::exchange(item->observed, true)) {
        out.observed.emplace_back(std::string(id_in(one)), std::move(why));
      }
      continue;
    }
    item->rejected = true;
    out.rejected.emplace_back(std::string(id_in(one)), std::move(why));
  }
  for (const BoundaryItem* item : asked) {
    const ItemAnswer& one = said.find(item->id)->second;
    if (one.rejected) {
      continue;
    }
    out.unmentioned += one.mentioned ? 0 : 1;
    if (one.unfounded) {
      ++out.unfounded;
      out.unverified.push_back(item->id);
    }
  }
}

Data read_revision(const Reply& reply, const Boundary& boundary, const Revisable& what) {
  const Value& item = what.item.value.value();
  const std::string text = answer_text(reply, boundary.mend_revision ? boundary.mend_revision : boundary.mend);
  json::Arena arena;
  const Result<Value> answer = json::parse(text, arena);
  std::vector<Value> values;
  std::string skipped;
  if (!reply.ok()) {
    skipped = "the call failed: " + reply.error;
  } else if (!answer) {
    skipped = "the revision is no JSON";
  } else {
    values = parts_of(answer.value(), item.is(Kind::array));
    if (boundary.keeps_valid) {
      for (Value& value : values) {
        value = unpacked(value, item.kind, arena);
      }
    }
    const bool other = std::any_of(values.begin(), values.end(), [&](const Value& one) { return !one.is(item.kind); });
    if (values.empty()) {
      skipped = "the revision has no item";
    } else if (other) {
      skipped = "the revision is no " + std::string(json::kind_name(item.kind));
    } else if (values.size() > boundary_parts_max) {
      skipped = "the revision has " + json::uint_text(values.size()) + " parts, at most " +
                json::uint_text(boundary_parts_max) + " are taken";
    } else if (values.size() > 1 && !what.may_split) {
      skipped = "a part is not split again";
    }
  }
  std::vector<Data> versions;
  for (std::size_t i = 0; skipped.empty() && i < values.size(); ++i) {
    Data version = Data::written(json::value_text(values[i]));
    if (boundary.keeps_valid) {
      Rated now = rated(boundary, what.item, version);
      if (boundary.take_over) {
        Data whole = Data::written(boundary.take_over(item, values[i]));
        Rated with = rated(boundary, what.item, whole);
        if (with.badness < now.badness || (with.badness == now.badness && with.badness < 2)) {
          version = std::move(whole);
          now = std::move(with);
        }
      }
      if (what.valid && now.badness == 2) {
        skipped = std::string(values.size() > 1 ? "a part of the revision" : "the revision") +
                  " breaks its contract: " + now.reason;
      }
    }
    versions.push_back(std::move(version));
  }
  std::string out;
  json::Writer json(out);
  json.begin_object().key("values").begin_array();
  for (const Data& version : skipped.empty() ? std::span<const Data>(versions) : std::span<const Data>()) {
    json.raw(version.text());
  }
  json.end_array().member_uint("tokens", usage_of(reply.value.value()).tokens());
  if (!skipped.empty()) {
    json.member("skipped", json::excerpt(skipped, reason_code_points_max));
  }
  json.end_object();
  return Data::written(std::move(out));
}

Data boundary_note(const Boundary& boundary, const Crossing& crossing, const std::vector<BoundaryItem>& input) {
  BoundaryNote out;
  out.boundary = boundary.name;
  out.agent = boundary.agent;
  out.producer = boundary.producer;
  out.produced = input.size();
  out.accepted = crossing.count(Passed::accepted);
  out.warned = crossing.count(Passed::warned);
  out.failed = crossing.count(Passed::failed);
  out.unverified = crossing.unverified();
  out.validation_rejections = crossing.rejections;
  out.validation_retries = crossing.retries;
  out.calls = crossing.calls;
  out.calls_max = crossing.calls_max;
  out.tokens = crossing.tokens;
  out.observed = crossing.observed;
  for (const Crossed& item : crossing.items) {
    if (item.rejections > 0 && out.items.size() < items_shown_max) {
      out.items.push_back({item.id, item.name, item.rejections, item.revisions, item.passed});
    }
  }
  return Data::of(std::move(out));
}

}  // namespace plumb::run
