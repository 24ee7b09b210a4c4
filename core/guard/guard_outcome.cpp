// How it ended: the reply as the client has it, the verdicts, what was spent and what was saved.
#include <algorithm>
#include <utility>

#include "core/guard/guard_state.hpp"
#include "core/json/number_text.hpp"
#include "core/text/tokens.hpp"

namespace plumb::guard {

using contract::Decision;

namespace {

// No client family calls again for it; LangChain does for 422. docs/proxy-reference.md has the table.
constexpr int status_not_kept = 406;

const contract::Finding* first_error(const contract::Verdict& verdict) {
  for (const contract::Finding& finding : verdict.findings) {
    if (finding.severity == contract::Severity::error && finding.shadowed_by == 0) {
      return &finding;
    }
  }
  return nullptr;
}

std::string name_of(const Slot& slot) {
  if (!slot.call) {
    return "text";
  }
  std::string out = "calls/";
  json::append_uint(out, slot.index);
  return out;
}

}  // namespace

void Guard::State::tell_part(const Slot& slot) {
  if (slot.rules == nullptr && slot.reason.empty()) {
    return;
  }
  if (!slot.call && slot.state == Slot::State::unjudged && slot.raw.empty() && slots.size() > 1) {
    return;  // an answer of calls alone
  }
  PartVerdict part;
  part.part = name_of(slot);
  part.tool = slot.name;
  part.contract = slot.rules == nullptr ? "" : slot.rules->name;
  part.mode = slot.rules == nullptr ? Mode::observe : slot.rules->mode;
  part.reason = slot.reason;
  part.judged = slot.part != nullptr && slot.state != Slot::State::unjudged;
  Decision decision = Decision::undecided;
  if (part.judged) {
    part.verdict = slot.best.verdict;
    part.fixes = slot.best.fixes;
    decision = slot.best.verdict.decision;
    outcome.valid = outcome.valid && slot.best.verdict.valid && decision != Decision::undecided;
  } else if (!slot.call && slots.size() > 1) {
    decision = Decision::accept;  // what is said beside calls of tools is no answer: the calls are judged
  } else {
    outcome.valid = false;
  }
  if (slot.open && options.judge.open_passes) {
    decision = std::max(decision, Decision::accept_unverified);
  }
  if (slot.unverified) {
    decision = Decision::accept_unverified;
  }
  outcome.decision = std::max(outcome.decision, decision);
  outcome.parts.push_back(std::move(part));
}

wire::Failure Guard::State::failure() const {
  const auto failing =
      std::find_if(slots.begin(), slots.end(), [](const auto& slot) { return slot->state == Slot::State::failing; });
  PLUMB_REQUIRE(failing != slots.end(), "some part does not keep its contract");
  const Slot& slot = **failing;
  std::string message = slot.call ? "The arguments of the call of " + slot.name : std::string("The answer");
  const contract::Finding* const finding = first_error(slot.best.verdict);
  const bool undecided = slot.best.verdict.decision == Decision::undecided;
  if (finding != nullptr && undecided) {
    message += " could not be decided by the contract " + slot.rules->name + ": " + finding->message;
  } else if (finding != nullptr) {
    message += " does not keep the contract " + slot.rules->name + ": " +
               (finding->message.empty() ? finding->rule + " at " + finding->at : finding->message);
    const std::uint64_t errors = slot.best.verdict.count(contract::Severity::error);
    if (errors > 1) {
      message += " (and " + json::uint_text(errors - 1) + " more)";
    }
  } else {
    message += " could not be decided by the contract " + slot.rules->name +
               (!slot.reason.empty() ? ": " + slot.reason
                : slot.open          ? ": " + outcome.judge.why
                                     : std::string());
  }
  wire::Failure out = wire::make_failure(wire::FailureClass::bad_request, message);
  out.status = status_not_kept;
  out.code = finding != nullptr && !undecided ? "contract_not_kept" : "contract_undecided";
  return out;
}

void Guard::State::finish(bool ok, GuardStep& step) {
  phase = Phase::finished;
  step.want = Want::finished;
  outcome.ok = ok;
  wire::ModelReply& out = outcome.reply;
  out.id = reply.id;
  out.model = reply.model;
  out.finish = reply.finish;
  out.finish_text = reply.finish_text;
  out.thinking = thinking;
  out.refusal = refusal;
  out.others = others;
  std::uint64_t final_tokens = 0;
  for (const std::unique_ptr<Slot>& slot : slots) {
    tell_part(*slot);
    const std::string& text = slot->passes ? slot->raw : slot->released;
    final_tokens += outcome.stopped.empty() ? 0 : text::estimate_tokens(text).likely;
    if (slot->call) {
      out.calls.push_back({slot->id, slot->name, text, slot->item});
    } else {
      out.text = text;
      out.text_item = slot->item;
    }
  }
  const bool unverified = std::any_of(slots.begin(), slots.end(), [](const auto& slot) { return slot->unverified; });
  if (ok && unverified) {
    out.finish = out.finish == wire::Finish::none ? wire::Finish::length : out.finish;
  } else if (ok && (outcome.attempts > 0 || out.finish == wire::Finish::none)) {
    out.finish = out.calls.empty() ? wire::Finish::stop : wire::Finish::tool_calls;
  }
  const std::uint64_t expected = std::max(options.output_tokens_expected, ok ? final_tokens : 0);
  for (const StoppedCall& stop : outcome.stopped) {
    outcome.tokens_saved += expected > stop.written_tokens ? expected - stop.written_tokens : 0;
  }
  const bool judged =
      std::any_of(outcome.parts.begin(), outcome.parts.end(), [](const PartVerdict& part) { return part.judged; });
  if (outcome.parts.empty() && !options.text.there()) {
    outcome.note = outcome.note.empty() ? "no tool was called: there was nothing to judge" : outcome.note;
  } else if (!judged) {
    outcome.decision = std::max(outcome.decision, Decision::undecided);  // nothing was judged, so nothing is known
    outcome.valid = false;
  }
  if (!ok) {
    outcome.failure = failure();
  }
}

void Guard::State::finish_failed(const wire::Failure& why, GuardStep& step) {
  std::string written;
  for (const std::unique_ptr<Slot>& slot : slots) {
    written += slot->raw;
    // What came is told with its verdict; nothing more of it is released.
    std::string unreleased;
    if (slot->part != nullptr) {
      slot->best = slot->part->end(unreleased);
    }
    slot->state = slot->part == nullptr ? Slot::State::unjudged : Slot::State::failing;
  }
  count({}, written, options.input_tokens);
  finish(true, step);
  outcome.ok = false;
  outcome.decision = std::max(outcome.decision, Decision::undecided);  // who knows what would have come
  outcome.valid = false;
  outcome.note = why.message;
  outcome.reply.finish = wire::Finish::none;
  outcome.failure = why;
}

}  // namespace plumb::guard
