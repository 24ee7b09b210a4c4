// The run of a calibration, and what is shown of it.

#include "core/pipelines/artifact/calibration.hpp"

#include <algorithm>

#include "core/json/members.hpp"
#include "core/json/number_text.hpp"
#include "core/json/writer.hpp"
#include "core/pipelines/artifact/calibration_notes.hpp"
#include "core/pipelines/artifact/version.hpp"
#include "core/run/stamp.hpp"
#include "core/run/usage.hpp"
#include "core/wording.hpp"

namespace plumb::pipelines::calibration {

namespace {

using json::text_of;
using json::Value;
using run::Data;
using run::Entry;
using run::EntryKind;

const Value& input_of(const run::Journal& journal) {
  static const Value nothing{};
  const Value* input = journal.begin().data.value().find("input");
  return input == nullptr ? nothing : *input;
}

// The item of a list in a judgement that is about this claim.
const Value* about(const Value& judgement, std::string_view list, const Label& label) {
  const auto items = json::list_of(judgement, list);
  const auto found = std::find_if(items.begin(), items.end(), [&](const Value& one) {
    return text_of(one, "rule") == label.rule && text_of(one, "at") == label.at;
  });
  return found == items.end() ? nullptr : &*found;
}

// The reason of an issue at this place, or at one in it.
std::string reason_of_issue(const Value& judgement, const Label& label) {
  for (const Value& one : json::list_of(judgement, "issues")) {
    if (text_of(one, "rule") == label.rule && text_of(one, "at").starts_with(label.at)) {
      return std::string(text_of(one, "message"));
    }
  }
  return {};
}

// Each claim that was asked about is proved, undecided or broken.
void count(const Value& judgement, bool is_judged, const Label& label, Judged& out) {
  const Value* open = is_judged ? about(judgement, "undecided", label) : nullptr;
  const bool undecided = !is_judged || open != nullptr;
  const bool accepted = !undecided && about(judgement, "proofs", label) != nullptr;
  judge::Tally& tally = out.tally;
  std::uint64_t& counted = label.supported ? (undecided  ? tally.true_open
                                              : accepted ? tally.confirmed
                                                         : tally.rejected)
                                           : (undecided  ? tally.false_open
                                              : accepted ? tally.missed
                                                         : tally.caught);
  ++counted;
  if (is_judged && (undecided || accepted != label.supported)) {
    out.differences.push_back({out.name, label.at, label.rule, label.supported,
                               undecided  ? "undecided"
                               : accepted ? "accepted"
                                          : "rejected",
                               open != nullptr ? std::string(text_of(*open, "reason"))
                               : accepted      ? std::string()
                                               : reason_of_issue(judgement, label)});
  }
}

Data judge_one(run::Run& run, const artifact::Job& job, Spent& spent, const Labelled& one) {
  artifact::Version version;
  version.text = one.artifact.text();
  version.is_json = true;
  artifact::judge_meaning(run, job, spent, {}, version);
  Judged out{one.name, {}, version.judge_error, version.final, {}};
  for (const Label& label : one.labels) {
    count(version.judgement.value(), version.judge_error.empty(), label, out);
  }
  return artifact::part_result(spent, Data::of(std::move(out)), {});
}

void add(const judge::Tally& from, judge::Tally& to) {
  to.caught += from.caught;
  to.missed += from.missed;
  to.rejected += from.rejected;
  to.confirmed += from.confirmed;
  to.false_open += from.false_open;
  to.true_open += from.true_open;
}

std::uint64_t labels_of(const judge::Tally& tally) {
  return tally.caught + tally.missed + tally.rejected + tally.confirmed + tally.false_open + tally.true_open;
}

void write_result(json::Writer& json, const Outcome& result) {
  json.key("result").begin_object().member_uint("artifacts", result.artifacts);
  json.member_uint("labels", labels_of(result.tally));
  judge::write_rate(json, "true_positive_rate", judge::catch_rate(result.tally));
  judge::write_rate(json, "false_positive_rate", judge::reject_rate(result.tally));
  json.key("undecided").begin_object().member_uint("false_claims", result.tally.false_open);
  json.member_uint("true_claims", result.tally.true_open).end_object();
  if (result.unjudged > 0) {
    json.member_uint("unjudged", result.unjudged).member("unjudged_reason", result.unjudged_reason);
  }
  if (!result.distrust.empty()) {
    json.member("distrust", result.distrust);
  }
  json.key("differences").begin_array();
  for (const Difference& one : result.differences) {
    json::write_record(json, one);
  }
  json.end_array().end_object();
}

}  // namespace

Result<Data> pipeline(run::Run& run) {
  artifact::Job job = artifact::read_job(run.input());
  const auto& input = run.input().as<Input>();
  const auto sources = json::list_of(run.input().value(), "sources");
  Spent spent;
  Outcome out;
  for (const Labelled& one : input.labelled) {
    job.chunks = &sources[static_cast<std::size_t>(one.source)];
    job.shown_budget = one.token_budget;
    const artifact::Part part = artifact::take_part(
        spent, run.scope("artifact", [&](run::Run& scope) { return judge_one(scope, job, spent, one); }));
    if (run.cancelled()) {
      return artifact::cancelled_result();
    }
    const auto& judged = part.value.as<Judged>();
    if (judged.ends) {
      return artifact::failed(judged.name + ": " + judged.error, Reason::over_budget);
    }
    run.emit("judged", part.value);
    ++out.artifacts;
    add(judged.tally, out.tally);
    out.differences.insert(out.differences.end(), judged.differences.begin(), judged.differences.end());
    if (!judged.error.empty()) {
      ++out.unjudged;
      out.unjudged_reason = out.unjudged_reason.empty() ? judged.name + ": " + judged.error : out.unjudged_reason;
    }
  }
  if (out.unjudged == out.artifacts) {
    return artifact::failed("not measured - " + out.unjudged_reason, Reason::none);
  }
  out.distrust = judge::distrust(input.key.judge, &out.tally, input.demanded);
  out.tokens = spent.tokens;
  return Data::of(std::move(out));
}

std::string view(const run::Journal& journal) {
  const Entry& last = journal.entries().back();
  const auto input = json::record_of<Input>(input_of(journal));
  std::uint64_t judged = 0;
  std::uint64_t tokens = 0;
  for (const Entry& entry : journal.entries()) {
    judged += entry.kind == EntryKind::note && entry.name == "judged" ? 1 : 0;
    tokens += entry.kind == EntryKind::reply ? run::usage_of(entry.data.value()).tokens() : 0;
  }
  const bool ended = last.kind == EntryKind::end;
  const bool done = ended && last.status == run::Status::ok;
  std::string out;
  json::Writer json(out);
  json.begin_object().member("run_id", text_of(journal.begin().data.value(), "run"));
  json.member("status", !ended                                  ? journal.entries().size() == 1 ? "pending" : "running"
                        : done                                  ? "completed"
                        : last.status == run::Status::cancelled ? "cancelled"
                                                                : "failed");
  json.member_uint("progress", ended ? 100 : judged * 100 / std::max<std::size_t>(input.labelled.size(), 1));
  json::write_fields(json, input.key);
  json.member_uint("artifacts", input.labelled.size());
  if (done) {
    json.member("measured_at", run::iso_time(last.at_ms));
    write_result(json, json::record_of<Outcome>(last.data.value()));
  } else if (ended) {
    json.member("error", last.error.empty() ? "cancelled" : last.error);
  }
  json.member_uint("tokens_used", tokens).end_object();
  return out;
}

std::vector<LogLine> log_lines(const run::Journal& journal, std::uint64_t from) {
  std::vector<LogLine> out;
  for (std::size_t i = 0; i < journal.entries().size(); ++i) {
    const Entry& entry = journal.entries()[i];
    std::string line;
    if (entry.kind == EntryKind::begin) {
      const auto input = json::record_of<Input>(input_of(journal));
      line = "⚙️ Measuring the judge " + input.key.judge + " with " +
             counted(input.labelled.size(), "labelled artifact") + " (type=" + input.key.contract + ")";
    } else if (entry.kind == EntryKind::note && entry.name == "judged") {
      const auto one = json::record_of<Judged>(entry.data.value());
      line = !one.error.empty() ? "  ⚠️ " + one.name + ": not judged: " + one.error
             : one.differences.empty()
                 ? "  ✓ " + one.name + ": agrees with " + counted(labels_of(one.tally), "label")
                 : "  ✗ " + one.name + ": differs from " + json::uint_text(one.differences.size()) + " of " +
                       counted(labels_of(one.tally), "label");
    } else if (entry.kind == EntryKind::note && entry.name == "retry") {
      line =
          "⚠️  Judge call failed: " + json::record_of<RetryNote>(entry.data.value()).error + "; trying once more";
    } else if (entry.kind == EntryKind::cancel) {
      line = "✗ Cancelled: " + entry.error;
    } else if (entry.kind == EntryKind::end && entry.status == run::Status::failed) {
      line = "❌ " + entry.error;
    }
    if (i >= from && !line.empty()) {
      out.push_back({i, entry.at_ms, std::move(line)});
    }
  }
  return out;
}

judge::JudgeKey key_of(const Value& input) { return json::record_of<Input>(input).key; }
judge::Tally tally_of(const Value& result) { return json::record_of<Outcome>(result).tally; }

}  // namespace plumb::pipelines::calibration
