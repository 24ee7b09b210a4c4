// Validation: structure by the contract, meaning by the judge.

#include <algorithm>
#include <iterator>

#include "core/ascii.hpp"
#include "core/contract/render.hpp"
#include "core/json/arena.hpp"
#include "core/json/members.hpp"
#include "core/json/number_text.hpp"
#include "core/json/pointer.hpp"
#include "core/json/writer.hpp"
#include "core/pipelines/artifact/counts.hpp"
#include "core/pipelines/artifact/duplicates.hpp"
#include "core/pipelines/artifact/job.hpp"
#include "core/pipelines/artifact/source.hpp"
#include "core/pipelines/artifact/version.hpp"
#include "core/repair/check.hpp"
#include "core/repair/free_fix.hpp"
#include "core/text/fold.hpp"

namespace plumb::pipelines::artifact {

namespace {

using contract::Severity;
using json::Value;

// What counts: errors that nothing shadows.
bool counts(const contract::Finding& finding) {
  return finding.severity == Severity::error && finding.shadowed_by == 0;
}

// A violation names its field, also where the contract's words do not.
std::string violation_text(const contract::Finding& finding) {
  const Result<std::vector<std::string>> tokens = json::parse_pointer(finding.at);
  std::string field;  // the last step that is a name
  for (const std::string& token : tokens ? tokens.value() : std::vector<std::string>()) {
    const bool index = ascii::only(token, ascii::digits);
    field = index ? field : token;
  }
  const text::Fold lower = {.trim = false, .lowercase = true};
  if (field.empty() || text::fold(finding.message, lower).find(text::fold(field, lower)) != std::string::npos) {
    return finding.message;
  }
  // Behind the label of its item, which leads to the item only.
  return finding.item.empty() ? finding.at + ": " + finding.message : finding.message + " (at " + finding.at + ")";
}

Version version_from(const run::Run& run, const Job& job, const run::Data& plan, contract::Verdict verdict,
                     std::string text, std::string stopped) {
  Version out;
  out.text = std::move(text);
  out.stopped = std::move(stopped);
  json::Arena arena;
  const Result<Value> artifact = json::parse(out.text, arena);
  out.is_json = static_cast<bool>(artifact);
  if (out.is_json && out.stopped == "length") {
    out.stopped.clear();  // its last token was its end
  }
  if (out.is_json && job.way >= 2) {
    Counting counting = count_of(job, pinned_prompt(run, "prompt-plan"), plan.value(), artifact.value());
    out.items = counting.items;
    out.open = counting.uncovered.size();
    add_findings(verdict, std::move(counting.findings));
  }
  out.errors = verdict.count(Severity::error);
  out.warned = verdict.count(Severity::warning) > 0;
  for (const contract::Finding& finding : verdict.findings) {
    if (counts(finding)) {
      out.violations.push_back(violation_text(finding));
      out.missing += finding.rule == "required" ? 1 : 0;
      out.rootless = out.rootless || (finding.rule == "required" && finding.at.empty());
    } else if (finding.rule == "coverage" || finding.rule == "language") {
      out.coverage.push_back(finding.message);
    }
  }
  if (!verdict.valid && out.errors == 0) {
    out.errors = 1;  // a limit was reached: nothing is certain of what follows
  }
  out.verdict = run::Data::written(contract::verdict_json(verdict));
  return out;
}

contract::Verdict strict(const contract::Contract& contract, std::string_view text) {
  return contract::check_text(contract, text);
}

// Statements with the places to judge: "- answerable: The question ...\n  at /questions/0, /questions/1".
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

// The rules of a schema that have an `ask` and no check, by id, each once.
void collect_asked(const Value& schema, std::vector<std::string>& out) {
  for (const Value& rule : json::list_of(schema, "rules")) {
    std::string id(json::text_of(rule, "id"));
    if (rule.find("ask") != nullptr && !id.empty() && std::find(out.begin(), out.end(), id) == out.end()) {
      out.push_back(std::move(id));
    }
  }
  for (const json::Member& member : schema.object()) {
    if (member.key != "rules" && !member.value.is(json::Kind::string)) {
      collect_asked(member.value, out);
    }
  }
  for (const Value& item : schema.array()) {
    collect_asked(item, out);
  }
}

struct Asking {
  run::Run& run;
  const Job& job;
  Spent& spent;
  const run::Data& plan;
  const std::string& text;
};

// What a judge answered, or why not.
struct Asked {
  std::vector<judge::Claim> claims;
  std::string error;
  bool final = false;
};

// A list of claims without its frame is in it here.
std::string framed(std::string_view answer) {
  json::Arena arena;
  const Result<Value> list = json::parse(answer, arena);
  return list && list.value().is(json::Kind::array) ? "{\"claims\":" + std::string(answer) + "}" : std::string();
}

// Asks these questions. An answer that breaks its contract is asked for once more, where nothing was answered before.
Asked ask_judge(const Asking& asking, const std::vector<judge::Question>& asked, const std::string& again) {
  run::Run& run = asking.run;
  const int attempts_max = again.empty() ? 2 : 1;
  const bool asks_of_choice = std::any_of(asked.begin(), asked.end(),
                                          [](const judge::Question& one) { return one.rule == judge::rule_correct; });
  std::string feedback;
  bool longer = false;
  Asked out;
  for (int attempt = 1; attempt <= attempts_max; ++attempt) {
    Call what;
    what.phase = Phase::judge;
    what.prompt = "prompt-judge";
    what.contract = pin_judge_contract;
    what.bolder = attempt > 1 || !again.empty();
    if (asking.job.way >= 3) {
      what.shape =
          run.remembered("shape of the claims", [&] { return whole_shape_text(run.contract(pin_judge_contract)); });
    }
    if (asking.job.way >= 2) {
      constexpr std::uint64_t claim_tokens = 90;
      what.output_tokens_usual = asked.size() * claim_tokens + 100;
    }
    what.feedback = feedback;
    if (longer) {
      const std::uint64_t usual = pinned_prompt(run, what.prompt).output_tokens_max;
      what.output_tokens_usual = 2 * std::max(what.output_tokens_usual, usual);
    }
    what.variables = [&](json::Writer& json) {
      json.member("type", asking.job.type);
      json.member("source", shown_source(asking.job, Phase::judge, asking.plan.value()).text);
      json.member("artifact", fenced("artifact", asking.text));
      json.member("questions", questions_text(asked));
      json.member_boolean("tree", !pinned_prompt(run, "prompt-plan").made.from.empty());
      json.member("choice", asks_of_choice ? judge::rule_correct : "");
      json.member("again", again.empty() ? again : fenced("unsettled", again));
    };
    what.task = [&](json::Writer& json) {
      json.member("name", "artifact.judge").member("kind", asking.job.type);
      json.key("artifact").raw(asking.text);
      json.key("chunks").value(*asking.job.chunks);
    };
    const Answer answer = call(run, asking.job, asking.spent, what);
    if (!answer.error.empty()) {
      const bool prose = answer.refused && !answer.text.empty();
      out.error = (prose ? "the judge's answer breaks its contract: " : "") + answer.error;
      out.final = answer.cancelled || answer.reason == Reason::over_budget;
      return out;
    }
    repair::EditOptions edits;
    edits.level = contract::EditLevel::certain;
    edits.keep_text = true;
    repair::Check check(run.contract(pin_judge_contract), {}, edits);
    contract::Verdict judged = check.whole(answer.text);
    std::string text = check.mended() ? check.text() : answer.text;
    if (asking.job.way >= 3) {
      if (std::string whole = framed(text); !whole.empty()) {
        judged = strict(run.contract(pin_judge_contract), whole);
        text = std::move(whole);
      }
    }
    json::Arena arena;
    const Result<Value> claims = json::parse(text, arena);
    if (judged.valid && claims) {
      out.claims = judge::read_claims(claims.value(), asking.job.way >= 3 ? asked : std::vector<judge::Question>());
      out.error.clear();
      return out;
    }
    out.error = answer.at_limit ? "the judge's answer ended at its limit of tokens, and breaks its contract"
                                : "the judge's answer breaks its contract";
    const auto broken = std::find_if(judged.findings.begin(), judged.findings.end(), counts);
    out.error += broken == judged.findings.end() ? "" : ": " + broken->message;
    if (attempt < attempts_max) {
      run.emit("retry", run::Data::of(RetryNote{"judge", out.error, 0}));
    }
    if (asking.job.way >= 3) {
      feedback = feedback_text(judged, text, answer.at_limit);
      longer = answer.at_limit;
    }
  }
  return out;
}

// Why each question is asked again: "answerable at /questions/0: the judge said nothing of it".
std::string open_text(const judge::Judgement& judgement, const std::vector<judge::Question>& again) {
  std::vector<std::string> lines;
  for (const contract::Undecided& one : judgement.undecided) {
    const bool asked = std::any_of(again.begin(), again.end(), [&](const judge::Question& question) {
      return question.rule == one.rule && question.at == one.at;
    });
    if (!asked) {
      continue;
    }
    lines.push_back(one.rule + " at " + (one.at.empty() ? "\"\"" : one.at) + ": " + one.reason);
  }
  return bullets(lines);
}

// The claims of both answers; of what was asked again, the later ones where there are some.
std::vector<judge::Claim> joined(const std::vector<judge::Claim>& before, const std::vector<judge::Claim>& after,
                                 const std::vector<judge::Question>& again) {
  const auto is_about = [](const judge::Claim& claim, const judge::Question& question) {
    return claim.rule == question.rule && claim.at.starts_with(question.at) &&
           (claim.at.size() == question.at.size() || claim.at[question.at.size()] == '/');
  };
  const auto is_asked_again = [&](const judge::Claim& claim) {
    return std::any_of(again.begin(), again.end(), [&](const judge::Question& one) { return is_about(claim, one); });
  };
  std::vector<judge::Claim> out;
  for (const judge::Claim& claim : before) {
    const bool replaced = std::any_of(again.begin(), again.end(), [&](const judge::Question& one) {
      return is_about(claim, one) &&
             std::any_of(after.begin(), after.end(), [&](const judge::Claim& later) { return is_about(later, one); });
    });
    if (!replaced) {
      out.push_back(claim);
    }
  }
  std::copy_if(after.begin(), after.end(), std::back_inserter(out), is_asked_again);
  return out;
}

// Asks all of these in batches of equal size. What was answered before a call failed counts.
Asked ask_in_batches(const Asking& asking, const std::vector<judge::Question>& asked,
                     const judge::Judgement* open = nullptr) {
  const std::size_t batches =
      asking.job.way >= 3 ? std::min((asked.size() + judge_batch - 1) / judge_batch, judge_batches_max) : 1;
  const std::size_t most = (asked.size() + batches - 1) / batches;
  Asked out;
  for (std::size_t from = 0; from < asked.size() && out.error.empty(); from += most) {
    const auto begin = asked.begin() + static_cast<std::ptrdiff_t>(from);
    const std::vector<judge::Question> batch(begin,
                                             begin + static_cast<std::ptrdiff_t>(std::min(most, asked.size() - from)));
    Asked one = ask_judge(asking, batch, open == nullptr ? "" : open_text(*open, batch));
    std::move(one.claims.begin(), one.claims.end(), std::back_inserter(out.claims));
    out.error = std::move(one.error);
    out.final = one.final;
  }
  return out;
}

void take_judgement(const judge::Judgement& judgement, Version& version) {
  version.judge_error.clear();
  version.judged = true;
  version.issues = 0;
  version.semantic.clear();
  for (const judge::Issue& issue : judgement.issues) {
    if (!counts(issue.finding)) {
      version.warned = true;
      continue;
    }
    ++version.issues;
    const std::string& message = issue.finding.message;
    if (std::find(version.semantic.begin(), version.semantic.end(), message) == version.semantic.end()) {
      version.semantic.push_back(message);
    }
  }
  version.undecided = judgement.undecided.size();
  version.judgement = run::Data::written(judge::judgement_json(judgement));
}

}  // namespace

Version check_structure(const run::Run& run, const Job& job, const run::Data& plan, std::string text,
                        std::string stopped) {
  const contract::Contract& contract = run.contract(pin_contract);
  repair::EditOptions edits;
  edits.level = contract::EditLevel::certain;
  edits.keep_text = true;
  repair::Check check(contract, {}, edits);
  contract::Verdict verdict = check.whole(text);
  Cut cut{check.mended() ? check.text() : std::move(text), 0};
  if (job.way >= 3) {
    cut = cut_items(job, pinned_prompt(run, "prompt-plan"), plan.value(), std::move(cut.text));
  }
  if (check.mended() || cut.items > 0) {
    // Places in the edited text, which is what everybody sees from here on; the edits stay in the verdict.
    contract::Verdict edited = strict(contract, cut.text);
    edited.edits = std::move(verdict.edits);
    verdict = std::move(edited);
  }
  Version out = version_from(run, job, plan, std::move(verdict), std::move(cut.text), std::move(stopped));
  out.cut = cut.items;
  return out;
}

void note_cut(run::Run& run, const Version& version) {
  if (version.cut > 0) {
    const std::uint64_t count = version.cut;
    run.emit("cut",
             run::Data::of(CountNote{count, pinned_prompt(run, "prompt-plan").made.words(count), {}, {}, false, {}}));
  }
}

Freed free_tier(const run::Run& run, const Job& job, const run::Data& plan, const Version& version) {
  Freed out;
  out.version = version;
  if (!version.is_json || version.errors == 0) {
    return out;
  }
  const contract::Contract& contract = run.contract(pin_contract);
  const repair::FreeFixes fixed = repair::free_fixes(strict(contract, version.text), version.text);
  if (fixed.fixes.empty()) {
    return out;
  }
  Version next = version_from(run, job, plan, strict(contract, fixed.text), fixed.text, version.stopped);
  if (next.errors >= version.errors) {
    return out;
  }
  // Equal but for case and white space: what was judged stands.
  next.judged = version.judged;
  next.issues = version.issues;
  next.semantic = version.semantic;
  next.undecided = version.undecided;
  next.judge_error = version.judge_error;
  next.judgement = version.judgement;
  for (const repair::FreeFix& fix : fixed.fixes) {
    out.note.fixes.push_back({fix.rule, fix.at, run::Data::written(fix.from), run::Data::written(fix.to)});
  }
  out.note.count = fixed.fixes.size();
  out.note.errors = next.errors;
  out.note.text = next.text;
  out.version = std::move(next);
  return out;
}

std::vector<std::string> asked_rules(const contract::Contract& contract) {
  std::vector<std::string> out;
  collect_asked(contract.tree(), out);
  return out;
}

void judge_meaning(run::Run& run, const Job& job, Spent& spent, const run::Data& plan, Version& version) {
  const contract::Contract& contract = run.contract(pin_contract);
  json::Arena arena;
  const Result<Value> artifact = json::parse(version.text, arena);
  PLUMB_REQUIRE(static_cast<bool>(artifact), "only what is JSON is judged");
  const Prompt plan_prompt = pinned_prompt(run, "prompt-plan");
  const std::vector<std::string> items = plan_prompt.made.places(artifact.value());
  const contract::Verdict verdict = strict(contract, version.text);
  const std::vector<judge::Question> asked = judge::questions(contract, verdict, artifact.value(), items);
  if (asked.empty()) {
    version.judged = true;
    return;
  }
  const Result<std::vector<extract::Chunk>> chunks = extract::read_chunks(*job.chunks);
  std::vector<judge::Passage> passages;
  if (chunks) {
    for (const extract::Chunk& chunk : chunks.value()) {
      passages.push_back({chunk.index, chunk.text});
    }
  }
  const judge::ProofRules rules{job.way >= 2, job.way >= 3};
  Asking asking{run, job, spent, plan, version.text};
  Asked first = ask_in_batches(asking, asked);
  if (!first.error.empty()) {
    version.judge_error = first.error;
    version.final = first.final;
    return;
  }
  judge::Judgement judgement = judge::settle(asked, first.claims, passages, artifact.value(), version.text, rules);
  version.again_error.clear();
  if (!judgement.again.empty() && job.way >= 2) {
    std::vector<judge::Question> open;
    for (const std::size_t number : judgement.again) {
      open.push_back(asked[number]);
    }
    run.emit("again", run::Data::of(AgainNote{open.size(), asked.size()}));
    const Asked second = ask_in_batches(asking, open, &judgement);
    const std::vector<judge::Claim> claims = joined(first.claims, second.claims, open);
    judgement = judge::settle(asked, claims, passages, artifact.value(), version.text, rules);
    version.again_error = job.way >= 3 ? second.error : "";
  }
  take_judgement(judgement, version);
}

}  // namespace plumb::pipelines::artifact
