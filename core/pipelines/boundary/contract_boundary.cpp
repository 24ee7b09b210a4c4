#include "core/pipelines/boundary/contract_boundary.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include "core/contract/check.hpp"
#include "core/derive/unnamed.hpp"
#include "core/json/members.hpp"
#include "core/json/number_text.hpp"
#include "core/json/pointer.hpp"
#include "core/pipelines/boundary/client_question.hpp"
#include "core/pipelines/boundary/revision.hpp"
#include "core/pipelines/call_monitor.hpp"
#include "core/pipelines/model_call.hpp"

namespace plumb::pipelines {

namespace {

using json::Kind;
using json::Value;

constexpr std::size_t messages_max = 5;
constexpr std::size_t levels_max = 64;
constexpr std::uint64_t batch_tokens_usual = 16'000;
// Of an answer: a rejection with its reason and suggestion, for each item at worst.
constexpr std::uint64_t rejection_tokens = 60;
constexpr std::uint64_t answer_tokens_max = 16'000;

// The rules of a contract, wherever they stand.
void collect_rules(const Value& schema, std::size_t level, std::vector<BoundaryRule>& out) {
  if (level > levels_max) {
    return;
  }
  if (const Value* rules = schema.find("rules"); rules != nullptr && rules->is(Kind::array)) {
    for (const Value& rule : rules->array()) {
      if (!text_of(rule, "id").empty()) {
        out.push_back({std::string(text_of(rule, "id")), std::string(text_of(rule, "title")),
                       std::string(text_of(rule, "ask")), std::string(text_of(rule, "action"))});
      }
    }
  }
  for (const json::Member& member : schema.object()) {
    if (member.key != "rules" && member.key != "const" && member.key != "enum") {
      collect_rules(member.value, level + 1, out);
    }
  }
  for (const Value& item : schema.array()) {
    collect_rules(item, level + 1, out);
  }
}

bool is_structural(const contract::Finding& finding) {
  return finding.schema_location.find("/rules/") == std::string::npos;
}

bool is_observed(const contract::Finding& finding, const run::ObservedRules& rules) {
  return rules.all || (!is_structural(finding) && rules.has(finding.rule));
}

// What is broken of the rules that are only observed, or of the others, as one rejection: structure before meaning.
std::optional<run::Rejection> rejection_of(const contract::Verdict& verdict, const run::ObservedRules& rules,
                                           bool observed) {
  for (const bool structural : {true, false}) {
    run::Rejection why;
    std::size_t shown = 0;
    for (const contract::Finding& finding : verdict.findings) {
      if (finding.severity != contract::Severity::error || finding.shadowed_by != 0 ||
          is_structural(finding) != structural || is_observed(finding, rules) != observed) {
        continue;
      }
      if (shown == 0) {
        why.rule = finding.rule;
        why.action = finding.action;
        why.structural = structural;
      }
      if (shown++ < messages_max) {
        why.reason += (why.reason.empty() ? "" : "; ") + (finding.at.empty() ? "" : finding.at + ": ") +
                      (finding.message.empty() ? finding.rule + " is broken" : finding.message);
      }
    }
    if (shown > 0) {
      if (shown > messages_max) {
        why.reason += "; and " + json::uint_text(shown - messages_max) + " more";
      }
      return why;
    }
  }
  return std::nullopt;
}

std::string items_text(std::span<const run::BoundaryItem* const> items) {
  std::string out;
  for (const run::BoundaryItem* item : items) {
    json::Writer json(out);
    json.begin_object().member("id", item->id);
    if (!item->name.empty()) {
      json.member("name", item->name);
    }
    json.key("item").raw(item->value.text()).end_object();
    out += '\n';
  }
  return out;
}

void write_party(json::Writer& json, const ContractBoundary& what) {
  json.member("consumer", what.consumer.agent).member("role", what.consumer.role).member("work", what.consumer.work);
  json.member("producer", what.producer.agent).member("producer_role", what.producer.role);
  json.member("what", what.what.empty() ? "item" : what.what);
}

run::Data judge_prompt(run::Run& run, const ContractBoundary& what, const std::vector<BoundaryRule>& rules,
                       std::span<const run::BoundaryItem* const> items) {
  ModelCall request;
  request.phase = "validate";
  request.prompt = "prompt-validate";
  request.contract = "contract-validate";
  request.output_tokens_min = std::min(answer_tokens_max, rejection_tokens * items.size() + 200);
  request.variables = [&](json::Writer& json) {
    write_party(json, what);
    std::string asked;
    for (const BoundaryRule& rule : rules) {
      if (!rule.ask.empty()) {
        asked += (asked.empty() ? "- " : "\n- ") + rule.id + (rule.title.empty() ? "" : " (" + rule.title + ")") +
                 ": " + rule.ask;
      }
    }
    json.member("criteria", asked).member("items", fenced("items", items_text(items)));
    json.member_uint("count", items.size());
  };
  request.task = [&](json::Writer& json) { json.member("name", "boundary.validate"); };
  return model_request(run, request);
}

run::Data revise_prompt(run::Run& run, const ContractBoundary& what, const std::string& revision,
                        const run::BoundaryItem& item, const run::Rejection& why, std::string_view unusable) {
  ModelCall request;
  request.phase = "revise";
  request.prompt = "prompt-revise";
  request.contract = revision;
  request.shape_of = what.contract;
  request.output_tokens_min = item.value.text().size() / 2;
  request.variables = [&](json::Writer& json) {
    write_party(json, what);
    json.member("id", item.id).member("name", item.name).member("item", fenced("item", item.value.text()));
    json.member("rule", why.rule).member("reason", fenced("reason", why.reason));
    json.member("suggestion", fenced("suggestion", why.suggestion)).member("action", why.action);
    json.member("unusable", unusable.empty() ? std::string() : fenced("unusable", unusable));
    json.member("upstream", item.upstream.is_null() ? std::string() : fenced("upstream", item.upstream.text()));
    json.member_uint("parts", run::boundary_parts_max);
  };
  request.task = [&](json::Writer& json) { json.member("name", "boundary.revise"); };
  return model_request(run, request);
}

}  // namespace

Result<bool> pin_boundary(run::Pins& pins, const Texts& texts) {
  const Result<bool> validate = pin_prompt(pins, texts, "boundary", "validate");
  return validate ? pin_prompt(pins, texts, "boundary", "revise") : validate;
}

void write_way(json::Writer& json) { json.member_uint("way", boundary_way); }

std::uint64_t way_of(const Value& input) { return number_of(input, "way", 1); }

Result<bool> write_observed(json::Writer& json, const Value& request, const Texts& texts) {
  const Value* given = request.find("observe");
  std::vector<std::string> names = texts.observe;
  if (given != nullptr && !given->is(Kind::null)) {
    names = json::texts_of(request, "observe");
    if (!given->is(Kind::array) || names.size() != given->size) {
      return wrong_request("`observe` is a list of rules and boundaries; \"*\" is all", "/observe");
    }
  }
  if (!names.empty()) {
    json.key("observe").begin_array();
    for (const std::string& name : names) {
      json.string(name);
    }
    json.end_array();
  }
  return true;
}

std::uint64_t batch_tokens(std::uint64_t window) {
  if (window == 0) {
    return batch_tokens_usual;
  }
  // A fifth is margin; of the rest a third is for the answer, and 1,000 for the instructions.
  const std::uint64_t room = window / 5 * 4 / 3 * 2;
  return room > 2'000 ? room - 1'000 : room / 2;
}

run::Boundary contract_boundary(run::Run& run, const ContractBoundary& what) {
  const contract::Contract& contract = run.contract(what.contract);
  std::vector<BoundaryRule> rules;
  collect_rules(contract.tree(), 0, rules);
  run::Boundary out;
  out.name = what.name;
  out.agent = what.consumer.agent;
  out.producer = what.producer.agent;
  out.by_rule = what.free && what.free("validate");
  out.revised_by_rule = what.free && what.free("revise");
  if (!what.name_at.empty()) {
    out.name_of = [&contract, at = what.name_at](const run::Data& value) {
      return item_name(contract, at, value.value());
    };
  }
  out.batch_tokens = batch_tokens(what.window);
  out.validate_ms = limits_of(run, "validate", {0, what.validate_ms}).total_ms;
  out.revise_ms = limits_of(run, "revise", {0, what.revise_ms}).total_ms;
  for (const BoundaryRule& rule : rules) {
    if (!rule.ask.empty()) {
      out.rules.push_back(rule.id);
    }
  }
  for (const std::string& name : json::texts_of(run.input().value(), "observe")) {
    out.observed.all = out.observed.all || name == "*" || name == what.name;
    out.observed.rules.push_back(name);
  }
  contract::CheckOptions options;
  options.context = what.context;
  const auto check = std::make_shared<contract::Check>(contract, options);
  out.gate = [check, observed = out.observed](const run::BoundaryItem& item) {
    check->reset();
    const contract::Verdict verdict = check->whole(item.value.text());
    run::Gate gate;
    gate.rejected = rejection_of(verdict, observed, false);
    gate.observed = rejection_of(verdict, observed, true);
    gate.open = std::any_of(verdict.undecided.begin(), verdict.undecided.end(),
                            [](const contract::Undecided& one) { return !one.ask.empty(); });
    return gate;
  };
  const bool client_judges = what.client && what.client("validate");
  const bool client_revises = what.client && what.client("revise");
  out.validate_request = [&run, what, rules, client_judges](std::span<const run::BoundaryItem* const> items,
                                                            std::size_t cycle) {
    if (client_judges) {
      return judge_question(items, rules, what.context, cycle);
    }
    return judge_prompt(run, what, rules, items);
  };
  const std::string revision = what.way < 2 ? "contract-revise" : revision_pin(what.contract);
  out.revise_request = [&run, what, rules, revision, client_revises](const run::BoundaryItem& item,
                                                                     const run::Rejection& given,
                                                                     std::string_view unusable, std::size_t cycle) {
    run::Rejection why = given;
    for (const BoundaryRule& rule : rules) {
      why.action = why.action.empty() && rule.id == why.rule ? rule.action : why.action;
    }
    if (client_revises) {
      return revise_question(item, why, unusable, cycle);
    }
    return revise_prompt(run, what, revision, item, why, unusable);
  };
  out.replied = [free = what.free, client = what.client](run::Run& part, const run::Reply& reply) {
    const std::string_view phase = text_of(part.request_of(reply).value(), "phase");
    if ((!free || !free(phase)) && (!client || !client(phase))) {
      (void)monitor_call(part, {phase, phase == "validate" ? "prompt-validate" : "prompt-revise"}, reply);
    }
  };
  out.mend = [&run](std::string_view text) { return strict_json(run.contract("contract-validate"), text); };
  out.keeps_valid = what.way >= 2;
  if (out.keeps_valid) {
    out.mend_revision = [&run, revision](std::string_view text) { return strict_json(run.contract(revision), text); };
    out.take_over = [&contract](const Value& item, const Value& revised) {
      return derive::Unnamed(contract).taken_over(item, revised);
    };
  }
  return out;
}

std::string item_name(const contract::Contract& contract, std::string_view pointer, const Value& value) {
  std::string at(pointer);
  if (at.empty()) {
    at = text_of(contract.tree(), "itemId");
  }
  const Value* found = at.empty() ? nullptr : json::resolve(value, at);
  if (found == nullptr || (!found->is(Kind::string) && !found->is(Kind::number))) {
    return {};
  }
  return json::excerpt(found->str(), 200);
}

run::Data with_warning(const run::Data& value, std::string_view warning) {
  if (!value.value().is(Kind::object)) {
    return value;
  }
  std::string out;
  json::Writer json(out);
  json.begin_object();
  const Value* before = nullptr;
  for (const json::Member& member : value.value().object()) {
    if (member.key == "validation_warnings") {
      before = &member.value;
    } else {
      json.key(member.key).value(member.value);
    }
  }
  json.key("validation_warnings").begin_array();
  for (const Value& one : before == nullptr ? std::span<const Value>() : before->array()) {
    json.value(one);
  }
  json.string(warning).end_array().end_object();
  return run::Data::written(std::move(out));
}

}  // namespace plumb::pipelines
