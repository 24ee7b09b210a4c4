// What is shown of a job: a projection of its journal. Nothing here is kept; the same journal gives the same view.

#include <algorithm>
#include <initializer_list>

#include "core/ascii.hpp"
#include "core/json/arena.hpp"
#include "core/json/members.hpp"
#include "core/json/number_text.hpp"
#include "core/json/writer.hpp"
#include "core/pipelines/artifact/job.hpp"
#include "core/run/stamp.hpp"
#include "core/wording.hpp"

namespace plumb::pipelines::artifact {

namespace {

using json::flag_of;
using json::Kind;
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
    const Value& value = entry.data.value();
    if (entry.name == "phase") {
      const std::string_view phase = text_of(value, "phase");
      out.status = phase == "plan" ? "planning" : phase == "generate" ? "generating" : "validating";
    } else if (entry.name == "planned") {
      out.percent = 20;
    } else if (entry.name == "made") {
      out.percent = 60;
    } else if (entry.name == "step" && number_of(value, "attempt") == 0) {
      out.percent = text_of(value, "step") == "structure" ? 70 : 80;
    } else if (entry.name == "repair") {
      out.percent = number_of(value, "attempt") == 1 ? 85 : 90;
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
    if (const Value* usage = entry.data.value().find("usage")) {
      out.used += number_of(*usage, "input_tokens") + number_of(*usage, "output_tokens");
    }
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
    } else if (entry.kind == EntryKind::cancel) {
      line("✗ Cancelled: " + entry.error);
    } else if (entry.kind == EntryKind::end) {
      end(entry);
    }
  }

  void note(std::string_view name, const Value& value) {
    const std::uint64_t attempt = number_of(value, "attempt");
    if (name == "phase") {
      const std::string_view phase = text_of(value, "phase");
      line(phase == "plan"       ? "📋 Phase 1: Planning " + type_ + " structure..."
           : phase == "generate" ? "🔨 Phase 2: Generating " + type_ + " content..."
                                 : "✅ Phase 3: Validating " + type_ + "...");
    } else if (name == "source") {
      source(value);
    } else if (name == "hidden") {
      line("⚠️  " + std::string(text_of(value, "words")) +
           " that the plan points to had no room in the prompt: a larger --token-budget shows them");
    } else if (name == "planned") {
      line("✓ Plan created: " + std::string(text_of(value, "words")));
    } else if (name == "made") {
      if (const Value* stopped = value.find("stopped")) {
        line("⚠️  Generation stopped early (" + std::string(text_of(*stopped, "why")) +
             "): " + counted(number_of(*stopped, "received_bytes"), "byte", "bytes") + " received, about " +
             counted(number_of(*stopped, "saved_tokens"), "token", "tokens") + " saved");
      }
      if (flag_of(value, "at_limit")) {
        line("⚠️  Generation ended at its limit of tokens");
      }
      line(flag_of(value, "is_json") ? "✓ Generated artifact: " + std::string(text_of(value, "words"))
                                     : "⚠️  Generated artifact is no JSON yet");
    } else if (name == "step") {
      const bool structure = text_of(value, "step") == "structure";
      if (attempt == 0) {
        line(structure ? "  → Step 1: Structural validation..." : "  → Step 2: Semantic validation...");
        if (!structure && flag_of(value, "skipped")) {
          const std::string rules = comma_list(value, "not_run");
          line(rules.empty() ? "  ⚠️ Not run: the artifact is not complete JSON"
                             : "  ⚠️ Not run: " + rules + " (" + std::string(text_of(value, "why")) + ")");
        }
      } else {
        line(structure ? "  → Revalidating structure..." : "  → Revalidating semantics...");
      }
    } else if (name == "structure") {
      const std::uint64_t errors = number_of(value, "errors");
      line(errors == 0 ? "  ✓ Structure valid" : "  ✗ " + counted(errors, "violation", "violations") + " found");
    } else if (name == "again") {
      line("  → Asking the judge again: " + json::uint_text(number_of(value, "count")) + " of " +
           counted(number_of(value, "of"), "claim", "claims") + " left out, or without proof");
    } else if (name == "held") {
      line("  → Put back: " + std::string(text_of(value, "words")) + " that nothing was wrong with");
    } else if (name == "salvaged") {
      line("⚠️  Kept " + json::uint_text(number_of(value, "kept")) + " of " +
           json::uint_text(number_of(value, "asked")) + ": " + std::string(text_of(value, "reason")));
    } else if (name == "failed") {
      asked_ = number_of(value, "asked");
      kept_ = number_of(value, "kept");
      for (const Value& one : json::list_of(value, "left_out")) {
        left_out_.push_back(std::string(text_of(one, "name")) + ": " + std::string(text_of(one, "reason")));
      }
    } else if (name == "meaning") {
      meaning(value);
    } else if (name == "invalid") {
      line("⚠️  Validation failed: " +
           counted(number_of(value, "errors"), "structural violation", "structural violations") + ", " +
           counted(number_of(value, "issues"), "semantic issue", "semantic issues"));
      repairing_ = false;
    } else if (name == "freed") {
      line("  → Fixed without a model: " + counted(number_of(value, "count"), "value", "values") +
           " put in the spelling " + "of the one that was meant");
    } else if (name == "repair") {
      if (const std::uint64_t open = number_of(value, "uncovered"); open > 0) {
        line("⚠️  Nothing is about " + counted(open, "entry", "entries") + " of the plan");
      }
      if (!repairing_) {
        line("  → Step 3: Attempting automatic repair...");
        repairing_ = true;
      }
      line("🔧 Repair attempt " + json::uint_text(attempt) + "/" + json::uint_text(number_of(value, "of")));
    } else if (name == "patch") {
      line(flag_of(value, "applied")
               ? "  ✓ Patch applied"
               : "  ⚠️ Patch refused: " + std::string(text_of(value, "why")) + "; asking for the whole");
    } else if (name == "repaired") {
      if (flag_of(value, "valid")) {
        line("✓ Repair successful after " + json::uint_text(attempt) + " attempt(s)");
      } else {
        const std::string why(text_of(value, "why"));
        line(std::string(flag_of(value, "kept") || why.empty() || why == "it is not better"
                             ? "  ✗ Still invalid after repair"
                             : "  ✗ Repair not kept: " + why) +
             (flag_of(value, "kept")                     ? ""
              : why.empty() || why == "it is not better" ? "; not better, the version before stays"
                                                         : "; the version before stays"));
      }
    } else if (name == "unrepaired") {
      line("  ✗ Repair call failed: " + std::string(text_of(value, "error")));
    } else if (name == "exhausted") {
      line("✗ Repair failed after " + counted(number_of(value, "attempts"), "attempt", "attempts"));
    } else if (name == "retry") {
      line("⚠️  " + capital(text_of(value, "phase")) + " call failed: " + std::string(text_of(value, "error")) +
           "; trying once more" + wait_words(number_of(value, "wait_ms")));
    }
  }

  static std::string wait_words(std::uint64_t wait_ms) {
    return wait_ms == 0 ? std::string() : " in " + json::uint_text((wait_ms + 999) / 1'000) + " s";
  }

  static std::string comma_list(const Value& value, std::string_view name) {
    std::string out = joined(json::texts_of(value, name));
    return out;
  }

  // How the source is read, and what of it is not.
  void source(const Value& value) {
    const std::uint64_t passages = number_of(value, "passages");
    const std::uint64_t read = number_of(value, "read");
    if (const std::uint64_t parts = number_of(value, "parts"); parts > 1) {
      line("  → The source is read in " + counted(parts, "part", "parts"));
    }
    if (read < passages) {
      const auto left_out = json::list_of(value, "left_out");
      const std::vector<std::string> headings =
          left_out.empty() ? std::vector<std::string>() : json::texts_of(left_out.front(), "headings");
      line("⚠️  " + json::uint_text(passages - read) + " of " + counted(passages, "passage", "passages") +
           " left out" + (headings.empty() ? "" : ", from '" + headings.front() + "' on") + ": --token-budget " +
           json::uint_text(number_of(value, "budget_wanted")) + " reads all of it");
    }
  }

  void meaning(const Value& value) {
    const std::uint64_t issues = number_of(value, "issues");
    const std::uint64_t undecided = number_of(value, "undecided");
    if (const std::string_view error = text_of(value, "error"); !error.empty()) {
      line("  ⚠️ Semantics not judged: " + std::string(error));
    } else if (issues > 0) {
      line("  ✗ " + counted(issues, "issue", "issues") + " found");
    } else if (undecided == 0) {
      line("  ✓ Semantics valid");
    }
    if (undecided > 0) {
      line("  ⚠️ " + counted(undecided, "question", "questions") + " not settled by the judge");
    }
  }

  void end(const Entry& entry) {
    if (entry.status == run::Status::ok && flag_of(entry.data.value(), "partial")) {
      line("⚠️  Job " + id_ + " completed in part: " + json::uint_text(number_of(entry.data.value(), "kept")) +
           " of " + json::uint_text(number_of(entry.data.value(), "asked")) + " kept (progress: 100%)");
    } else if (entry.status == run::Status::ok) {
      const std::string_view decision = text_of(entry.data.value(), "decision");
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
      if (kept_ > 0) {
        line("→ Kept: " + json::uint_text(kept_) + " of " + json::uint_text(asked_));
      }
      for (const std::string& one : left_out_) {
        line("→ Left out: " + one);
      }
    }
  }

  const run::Journal& journal_;
  std::uint64_t from_ = 0;
  std::string id_;
  std::string type_;
  std::uint64_t number_ = 0;
  std::uint64_t asked_ = 0;  // of a run that failed
  std::uint64_t kept_ = 0;
  std::vector<std::string> left_out_;
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
