// An author's words and their gates: asked, judged, sent back at most twice with the reason; then what stands of them.

#include <algorithm>

#include "core/contract/check.hpp"
#include "core/contract/render.hpp"
#include "core/json/arena.hpp"
#include "core/json/number_text.hpp"
#include "core/judge/judge.hpp"
#include "core/pipelines/research/loop.hpp"
#include "core/repair/check.hpp"
#include "core/require.hpp"

namespace plumb::pipelines::research {

namespace {

using contract::Finding;
using contract::Severity;
using json::Value;

constexpr std::string_view lookup_contract = "contract-intake-lookup";
constexpr std::uint64_t call_limit_ms = 120'000;
constexpr std::array<Author, 6> authors = {{
    {"intake", "intake", "intake", "research.intake"},
    {"brain", "brain", "brain-evaluate", "research.brain"},
    {"researcher", "researcher", "researcher-evaluate", "research.evaluate"},
    {"answer", "finish", "contract-answer", "research.answer"},
    {"report", "finish", "contract-report", "research.report"},
    {"judge", "", "contract-judge", "research.judge"},
}};

// What counts: errors that nothing shadows.
bool counts(const Finding& finding) { return finding.severity == Severity::error && finding.shadowed_by == 0; }

std::string title_of(const contract::Verdict& verdict, const Finding& finding) {
  for (const contract::ScorecardLine& line : verdict.scorecard) {
    if (line.id == finding.rule) {
      return line.title;
    }
  }
  return {};
}

std::string questions_text(const std::vector<judge::Question>& asked) {
  std::string out;
  for (const judge::Question& one : asked) {
    out += (out.empty() ? "- " : "\n- ") + one.rule + " at " + (one.at.empty() ? "\"\"" : one.at) + ": " + one.ask;
  }
  return out;
}

// What of a decision is said again as a whole: an item of a list, "/questions/0", else all of it.
std::string_view part_of(std::string_view at) {
  std::string_view part;
  for (std::size_t from = 1; from < at.size();) {
    const std::size_t to = std::min(at.find('/', from), at.size());
    std::uint64_t number = 0;
    if (json::read_uint(at.substr(from, to - from), number)) {
      part = at.substr(0, to);
    }
    from = to + 1;
  }
  return part;
}

// What rules leave open, put to the judge; broken is what it denies with a reason. Of a part that breaks a rule already
// nothing more is asked: its author says it again.
void ask_judge(run::Run& run, const Brief& brief, Spent& spent, const Asking& what, const Read& read,
               const Value& decision, std::vector<Finding>& broken) {
  const contract::Contract& contract = run.contract(author_named(what.author).contract);
  std::vector<judge::Question> asked = judge::questions(contract, read.verdict, decision, {});
  std::erase_if(asked, [&](const judge::Question& one) {
    return one.severity != Severity::error || std::any_of(broken.begin(), broken.end(), [&](const Finding& other) {
             const std::string_view part = part_of(other.at);
             return part.empty() || part == part_of(one.at);
           });
  });
  if (asked.empty()) {
    return;
  }
  Saying saying;
  saying.author = "judge";
  saying.phase = author_named(what.author).phase;
  std::string given;
  for (const auto& [name, text] : what.reads) {
    given += (given.empty() ? "" : "\n") + fenced(name, text);
  }
  saying.data = {{"given", given}, {"decision", fenced("decision", read.text)}, {"questions", questions_text(asked)}};
  saying.task = [](json::Writer&) {};
  const Answer answer = say(run, brief, spent, saying);
  const Read claims = read_answer(run.contract("contract-judge"), answer.text, {});
  json::Arena arena;
  const Result<Value> value = json::parse(claims.text, arena);
  if (!answer.error.empty() || !claims.verdict.valid || !value) {
    return;  // undecided stays undecided: a judge that fails blocks nothing
  }
  for (const judge::Claim& claim : judge::read_claims(value.value())) {
    const auto question = std::find_if(asked.begin(), asked.end(), [&](const judge::Question& one) {
      return one.rule == claim.rule && one.at == claim.at;
    });
    if (question == asked.end() || claim.outcome != contract::Outcome::broken || claim.reason.empty()) {
      continue;
    }
    Finding finding = gate_finding(question->rule, question->title, question->at, claim.reason, question->action);
    finding.blocks = question->blocks;
    broken.push_back(std::move(finding));
  }
}

Gate gate_of(std::string_view role, const Finding& finding, std::string_view outcome, std::uint64_t attempt) {
  return {std::string(role), finding.rule,   finding.requirement,  finding.at, finding.message,
          finding.provided,  finding.action, std::string(outcome), attempt};
}

}  // namespace

// Two rules may give the same label: the first of the contract counts.
run::Data labels_of(const contract::Verdict& verdict) {
  return object([&](json::Writer& json) {
    std::vector<std::string_view> written;
    for (const auto& [name, value] : verdict.labels) {
      if (std::find(written.begin(), written.end(), name) == written.end()) {
        written.push_back(name);
        json.member(name, value);
      }
    }
  });
}

std::span<const json::Field> Told::fields() {
  static constexpr json::Field table[] = {json::field<&Told::purpose>("purpose"),
                                          json::field<&Told::scorecard>("scorecard"),
                                          json::field<&Told::gates>("gates"),
                                          json::field<&Told::shape>("shape"),
                                          json::field_if_set<&Told::shape_lookup>("shape_lookup"),
                                          json::field<&Told::reads>("reads")};
  return table;
}

const Author& author_named(std::string_view name) {
  const auto found = std::find_if(authors.begin(), authors.end(), [&](const Author& one) { return one.name == name; });
  PLUMB_REQUIRE(found != authors.end(), "every author is in the table");
  return *found;
}

Finding gate_finding(std::string_view rule, std::string_view title, std::string at, std::string message,
                     std::string action) {
  Finding out;
  out.rule = rule;
  out.finding_class = contract::FindingClass::meaning;
  out.at = std::move(at);
  out.message = std::move(message);
  out.requirement = title;
  out.action = std::move(action);
  out.blocks = true;
  return out;
}

void note_gate(run::Run& run, std::string_view role, const Finding& finding, std::string_view outcome,
               std::uint64_t attempt) {
  run.emit("gate", run::Data::of(gate_of(role, finding, outcome, attempt)));
}

Answer say(run::Run& run, const Brief& brief, Spent& spent, const Saying& what) {
  const Author& author = author_named(what.author);
  const std::string prompt = "prompt-" + std::string(author.name);
  const auto told = json::record_of<Told>(run.pin("told-" + std::string(author.name)).value());
  ModelCall call;
  call.phase = what.phase.empty() ? author.phase : what.phase;
  call.role = author.name;
  call.prompt = prompt;
  call.contract = what.contract.empty() ? author.contract : what.contract;
  call.shape = what.contract == lookup_contract ? told.shape_lookup : told.shape;
  call.deadline_ms = call_limit_ms;
  call.token_budget = brief.token_budget;
  call.free = brief.is_free(call.phase);
  call.bolder = what.bolder;
  call.variables = [&](json::Writer& json) {
    json.member("purpose", told.purpose).member("scorecard", told.scorecard).member("gates", told.gates);
    for (const auto& [name, text] : what.data) {
      json.member(name, text);
    }
  };
  call.task = [&](json::Writer& json) {
    json.member("name", author.task);
    what.task(json);
  };
  return call_model(run, spent, call);
}

Read read_answer(const contract::Contract& contract, const std::string& text, std::string_view context) {
  Read out;
  out.text = text;
  repair::EditOptions edits;
  edits.level = contract::EditLevel::certain;
  edits.keep_text = true;
  contract::CheckOptions options;
  options.context = context;
  repair::Check check(contract, options, edits);
  out.verdict = check.whole(text);
  if (check.mended()) {
    out.text = check.text();
    out.verdict = contract::check_text(contract, out.text, options);
  }
  return out;
}

Decided decide(run::Run& run, const Brief& brief, Spent& spent, const Asking& what) {
  const Author& author = author_named(what.author);
  const contract::Contract& contract = run.contract(author.contract);
  const std::vector<std::string> may_read =
      json::record_of<Told>(run.pin("told-" + std::string(author.name)).value()).reads;
  Decided out;
  std::string feedback;
  if (what.refused) {
    contract::Verdict refused;
    refused.findings = {*what.refused};
    feedback = fenced("feedback", contract::render_llm(refused, author.name, {}, {}));
  }
  std::string last;
  std::vector<Finding> broken;
  for (int attempt = 0; attempt <= rejections_max; ++attempt) {
    Saying saying;
    saying.author = what.author;
    saying.bolder = attempt > 0;
    for (const auto& [name, text] : what.reads) {
      PLUMB_REQUIRE(std::find(may_read.begin(), may_read.end(), name) != may_read.end(),
                    "a prompt is built only from what the role reads");
      saying.data.emplace_back(name, fenced(name, text));
    }
    saying.data.insert(saying.data.end(), what.says.begin(), what.says.end());
    saying.data.emplace_back("feedback", feedback);
    saying.contract = what.contract;
    saying.task = what.task;
    const Answer answer = say(run, brief, spent, saying);
    if (!answer.error.empty()) {
      out.error = answer.error;
      out.reason = answer.reason;
      out.cancelled = answer.cancelled;
      return out;
    }
    std::string text = answer.text;
    if (what.unwrap) {
      // What stands around JSON goes first.
      const std::string strict = strict_json(run.contract(what.contract), text);
      text = strict.empty() ? text : what.unwrap(strict);
    }
    Read read = read_answer(contract, text, what.context);
    json::Arena arena;
    const Result<Value> decision = json::parse(read.text, arena);
    if (decision && what.takes && what.takes(decision.value())) {
      out.value = run::Data::written(read.text);
      return out;
    }
    if (decision && what.rules) {
      what.rules(decision.value(), read.verdict.findings);
    }
    broken.clear();
    std::copy_if(read.verdict.findings.begin(), read.verdict.findings.end(), std::back_inserter(broken), counts);
    if (decision && brief.judges() && !brief.is_free(author.phase) &&
        (broken.empty() || brief.steps >= steps_of_phases)) {
      const std::size_t before = broken.size();
      ask_judge(run, brief, spent, what, read, decision.value(), broken);
      read.verdict.findings.insert(read.verdict.findings.end(), broken.begin() + static_cast<std::ptrdiff_t>(before),
                                   broken.end());
    }
    out.labels = labels_of(read.verdict);
    out.disagrees = std::any_of(read.verdict.findings.begin(), read.verdict.findings.end(),
                                [](const Finding& one) { return one.rule == "labels-agree"; });
    if (broken.empty() && decision) {
      out.value = run::Data::written(read.text);
      return out;
    }
    if (broken.empty()) {
      broken.push_back(gate_finding("syntax", "One JSON value", "", "the answer is no JSON", "Answer with JSON only."));
    }
    ++out.rejections;
    // The very same words again: asking once more would bring them a third time.
    const bool again = attempt > 0 && read.text == last;
    const bool final = attempt == rejections_max || again;
    for (Finding& one : broken) {
      if (one.requirement.empty() || one.finding_class != contract::FindingClass::meaning) {
        const std::string title = title_of(read.verdict, one);
        one.requirement = title.empty() ? one.requirement : title;
      }
      out.gates.push_back(
          gate_of(author.name, one, final ? what.outcome(one) : "rejected", static_cast<std::uint64_t>(attempt) + 1));
      run.emit("gate", run::Data::of(out.gates.back()));
    }
    if (final) {
      out.stands = brief.has_floor();
      out.rewritten = !out.stands;
      out.value = run::Data::written(what.stands(decision ? &decision.value() : nullptr, broken));
      return out;
    }
    last = read.text;
    read.verdict.findings = broken;
    feedback = fenced("feedback", contract::render_llm(read.verdict, author.name, {}, read.text));
  }
  return out;
}

}  // namespace plumb::pipelines::research
