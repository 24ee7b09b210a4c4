// The answer comes in slots: its text, and the arguments of each call. A slot that nothing holds passes as it comes.
// When the answer has ended or been stopped every slot is settled; then, one failing slot after the other, repairs are
// wanted until all are good, or no repair is left.
#include "core/guard/guard.hpp"

#include <utility>

#include "core/guard/guard_state.hpp"
#include "core/require.hpp"
#include "core/text/tokens.hpp"

namespace plumb::guard {

namespace {

const ToolContract* tool_named(const GuardOptions& options, std::string_view name) {
  for (const ToolContract& tool : options.tools) {
    if (tool.tool == name) {
      return &tool;
    }
  }
  return nullptr;
}

std::unique_ptr<Slot> slot_of(const PartContract* rules) {
  auto slot = std::make_unique<Slot>();
  slot->rules = rules != nullptr && rules->there() ? rules : nullptr;
  slot->passes = slot->rules == nullptr || slot->rules->mode == Mode::observe;
  if (slot->rules != nullptr && slot->rules->contract == nullptr) {
    slot->reason = slot->rules->reason;
  }
  return slot;
}

}  // namespace

PartWays Guard::State::ways_of(const Slot& slot) const {
  const Mode mode = slot.rules->mode;
  PartWays ways;
  if (mode == Mode::observe) {
    return ways;
  }
  ways.mends = true;
  // A text before calls of tools is no answer yet, and behind one call another may come.
  const bool last = slot.call ? !options.calls_in_parallel : options.tools.empty();
  ways.releases = mode == Mode::hold_back && (slot.call || options.tools.empty());
  ways.stops = options.early_stop && !whole_answers && last && options.on_error == OnError::fail;
  ways.watches = !whole_answers;
  return ways;
}

void Guard::State::begin() {
  slots.clear();
  slots.push_back(slot_of(&options.text));
  Slot& text = *slots.front();
  if (text.rules != nullptr && text.rules->contract != nullptr) {
    text.part = std::make_unique<Part>(*text.rules->contract, options, ways_of(text));
  }
  holds_sides = !text.passes && text.rules->mode == Mode::enforce;
  sides.clear();
  thinking.clear();
  refusal.clear();
  others.clear();
  reply = {};
}

void Guard::State::release(Slot& slot, std::string_view text, GuardStep& step) {
  if (slot.call && !slot.begun) {
    slot.begun = true;
    step.released.push_back({wire::DeltaKind::call_begin, slot.index, {}, slot.id, slot.name, slot.item});
    any_released = true;
  }
  if (!text.empty()) {
    step.released.push_back({slot.call ? wire::DeltaKind::call_arguments : wire::DeltaKind::text,
                             slot.index,
                             std::string(text),
                             {},
                             {},
                             slot.item});
    any_released = true;
  }
}

void Guard::State::take_side(const wire::ModelDelta& delta, GuardStep& step) {
  const bool other = delta.kind == wire::DeltaKind::other;
  if (other) {
    others.push_back(
        {std::string(delta.text), !slots.front()->raw.empty(), static_cast<std::uint32_t>(slots.size() - 1)});
  } else {
    (delta.kind == wire::DeltaKind::thinking ? thinking : refusal) += delta.text;
  }
  if (!holds_sides) {
    step.released.push_back({delta.kind, 0, std::string(delta.text), {}, {}});
    any_released = true;
  } else if (!other && !sides.empty() && sides.back().kind == delta.kind) {
    sides.back().text += delta.text;
  } else {
    sides.push_back({delta.kind, 0, std::string(delta.text), {}, {}});
  }
}

Slot& Guard::State::begin_call(const wire::ModelDelta& delta, GuardStep& step) {
  const ToolContract* const tool = tool_named(options, delta.name);
  std::unique_ptr<Slot> slot = slot_of(tool == nullptr ? nullptr : &tool->arguments);
  slot->call = true;
  slot->index = delta.index;
  slot->id = delta.id;
  slot->name = delta.name;
  slot->item = delta.item;
  if (slot->rules != nullptr && slot->rules->contract != nullptr) {
    slot->part = std::make_unique<Part>(*slot->rules->contract, options, ways_of(*slot));
  } else if (tool == nullptr && !options.tools.empty()) {
    slot->reason = "no tool of this name was offered";
  }
  if (slot->passes) {
    release(*slot, {}, step);
  }
  slots.push_back(std::move(slot));
  return *slots.back();
}

void Guard::State::take_slot(Slot& slot, std::string_view text, GuardStep& step) {
  slot.raw += text;
  if (slot.passes) {
    release(slot, text, step);
  }
  if (slot.part == nullptr) {
    return;
  }
  std::string ready;
  slot.part->take(text, ready);
  if (!ready.empty()) {
    slot.released += ready;
    release(slot, ready, step);
  }
  if (!slot.passes && slot.part->stopped()) {
    note_stop(slot.part->stop(), slot.raw, step);
    conclude(step);
  }
}

void Guard::State::take_answer(const wire::ModelDelta& delta, GuardStep& step) {
  switch (delta.kind) {
    case wire::DeltaKind::thinking:
    case wire::DeltaKind::refusal:
    case wire::DeltaKind::other:
      take_side(delta, step);
      return;
    case wire::DeltaKind::text:
      slots.front()->item = slots.front()->item.empty() ? std::string(delta.item) : slots.front()->item;
      take_slot(*slots.front(), delta.text, step);
      return;
    case wire::DeltaKind::call_begin:
      begin_call(delta, step);
      return;
    case wire::DeltaKind::call_arguments:
      for (std::size_t i = slots.size(); i > 1; --i) {
        if (slots[i - 1]->index == delta.index) {
          take_slot(*slots[i - 1], delta.text, step);
          return;
        }
      }
      PLUMB_REQUIRE(false, "a call begins before its arguments");
      return;
    case wire::DeltaKind::finish:
    case wire::DeltaKind::usage:
      return;
  }
}

void Guard::State::count(const wire::Usage& usage, std::string_view written, std::uint64_t input_tokens) {
  wire::Usage& sum = outcome.reply.usage;
  wire::Usage one = usage;
  if (!one.known || (one.output_tokens == 0 && !written.empty())) {
    one.input_tokens = one.known ? one.input_tokens : input_tokens;
    one.output_tokens = text::estimate_tokens(written).likely;
    outcome.tokens_estimated = true;
  }
  sum.known = true;
  sum.input_tokens += one.input_tokens;
  sum.cached_tokens += one.cached_tokens;
  sum.cache_written_tokens += one.cache_written_tokens;
  sum.output_tokens += one.output_tokens;
  sum.reasoning_tokens += one.reasoning_tokens;
  outcome.tokens_spent = sum.input_tokens + sum.output_tokens;
}

void Guard::State::note_stop(const Part::Stop& stop, std::string_view written, GuardStep& step) {
  step.stop = true;
  outcome.stopped.push_back(
      {stop.why, stop.detail, stop.rule, stop.at, stop.at_byte, text::estimate_tokens(written).likely});
  count({}, written, options.input_tokens);
}

// An answer with calls is none yet, and a refusal is none either.
void Guard::State::settle_text(Slot& slot, GuardStep& step) {
  const bool calls = slots.size() > 1;
  const bool refused_it = slot.raw.empty() && (!refusal.empty() || reply.finish == wire::Finish::refusal ||
                                               reply.finish == wire::Finish::content_filter);
  if (slot.rules == nullptr || ((calls || refused_it) && slot.released.empty())) {
    slot.state = Slot::State::unjudged;
    if (slot.rules != nullptr) {
      slot.reason = calls ? "the answer calls tools: its text is no final answer" : "the model refused to answer";
    }
    if (!slot.passes) {
      release_rest(slot, slot.raw, step);
    }
    return;
  }
  settle(slot, step);
}

void Guard::State::settle(Slot& slot, GuardStep& step) {
  if (slot.part == nullptr) {
    slot.state = slot.passes ? Slot::State::unjudged : Slot::State::failing;
    return;
  }
  std::string ready;
  slot.best = slot.part->end(ready);
  if (!ready.empty()) {
    slot.released += ready;
    release(slot, ready, step);
  }
  slot.state = slot.passes || slot.best.good() ? Slot::State::good : Slot::State::failing;
  if (!slot.passes && !outcome.stopped.empty() && outcome.stopped.back().detail.empty() &&
      !slot.best.verdict.findings.empty()) {
    outcome.stopped.back().detail = slot.best.verdict.findings.front().message;
  }
}

void Guard::State::conclude(GuardStep& step) {
  settle_text(*slots.front(), step);
  for (std::size_t i = 1; i < slots.size(); ++i) {
    settle(*slots[i], step);
  }
  advance(step);
}

// What of the whole text has not been released yet.
void Guard::State::release_rest(Slot& slot, std::string_view whole, GuardStep& step) {
  PLUMB_REQUIRE(whole.starts_with(slot.released), "what was released is never taken back");
  const std::string rest(whole.substr(slot.released.size()));
  slot.released += rest;
  release(slot, rest, step);
}

void Guard::State::release_all(GuardStep& step) {
  for (ReleasedDelta& side : sides) {
    step.released.push_back(std::move(side));
    any_released = true;
  }
  sides.clear();
  for (const std::unique_ptr<Slot>& slot : slots) {
    if (!slot->passes && slot->state != Slot::State::unjudged) {
      release_rest(*slot, slot->part == nullptr ? slot->raw : slot->best.text, step);
    }
  }
}

void Guard::State::advance(GuardStep& step) {
  for (std::size_t i = 0; i < slots.size(); ++i) {
    if (slots[i]->state == Slot::State::failing) {
      if (may_repair(*slots[i])) {
        begin_repair(i, step);
      } else {
        give_up(step);
      }
      return;
    }
  }
  bool failing = false;
  for (std::size_t i = 0; i < slots.size(); ++i) {
    if (wants_judge(*slots[i]) && begin_judgement(i, step)) {
      return;
    }
    failing = failing || slots[i]->state == Slot::State::failing;
  }
  if (failing) {
    give_up(step);
    return;
  }
  release_all(step);
  finish(true, step);
}

void Guard::State::give_up(GuardStep& step) {
  if (options.on_error == OnError::fail) {
    finish(false, step);
    return;
  }
  for (const std::unique_ptr<Slot>& slot : slots) {
    slot->unverified = slot->state == Slot::State::failing;
  }
  release_all(step);
  finish(true, step);
}

Guard::Guard(GuardOptions options) : state_(std::make_unique<State>(std::move(options))) { state_->begin(); }
Guard::~Guard() = default;
Guard::Guard(Guard&&) noexcept = default;
Guard& Guard::operator=(Guard&&) noexcept = default;

void Guard::take(const wire::ModelDelta& delta, GuardStep& step) {
  if (state_->phase == State::Phase::answer) {
    state_->take_answer(delta, step);
  } else if (state_->phase == State::Phase::repair && delta.kind == wire::DeltaKind::text) {
    std::string none;
    state_->repair_written += delta.text;
    state_->repair->take(delta.text, none);
    if (state_->repair->stopped()) {
      state_->note_stop(state_->repair->stop(), state_->repair_written, step);
      state_->conclude_repair(step);
    }
  } else if (state_->phase == State::Phase::judge && delta.kind == wire::DeltaKind::text &&
             state_->judge_written.size() <= state_->options.answer_bytes_max) {
    state_->judge_written += delta.text;
  }
}

void Guard::end(const wire::ModelReply& reply, GuardStep& step) {
  if (state_->phase == State::Phase::answer) {
    state_->reply.id = reply.id;
    state_->reply.model = reply.model;
    state_->reply.finish = reply.finish;
    state_->reply.finish_text = reply.finish_text;
    state_->count(reply.usage, reply.text, state_->options.input_tokens);
    state_->conclude(step);
  } else if (state_->phase == State::Phase::repair) {
    state_->count(reply.usage, state_->repair_written, state_->options.input_tokens);
    state_->conclude_repair(step);
  } else if (state_->phase == State::Phase::judge) {
    state_->count(reply.usage, state_->judge_written, state_->options.input_tokens);
    state_->conclude_judgement(state_->judge_written, step);
  }
}

void Guard::fail(const wire::Failure& failure, GuardStep& step) {
  if (state_->phase == State::Phase::answer) {
    state_->finish_failed(failure, step);
  } else if (state_->phase == State::Phase::repair) {
    state_->outcome.note = "a repair failed: " + failure.message;
    state_->phase = State::Phase::answer;
    state_->count({}, state_->repair_written, 0);
    if (failure.retryable) {
      state_->advance(step);
    } else {
      state_->give_up(step);
    }
  } else if (state_->phase == State::Phase::judge) {
    state_->count({}, state_->judge_written, 0);
    state_->judge_failed("the judge failed: " + failure.message, step);
  }
}

void Guard::whole(const wire::ModelReply& reply, GuardStep& step) {
  if (!state_->whole_answers) {
    state_->whole_answers = true;
    if (state_->phase == State::Phase::repair) {
      state_->make_repair_part();
    } else if (state_->phase == State::Phase::answer) {
      state_->begin();
    }
  }
  const auto give = [&](wire::ModelDelta delta) {
    if (step.want == Want::more && !step.stop) {
      take(delta, step);
    }
  };
  if (!reply.thinking.empty()) {
    give({wire::DeltaKind::thinking, 0, reply.thinking, {}, {}});
  }
  if (!reply.text.empty()) {
    give({wire::DeltaKind::text, 0, reply.text, {}, {}, reply.text_item});
  }
  if (!reply.refusal.empty()) {
    give({wire::DeltaKind::refusal, 0, reply.refusal, {}, {}});
  }
  for (const wire::OtherItem& other : reply.others) {
    give({wire::DeltaKind::other, 0, other.json, {}, {}});
  }
  for (std::size_t i = 0; i < reply.calls.size(); ++i) {
    const auto index = static_cast<std::uint32_t>(i);
    give({wire::DeltaKind::call_begin, index, {}, reply.calls[i].id, reply.calls[i].name, reply.calls[i].item});
    if (!reply.calls[i].arguments.empty()) {
      give({wire::DeltaKind::call_arguments, index, reply.calls[i].arguments, {}, {}});
    }
  }
  if (step.want == Want::more && !step.stop) {
    end(reply, step);
  }
}

bool Guard::restart() {
  if (state_->any_released || state_->phase != State::Phase::answer) {
    return false;
  }
  std::string written;
  for (const std::unique_ptr<Slot>& slot : state_->slots) {
    written += slot->raw;
  }
  state_->count({}, written, state_->options.input_tokens);
  state_->begin();
  return true;
}

bool Guard::released_any() const { return state_->any_released; }

wire::ModelRequest Guard::repair_request(const wire::ModelRequest& original) const {
  PLUMB_REQUIRE(state_->phase == State::Phase::repair, "a repair is wanted");
  return state_->request(original);
}

void Guard::no_repair(std::string_view reason, GuardStep& step) {
  if (state_->phase == State::Phase::repair) {
    state_->phase = State::Phase::answer;
    state_->outcome.note = reason;
    --state_->outcome.attempts;
    state_->give_up(step);
  } else if (state_->phase == State::Phase::judge) {
    --state_->outcome.judge.calls;
    state_->judge_failed(reason, step);
  }
}

wire::ModelRequest Guard::judge_request(const wire::ModelRequest& original) {
  PLUMB_REQUIRE(state_->phase == State::Phase::judge, "a judge is wanted");
  return state_->judge_request(original);
}

const GuardOutcome& Guard::outcome() const {
  PLUMB_REQUIRE(state_->phase == State::Phase::finished, "the guard has finished");
  return state_->outcome;
}

}  // namespace plumb::guard
