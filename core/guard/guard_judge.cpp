// What rules leave to a judge: one call about one part of the answer, with the conversation to judge it by. The judge
// is not believed, it is checked (core/judge/judge.hpp); an answer of it that cannot be read is asked for once more.
#include <algorithm>
#include <utility>

#include "core/contract/render.hpp"
#include "core/derive/derive.hpp"
#include "core/guard/guard_state.hpp"
#include "core/json/number_text.hpp"
#include "core/json/writer.hpp"
#include "core/pipelines/prompt.hpp"
#include "core/repair/check.hpp"
#include "core/require.hpp"
#include "core/text/tokens.hpp"

namespace plumb::guard {

using contract::Decision;
using contract::Outcome;
using contract::Severity;

namespace {

constexpr std::size_t given_bytes_max = std::size_t{512} << 10;  // of a conversation; its end counts most
constexpr std::size_t artifact_bytes_max = std::size_t{1} << 20;

pipelines::Prompt judge_prompt(const GuardOptions& options) {
  if (options.judge.prompt != nullptr) {
    return *options.judge.prompt;
  }
  const pipelines::BuiltInPrompt* const built_in = pipelines::built_in_prompt("guard-judge");
  PLUMB_REQUIRE(built_in != nullptr, "the judge's prompt is built in");
  Result<pipelines::Prompt> prompt = pipelines::read_prompt("guard-judge", built_in->text, "prompts/guard-judge.md",
                                                            pipelines::prompt_variables("guard-judge"));
  return std::move(prompt).value();
}

bool is_asked(const contract::Undecided& open) { return !open.ask.empty(); }

std::string text_of(const wire::Message& message) {
  std::string out;
  for (const wire::Part& part : message.content) {
    if (part.kind == wire::PartKind::text) {
      out += (out.empty() ? "" : "\n") + part.text;
    }
  }
  return out;
}

// The last messages that fit, in their order.
std::vector<std::string> texts_of(const wire::ModelRequest& request) {
  std::vector<std::string> out;
  std::size_t bytes = 0;
  for (auto message = request.messages.rbegin(); message != request.messages.rend(); ++message) {
    std::string text = text_of(*message);
    bytes += text.size();
    if (bytes > given_bytes_max) {
      break;
    }
    if (!text.empty()) {
      out.push_back(std::move(text));
    }
  }
  std::reverse(out.begin(), out.end());
  return out;
}

std::string passages_text(const std::vector<std::string>& given) {
  std::string out;
  for (std::size_t i = 0; i < given.size(); ++i) {
    out += (i == 0 ? "Passage " : "\nPassage ") + json::uint_text(i + 1) + ":\n" + pipelines::fenced("given", given[i]);
  }
  return out.empty() ? "(nothing)" : out;
}

std::string questions_text(const std::vector<judge::Question>& asked) {
  std::string out;
  for (std::size_t i = 0; i < asked.size(); ++i) {
    if (i == 0 || asked[i].rule != asked[i - 1].rule) {
      out += (i == 0 ? "- " : "\n- ") + asked[i].rule + ": " + asked[i].ask + "\n  at ";
    } else {
      out += ", ";
    }
    out += asked[i].at.empty() ? "\"\" (the whole)" : asked[i].at;
  }
  return out;
}

Result<contract::Contract> claims_contract(const pipelines::Prompt& prompt) {
  return contract::Contract::read(prompt.answer);
}

std::string shape_of(const pipelines::Prompt& prompt) {
  const Result<contract::Contract> contract = claims_contract(prompt);
  if (!contract) {
    return prompt.answer;
  }
  const Result<derive::Derived> derived = derive::derive(contract.value(), derive::Target::prompt);
  return derived ? derived.value().text : prompt.answer;
}

// The claims, or what is wrong with the answer.
Result<std::vector<judge::Claim>> claims_of(const pipelines::Prompt& prompt, std::string_view answer) {
  const Result<contract::Contract> contract = claims_contract(prompt);
  if (!contract) {
    return contract.error();
  }
  repair::EditOptions edits;
  edits.level = contract::EditLevel::certain;
  edits.keep_text = true;
  repair::Check check(contract.value(), {}, edits);
  const contract::Verdict verdict = check.whole(answer);
  json::Arena arena;
  const Result<json::Value> read = json::parse(check.mended() ? std::string_view(check.text()) : answer, arena);
  if (verdict.valid && read) {
    return judge::read_claims(read.value());
  }
  const auto broken =
      std::find_if(verdict.findings.begin(), verdict.findings.end(),
                   [](const contract::Finding& finding) { return finding.severity == Severity::error; });
  return Error{ErrorCode::invalid_argument,
               broken == verdict.findings.end() || broken->message.empty() ? "it is no JSON" : broken->message, "", 0,
               0};
}

// A scorecard's line that was left to the judge, as the judge has it.
void settle_line(contract::ScorecardLine& line, const judge::Judgement& judgement) {
  if (!line.asks) {
    return;
  }
  const auto broken = std::find_if(judgement.issues.begin(), judgement.issues.end(),
                                   [&](const judge::Issue& issue) { return issue.finding.rule == line.id; });
  const auto open = std::find_if(judgement.undecided.begin(), judgement.undecided.end(),
                                 [&](const contract::Undecided& one) { return one.rule == line.id; });
  if (broken != judgement.issues.end()) {
    line.outcome = Outcome::broken;
    line.reason = broken->finding.message;
    line.asks = false;
  } else if (open != judgement.undecided.end()) {
    line.reason = open->reason;
  } else {
    line.outcome = Outcome::holds;
    line.asks = false;
  }
}

}  // namespace

bool Guard::State::wants_judge(const Slot& slot) const {
  return slot.part != nullptr && !slot.passes && !slot.asked && slot.state == Slot::State::good &&
         std::any_of(slot.best.verdict.undecided.begin(), slot.best.verdict.undecided.end(), is_asked);
}

// Nothing could be asked, or was settled: all that rules asked for stays open.
void Guard::State::leave_open(Slot& slot, std::string_view why) {
  outcome.judge.why = why;
  slot.open = true;
  for (contract::Undecided& open : slot.best.verdict.undecided) {
    if (is_asked(open)) {
      open.reason = why;
      ++outcome.judge.open;
    }
  }
  Decision& decision = slot.best.verdict.decision;
  // Where there is no judge nobody could have settled it: that stops no answer.
  if (options.judge.open_passes || !options.judge.there) {
    decision = std::max(decision, Decision::accept_unverified);
  } else {
    decision = std::max(decision, Decision::undecided);
    slot.state = Slot::State::failing;
  }
}

// False where there is nobody to ask.
bool Guard::State::begin_judgement(std::size_t index, GuardStep& step) {
  Slot& slot = *slots[index];
  slot.asked = true;
  slot.open = false;
  if (!options.judge.there) {
    leave_open(slot, "no judge is configured (`judge` of the proxy)");
    return false;
  }
  if (outcome.judge.calls >= options.judge.calls_max) {
    leave_open(slot, "the judge has been asked as often as one answer may");
    return false;
  }
  const std::uint64_t next = options.input_tokens + text::estimate_tokens(slot.best.text).likely;
  if (options.tokens_max != 0 && outcome.tokens_spent + next > options.tokens_max) {
    leave_open(slot, "asking the judge would exceed tokens_max");
    return false;
  }
  json::Arena arena;
  const Result<json::Value> artifact = json::parse(slot.best.text, arena);
  PLUMB_REQUIRE(static_cast<bool>(artifact), "what keeps its contract is JSON");
  questions = judge::questions(*slot.rules->contract, slot.best.verdict, artifact.value(), {});
  if (questions.empty()) {
    return false;
  }
  judging = index;
  phase = Phase::judge;
  judge_written.clear();
  judge_wrong.clear();
  ++outcome.judge.calls;
  step.want = Want::judge;
  return true;
}

void Guard::State::judge_failed(std::string_view why, GuardStep& step) {
  phase = Phase::answer;
  ++outcome.judge.failed;
  leave_open(*slots[judging], why);
  advance(step);
}

void Guard::State::conclude_judgement(std::string_view answer, GuardStep& step) {
  const Result<std::vector<judge::Claim>> claims = claims_of(judge_prompt(options), answer);
  if (!claims) {
    const bool again = judge_wrong.empty() && outcome.judge.calls < options.judge.calls_max;
    if (!again) {
      judge_failed("the judge's answer cannot be used: " + claims.error().message, step);
      return;
    }
    judge_wrong = claims.error().message;
    judge_written.clear();
    ++outcome.judge.failed;
    ++outcome.judge.calls;
    step.want = Want::judge;
    return;
  }
  Slot& slot = *slots[judging];
  std::vector<judge::Passage> quotable;
  for (std::size_t i = 0; i < passages.size(); ++i) {
    quotable.push_back({i + 1, passages[i]});
  }
  if (options.judge.answer_is_evidence) {
    quotable.push_back({passages.size() + 1, slot.best.text});
  }
  json::Arena arena;
  const Result<json::Value> artifact = json::parse(slot.best.text, arena);
  PLUMB_REQUIRE(static_cast<bool>(artifact), "what was asked about is JSON");
  phase = Phase::answer;
  take_judgement(slot, judge::settle(questions, claims.value(), quotable, artifact.value(), slot.best.text));
  advance(step);
}

void Guard::State::take_judgement(Slot& slot, const judge::Judgement& judgement) {
  contract::Verdict& verdict = slot.best.verdict;
  verdict.undecided.erase(std::remove_if(verdict.undecided.begin(), verdict.undecided.end(), is_asked),
                          verdict.undecided.end());
  verdict.undecided.insert(verdict.undecided.end(), judgement.undecided.begin(), judgement.undecided.end());
  std::uint32_t last = 0;
  for (const contract::Finding& finding : verdict.findings) {
    last = std::max(last, finding.id);
  }
  slot.best.judged = true;
  for (const judge::Issue& issue : judgement.issues) {
    verdict.findings.push_back(issue.finding);
    contract::Finding& finding = verdict.findings.back();
    finding.id = ++last;
    if (finding.severity == Severity::error) {
      ++slot.best.issues;
      verdict.valid = false;
      verdict.decision = std::max(verdict.decision, finding.blocks ? Decision::block : Decision::revise);
    } else if (finding.severity == Severity::warning) {
      verdict.decision = std::max(verdict.decision, Decision::accept_with_warnings);
    }
  }
  for (contract::ScorecardLine& line : verdict.scorecard) {
    settle_line(line, judgement);
  }
  JudgeCount& count = outcome.judge;
  count.holds = static_cast<std::uint32_t>(judgement.proofs.size());
  count.broken = static_cast<std::uint32_t>(judgement.issues.size());
  count.open = static_cast<std::uint32_t>(judgement.undecided.size());
  if (!verdict.valid) {
    slot.state = Slot::State::failing;
    // A repair that the judge likes less is not kept.
    if (slot.before.judged && slot.before.issues <= slot.best.issues) {
      std::swap(slot.best, slot.before);
    }
    return;
  }
  if (judgement.undecided.empty()) {
    return;
  }
  slot.open = true;
  count.why = judgement.undecided.front().reason;
  if (options.judge.open_passes) {
    verdict.decision = std::max(verdict.decision, Decision::accept_unverified);
  } else {
    verdict.decision = std::max(verdict.decision, Decision::undecided);
    slot.state = Slot::State::failing;
  }
}

wire::ModelRequest Guard::State::judge_request(const wire::ModelRequest& original) {
  const Slot& slot = *slots[judging];
  passages = texts_of(original);
  if (!options.context.empty()) {
    passages.push_back(options.context);
  }
  const pipelines::Prompt prompt = judge_prompt(options);
  std::string variables_text;
  json::Writer json(variables_text);
  json.begin_object().member("data_rule", pipelines::data_rule()).member("given", passages_text(passages));
  json.member("artifact", pipelines::fenced("answer", std::string_view(slot.best.text).substr(0, artifact_bytes_max)));
  json.member("questions", pipelines::fenced("statements", questions_text(questions)));
  json.member("evidence", options.judge.answer_is_evidence ? "the passages or of the answer" : "the passages");
  if (!judge_wrong.empty()) {
    json.member("wrong", judge_wrong);
  }
  json.member("shape", shape_of(prompt)).end_object();
  json::Arena arena;
  const json::Value variables = json::parse(variables_text, arena).value();
  wire::ModelRequest out;
  out.phase = "judge";
  for (const pipelines::Prompt::Message& message : prompt.messages) {
    wire::Role role = wire::Role::user;
    if (message.role != "user") {
      role = message.role == "system" ? wire::Role::system : wire::Role::assistant;
    }
    out.messages.push_back(wire::text_message(role, message.text.render(variables)));
  }
  out.temperature = prompt.temperature;
  out.output_tokens_max = prompt.output_tokens_max;
  return out;
}

}  // namespace plumb::guard
