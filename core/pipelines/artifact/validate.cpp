// Validation: structure by the contract, meaning by the judge.

#include <algorithm>

#include "core/contract/render.hpp"
#include "core/json/arena.hpp"
#include "core/json/number_text.hpp"
#include "core/json/pointer.hpp"
#include "core/json/writer.hpp"
#include "core/pipelines/artifact/job.hpp"
#include "core/repair/check.hpp"
#include "core/repair/free_fix.hpp"

namespace plumb::pipelines::artifact {

namespace {

using contract::Severity;
using json::Value;

// What counts: errors that nothing shadows.
bool counts(const contract::Finding& finding) {
  return finding.severity == Severity::error && finding.shadowed_by == 0;
}

Version version_from(const contract::Verdict& verdict, std::string text, std::string stopped) {
  Version out;
  out.text = std::move(text);
  out.stopped = std::move(stopped);
  json::Arena arena;
  out.is_json = static_cast<bool>(json::parse(out.text, arena));
  out.errors = verdict.count(Severity::error);
  out.warned = verdict.count(Severity::warning) > 0;
  for (const contract::Finding& finding : verdict.findings) {
    if (counts(finding)) {
      out.violations.push_back(finding.message);
    }
  }
  if (!verdict.valid && out.errors == 0) {
    out.errors = 1;  // a limit was reached: nothing is certain of what follows
  }
  out.verdict = contract::verdict_json(verdict);
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

}  // namespace

Version check_structure(const run::Run& run, std::string text, std::string stopped) {
  const contract::Contract& contract = run.contract(pin_contract);
  repair::EditOptions edits;
  edits.level = contract::EditLevel::certain;
  edits.keep_text = true;
  repair::Check check(contract, {}, edits);
  contract::Verdict verdict = check.whole(text);
  if (check.mended()) {
    // Places in the edited text, which is what everybody sees from here on; the edits stay in the verdict.
    contract::Verdict edited = strict(contract, check.text());
    edited.edits = std::move(verdict.edits);
    return version_from(edited, check.text(), std::move(stopped));
  }
  return version_from(verdict, std::move(text), std::move(stopped));
}

Freed free_tier(const run::Run& run, const Version& version) {
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
  Version next = version_from(strict(contract, fixed.text), fixed.text, version.stopped);
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
  out.version = std::move(next);
  out.count = fixed.fixes.size();
  json::Writer json(out.fixes);
  json.begin_array();
  for (const repair::FreeFix& fix : fixed.fixes) {
    json.begin_object().member("rule", fix.rule).member("at", fix.at);
    json.key("from").raw(fix.from).key("to").raw(fix.to).end_object();
  }
  json.end_array();
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
  // An answer that breaks its contract, or says nothing of what was asked, is asked for once more.
  for (int attempt = 1; attempt <= 2; ++attempt) {
    Call what;
    what.phase = Phase::judge;
    what.prompt = "prompt-judge";
    what.contract = pin_judge_contract;
    what.bolder = attempt > 1;
    what.variables = [&](json::Writer& json) {
      json.member("type", job.type);
      json.member("source", source_text(job, plan.value()));
      json.member("artifact", fenced("artifact", version.text));
      json.member("questions", questions_text(asked));
    };
    what.task = [&](json::Writer& json) {
      json.member("name", "artifact.judge").member("kind", job.type);
      json.key("artifact").raw(version.text);
      json.key("chunks").value(*job.chunks);
    };
    const Answer answer = call(run, job, spent, what);
    if (!answer.error.empty()) {
      version.judge_error = answer.error;
      version.final = answer.cancelled || answer.error.substr(0, 15) == "budget_exceeded";
      return;
    }
    repair::EditOptions edits;
    edits.level = contract::EditLevel::certain;
    edits.keep_text = true;
    repair::Check check(run.contract(pin_judge_contract), {}, edits);
    const contract::Verdict judged = check.whole(answer.text);
    json::Arena answer_arena;
    const Result<Value> claims =
        json::parse(check.mended() ? std::string_view(check.text()) : answer.text, answer_arena);
    if (!judged.valid || !claims) {
      version.judge_error = "the judge's answer breaks its contract";
      for (const contract::Finding& finding : judged.findings) {
        if (counts(finding)) {
          version.judge_error += ": " + finding.message;
          break;
        }
      }
      if (attempt == 1) {
        std::string note;
        json::Writer(note).begin_object().member("phase", "judge").member("error", version.judge_error).end_object();
        run.emit("retry", run::Data::written(std::move(note)));
      }
      continue;
    }
    const std::vector<judge::Claim> all = judge::read_claims(claims.value());
    const judge::Judgement judgement = judge::settle(asked, all, passages, artifact.value(), version.text);
    version.judge_error.clear();
    version.judged = true;
    version.issues = 0;
    version.semantic.clear();
    for (const judge::Issue& issue : judgement.issues) {
      if (counts(issue.finding)) {
        ++version.issues;
        if (std::find(version.semantic.begin(), version.semantic.end(), issue.finding.message) ==
            version.semantic.end()) {
          version.semantic.push_back(issue.finding.message);
        }
      } else {
        version.warned = true;
      }
    }
    version.undecided = judgement.undecided.size();
    version.judgement = judge::judgement_json(judgement);
    return;
  }
}

}  // namespace plumb::pipelines::artifact
