// What is shown of a job: a projection of its journal. Nothing here is kept; the same journal gives the same view.

#include <algorithm>
#include <initializer_list>

#include "core/ascii.hpp"
#include "core/json/members.hpp"
#include "core/json/number_text.hpp"
#include "core/json/writer.hpp"
#include "core/pipelines/artifact/better.hpp"
#include "core/pipelines/artifact/job.hpp"
#include "core/pipelines/artifact/notes.hpp"
#include "core/pipelines/artifact/source.hpp"
#include "core/run/reasons.hpp"
#include "core/run/stamp.hpp"
#include "core/run/usage.hpp"
#include "core/wording.hpp"

namespace plumb::pipelines::artifact {

namespace {

using json::flag_of;
using json::number_of;
using json::text_of;
using json::Value;
using run::Entry;
using run::EntryKind;

const Value& input_of(const run::Journal& journal) {
  static const Value nothing{};
  const Value* input = journal.begin().data.value().find("input");
  return input == nullptr ? nothing : *input;
}

JudgeStanding standing_in(const run::Journal& journal) {
  const Value* found = input_of(journal).find("judged_by");
  return found == nullptr ? JudgeStanding() : json::record_of<JudgeStanding>(*found);
}

std::string_view run_id(const run::Journal& journal) { return text_of(journal.begin().data.value(), "run"); }

struct Progress {
  std::string_view status = "pending";
  std::uint64_t percent = 0;
};

// The seed's table: plan stored 20, artifact generated 60, structural 70, semantic 80, attempts 85 and 90, the end 100.
Progress progress_of(const run::Journal& journal) {
  Progress out;
  for (const Entry& entry : journal.entries()) {
    if (entry.kind == EntryKind::end) {
      out.status = entry.status == run::Status::ok && flag_of(entry.data.value(), "partial") ? "completed_partial"
                   : entry.status == run::Status::ok                                         ? "completed"
                   : entry.status == run::Status::cancelled                                  ? "cancelled"
                                                                                             : "failed";
      out.percent = 100;
    }
    if (entry.kind != EntryKind::note) {
      continue;
    }
    if (entry.name == "phase") {
      const std::string phase = json::record_of<PhaseNote>(entry.data.value()).phase;
      out.status = phase == "plan" ? "planning" : phase == "generate" ? "generating" : "validating";
    } else if (entry.name == "planned") {
      out.percent = 20;
    } else if (entry.name == "made") {
      out.percent = 60;
    } else if (entry.name == "step" && json::record_of<StepNote>(entry.data.value()).attempt == 0) {
      out.percent = json::record_of<StepNote>(entry.data.value()).step == "structure" ? 70 : 80;
    } else if (entry.name == "repair") {
      out.percent = json::record_of<RepairNote>(entry.data.value()).attempt == 1 ? 85 : 90;
    }
  }
  return out;
}

struct Tokens {
  std::uint64_t used = 0;
  std::uint64_t saved = 0;
  std::uint64_t calls = 0;
};

Tokens tokens_of(const run::Journal& journal) {
  Tokens out;
  for (const Entry& entry : journal.entries()) {
    out.calls += entry.kind == EntryKind::attempt && entry.name == "model" ? 1 : 0;
    if (entry.kind != EntryKind::reply || entry.data.is_null()) {
      continue;
    }
    out.used += run::usage_of(entry.data.value()).tokens();
    if (const Value* stopped = entry.data.value().find("stopped")) {
      out.saved += number_of(*stopped, "saved_tokens");
    }
  }
  return out;
}

std::string capital(std::string_view text) {
  std::string out(text);
  if (!out.empty() && ascii::is_lower(out[0])) {
    out[0] = static_cast<char>(out[0] - 'a' + 'A');
  }
  return out;
}

class Log {
 public:
  Log(const run::Journal& journal, std::uint64_t from)
      : journal_(journal), from_(from), id_(run_id(journal)), type_(text_of(input_of(journal), "artifact_type")) {}

  std::vector<LogLine> lines() {
    for (std::size_t i = 0; i < journal_.entries().size(); ++i) {
      number_ = i;
      entry(journal_.entries()[i]);
    }
    return std::move(lines_);
  }

 private:
  void line(std::string text) {
    if (number_ >= from_) {
      lines_.push_back({number_, journal_.entries()[static_cast<std::size_t>(number_)].at_ms, std::move(text)});
    }
  }

  void entry(const Entry& entry) {
    if (entry.kind == EntryKind::begin) {
      line("⚙️ Processing job " + id_ + " (type=" + type_ + ")");
    } else if (entry.kind == EntryKind::note) {
      note(entry.name, entry.data.value());
    } else if (entry.kind == EntryKind::reply && !entry.data.is_null()) {
      weakened(entry.data.value());
    } else if (entry.kind == EntryKind::cancel) {
      line("✗ Cancelled: " + entry.error);
    } else if (entry.kind == EntryKind::end) {
      end(entry);
    }
  }

  void note(std::string_view name, const Value& value) {
    if (name == "phase") {
      const std::string phase = json::record_of<PhaseNote>(value).phase;
      line(phase == "plan"       ? "📋 Phase 1: Planning " + type_ + " structure..."
           : phase == "generate" ? "🔨 Phase 2: Generating " + type_ + " content..."
                                 : "✅ Phase 3: Validating " + type_ + "...");
    } else if (name == "source") {
      source(json::record_of<SourceNote>(value));
    } else if (name == "hidden") {
      line("⚠️  " + json::record_of<HiddenNote>(value).words +
           " that the plan points to had no room in the prompt: a larger --token-budget shows them");
    } else if (name == "planned") {
      line("✓ Plan created: " + json::record_of<CountNote>(value).words);
    } else if (name == "made") {
      made(json::record_of<CountNote>(value));
    } else if (name == "step") {
      step(json::record_of<StepNote>(value));
    } else if (name == "structure") {
      const std::uint64_t errors = json::record_of<StructureNote>(value).errors;
      line(errors == 0 ? "  ✓ Structure valid" : "  ✗ " + counted(errors, "violation", "violations") + " found");
    } else if (name == "again") {
      const auto again = json::record_of<AgainNote>(value);
      line("  → Asking the judge again: " + json::uint_text(again.count) + " of " +
           counted(again.of, "claim", "claims") + " left out, or without proof");
    } else if (name == "held") {
      line("  → Put back: " + json::record_of<CountNote>(value).words + " that nothing was wrong with");
    } else if (name == "cut") {
      line("  → Cut: " + json::record_of<CountNote>(value).words + " beyond the number asked for");
    } else if (name == "salvaged") {
      const auto salvaged = json::record_of<SalvagedNote>(value);
      line("⚠️  Kept " + json::uint_text(salvaged.kept) + " of " + json::uint_text(salvaged.asked) + ": " +
           salvaged.reason);
    } else if (name == "failed") {
      failed_ = json::record_of<FailedNote>(value);
    } else if (name == "meaning") {
      meaning(json::record_of<MeaningNote>(value));
    } else if (name == "invalid") {
      const auto invalid = json::record_of<InvalidNote>(value);
      line("⚠️  Validation failed: " + counted(invalid.errors, "structural violation", "structural violations") +
           ", " + counted(invalid.issues, "semantic issue", "semantic issues"));
      repairing_ = false;
    } else if (name == "freed") {
      line("  → Fixed without a model: " + counted(json::record_of<FreedNote>(value).count, "value", "values") +
           " put in the spelling of the one that was meant");
    } else if (name == "repair") {
      repair(json::record_of<RepairNote>(value));
    } else if (name == "patch") {
      const auto patch = json::record_of<PatchNote>(value);
      line(patch.applied ? "  ✓ Patch applied" : "  ⚠️ Patch refused: " + patch.why + "; asking for the whole");
    } else if (name == "repaired") {
      repaired(json::record_of<RepairedNote>(value));
    } else if (name == "unrepaired") {
      line("  ✗ Repair call failed: " + json::record_of<UnrepairedNote>(value).error);
    } else if (name == "exhausted") {
      line("✗ Repair failed after " + counted(json::record_of<ExhaustedNote>(value).attempts, "attempt", "attempts"));
    } else if (name == "retry") {
      const auto retry = json::record_of<RetryNote>(value);
      line("⚠️  " + capital(retry.phase) + " call failed: " + retry.error + "; trying once more" +
           wait_words(retry.wait_ms));
    }
  }

  // A provider that refused structured output was asked in a weaker mode.
  void weakened(const Value& reply) {
    if (const Value* how = reply.find("weakened")) {
      line("⚠️  " + std::string(text_of(reply, "provider")) + " refused structured output '" +
           std::string(text_of(*how, "from")) + "' and took '" + std::string(text_of(*how, "to")) + "'; set " +
           std::string(text_of(*how, "setting")) + " in plumb.yaml to begin with that");
    }
  }

  static std::string wait_words(std::uint64_t wait_ms) {
    return wait_ms == 0 ? std::string() : " in " + json::uint_text((wait_ms + 999) / 1'000) + " s";
  }

  void made(const CountNote& one) {
    if (one.stopped) {
      const auto& stopped = one.stopped->as<Stopped>();
      line("⚠️  Generation stopped early (" + stopped.why +
           "): " + counted(stopped.received_bytes, "byte", "bytes") + " received, about " +
           counted(stopped.saved_tokens, "token", "tokens") + " saved");
    }
    if (one.at_limit) {
      line("⚠️  Generation ended at its limit of tokens");
    }
    line(one.is_json == true ? "✓ Generated artifact: " + one.words
                             : "⚠️  Generated artifact is not valid JSON yet");
  }

  void step(const StepNote& one) {
    const bool structure = one.step == "structure";
    if (one.attempt > 0) {
      line(structure ? "  → Revalidating structure..." : "  → Revalidating semantics...");
      return;
    }
    line(structure ? "  → Step 1: Structural validation..." : "  → Step 2: Semantic validation...");
    if (!structure && one.skipped == true) {
      line(!one.not_run || one.not_run->empty() ? "  ⚠️ Not run: the artifact is not complete JSON"
                                                : "  ⚠️ Not run: " + joined(*one.not_run) + " (" + one.why + ")");
    }
  }

  void repair(const RepairNote& one) {
    if (const std::uint64_t open = one.uncovered.value_or(0); open > 0) {
      line("⚠️  Nothing is about " + counted(open, "entry", "entries") + " of the plan");
    }
    if (!repairing_) {
      line("  → Step 3: Attempting automatic repair...");
      repairing_ = true;
    }
    line("🔧 Repair attempt " + json::uint_text(one.attempt) + "/" + json::uint_text(one.of));
  }

  void repaired(const RepairedNote& one) {
    if (one.valid) {
      line("✓ Repair successful after " + json::uint_text(one.attempt) + " attempt(s)");
      return;
    }
    const std::string why = one.why.value_or("");
    const bool plain = why.empty() || run::reason_of(one.reason, why) == Reason::not_better;
    line((one.kept || plain ? "  ✗ Still invalid after repair" : "  ✗ Repair not kept: " + why) +
         (one.kept ? ""
          : plain  ? "; not better, the version before stays"
                   : "; the version before stays"));
  }

  // How the source is read, and what of it is not.
  void source(const SourceNote& one) {
    if (one.parts > 1) {
      line("  → The source is read in " + counted(one.parts, "part", "parts"));
    }
    if (one.read < one.passages) {
      const bool named = !one.left_out.empty() && !one.left_out.front().headings.empty();
      line("⚠️  " + json::uint_text(one.passages - one.read) + " of " +
           counted(one.passages, "passage", "passages") + " left out" +
           (named ? ", from '" + one.left_out.front().headings.front() + "' on" : "") + ": --token-budget " +
           json::uint_text(one.budget_wanted) + " reads all of it");
    }
  }

  void meaning(const MeaningNote& one) {
    if (!one.error.empty()) {
      line("  ⚠️ Semantics not judged: " + one.error);
    } else if (one.issues > 0) {
      line("  ✗ " + counted(one.issues, "issue", "issues") + " found");
    } else if (one.undecided == 0) {
      line("  ✓ Semantics valid");
    }
    if (one.undecided > 0) {
      line("  ⚠️ " + counted(one.undecided, "question", "questions") + " not settled by the judge");
    }
  }

  void end(const Entry& entry) {
    const auto result = json::record_of<Outcome>(entry.data.value());
    if (entry.status == run::Status::ok) {
      judged_by();
    }
    if (entry.status == run::Status::ok && result.partial) {
      line("⚠️  Job " + id_ + " completed in part: " + json::uint_text(result.kept) + " of " +
           json::uint_text(result.asked) + " kept (progress: 100%)");
    } else if (entry.status == run::Status::ok) {
      const std::string& decision = result.decision;
      line("✅ Job " + id_ + " completed successfully (progress: 100%)" +
           (decision == "accept_unverified"      ? ", not verified by a judge"
            : decision == "accept_with_warnings" ? ", with warnings"
                                                 : ""));
    } else if (entry.status == run::Status::cancelled) {
      line("→ Status: cancelled (progress: 100%)");
    } else {
      line("→ Status: failed (progress: 100%)");
      // Lists of their own lines, as people read them.
      std::string error = entry.error;
      for (const std::string_view list : {" Violations: [", " Issues: [", " Made were "}) {
        if (const std::size_t at = error.find(list); at != std::string::npos) {
          error.replace(at, 1, "\n            ");
        }
      }
      line("→ Error: " + error);
      if (failed_.kept.value_or(0) > 0) {
        line("→ Kept: " + json::uint_text(*failed_.kept) + " of " + json::uint_text(failed_.asked.value_or(0)));
      }
      for (const Value& one : failed_.left_out.value().array()) {
        line("→ Left out: " + std::string(text_of(one, "name")) + ": " + std::string(text_of(one, "reason")));
      }
    }
  }

  // How often the judge was wrong when it was measured.
  void judged_by() {
    const JudgeStanding standing = standing_in(journal_);
    if (standing.measured) {
      const judge::Tally& tally = standing.measured->tally;
      line("  → Judge " + standing.judge + ": catches " + judge::rate_text(judge::catch_rate(tally)) +
           " of false claims, rejects " + judge::rate_text(judge::reject_rate(tally)) + " of true ones");
    }
    if (!standing.distrust.empty()) {
      line("  ⚠️ Not verified: " + standing.distrust);
    }
  }

  const run::Journal& journal_;
  std::uint64_t from_ = 0;
  std::string id_;
  std::string type_;
  std::uint64_t number_ = 0;
  FailedNote failed_;
  bool repairing_ = false;
  std::vector<LogLine> lines_;
};

const Entry* last_note(const run::Journal& journal, std::string_view name) {
  const auto& entries = journal.entries();
  const auto found = std::find_if(entries.rbegin(), entries.rend(), [&](const Entry& entry) {
    return entry.kind == EntryKind::note && entry.name == name;
  });
  return found == entries.rend() ? nullptr : &*found;
}

void write_found(json::Writer& json, const Value& value, std::initializer_list<std::string_view> names) {
  for (const std::string_view name : names) {
    if (const Value* found = value.find(name)) {
      json.key(name).value(*found);
    }
  }
}

void write_judge(json::Writer& json, const JudgeStanding& standing) {
  if (!standing.measured) {
    return;
  }
  json.key("judge").begin_object().member("name", standing.judge);
  judge::write_rate(json, "true_positive_rate", judge::catch_rate(standing.measured->tally));
  judge::write_rate(json, "false_positive_rate", judge::reject_rate(standing.measured->tally));
  json.member("measured_at", run::iso_time(standing.measured->at_ms)).member("run", standing.measured->run);
  json.end_object();
}

}  // namespace

std::string view(const run::Journal& journal) {
  const Progress progress = progress_of(journal);
  const Entry& last = journal.entries().back();
  std::string out;
  json::Writer json(out);
  json.begin_object().member("job_id", run_id(journal)).member("status", progress.status);
  json.member_uint("progress", progress.percent);
  json.member("artifact_type", text_of(input_of(journal), "artifact_type"));
  if (last.kind == EntryKind::end && last.status == run::Status::ok) {
    const Value& result = last.data.value();
    json.key("result").value(*result.find("artifact"));
    write_found(json, result,
                {"decision", "attempts", "evidence", "unverified", "unverified_reason", "warnings", "asked", "kept",
                 "reason", "violations", "issues"});
    write_judge(json, standing_in(journal));
  } else if (last.kind == EntryKind::end && last.status == run::Status::failed) {
    json.member("error", last.error);
    if (const Entry* kept = last_note(journal, "failed")) {
      write_found(json, kept->data.value(),
                  {"violations", "issues", "initial_violations", "initial_issues", "unverified", "attempts", "asked",
                   "kept", "fewer", "left_out", "checks_not_run"});
    }
  } else if (last.kind == EntryKind::end) {
    json.member("error", "cancelled");
  }
  if (const Entry* source = last_note(journal, "source")) {
    json.key("source").value(source->data.value());
  }
  const Tokens tokens = tokens_of(journal);
  json.member_uint("tokens_used", tokens.used).member_uint("tokens_saved", tokens.saved);
  json.member_uint("token_budget", number_of(input_of(journal), "token_budget")).member_uint("calls", tokens.calls);
  json.member("created_at", run::iso_time(journal.begin().at_ms)).member("updated_at", run::iso_time(last.at_ms));
  json.end_object();
  return out;
}

std::vector<LogLine> log_lines(const run::Journal& journal, std::uint64_t from) { return Log(journal, from).lines(); }

}  // namespace plumb::pipelines::artifact
