// Nothing here reads the words of a message: what tells is the status of the end, its reason and data, and the notes
// before it.

#include "core/pipelines/outcomes.hpp"

#include <algorithm>
#include <utility>

#include "core/json/members.hpp"
#include "core/json/writer.hpp"
#include "core/pipelines/pipelines.hpp"
#include "core/run/reasons.hpp"

namespace plumb::pipelines {

namespace {

using json::number_of;
using json::text_of;
using json::Value;
using run::CameTo;
using run::Data;
using run::Entry;
using run::EntryKind;
using run::Journal;
using run::Outcome;
using run::OutcomeReason;

// The class of a reply whose provider did not accept the key.
constexpr std::string_view refused_key = "unauthorised";

using Numbers = std::initializer_list<std::pair<std::string_view, std::uint64_t>>;

OutcomeReason reason(std::string code, Numbers numbers = {}) {
  OutcomeReason out{std::move(code), {}};
  if (numbers.size() > 0) {
    std::string data;
    json::Writer json(data);
    json.begin_object();
    for (const auto& [name, number] : numbers) {
      json.member_uint(name, number);
    }
    json.end_object();
    out.data = Data::written(std::move(data));
  }
  return out;
}

const Entry* last_of(const Journal& journal, EntryKind kind, std::string_view name) {
  const auto& entries = journal.entries();
  const auto found = std::find_if(entries.rbegin(), entries.rend(), [&](const Entry& entry) {
    return entry.kind == kind && (name.empty() || entry.name == name);
  });
  return found == entries.rend() ? nullptr : &*found;
}

// Why the world did not answer, as this reply has it; nothing where it did.
std::vector<OutcomeReason> outage_of(const Entry* reply) {
  if (reply == nullptr || reply->status == run::Status::ok || reply->status == run::Status::cancelled) {
    return {};
  }
  const Value& value = reply->data.value();
  std::string data;
  json::Writer json(data);
  json.begin_object().member("reply", run::status_name(reply->status));
  for (const std::string_view name : {"class", "status"}) {
    if (const Value* found = value.find(name)) {
      json.key(name).value(*found);
    }
  }
  json.end_object();
  return {{"no_answer", Data::written(std::move(data))}};
}

// As the last reply has it.
std::vector<OutcomeReason> outage_in(const Journal& journal) {
  return outage_of(last_of(journal, EntryKind::reply, {}));
}

// A provider that refuses the key judges and revises nothing, whatever was passed on.
const Entry* refused_key_in(const Journal& journal) {
  const auto& entries = journal.entries();
  const auto found = std::find_if(entries.begin(), entries.end(), [](const Entry& entry) {
    return entry.kind == EntryKind::reply && entry.status != run::Status::ok &&
           text_of(entry.data.value(), "class") == refused_key;
  });
  return found == entries.end() ? nullptr : &*found;
}

Outcome failed(const Journal& journal, const Entry& end) {
  if (last_of(journal, EntryKind::note, "exhausted") != nullptr) {
    const Entry* kept = last_of(journal, EntryKind::note, "failed");
    const Value& note = kept == nullptr ? end.data.value() : kept->data.value();
    return {CameTo::failed,
            {reason("not_valid_after_repairs", {{"attempts", number_of(note, "attempts")},
                                                {"violations", json::list_of(note, "violations").size()},
                                                {"issues", json::list_of(note, "issues").size()}})}};
  }
  if (run::reason_of(end.reason, end.error) == plumb::Reason::over_budget) {
    return {CameTo::undecided, {reason("budget_exceeded")}};
  }
  if (std::vector<OutcomeReason> outage = outage_in(journal); !outage.empty()) {
    return {CameTo::outage, std::move(outage)};
  }
  const Entry* kept = last_of(journal, EntryKind::note, "failed");
  const std::size_t open = kept == nullptr ? 0 : json::list_of(kept->data.value(), "unverified").size();
  return {CameTo::undecided, {open > 0 ? reason("not_verified", {{"questions", open}}) : reason("ended_by_an_error")}};
}

Outcome of_artifact(const Value& result) {
  const std::string_view decision = text_of(result, "decision");
  if (json::flag_of(result, "partial")) {
    return {CameTo::partial,
            {reason("fewer_than_asked", {{"asked", number_of(result, "asked")}, {"kept", number_of(result, "kept")}})}};
  }
  if (json::flag_of(result, "judge_distrusted")) {
    return {CameTo::undecided, {reason("judge_not_trusted")}};
  }
  if (decision == "accept_unverified") {
    return {CameTo::undecided, {reason("not_verified", {{"questions", json::list_of(result, "unverified").size()}})}};
  }
  return {decision == "accept_with_warnings" ? CameTo::accepted_with_warnings : CameTo::accepted, {}};
}

// `distrust`: measured, and worse than the host allows.
Outcome of_calibration(const Value& result) {
  if (const std::uint64_t unjudged = number_of(result, "unjudged"); unjudged > 0) {
    return {CameTo::undecided, {reason("not_judged", {{"artifacts", unjudged}})}};
  }
  return text_of(result, "distrust").empty() ? Outcome{CameTo::accepted, {}}
                                             : Outcome{CameTo::failed, {reason("judge_not_trusted")}};
}

// An item that passes with a warning was sent back to the last: it is not what was asked for.
Outcome of_boundary(const Value& result) {
  const std::uint64_t unverified = number_of(result, "unverified");
  if (unverified > 0) {
    return {CameTo::undecided, {reason("not_verified", {{"items", unverified}})}};
  }
  Outcome out{CameTo::accepted, {}};
  for (const auto& [code, count] : {std::pair{"passed_with_a_warning", number_of(result, "warned")},
                                    std::pair{"held_back", number_of(result, "failed")}}) {
    if (count > 0) {
      out.came_to = CameTo::partial;
      out.reasons.push_back(reason(code, {{"items", count}}));
    }
  }
  return out;
}

Outcome of_research(const Value& result) {
  const std::string_view ended = text_of(result, "ended");
  if (ended != "done") {
    const CameTo came_to = ended == "cancelled"                       ? CameTo::cancelled
                           : ended == "provider" || ended == "search" ? CameTo::outage
                                                                      : CameTo::undecided;
    return {came_to, {reason("ended_by_" + std::string(ended))}};
  }
  const auto criteria = json::list_of(result, "success_criteria");
  std::uint64_t met = 0;
  std::uint64_t open = 0;
  for (const Value& one : criteria) {
    const bool is_met = json::flag_of(one, "met");
    met += is_met ? 1 : 0;
    const std::string_view state = text_of(one, "state");
    open += !is_met && (state == "undecided" || state == "judge_only") ? 1 : 0;
  }
  const bool cited = !json::list_of(result, "citations").empty();
  if (cited && met == criteria.size()) {
    return {CameTo::accepted, {}};
  }
  const CameTo came_to = open > 0 ? CameTo::undecided : cited && met > 0 ? CameTo::partial : CameTo::failed;
  return {came_to, {reason("criteria_not_met", {{"criteria", criteria.size()}, {"met", met}, {"undecided", open}})}};
}

// The view counts the failed calls of each stage.
Outcome of_discovery(const Journal& journal) {
  const Data view = Data::written(known_pipeline("discovery")->view(journal));
  const std::size_t calls = json::list_of(view.value(), "failures").size();
  return calls == 0 ? Outcome{CameTo::accepted, {}}
                    : Outcome{CameTo::undecided, {reason("calls_failed", {{"calls", calls}})}};
}

Outcome of_story(const Value& result) {
  const std::uint64_t errors = number_of(result, "errors");
  if (errors > 0) {
    return {CameTo::failed, {reason("not_valid", {{"errors", errors}})}};
  }
  const std::string_view decision = text_of(result, "decision");
  return decision == "undecided"              ? Outcome{CameTo::undecided, {reason("not_proven")}}
         : decision == "accept_with_warnings" ? Outcome{CameTo::accepted_with_warnings, {}}
                                              : Outcome{CameTo::accepted, {}};
}

Outcome of_workflow(const Value& result) {
  const std::string_view decision = text_of(result, "decision");
  if (decision == "accept_unverified") {
    return {CameTo::undecided, {reason("not_verified")}};
  }
  const auto tasks = json::list_of(result, "tasks");
  const auto landed = static_cast<std::uint64_t>(
      std::count_if(tasks.begin(), tasks.end(), [](const Value& one) { return text_of(one, "state") == "landed"; }));
  return decision == "accept"
             ? Outcome{CameTo::accepted, {}}
             : Outcome{CameTo::failed, {reason("tasks_left", {{"tasks", tasks.size()}, {"landed", landed}})}};
}

// Nothing where the end alone does not tell.
std::optional<Outcome> of_end(std::string_view pipeline, const Entry& end) {
  if (end.status == run::Status::cancelled) {
    return Outcome{CameTo::cancelled, {}};
  }
  if (end.status != run::Status::ok || pipeline == "discovery") {
    return std::nullopt;
  }
  const Value& result = end.data.value();
  return pipeline == "artifact"      ? of_artifact(result)
         : pipeline == "calibration" ? of_calibration(result)
         : pipeline == "boundary"    ? of_boundary(result)
         : pipeline == "research"    ? of_research(result)
         : pipeline == "story"       ? of_story(result)
         : pipeline == "workflow"    ? of_workflow(result)
                                     : Outcome{CameTo::accepted, {}};
}

}  // namespace

Outcome came_to(const Journal& journal) {
  const Entry& end = journal.entries().back();
  PLUMB_REQUIRE(end.kind == EntryKind::end, "only what has ended has come to something");
  if (std::optional<Outcome> told = of_end(journal.begin().name, end)) {
    const bool passed = journal.begin().name == "boundary" && end.status == run::Status::ok;
    if (const Entry* refused = passed ? refused_key_in(journal) : nullptr) {
      return {CameTo::outage, outage_of(refused)};
    }
    return std::move(*told);
  }
  return end.status == run::Status::ok ? of_discovery(journal) : failed(journal, end);
}

Outcome outcome_of(const Journal& journal) {
  const Data& stored = journal.entries().back().outcome;
  return stored.is_null() ? came_to(journal) : json::record_of<Outcome>(stored.value());
}

std::optional<Outcome> outcome_in(std::string_view pipeline, const run::Stored& end) {
  const Result<Entry> entry = run::read_entry(end.line, end.number, [&](std::string_view hash) -> const std::string* {
    const auto found =
        std::find_if(end.blobs.begin(), end.blobs.end(), [&](const run::Blob& one) { return one.hash == hash; });
    return found == end.blobs.end() ? nullptr : &found->text;
  });
  if (!entry || entry.value().kind != EntryKind::end) {
    return std::nullopt;
  }
  const Data& stored = entry.value().outcome;
  return stored.is_null() ? of_end(pipeline, entry.value()) : json::record_of<Outcome>(stored.value());
}

}  // namespace plumb::pipelines
