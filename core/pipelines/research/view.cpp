// What is shown of a research run: a projection of its journal. Nothing here is kept; the same journal gives the same
// view.

#include <algorithm>
#include <map>

#include "core/json/number_text.hpp"
#include "core/pipelines/research/loop.hpp"
#include "core/run/stamp.hpp"
#include "core/run/usage.hpp"
#include "core/wording.hpp"

namespace plumb::pipelines::research {

namespace {

using json::Value;
using run::Entry;
using run::EntryKind;

const Value& input_of(const run::Journal& journal) {
  static const Value nothing{};
  const Value* input = journal.begin().data.value().find("input");
  return input == nullptr ? nothing : *input;
}

std::string_view run_id(const run::Journal& journal) { return text_of(journal.begin().data.value(), "run"); }

// The question to a person that waits for an answer, or nullptr.
const Entry* asked(const run::Journal& journal) {
  const Entry* open = nullptr;
  for (const Entry& entry : journal.entries()) {
    if (entry.kind == EntryKind::attempt && entry.name == "person") {
      open = &entry;
    } else if (entry.kind == EntryKind::end ||
               (open != nullptr && entry.kind == EntryKind::reply && entry.key == open->key)) {
      open = nullptr;
    }
  }
  return open;
}

// The notes of one question, in their order.
struct Asked {
  const Value* question = nullptr;
  std::uint64_t from_ms = 0;
  std::uint64_t to_ms = 0;
  std::vector<const Value*> cycles;
  std::vector<const Value*> searches;
  std::vector<const Value*> gates;
  const Value* done = nullptr;
};

struct Seen {
  std::string_view status = "pending";
  std::uint64_t progress = 0;
  std::vector<const Value*> decisions;  // of the intake, with answers and look-ups, in order
  std::vector<std::string_view> decision_kinds;
  std::vector<const Value*> rounds;
  std::vector<const Value*> gates;
  std::map<std::string, Asked, std::less<>> questions;  // by the scope that they are asked in
  std::vector<std::string> order;
  std::uint64_t tokens = 0;
  std::uint64_t calls = 0;
  std::uint64_t searches = 0;
};

// The scope of a question that an entry stands in: "questions-1.0" of "questions-1.0/cycle:2"; or empty.
std::string_view scope_of(std::string_view key) {
  if (!key.starts_with("questions-")) {
    return {};
  }
  return key.substr(0, key.find_first_of("/:"));
}

void take_note(const Entry& entry, Seen& seen) {
  const Value& value = entry.data.value();
  const std::string_view scope = scope_of(entry.key);
  if (!scope.empty()) {
    if (seen.questions.find(scope) == seen.questions.end()) {
      seen.order.emplace_back(scope);
    }
    Asked& asked_here = seen.questions[std::string(scope)];
    if (entry.name == "question") {
      asked_here.question = &value;
      asked_here.from_ms = entry.at_ms;
    } else if (entry.name == "cycle") {
      asked_here.cycles.push_back(&value);
    } else if (entry.name == "search") {
      asked_here.searches.push_back(&value);
    } else if (entry.name == "gate") {
      asked_here.gates.push_back(&value);
    } else if (entry.name == "question_done") {
      asked_here.done = &value;
      asked_here.to_ms = entry.at_ms;
    }
  }
  if (entry.name == "gate") {
    seen.gates.push_back(&value);
  } else if (entry.name == "brain_round") {
    seen.rounds.push_back(&value);
    const bool done = json::record_of<BrainRound>(entry.data.value()).decision == "done";
    seen.status = done ? "reporting" : "researching";
    seen.progress = done ? 90 : std::max<std::uint64_t>(seen.progress, 20);
  } else if (entry.name == "intake_decision" || entry.name == "intake_answer" || entry.name == "lookup") {
    seen.decisions.push_back(&value);
    seen.decision_kinds.push_back(entry.name);
    const bool starts = json::record_of<IntakeDecision>(entry.data.value()).starts();
    seen.status = starts ? "planning" : "intake";
    seen.progress = starts ? 10 : 5;
  } else if (entry.name == "question_done") {
    seen.progress = std::min<std::uint64_t>(85, seen.progress + 15);
    seen.status = "planning";
  } else if (entry.name == "question") {
    seen.status = "researching";
  }
}

Seen read(const run::Journal& journal) {
  Seen seen;
  for (const Entry& entry : journal.entries()) {
    if (entry.kind == EntryKind::note) {
      take_note(entry, seen);
    } else if (entry.kind == EntryKind::attempt) {
      seen.calls += entry.name == "model" ? 1 : 0;
      seen.searches += entry.name == "search" ? 1 : 0;
    } else if (entry.kind == EntryKind::reply && !entry.data.is_null()) {
      seen.tokens += run::usage_of(entry.data.value()).tokens();
    } else if (entry.kind == EntryKind::end) {
      seen.status = entry.status == run::Status::ok          ? "completed"
                    : entry.status == run::Status::cancelled ? "cancelled"
                                                             : "failed";
      seen.progress = 100;
    }
  }
  if (asked(journal) != nullptr) {
    seen.status = "asking";
  }
  return seen;
}

void write_list(json::Writer& json, std::string_view name, const std::vector<const Value*>& list) {
  json.key(name).begin_array();
  for (const Value* one : list) {
    json.value(*one);
  }
  json.end_array();
}

void write_question(json::Writer& json, const Asked& one) {
  json.begin_object();
  for (const std::string_view name : {"question", "round", "text", "goal"}) {
    const Value* value = one.question == nullptr ? nullptr : one.question->find(name);
    if (value != nullptr) {
      json.key(name == "question" ? "number" : name).value(*value);
    }
  }
  json.member("state", one.done == nullptr ? "running" : "done");
  write_list(json, "cycles", one.cycles);
  write_list(json, "searches", one.searches);
  write_list(json, "gates", one.gates);
  if (one.done != nullptr) {
    json.key("done").value(*one.done).member_uint("ms", one.to_ms - one.from_ms);
  }
  json.end_object();
}

void write_asked(json::Writer& json, const Entry& entry) {
  json.key("asks").begin_object().member("key", entry.key);
  for (const std::string_view name : {"question", "kind", "options", "reason", "signal"}) {
    if (const Value* value = entry.data.value().find(name)) {
      json.key(name).value(*value);
    }
  }
  json.end_object();
}

}  // namespace

std::string view(const run::Journal& journal) {
  const Seen seen = read(journal);
  const Entry& last = journal.entries().back();
  std::string out;
  json::Writer json(out);
  json.begin_object().member("job_id", run_id(journal)).member("status", seen.status);
  json.member_uint("progress", seen.progress).member("question", text_of(input_of(journal), "question"));
  if (const Entry* open = asked(journal)) {
    write_asked(json, *open);
  }
  json.key("intake").begin_array();
  for (std::size_t i = 0; i < seen.decisions.size(); ++i) {
    json.begin_object().member("kind", seen.decision_kinds[i]);
    for (const json::Member& member : seen.decisions[i]->object()) {
      json.key(member.key).value(member.value);
    }
    json.end_object();
  }
  json.end_array();
  write_list(json, "rounds", seen.rounds);
  json.key("questions").begin_array();
  for (const std::string& scope : seen.order) {
    write_question(json, seen.questions.find(scope)->second);
  }
  json.end_array();
  write_list(json, "gates", seen.gates);
  if (last.kind == EntryKind::end && last.status != run::Status::failed && !last.data.is_null()) {
    json.key("result").value(last.data.value());
  } else if (last.kind == EntryKind::end) {
    json.member("error", last.status == run::Status::failed ? last.error : "cancelled");
  }
  json.member_uint("tokens_used", seen.tokens)
      .member_uint("token_budget", number_of(input_of(journal), "token_budget"));
  json.member_uint("calls", seen.calls).member_uint("searches", seen.searches);
  json.member("created_at", run::iso_time(journal.begin().at_ms)).member("updated_at", run::iso_time(last.at_ms));
  json.end_object();
  return out;
}

namespace {

class Log {
 public:
  Log(const run::Journal& journal, std::uint64_t from) : journal_(journal), from_(from) {}

  std::vector<LogLine> lines() {
    for (std::size_t i = 0; i < journal_.entries().size(); ++i) {
      number_ = i;
      const Entry& entry = journal_.entries()[i];
      if (entry.kind == EntryKind::note) {
        note(entry.name, entry.data.value());
      } else if (entry.kind == EntryKind::attempt && entry.name == "person") {
        line("? " + json::record_of<PersonQuestion>(entry.data.value()).question);
      } else if (entry.kind == EntryKind::signal) {
        line("→ Signal: " + entry.name);
      } else if (entry.kind == EntryKind::cancel) {
        line("✗ Cancelled: " + entry.error);
      } else if (entry.kind == EntryKind::end) {
        end(entry);
      }
    }
    return std::move(lines_);
  }

 private:
  void line(std::string text) {
    if (number_ >= from_) {
      lines_.push_back({number_, journal_.entries()[static_cast<std::size_t>(number_)].at_ms, std::move(text)});
    }
  }

  void note(std::string_view name, const Value& value) {
    if (name == "intake_decision") {
      const auto decision = json::record_of<IntakeDecision>(value);
      if (decision.starts()) {
        line("📋 Objective: " + decision.objective);
      }
      if (!decision.reasoning.empty()) {
        line("  → Why: " + decision.reasoning);
      }
    } else if (name == "intake_answer") {
      line("  → " + json::record_of<IntakeAnswer>(value).answer);
    } else if (name == "lookup") {
      line("  → Looked up: " + json::record_of<LookupNote>(value).query);
    } else if (name == "brain_round") {
      const auto round = json::record_of<BrainRound>(value);
      line("⚙️ Round " + json::uint_text(round.round) + ": " + round.decision + ". " + round.rationale);
    } else if (name == "question") {
      const auto question = json::record_of<QuestionNote>(value);
      line("🔨 Question " + json::uint_text(question.number) + ": " + question.text);
    } else if (name == "search") {
      search(json::record_of<SearchNote>(value));
    } else if (name == "gate") {
      const auto gate = json::record_of<Gate>(value);
      line("  ⚠️ Gate " + gate.rule + " (" + gate.role + ", " + gate.outcome + "): " + gate.message);
    } else if (name == "cycle") {
      const auto cycle = json::record_of<CycleNote>(value);
      line("  → " + cycle.evidence_delta + ", " + cycle.decision + ": " + cycle.reasoning + own_labels(cycle));
    } else if (name == "question_done") {
      done(json::record_of<QuestionResult>(value));
    } else if (name == "report") {
      report(json::record_of<ReportNote>(value));
    } else if (name == "retry") {
      const auto retry = json::record_of<RetryNote>(value);
      line("⚠️  The call for " + retry.phase + " failed: " + retry.error + "; trying once more");
    }
  }

  void done(const QuestionResult& one) {
    line((!one.answered         ? "✗ Question "
          : one.missing.empty() ? "✓ Question "
                                : "⚠️ Question ") +
         json::uint_text(one.number) +
         (!one.answered         ? " not answered"
          : one.missing.empty() ? " answered, confidence " + one.confidence
                                : " answered in part, confidence " + one.confidence) +
         (one.missing.empty() ? "" : ". Missing: " + one.missing));
  }

  void report(const ReportNote& one) {
    line("✅ Report: " + counted(one.claims, "claim", "claims") + ", " +
         counted(one.citations, "citation", "citations") + ", " + json::uint_text(one.uncited) + " uncited" +
         (one.nearest == 0 ? "" : "; not decided: " + counted(one.nearest, "passage is near", "passages are near")) +
         (one.judge_only == 0 ? "" : "; judge only: " + counted(one.judge_only, "criterion", "criteria")));
  }

  // What the researcher says of the search, where it is not what was computed.
  static std::string own_labels(const CycleNote& cycle) {
    std::string out;
    for (const json::Member& label :
         cycle.disagrees == true ? cycle.own_labels.value().object() : std::span<const json::Member>()) {
      out +=
          (out.empty() ? " (its own labels: " : ", ") + std::string(label.key) + " " + std::string(label.value.str());
    }
    return out.empty() ? out : out + ")";
  }

  void search(const SearchNote& one) {
    const std::string query = "\"" + one.query + "\"";
    if (is_failed(one.status)) {
      line("  ✗ Search failed: " + query + ": " + one.error +
           (one.retry_after_ms == 0 ? ""
                                    : "; again after " + json::uint_text((one.retry_after_ms + 999) / 1000) + " s"));
    } else if (one.status == SearchStatus::no_results) {
      line("  ✗ Nothing found: " + query);
    } else {
      line("  → Searched " + query + ": " + counted(one.sources, "source", "sources") +
           (one.status == SearchStatus::insufficient_specificity ? ", ambiguous" : ""));
    }
  }

  void end(const Entry& entry) {
    if (entry.status == run::Status::failed) {
      line("→ Error: " + entry.error);
      return;
    }
    const auto how = json::record_of<Ended>(entry.data.value());
    line(how.ended == "done" ? "✅ Done" : "→ Ended early: " + how.ended + (how.error.empty() ? "" : ": " + how.error));
  }

  const run::Journal& journal_;
  std::uint64_t from_ = 0;
  std::uint64_t number_ = 0;
  std::vector<LogLine> lines_;
};

}  // namespace

std::vector<LogLine> log_lines(const run::Journal& journal, std::uint64_t from) { return Log(journal, from).lines(); }

}  // namespace plumb::pipelines::research
