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
  Reason reason = Reason::invalid;  // where it is not accepted
};

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
               const Data& signal) {
  const Data decision = recorded(run, signal.value());
  if (const std::string wrong = wrong_with(run, "contract-review-decision", {}, decision); !wrong.empty()) {
    return {false, wrong};
  }
  const ReviewSignal& said = signal.as<ReviewSignal>();
  const std::string& id = said.opportunity_id;
  if (std::none_of(chains.begin(), chains.end(), [&](const Chain& one) { return one.id == id; })) {
    return {false, "there is no opportunity '" + json::excerpt(id, 60) + "'"};
  }
  auto& decided = decisions.by_opportunity;
  const auto before = std::find_if(decided.begin(), decided.end(), [&](const auto& one) { return one.first == id; });
  if (before != decided.end() && !said.revises) {
    const ReviewSignal& known = before->second.as<ReviewSignal>();
    return {false, known.by + " has decided already: " + known.decision, Reason::decided};
  }
  if (said.decision == "priority_adjusted") {
    const auto place = static_cast<std::size_t>(said.adjusted_priority);
    auto& all = decisions.priorities;
    all.erase(std::remove_if(all.begin(), all.end(), [&](const auto& one) { return one.first == id; }), all.end());
    all.emplace_back(id, place);
    decisions.placed.push_back(id);
    decisions.put_at(id, place);
  }
  if (said.decision == "sent_back") {
    const std::optional<Stage> to = stage_named(said.send_back_to_stage);
    if (!to || !may_go_back(Stage::human_review, *to) || attempts[static_cast<std::size_t>(*to)] >= attempts_max) {
      return {false,
              "the stage has been done " + json::uint_text(attempts_max) + " times already, the most there may be"};
    }
    // It is decided on anew when it comes back.
    if (before != decided.end()) {
      decided.erase(before);
    }
  } else if (before != decided.end()) {
    before->second = decision;
  } else {
    decided.emplace_back(id, decision);
  }
  return {true, ""};
}

Verdict reorder(Decisions& decisions, const std::vector<std::string>& order) {
  std::vector<std::string> is = order;
  std::vector<std::string> should = decisions.order;
  std::sort(is.begin(), is.end());
  std::sort(should.begin(), should.end());
  if (is != should) {
    std::string names = joined(should);
    return {false, "`order` names every ranked opportunity once: " + names};
  }
  decisions.order = order;
  decisions.placed = decisions.order;
  decisions.priorities.clear();
  return {true, ""};
}

}  // namespace

std::vector<Data> Decisions::all() const {
  std::vector<Data> out;
  for (const auto& [id, decision] : by_opportunity) {
    out.push_back(decision);
  }
  return out;
}

Reviewed review(run::Run& run, const std::vector<Chain>& chains, const std::vector<Ranking>& rankings,
                const Attempts& attempts, Decisions& decisions) {
  if (decisions.order.empty()) {
    for (const Ranking& one : rankings) {
      decisions.order.push_back(one.opportunity_id);
    }
  }
  for (std::size_t count = 0; count < signals_max; ++count) {
    const Data signal = run.next_signal("review");
    if (run.cancelled()) {
      return {};
    }
    const ReviewSignal& said = signal.as<ReviewSignal>();
    Verdict verdict{false, "`kind` is decide, rank or complete"};
    Reviewed out;
    if (said.kind == "decide") {
      verdict = decide(run, chains, attempts, decisions, signal);
      if (verdict.accepted && said.decision == "sent_back") {
        out.to = stage_named(said.send_back_to_stage).value_or(Stage::exploration);
        out.sent_back = {
            std::string(stage_name(Stage::human_review)), said.reasoning, {{said.opportunity_id, {}}}, said.by};
      }
    } else if (said.kind == "rank") {
      verdict = reorder(decisions, said.order);
    } else if (said.kind == "complete") {
      verdict = {true, ""};
      out.complete = true;
    }
    ReviewNote note{verdict.accepted,
                    said.kind,
                    verdict.why,
                    said.opportunity_id,
                    said.by,
                    said.request,
                    decisions.order,
                    decisions.all(),
                    {},
                    {},
                    {}};
    if (!verdict.accepted) {
      note.reason = verdict.reason;
    }
    if (!out.sent_back.from.empty()) {
      note.send_back_to_stage = said.send_back_to_stage;
      note.send_back_reason = out.sent_back.reason;
    }
    run.emit("review", Data::of(std::move(note)));
    if (out.complete || !out.sent_back.from.empty()) {
      return out;
    }
  }
  Reviewed out;
  out.complete = true;
  return out;
}

}  // namespace plumb::pipelines::discovery
