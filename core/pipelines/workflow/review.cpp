// The reviewer: fresh context, built from what its contract reads; it may only read.
#include <algorithm>

#include "core/contract/render.hpp"
#include "core/pipelines/workflow/parts.hpp"
#include "core/text/tokens.hpp"
#include "core/workflow/outline.hpp"

namespace plumb::pipelines::workflow {

using plumb::workflow::assemble_context;
using plumb::workflow::ContextFit;
using plumb::workflow::FileFinding;
using plumb::workflow::FileOutline;
using plumb::workflow::outline;
using plumb::workflow::own_faults;
using plumb::workflow::ReviewState;

namespace {

constexpr std::size_t outlines_max = 50;
constexpr std::size_t reviewed_max = std::size_t{256} << 10U;  // bytes of a diff that a reviewer is shown

// What is looked at.
struct Looked {
  Changes changes;
  std::string patch;
  std::vector<const Sop*> sops;
  std::vector<FileFinding> broken;
  std::vector<const Convention*> conventions;
  std::vector<std::string> evidence;  // that may be quoted
};

std::string gates_text(const std::vector<GateResult>& gates) {
  std::string out;
  for (const GateResult& one : gates) {
    out += one.words + (one.output.empty() ? "\n" : ":\n" + one.output + "\n");
  }
  return out;
}

struct Assembled {
  std::string text;
  ReviewContext context;
  bool too_big = false;
  std::string reason;
  static Fields fields() {
    static constexpr Field table[] = {field<&Assembled::text>("text"), field<&Assembled::context>("context"),
                                      field<&Assembled::too_big>("too_big"), field<&Assembled::reason>("reason")};
    return table;
  }
};

// Diff, SOPs, outlines and conventions, within the window of who reviews (004-35 to 004-37).
Data assemble(Work& work, Looked& looked, const std::vector<GateResult>& gates) {
  return work.run.scope("assemble", [&](Run& part) {
    std::vector<FileOutline> outlines;
    if (work.desk.brief.reviewed_by_model) {
      for (const std::string& path : looked.changes.paths()) {
        if (outlines.size() == outlines_max) {
          break;
        }
        const Reply& read = ask_worktree(part, work.desk.brief.repository, "read",
                                         [&](json::Writer& json) { json.member("at", work.at).member("path", path); });
        if (read.ok()) {
          outlines.push_back({path, outline(path, text_of(read.value.value(), "text"))});
        }
      }
    }
    budget::Layout layout;
    layout.window = work.desk.brief.reviewed_by_model ? window_of_phase(part, "review") : std::nullopt;
    layout.task_output = estimate_of(looked.patch).safe + estimate_of(gates_text(gates)).safe;
    const ReviewContext context =
        assemble_context(layout, {looked.sops, work.desk.decisions, outlines, looked.conventions});
    Assembled out;
    out.text = work.desk.brief.reviewed_by_model ? context.text : "";
    const std::uint64_t over = looked.changes.cut + (std::max(looked.patch.size(), reviewed_max) - reviewed_max);
    out.too_big = context.fit == ContextFit::too_big || over > 0;
    out.reason = over > 0
                     ? "the diff is longer than can be reviewed in one piece, by " + std::to_string(over) + " bytes"
                     : context.reason;
    out.context = context;
    return Data::of(std::move(out));
  });
}

// A model's answer. It is asked once more where it does not keep the contract, or is at odds with itself: that is the
// reviewer's to mend, not the developer's.
std::optional<Review> asked(Work& work, const Looked& looked, const ReviewState& state, std::string_view context,
                            std::string& failed) {
  const Data said = spending(work.run, work.desk, "review", [&](Run& part) {
    std::string feedback;
    std::string error;
    ModelSaid out;  // the last review that keeps to its form
    for (int attempt = 1; attempt <= 2; ++attempt) {
      ModelCall call;
      call.phase = "review";
      call.prompt = "prompt-review";
      call.contract = "contract-review";
      call.free = work.desk.brief.review_free;
      call.deadline_ms = work.desk.brief.times.review_ms;
      call.token_budget = work.desk.brief.token_budget;
      call.only_noted = true;
      call.again = attempt > 1;
      call.variables = [&](json::Writer& json) {
        std::string sops;
        for (const Sop* one : looked.sops) {
          sops += (sops.empty() ? "" : ", ") + one->id;
        }
        std::string criteria;
        for (const Criterion& one : work.task.acceptance) {
          criteria += (criteria.empty() ? "" : ", ") + one.id;
        }
        for (const Scenario& one : work.task.scenarios) {
          criteria += (criteria.empty() ? "" : ", ") + one.id;
        }
        std::string open;
        for (const std::string& one : work.open) {
          open += "- " + one + "\n";
        }
        std::string warnings;
        for (const std::string& one : work.warnings) {
          warnings += "- " + one + "\n";
        }
        std::string broken;
        for (const FileFinding& one : looked.broken) {
          broken += "- " + one.path + ":" + std::to_string(one.finding.span.line) + ": " + one.finding.item + ": " +
                    one.finding.message + "\n";
        }
        json.member("task", fenced("task", task_text(work, work.task))).member("diff", fenced("diff", looked.patch));
        json.member("gates", fenced("gates", gates_text({state.gates.begin(), state.gates.end()})))
            .member("context", fenced("context", context));
        json.member("sops", sops).member("criteria", criteria).member("open", fenced("open", open));
        json.member("warnings", fenced("warnings", warnings)).member("broken", fenced("broken", broken));
        json.member("wrong", feedback);
      };
      const Answer answer = call_model(part, work.desk.spent, call);
      if (!answer.error.empty()) {
        error = answer.error;
        break;
      }
      const contract::Contract& contract = part.contract("contract-review");
      StrictAnswer strict = strict_answer(contract, answer.text);
      if (!work.desk.brief.tolerant) {
        strict.verdict = part.judge(*answer.reply, contract);
      }
      if (!strict.usable()) {
        feedback =
            contract::render_llm(strict.verdict, "review", "Answer again with one JSON object of the form asked for.");
        error = "the review keeps not to its form, twice";
        continue;
      }
      out.review = Data::written(strict.text);
      const std::vector<std::string> faults =
          work.desk.brief.tolerant ? own_faults(out.review.as<Review>(), state) : std::vector<std::string>();
      if (faults.empty()) {
        break;
      }
      feedback = "Your review cannot be used as it is:\n";
      for (const std::string& one : faults) {
        feedback += "- " + one + "\n";
      }
      feedback += "Look again, and answer with the whole review.";
    }
    return Data::of(out.review.is_null() ? workflow::failed(std::move(error)) : std::move(out));
  });
  const ModelSaid& found = said.as<ModelSaid>();
  failed = found.failed;
  return found.review.is_null() ? std::nullopt : std::optional(found.review.as<Review>());
}

ReviewVerdict sent_to_person(std::string reason) {
  ReviewVerdict out;
  out.outcome = ReviewOutcome::escalate;
  out.reason = std::move(reason);
  return out;
}

void tell(Work& work, const std::optional<Review>& review, const ReviewVerdict& verdict, const Looked& looked,
          const ReviewContext& context) {
  ReviewNote note;
  note.task = work.task.id;
  note.tree_hash = work.tree_hash;
  note.by = work.desk.brief.reviewed_by_model ? "model" : "extract";
  note.outcome = verdict.outcome;
  note.reason = verdict.reason;
  note.feedback = verdict.feedback;
  note.open = verdict.open;
  note.unverified = verdict.unverified;
  note.warnings = work.warnings;
  for (const FileFinding& one : looked.broken) {
    note.broken.push_back({one.path, one.finding.span.line, one.finding.item, one.finding.message});
  }
  note.context = context;
  note.review = review;
  work.run.emit("review", Data::of(std::move(note)));
}

}  // namespace

ReviewVerdict review(Work& work, const std::vector<GateResult>& gates) {
  const Reply& diff = ask_worktree(work.run, work.desk.brief.repository, "diff",
                                   [&](json::Writer& json) { json.member("from", work.from).member("to", work.at); });
  if (diff.status == run::Status::cancelled) {
    return sent_to_person("the run was cancelled");
  }
  if (!diff.ok()) {
    give_up(work.run, "diff", diff);
  }
  Looked looked;
  looked.patch = text_of(diff.value.value(), "patch");
  Result<Changes> changes = read_diff_reply(diff.value.value());
  if (!changes) {
    return sent_to_person("the diff cannot be read: " + changes.error().message);
  }
  looked.changes = std::move(changes).value();
  std::vector<std::string> paths = looked.changes.paths();
  for (const std::string& path : work.task.touched()) {
    if (std::find(paths.begin(), paths.end(), path) == paths.end()) {
      paths.push_back(path);
    }
  }
  looked.sops = sops_for(work.desk.brief.sops, paths, SopScope::code);
  for (const Sop* one : looked.sops) {
    for (FileFinding& finding : check_patterns(*one, looked.changes)) {
      looked.broken.push_back(std::move(finding));
    }
  }
  looked.conventions = conventions_for(work.desk.brief.conventions, looked.changes.paths());
  looked.evidence = evidence_of(looked.changes, gates);
  const Data assembled = assemble(work, looked, gates);
  const auto& context = assembled.as<Assembled>();
  if (work.desk.brief.reviewed_by_model && context.too_big) {
    ReviewVerdict verdict;
    verdict.outcome = ReviewOutcome::decompose;
    verdict.reason = "too_big: " + context.reason;
    tell(work, std::nullopt, verdict, looked, context.context);
    return verdict;
  }
  ReviewState state;
  state.task = &work.task;
  state.sops = looked.sops;
  state.broken_patterns = looked.broken;
  state.evidence = looked.evidence;
  state.gates = gates;
  state.gates_configured = !work.desk.brief.gates.empty();
  std::optional<Review> found;
  std::string failed;
  if (work.desk.brief.reviewed_by_model) {
    found = asked(work, looked, state, context.text, failed);
  } else {
    found = review_without_model(state);
  }
  ReviewVerdict verdict = found ? judge_review(*found, state) : sent_to_person(failed);
  tell(work, found, verdict, looked, context.context);
  return verdict;
}

}  // namespace plumb::pipelines::workflow
