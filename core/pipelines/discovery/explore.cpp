// Stage 0: explorers, side by side, one for each source. Each reads its folder (source_reading.hpp), asks for patterns
// among the units, batch by batch, and makes one list of what the batches found (synthesis.hpp).

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "core/json/arena.hpp"
#include "core/json/number_text.hpp"
#include "core/pipelines/discovery/parts.hpp"
#include "core/pipelines/discovery/source_reading.hpp"
#include "core/pipelines/discovery/source_type.hpp"
#include "core/pipelines/discovery/synthesis.hpp"
#include "core/run/stamp.hpp"

namespace plumb::pipelines::discovery {

namespace {

using run::Data;

// What a model found in a batch, as it says it.
struct Batch {
  std::vector<Data> findings;
  std::string error;
  static Fields fields() {
    static constexpr Field table[] = {field<&Batch::findings>("findings"), field<&Batch::error>("error")};
    return table;
  }
};

// What an explorer found, and what it saw of its source: with the members of ExplorerCoverage.
struct Explorer {
  std::vector<ExplorerFinding> findings;
  std::vector<Unit> evidence;
  std::string agent_name, source, oldest, newest;
  bool failed = false;
  std::vector<Failure> failures;
  std::uint64_t available = 0, reviewed = 0, skipped = 0;
  std::vector<Skipped> skipped_why;
  std::vector<std::string> warnings;
  static Fields fields() {
    static constexpr Field table[] = {
        field<&Explorer::findings>("findings"),     field<&Explorer::evidence>("evidence"),
        field<&Explorer::agent_name>("agent_name"), field<&Explorer::source>("source"),
        field_if_set<&Explorer::oldest>("oldest"),  field_if_set<&Explorer::newest>("newest"),
        field<&Explorer::failed>("failed"),         field_if_set<&Explorer::failures>("failures"),
        field<&Explorer::available>("available"),   field<&Explorer::reviewed>("reviewed"),
        field<&Explorer::skipped>("skipped"),       field<&Explorer::skipped_why>("skipped_why"),
        field<&Explorer::warnings>("warnings")};
    return table;
  }
};

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
    json.member("source", source_names[k]);
    write_list(json, "units", std::vector<Unit>(units.begin(), units.end()));
  };
  const Answer answer = ask(run, job, call);
  return Data::of(Batch{answer.value.as<Batch>().findings, answer.valid ? "" : answer.error});
}

// The errors of batches, each once with how many batches say it, in the order in which they came.
std::vector<std::pair<std::string, std::size_t>> errors_of(const std::vector<Data>& answers) {
  std::vector<std::pair<std::string, std::size_t>> errors;
  for (const Data& answer : answers) {
    if (const std::string& error = answer.as<Batch>().error; !error.empty()) {
      const auto same = std::find_if(errors.begin(), errors.end(),
                                     [&](const auto& known_error) { return known_error.first == error; });
      same == errors.end() ? static_cast<void>(errors.emplace_back(error, 1)) : static_cast<void>(++same->second);
    }
  }
  return errors;
}

using Places = std::unordered_map<std::string, std::size_t>;  // of units in what was read, by their ids

ExplorerFinding noted(SourceKind kind, const Read& read, const Places& known, const Finding& one,
                      const std::string& stamp) {
  ExplorerFinding out;
  out.pattern_name = one.pattern;
  out.description = one.description;
  out.severity_assessment = one.severity.empty() ? "not assessed" : one.severity;
  out.affected_users_estimate = one.users.empty() ? "not known" : one.users;
  out.confidence = one.confidence == "high" || one.confidence == "low" ? one.confidence : "medium";
  out.merged_findings = one.merged > 1 ? one.merged : 0;
  for (const std::string& id : one.evidence) {
    out.evidence.push_back({std::string(evidence_type(kind, read.units[known.at(id)])), id, stamp, out.confidence});
  }
  return out;
}

// Each once, however many batches say it.
std::vector<std::string> each_once(const std::vector<std::string>& texts) {
  std::vector<std::string> out;
  for (const std::string& one : texts) {
    if (std::find(out.begin(), out.end(), one) == out.end()) {
      out.push_back(one);
    }
  }
  return out;
}

Data explore_source(run::Run& run, const Job& job, SourceKind kind, const SentBack& why) {
  Explorer out;
  out.agent_name = explorer_names[static_cast<std::size_t>(kind)];
  out.source = source_names[static_cast<std::size_t>(kind)];
  std::vector<std::string> warnings;
  const auto failed_with = [&](std::string error) {
    add_failure(out.failures, {Stage::exploration, out.agent_name, std::move(error)});
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
    warnings.push_back(out.agent_name + ": " + told);
    failed_with(std::move(told));
  }
  for (const Data& answer : answers) {
    for (const Data& one : answer.as<Batch>().findings) {
      synthesis.add(one.value(), warnings);
    }
  }
  const Days days = days_of(read);
  const std::string stamp = run::iso_time(run.now_ms());
  for (const Finding& one : synthesis.findings()) {
    out.findings.push_back(noted(kind, read, known, one, stamp));
    for (const std::string& id : one.evidence) {
      Unit& unit = out.evidence.emplace_back(read.units[known.at(id)]);
      unit.text = json::excerpt(unit.text, evidence_text_max);
    }
  }
  out.oldest = days.oldest;
  out.newest = days.newest;
  out.failed = !unread.empty() || (failed > 0 && failed == batches);
  out.available = read.available();
  out.reviewed = read.units.size();
  out.skipped = read.skipped_count();
  out.skipped_why = read.skipped;
  out.warnings = each_once(warnings);
  return Data::of(std::move(out));
}

Coverage coverage_of(const Job& job, const std::vector<Data>& explorers) {
  Coverage out;
  std::string oldest;
  std::string newest;
  for (const Data& one : explorers) {
    ExplorerCoverage& seen = out.explorers.emplace_back(one.as<ExplorerCoverage>());
    seen.findings_count = one.as<Explorer>().findings.size();
    if (!seen.oldest.empty() && (oldest.empty() || seen.oldest < oldest)) {
      oldest = seen.oldest;
    }
    newest = std::max(newest, seen.newest);
    out.available += seen.available;
    out.reviewed += seen.reviewed;
    out.skipped += seen.skipped;
    out.findings_count += seen.findings_count;
    out.agent_name += (out.agent_name.empty() ? "" : ",") + seen.agent_name;
  }
  PLUMB_REQUIRE(out.available == out.reviewed + out.skipped,
                "what was reviewed and what was skipped is what there was");
  if (const std::uint64_t days = days_between(oldest, newest); days > 0) {
    out.time_window_days = days;
    out.oldest = oldest;
    out.newest = newest;
  }
  out.model = job.providers[0].empty() ? "extract" : job.providers[0];
  return out;
}

// The units that evidence names, each once, under their ids.
Data evidence_of(const std::vector<Data>& explorers) {
  return object([&](json::Writer& json) {
    std::unordered_set<std::string_view> seen;
    for (const Data& one : explorers) {
      const Explorer& explorer = one.as<Explorer>();
      for (const Unit& unit : explorer.evidence) {
        if (seen.insert(unit.id).second) {
          write_record(json.key(unit.id), Piece{explorer.source, unit.path, unit.line, unit.text});
        }
      }
    }
  });
}

}  // namespace

Explored explore(run::Run& run, const Job& job, const SentBack& why) {
  std::vector<SourceKind> kinds;
  for (std::size_t i = 0; i < source_names.size(); ++i) {
    if (!job.roots[i].empty()) {
      kinds.push_back(static_cast<SourceKind>(i));
    }
  }
  const std::vector<Data> explorers = run.each(
      "explorer", kinds.size(), [&](run::Run& part, std::size_t i) { return explore_source(part, job, kinds[i], why); },
      16);
  Explored out;
  out.coverage = coverage_of(job, explorers);
  out.evidence = evidence_of(explorers);
  bool failed = false;
  for (const Data& one : explorers) {
    const Explorer& explorer = one.as<Explorer>();
    for (const ExplorerFinding& finding : explorer.findings) {
      out.findings.push_back(finding);
      out.findings.back().id = "F" + json::uint_text(out.findings.size());
    }
    add_failures(out.failures, explorer.failures);
    failed = failed || explorer.failed;
    out.warnings.insert(out.warnings.end(), explorer.warnings.begin(), explorer.warnings.end());
  }
  // Nobody could look: that is no discovery without findings.
  out.failed = failed && out.findings.empty();
  return out;
}

}  // namespace plumb::pipelines::discovery
