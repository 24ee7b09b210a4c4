#include "core/pipelines/boundary/client_question.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <utility>

#include "core/json/members.hpp"
#include "core/json/number_text.hpp"
#include "core/json/writer.hpp"
#include "core/run/person.hpp"

namespace plumb::pipelines {

namespace {

using json::Kind;
using json::text_of;
using json::Value;

// `write` adds the members of the question.
template <class Write>
run::Data question(std::string_view phase, std::string_view what, std::size_t cycle, Write write) {
  std::string out;
  json::Writer json(out);
  json.begin_object().member("phase", phase).member("provider", run::client_provider);
  json.key("messages").begin_array().begin_object().member("role", "user").member("content", what);
  json.end_object().end_array().key("question").begin_object().member("what", what).member_uint("cycle", cycle);
  write(json);
  json.end_object().end_object();
  return run::Data::written(std::move(out));
}

void write_set(json::Writer& json, std::string_view name, std::string_view text) {
  if (!text.empty()) {
    json.member(name, text);
  }
}

const Value& question_of(const Value& request) {
  static const Value none{};
  const Value* found = request.find("question");
  return found == nullptr ? none : *found;
}

Error wrong(std::string message, std::string where) {
  return Error{ErrorCode::invalid_argument, std::move(message), std::move(where), 0, 0};
}

// From what a client calls an item to its id: the id itself, or a name that only one item of the question has.
class ItemIds {
 public:
  explicit ItemIds(const Value& question) {
    for (const Value& item : json::list_of(question, "items")) {
      ids_.emplace(text_of(item, "id"), 0);
      if (const std::string_view name = text_of(item, "name"); !name.empty()) {
        const auto [named, fresh] = names_.emplace(name, text_of(item, "id"));
        named->second = fresh ? named->second : std::string_view();
      }
    }
  }

  std::string_view of(const Value* given) const {
    const std::string_view word =
        given != nullptr && (given->is(Kind::string) || given->is(Kind::number)) ? given->str() : std::string_view();
    const auto named = names_.find(word);
    return ids_.count(word) != 0 || named == names_.end() || named->second.empty() ? word : named->second;
  }

 private:
  std::map<std::string_view, int> ids_;
  std::map<std::string_view, std::string_view> names_;
};

Result<std::string> judgement_text(const Value& question, const Value& answer) {
  const Value* rejected = answer.find("rejected");
  if (rejected == nullptr || !rejected->is(Kind::array)) {
    return wrong("the answer to `judge` has no list `rejected`", "/rejected");
  }
  const Value* accepted = answer.find("accepted");
  if (accepted != nullptr && !accepted->is(Kind::array)) {
    return wrong("`accepted` is a list of ids", "/accepted");
  }
  const ItemIds ids(question);
  std::string out;
  json::Writer json(out);
  json.begin_object().key("accepted_items").begin_array();
  for (const Value& one : json::list_of(answer, "accepted")) {
    json.string(ids.of(&one));
  }
  json.end_array().key("rejected_items").begin_array();
  for (std::size_t i = 0; i < rejected->array().size(); ++i) {
    const Value& one = rejected->array()[i];
    if (!one.is(Kind::object)) {
      return wrong("is an object with `id`, `rule` and `reason`", "/rejected/" + json::uint_text(i));
    }
    json.begin_object().member("item_id", ids.of(one.find("id"))).member("rule", text_of(one, "rule"));
    json.member("rejection_reason", text_of(one, "reason"));
    json.member("suggested_improvement", text_of(one, "suggestion")).end_object();
  }
  json.end_array().end_object();
  return out;
}

Result<std::string> revision_text(const Value& answer) {
  const Value* item = answer.find("item");
  const Value* items = answer.find("items");
  if ((item == nullptr) == (items == nullptr)) {
    return wrong("the answer to `revise` has either `item`, or `items` for the parts of a split", "/item");
  }
  if (items != nullptr && !items->is(Kind::array)) {
    return wrong("`items` is a list", "/items");
  }
  std::string out;
  json::Writer json(out);
  json.begin_object().key("items");
  if (items != nullptr) {
    json.value(*items);
  } else {
    json.begin_array().value(*item).end_array();
  }
  json.end_object();
  return out;
}

void write_usage(json::Writer& json, const Value& answer) {
  const Value* usage = answer.find("usage");
  const std::uint64_t input = usage == nullptr ? 0 : json::number_of(*usage, "input_tokens");
  const std::uint64_t output = usage == nullptr ? 0 : json::number_of(*usage, "output_tokens");
  if (input + output > 0) {
    json.key("usage").begin_object().member_uint("input_tokens", input).member_uint("output_tokens", output);
    json.end_object();
  }
}

}  // namespace

run::Data judge_question(std::span<const run::BoundaryItem* const> items, const std::vector<BoundaryRule>& rules,
                         std::string_view context, std::size_t cycle) {
  return question("validate", "judge", cycle, [&](json::Writer& json) {
    json.key("items").begin_array();
    for (const run::BoundaryItem* item : items) {
      json.begin_object().member("id", item->id);
      write_set(json, "name", item->name);
      json.key("item").raw(item->value.text()).end_object();
    }
    json.end_array().key("rules").begin_array();
    for (const BoundaryRule& rule : rules) {
      if (!rule.ask.empty()) {
        json.begin_object().member("id", rule.id);
        write_set(json, "title", rule.title);
        json.member("ask", rule.ask).end_object();
      }
    }
    json.end_array();
    if (!context.empty()) {
      json.key("context").raw(context);
    }
  });
}

run::Data revise_question(const run::BoundaryItem& item, const run::Rejection& why, std::string_view unusable,
                          std::size_t cycle) {
  return question("revise", "revise", cycle, [&](json::Writer& json) {
    json.member("id", item.id);
    write_set(json, "name", item.name);
    json.key("item").raw(item.value.text()).key("rejection").begin_object();
    json.member("rule", why.rule).member("reason", why.reason);
    write_set(json, "suggestion", why.suggestion);
    write_set(json, "action", why.action);
    write_set(json, "unusable", unusable);
    json.end_object().key("upstream").raw(item.upstream.is_null() ? "null" : item.upstream.text());
  });
}

Result<run::Reply> client_reply(const Value& request, const Value& answer) {
  static constexpr std::array<std::string_view, 6> known = {"rejected", "accepted", "item", "items", "error", "usage"};
  if (!answer.is(Kind::object)) {
    return wrong("an answer is an object", "");
  }
  for (const json::Member& member : answer.object()) {
    if (std::find(known.begin(), known.end(), member.key) == known.end()) {
      return wrong("an answer has no member '" + json::excerpt(member.key, 40) + "'", "");
    }
  }
  if (const Value* usage = answer.find("usage"); usage != nullptr && !usage->is(Kind::object)) {
    return wrong(R"(`usage` is {"input_tokens", "output_tokens"})", "/usage");
  }
  if (const Value* error = answer.find("error")) {
    if (!error->is(Kind::string)) {
      return wrong("`error` is a text: why there is no answer", "/error");
    }
    return client_failure(request, error->str(), &answer);
  }
  const Value& asked = question_of(request);
  Result<std::string> text = text_of(asked, "what") == "judge" ? judgement_text(asked, answer) : revision_text(answer);
  if (!text) {
    return text.error();
  }
  std::string value;
  json::Writer json(value);
  json.begin_object().member("text", text.value()).member("finish", "stop");
  write_usage(json, answer);
  json.end_object();
  run::Reply reply;
  reply.value = run::Data::written(std::move(value));
  return reply;
}

run::Reply client_failure(const Value& request, std::string_view why, const Value* answer) {
  run::Reply reply;
  reply.status = run::Status::failed;
  reply.error = std::string(text_of(question_of(request), "what")) + ": " +
                (why.empty() ? "it failed without a message" : json::excerpt(why, 500));
  std::string value;
  json::Writer json(value);
  json.begin_object().member("class", "unreachable").member_boolean("retryable", false).member_uint("status", 0);
  if (answer != nullptr) {
    write_usage(json, *answer);
  }
  json.end_object();
  reply.value = run::Data::written(std::move(value));
  return reply;
}

}  // namespace plumb::pipelines
