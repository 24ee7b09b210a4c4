// What a Guard knows. Private to core/guard/guard*.cpp; guard.hpp says what it does.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/guard/guard.hpp"
#include "core/guard/part.hpp"
#include "core/judge/judge.hpp"

namespace plumb::guard {

// A part of the answer: its text, or the arguments of one call.
struct Slot {
  enum class State : std::uint8_t { open, good, failing, unjudged };

  bool call = false;
  std::uint32_t index = 0;  // of the call
  std::string id;
  std::string name;
  std::string item;                     // the provider's id of it (wire::ModelDelta)
  const PartContract* rules = nullptr;  // null: nothing is asked of it
  std::string reason;                   // why it is not judged
  bool passes = true;                   // it is released as it comes
  bool begun = false;                   // the call's beginning has been released
  std::string raw;                      // as the model wrote it
  std::string released;                 // where it does not pass
  std::unique_ptr<Part> part;
  Version best;
  State state = State::open;
  bool asked = false;       // a judge about the best version, or it is known why not
  bool open = false;        // and something was left open
  Version before;           // the judged version that was repaired, where there is one
  bool unverified = false;  // released though it is not known to keep its contract
};

struct Guard::State {
  enum class Phase : std::uint8_t { answer, repair, judge, finished };

  explicit State(GuardOptions given) : options(std::move(given)) {}

  // guard.cpp
  void begin();
  void take_answer(const wire::ModelDelta& delta, GuardStep& step);
  void take_slot(Slot& slot, std::string_view text, GuardStep& step);
  void take_side(const wire::ModelDelta& delta, GuardStep& step);
  Slot& begin_call(const wire::ModelDelta& delta, GuardStep& step);
  PartWays ways_of(const Slot& slot) const;
  void note_stop(const Part::Stop& stop, std::string_view written, GuardStep& step);
  void conclude(GuardStep& step);
  void settle(Slot& slot, GuardStep& step);
  void settle_text(Slot& slot, GuardStep& step);
  void release(Slot& slot, std::string_view text, GuardStep& step);
  void release_rest(Slot& slot, std::string_view whole, GuardStep& step);
  void release_all(GuardStep& step);
  void advance(GuardStep& step);
  void give_up(GuardStep& step);
  void count(const wire::Usage& usage, std::string_view written, std::uint64_t input_tokens);

  // guard_repair.cpp
  bool may_repair(const Slot& slot);
  void begin_repair(std::size_t slot, GuardStep& step);
  void make_repair_part();
  void conclude_repair(GuardStep& step);
  wire::ModelRequest request(const wire::ModelRequest& original) const;

  // guard_judge.cpp
  bool wants_judge(const Slot& slot) const;
  bool begin_judgement(std::size_t index, GuardStep& step);
  void conclude_judgement(std::string_view answer, GuardStep& step);
  void take_judgement(Slot& slot, const judge::Judgement& judgement);
  void leave_open(Slot& slot, std::string_view why);
  void judge_failed(std::string_view why, GuardStep& step);
  wire::ModelRequest judge_request(const wire::ModelRequest& original);

  // guard_outcome.cpp
  void finish(bool ok, GuardStep& step);
  void finish_failed(const wire::Failure& why, GuardStep& step);
  void tell_part(const Slot& slot);
  wire::Failure failure() const;

  GuardOptions options;
  Phase phase = Phase::answer;
  std::vector<std::unique_ptr<Slot>> slots;  // the text first, then the calls
  bool whole_answers = false;                // they do not stream: there is nothing to stop
  bool holds_sides = false;                  // thinking, refusals and others wait with the text
  std::vector<ReleasedDelta> sides;
  std::string thinking;
  std::string refusal;
  std::vector<wire::OtherItem> others;
  wire::ModelReply reply;  // the answer's own end
  bool any_released = false;
  // The repair that runs.
  std::size_t repairing = 0;
  std::unique_ptr<Part> repair;
  std::string repair_written;
  std::string refused;     // why the last repair could not be used at all
  bool unchanged = false;  // it gave what was there
  // The judgement that runs.
  std::size_t judging = 0;
  std::vector<judge::Question> questions;
  std::vector<std::string> passages;  // what the judge may quote, from 1 on
  std::string judge_written;
  std::string judge_wrong;  // with the last answer
  GuardOutcome outcome;
};

}  // namespace plumb::guard
