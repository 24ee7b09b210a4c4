// Stage 0: explorers, side by side, one for each source. Each reads its folder (source_reading.hpp), asks for patterns
// among the units, batch by batch, and makes one list of what the batches found (synthesis.hpp).

#include <algorithm>
#include <unordered_map>

#include "core/json/arena.hpp"
#include "core/json/number_text.hpp"
#include "core/pipelines/discovery/parts.hpp"
#include "core/pipelines/discovery/source_reading.hpp"
#include "core/pipelines/discovery/source_type.hpp"
#include "core/pipelines/discovery/synthesis.hpp"
#include "core/run/stamp.hpp"

namespace plumb::pipelines::discovery {

namespace {

using json::Value;
using run::Data;

constexpr std::size_t evidence_text_max = 400;
constexpr std::size_t by_rule_batch = 5'000;

std::string units_text(std::span<const Unit> units) {
  std::string out;
  for (const Unit& unit : units) {
    out += "[" + unit.id + "]" + (unit.when.empty() ? "" : " " + unit.when) + "\n" + unit.text + "\n\n";
  }
  return out;
}

// What an explorer found in one batch: findings whose evidence is there.
Data explore_batch(run::Run& run, const Job& job, SourceKind kind, std::span<const Unit> units, const SentBack& why) {
  static constexpr std::array<std::string_view, 4> looks_for = {
      "what users struggle with, ask for again and again, or give up on",
      "figures that fall, rise or jump in a way that somebody should look at",
      "places that are marked as unfinished, fragile or wrong, and what they have in common",
      "what the documents say is missing, limited, planned or unclear"};
  const auto k = static_cast<std::size_t>(kind);
  Call call;
  call.phase = "explore";
  call.name = "explore";
  call.variables = [&](json::Writer& json) {
    json.member("explorer", explorer_names[k]).member("looks_for", looks_for[k]);
    json.member("units", fenced("units", units_text(units))).member("hint", fenced("hint", why.reason));
  };
  call.task = [&](json::Writer& json) {
    json.member("source", source_names[k]).key("units").begin_array();
    for (const Unit& unit : units) {
      write_unit(json, unit);
    }
    json.end_array();
  };
  const Answer answer = ask(run, job, call);
  return object([&](json::Writer& json) {
    json.key("findings").begin_array();
    for (const Value& one :
         answer.value.is_null() ? std::span<const Value>() : list_of(answer.value.value(), "findings")) {
      json.value(one);
    }
    json.end_array().member("error", answer.valid ? "" : answer.error);
  });
}

// The errors of batches, each once with how many batches say it, in the order in which they came.
std::vector<std::pair<std::string, std::size_t>> errors_of(const std::vector<Data>& answers) {
  std::vector<std::pair<std::string, std::size_t>> errors;
  for (const Data& answer : answers) {
    if (const std::string_view error = text_of(answer.value(), "error"); !error.empty()) {
      const auto same = std::find_if(errors.begin(), errors.end(),
                                     [&](const auto& known_error) { return known_error.first == error; });
      same == errors.end() ? static_cast<void>(errors.emplace_back(error, 1)) : static_cast<void>(++same->second);
    }
  }
  return errors;
}

using Places = std::unordered_map<std::string, std::size_t>;  // of units in what was read, by their ids

void write_finding(json::Writer& json, SourceKind kind, const Read& read, const Places& known, const Finding& one,
                   const std::string& stamp) {
  json.begin_object().member("pattern_name", one.pattern).member("description", one.description);
  json.member("severity_assessment", one.severity.empty() ? "not assessed" : one.severity);
  json.member("affected_users_estimate", one.users.empty() ? "not known" : one.users);
  const std::string confidence = one.confidence == "high" || one.confidence == "low" ? one.confidence : "medium";
  json.member("confidence", confidence);
  if (one.merged > 1) {
    json.member_uint("merged_findings", one.merged);
  }
  json.key("evidence").begin_array();
  for (const std::string& id : one.evidence) {
    json.begin_object().member("source_type", evidence_type(kind, read.units[known.at(id)])).member("source_id", id);
    json.member("retrieved_at", stamp).member("confidence", confidence).end_object();
  }
  json.end_array().end_object();
}

void write_skipped(json::Writer& json, const Read& read) {
  json.member_uint("skipped", read.skipped_count()).key("skipped_why").begin_array();
  for (const Skipped& one : read.skipped) {
    json.begin_object().member("why", one.why).member_uint("count", one.count).member("where", one.where).end_object();
  }
  json.end_array();
}

// Each once, however many batches say it.
void write_warnings(json::Writer& json, const std::vector<std::string>& warnings) {
  json.key("warnings").begin_array();
  for (auto one = warnings.begin(); one != warnings.end(); ++one) {
    if (std::find(warnings.begin(), one, *one) == one) {
      json.string(*one);
    }
  }
  json.end_array();
}

// One explorer: what it found, and what it saw of its source.
Data explore_source(run::Run& run, const Job& job, SourceKind kind, const SentBack& why) {
  std::vector<std::string> warnings;
  std::vector<Failure> failures;
  const auto failed_with = [&](std::string error) {
    add_failure(failures, {std::string(stage_name(Stage::exploration)),
                           std::string(explorer_names[static_cast<std::size_t>(kind)]), std::move(error)});
  };
  std::string unread;
  const Read read = read_source(run, job, kind, warnings, unread);
  if (!unread.empty()) {
    failed_with(unread);
  }
  const std::size_t batch = job.by_rule("explore") ? by_rule_batch : limits_of(kind).batch;
  const std::size_t batches = (read.units.size() + batch - 1) / batch;
  const std::vector<Data> answers = run.each("batch", batches, [&](run::Run& part, std::size_t i) {
    const std::size_t from = i * batch;
    const std::span<const Unit> units(read.units.data() + from, std::min(batch, read.units.size() - from));
    return explore_batch(part, job, kind, units, why);
  });
  Places known;
  std::vector<std::string> ids;
  for (std::size_t i = 0; i < read.units.size(); ++i) {
    known.emplace(read.units[i].id, i);
    ids.push_back(read.units[i].id);
  }
  static constexpr std::array<std::string_view, 4> pieces = {"conversations", "points", "places", "sections"};
  Synthesis synthesis(std::move(ids), std::string(pieces[static_cast<std::size_t>(kind)]));
  const std::vector<std::pair<std::string, std::size_t>> errors = errors_of(answers);
  std::size_t failed = 0;
  for (const auto& [error, count] : errors) {
    failed += count;
    std::string told = error + (count > 1 ? " (" + json::uint_text(count) + " batches)" : "");
    warnings.push_back(std::string(explorer_names[static_cast<std::size_t>(kind)]) + ": " + told);
    failed_with(std::move(told));
  }
  for (const Data& answer : answers) {
    for (const Value& one : list_of(answer.value(), "findings")) {
      synthesis.add(one, warnings);
    }
  }
  const std::vector<Finding>& findings = synthesis.findings();
  const Days days = days_of(read);
  const std::string stamp = run::iso_time(run.now_ms());
  return object([&](json::Writer& json) {
    json.key("findings").begin_array();
    for (const Finding& one : findings) {
      write_finding(json, kind, read, known, one, stamp);
    }
    json.end_array().key("evidence").begin_array();
    for (const Finding& one : findings) {
      for (const std::string& id : one.evidence) {
        Unit unit = read.units[known.at(id)];
        unit.text = json::excerpt(unit.text, evidence_text_max);
        write_unit(json, unit);
      }
    }
    json.end_array().member("agent_name", explorer_names[static_cast<std::size_t>(kind)]);
    json.member("source", source_names[static_cast<std::size_t>(kind)]);
    if (!days.oldest.empty()) {
      json.member("oldest", days.oldest).member("newest", days.newest);
    }
    json.member_boolean("failed", !unread.empty() || (failed > 0 && failed == batches));
    write_failures(json, failures);
    json.member_uint("available", read.available()).member_uint("reviewed", read.units.size());
    write_skipped(json, read);
    write_warnings(json, warnings);
  });
}

void write_coverage(json::Writer& json, const Job& job, const std::vector<Data>& explorers, std::size_t findings) {
  std::uint64_t available = 0;
  std::uint64_t reviewed = 0;
  std::uint64_t skipped = 0;
  std::string names;
  std::string oldest;
  std::string newest;
  for (const Data& one : explorers) {
    const std::string from(text_of(one.value(), "oldest"));
    if (!from.empty() && (oldest.empty() || from < oldest)) {
      oldest = from;
    }
    newest = std::max(newest, std::string(text_of(one.value(), "newest")));
    available += number_of(one.value(), "available");
    reviewed += number_of(one.value(), "reviewed");
    skipped += number_of(one.value(), "skipped");
    names += (names.empty() ? "" : ",") + std::string(text_of(one.value(), "agent_name"));
  }
  PLUMB_REQUIRE(available == reviewed + skipped, "what was reviewed and what was skipped is what there was");
  json.key("coverage").begin_object().member("agent_name", names);
  if (const std::uint64_t days = days_between(oldest, newest); days > 0) {
    json.member_uint("time_window_days", days).member("oldest", oldest).member("newest", newest);
  }
  json.member_uint("conversations_available", available).member_uint("conversations_reviewed", reviewed);
  json.member_uint("conversations_skipped", skipped).member_uint("findings_count", findings);
  json.member("model", job.providers[0].empty() ? "extract" : job.providers[0]).key("explorers").begin_array();
  for (const Data& one : explorers) {
    json.begin_object();
    for (const std::string_view name :
         {"agent_name", "source", "oldest", "newest", "available", "reviewed", "skipped", "skipped_why"}) {
      if (const Value* found = one.value().find(name)) {
        json.key(name).value(*found);
      }
    }
    json.member_uint("findings_count", list_of(one.value(), "findings").size());
    json.end_object();
  }
  json.end_array().end_object();
}

}  // namespace

Data explore(run::Run& run, const Job& job, const SentBack& why) {
  std::vector<SourceKind> kinds;
  for (std::size_t i = 0; i < source_names.size(); ++i) {
    if (!job.roots[i].empty()) {
      kinds.push_back(static_cast<SourceKind>(i));
    }
  }
  const std::vector<Data> explorers = run.each(
      "explorer", kinds.size(), [&](run::Run& part, std::size_t i) { return explore_source(part, job, kinds[i], why); },
      16);
  return object([&](json::Writer& json) {
    std::size_t number = 0;
    json.key("findings").begin_array();
    for (const Data& one : explorers) {
      for (const Value& finding : list_of(one.value(), "findings")) {
        json.begin_object().member("id", "F" + json::uint_text(++number));
        for (const json::Member& member : finding.object()) {
          json.key(member.key).value(member.value);
        }
        json.end_object();
      }
    }
    json.end_array();
    write_coverage(json, job, explorers, number);
    json.key("evidence").begin_object();
    std::vector<std::string> seen;
    for (const Data& one : explorers) {
      for (const Value& unit : list_of(one.value(), "evidence")) {
        std::string id(text_of(unit, "id"));
        if (std::find(seen.begin(), seen.end(), id) != seen.end()) {
          continue;
        }
        json.key(id).begin_object().member("source", text_of(one.value(), "source"));
        json.member("path", text_of(unit, "path")).member_uint("line", number_of(unit, "line"));
        json.member("text", text_of(unit, "text")).end_object();
        seen.push_back(std::move(id));
      }
    }
    json.end_object();
    std::vector<Failure> failures;
    for (const Data& one : explorers) {
      for (Failure& failure : failures_of(one.value())) {
        add_failure(failures, std::move(failure));
      }
    }
    write_failures(json, failures);
    // Nobody could look: that is no discovery without findings.
    json.member_boolean("failed", number == 0 && std::any_of(explorers.begin(), explorers.end(), [](const Data& one) {
                                    return flag_of(one.value(), "failed");
                                  }));
    json.key("warnings").begin_array();
    for (const Data& one : explorers) {
      for (const std::string& warning : texts_of(one.value(), "warnings")) {
        json.string(warning);
      }
    }
    json.end_array();
  });
}

}  // namespace plumb::pipelines::discovery
