// Stage 5: people. What they send comes as signals, in the order in which it arrived: of two that decide on the same
// opportunity the first counts, and the second is told.

#include <algorithm>

#include "core/contract/check.hpp"
#include "core/json/arena.hpp"
#include "core/json/number_text.hpp"
#include "core/pipelines/discovery/parts.hpp"
#include "core/run/stamp.hpp"
#include "core/wording.hpp"

namespace plumb::pipelines::discovery {

namespace {

using json::Value;
using run::Data;

constexpr std::size_t signals_max = 10'000;

struct Verdict {
  bool accepted = false;
  std::string why;
};

const Data* decision_of(const Decisions& decisions, std::string_view id) {
  for (const auto& [known, decision] : decisions.by_opportunity) {
    if (known == id) {
      return &decision;
    }
  }
  return nullptr;
}

// The members of a decision that its contract knows, and when it was made.
Data recorded(const run::Run& run, const Value& said) {
  return object([&](json::Writer& json) {
    for (const std::string_view name :
         {"opportunity_id", "decision", "reasoning", "by", "adjusted_priority", "send_back_to_stage"}) {
      if (const Value* found = said.find(name); found != nullptr && !found->is(json::Kind::null)) {
        json.key(name).value(*found);
      }
    }
    json.member("at", run::iso_time(run.now_ms()));
  });
}

Verdict decide(run::Run& run, const std::vector<Chain>& chains, const Attempts& attempts, Decisions& decisions,
               const Value& said) {
  const Data decision = recorded(run, said);
  if (const std::string wrong = wrong_with(run, "contract-review-decision", {}, decision); !wrong.empty()) {
    return {false, wrong};
  }
  const std::string id(text_of(said, "opportunity_id"));
  if (std::none_of(chains.begin(), chains.end(), [&](const Chain& one) { return one.id == id; })) {
    return {false, "there is no opportunity '" + json::excerpt(id, 60) + "'"};
  }
  const Data* before = decision_of(decisions, id);
  if (before != nullptr && !flag_of(said, "revises")) {
    return {false, std::string(text_of(before->value(), "by")) +
                       " has decided already: " + std::string(text_of(before->value(), "decision"))};
  }
  if (text_of(said, "decision") == "priority_adjusted") {
    const auto place = static_cast<std::size_t>(number_of(said, "adjusted_priority"));
    auto& all = decisions.priorities;
    all.erase(std::remove_if(all.begin(), all.end(), [&](const auto& one) { return one.first == id; }), all.end());
    all.emplace_back(id, place);
    decisions.placed.push_back(id);
    decisions.put_at(id, place);
  }
  if (text_of(said, "decision") == "sent_back") {
    const std::optional<Stage> to = stage_named(text_of(said, "send_back_to_stage"));
    if (!to || !may_go_back(Stage::human_review, *to) || attempts[static_cast<std::size_t>(*to)] >= attempts_max) {
      return {false,
              "the stage has been done " + json::uint_text(attempts_max) + " times already, the most there may be"};
    }
    // It is decided on anew when it comes back.
    auto& all = decisions.by_opportunity;
    all.erase(std::remove_if(all.begin(), all.end(), [&](const auto& one) { return one.first == id; }), all.end());
    return {true, ""};
  }
  for (auto& [known, was] : decisions.by_opportunity) {
    if (known == id) {
      was = decision;
      return {true, ""};
    }
  }
  decisions.by_opportunity.emplace_back(id, decision);
  return {true, ""};
}

Verdict reorder(Decisions& decisions, const Value& said) {
  std::vector<std::string> order = texts_of(said, "order");
  std::vector<std::string> is = order;
  std::vector<std::string> should = decisions.order;
  std::sort(is.begin(), is.end());
  std::sort(should.begin(), should.end());
  if (is != should) {
    std::string names = joined(should);
    return {false, "`order` names every ranked opportunity once: " + names};
  }
  decisions.order = std::move(order);
  decisions.placed = decisions.order;
  decisions.priorities.clear();
  return {true, ""};
}

}  // namespace

Reviewed review(run::Run& run, const std::vector<Chain>& chains, const Data& rankings, const Attempts& attempts,
                Decisions& decisions) {
  if (decisions.order.empty()) {
    for (const Value& one : rankings.value().array()) {
      decisions.order.emplace_back(text_of(one, "opportunity_id"));
    }
  }
  for (std::size_t count = 0; count < signals_max; ++count) {
    const Data signal = run.next_signal("review");
    if (run.cancelled()) {
      return {};
    }
    const Value& said = signal.value();
    const std::string_view kind = text_of(said, "kind");
    Verdict verdict{false, "`kind` is decide, rank or complete"};
    Reviewed out;
    if (kind == "decide") {
      verdict = decide(run, chains, attempts, decisions, said);
      if (verdict.accepted && text_of(said, "decision") == "sent_back") {
        out.to = stage_named(text_of(said, "send_back_to_stage")).value_or(Stage::exploration);
        out.sent_back = {std::string(stage_name(Stage::human_review)),
                         std::string(text_of(said, "reasoning")),
                         {{std::string(text_of(said, "opportunity_id")), {}}},
                         std::string(text_of(said, "by"))};
      }
    } else if (kind == "rank") {
      verdict = reorder(decisions, said);
    } else if (kind == "complete") {
      verdict = {true, ""};
      out.complete = true;
    }
    run.emit("review", object([&](json::Writer& json) {
               json.member_boolean("accepted", verdict.accepted).member("kind", kind).member("why", verdict.why);
               json.member("opportunity_id", text_of(said, "opportunity_id")).member("by", text_of(said, "by"));
               json.member("request", text_of(said, "request"));
               json.key("order").begin_array();
               for (const std::string& id : decisions.order) {
                 json.string(id);
               }
               json.end_array().key("decisions").begin_array();
               for (const auto& [id, decision] : decisions.by_opportunity) {
                 json.raw(decision.text());
               }
               json.end_array();
               if (!out.sent_back.from.empty()) {
                 json.member("send_back_to_stage", text_of(said, "send_back_to_stage"));
                 json.member("send_back_reason", out.sent_back.reason);
               }
             }));
    if (out.complete || !out.sent_back.from.empty()) {
      return out;
    }
  }
  Reviewed out;
  out.complete = true;
  return out;
}

}  // namespace plumb::pipelines::discovery
