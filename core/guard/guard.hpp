// A contract kept in a stream: what lies between a model's answer, as it comes, and a client that shall have only what
// keeps its contract. A state machine without input, output and clock; whoever has those, the host, feeds it and does
// what it wants.
//
//   Guard guard(options);                                   // core/guard/guard_options.hpp
//   GuardStep step;
//   for each delta of the upstream answer {
//     step.clear();
//     guard.take(delta, step);                              // ... guard.end(reply, step) or guard.fail(failure, step)
//     for (const ReleasedDelta& one : step.released) { writer.delta(out, one.view()); }
//     if (step.stop) { stop the upstream call; give nothing more of it }
//     if (step.want == Want::repair) {
//       ModelRequest request = guard.repair_request(original);       // call it, and feed what it answers in the same
//     }                                                              // way: take, end, fail; or say no_repair(why)
//     if (step.want == Want::judge) {                       // the same with judge_request()
//     }
//     if (step.want == Want::finished) { guard.outcome(); }
//   }
//
// What is judged: the answer's text, and the arguments of each call of a tool, each by its own contract and in its own
// mode; thinking, refusals and other items pass as they are.
//
// - observe: all passes at once, nothing is changed and nothing is stopped; the verdict comes with the outcome.
// - enforce: nothing passes before there is a verdict: edits of the allowed classes, free fixes, repair calls (the best
//   version counts), then the answer, or a failure that carries the findings.
// - hold_back: fields and items pass one by one, each as soon as it and all rules that look at it are decided. On a
//   finding the rest is repaired after what has passed, which is never taken back; the whole is judged again. Where no
//   attempt gives a whole that keeps the contract, the outcome is a failure.
//
// Rules with `ask`: in enforce a judge is asked once everything else holds and before anything is released; what it
// denies is repaired like anything else. In hold_back it is asked at the end: what was released stays, and a broken
// rule ends the stream as a failure. What it leaves open, and all of it where there is no judge or the judge fails,
// passes as `accept_unverified`, or is undecided where the options say so.
//
// In enforce and hold_back the upstream call is stopped at the first certain error that neither an allowed edit nor a
// free fix mends, unless calls of tools may still follow, and unless on_error is `pass` (what cannot be mended must
// then pass whole). A degenerate stream is stopped in all modes but observe. An answer that has calls of tools is no
// final answer: its text passes unjudged. What the client has received of a part is at every moment a prefix of one
// text, and at success exactly what the verdict is about. How the answer was cut into deltas changes nothing but
// timing.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/guard/guard_options.hpp"
#include "core/guard/guard_outcome.hpp"
#include "core/result.hpp"
#include "core/wire/failure.hpp"
#include "core/wire/model.hpp"

namespace plumb::guard {

// A delta that the client may have, with texts of its own. Only text, thinking, refusal, the two of calls and others;
// finish and usage are in the outcome's reply.
struct ReleasedDelta {
  wire::DeltaKind kind = wire::DeltaKind::text;
  std::uint32_t index = 0;
  std::string text;
  std::string id;
  std::string name;
  std::string item = {};
  wire::ModelDelta view() const { return {kind, index, text, id, name, item}; }
};

enum class Want : std::uint8_t {
  more,      // of the answer that is coming
  repair,    // the call that repair_request() gives
  judge,     // the call that judge_request() gives, to whoever judges
  finished,  // nothing: outcome() says how it ended
};

struct GuardStep {
  std::vector<ReleasedDelta> released;
  bool stop = false;  // the upstream call is not worth its money any more
  Want want = Want::more;
  void clear() {
    released.clear();
    stop = false;
    want = Want::more;
  }
};

class Guard {
 public:
  explicit Guard(GuardOptions options);
  ~Guard();
  Guard(Guard&&) noexcept;
  Guard& operator=(Guard&&) noexcept;

  void take(const wire::ModelDelta& delta, GuardStep& step);
  // The answer is over, as it says itself.
  void end(const wire::ModelReply& reply, GuardStep& step);
  // The call has failed, or its stream was cut.
  void fail(const wire::Failure& failure, GuardStep& step);
  // A whole answer at once: its deltas, and end().
  void whole(const wire::ModelReply& reply, GuardStep& step);
  // Nothing of the first answer has been released: it can come once more, from the beginning, from wherever. True when
  // that was so, and it is forgotten (its tokens are not).
  bool restart();
  bool released_any() const;

  // The call that is wanted. `original`: what the client asked, neutral (core/wire/translate.hpp); its model, limits
  // and extra members are kept. Without messages the repair goes without the conversation.
  wire::ModelRequest repair_request(const wire::ModelRequest& original) const;
  // The call that is wanted of a judge. It remembers what the judge was given, to look quotes up in it.
  wire::ModelRequest judge_request(const wire::ModelRequest& original);
  // The host cannot or will not make it (a budget, a deadline): the outcome is as if no attempt were left, or as if the
  // judge had failed.
  void no_repair(std::string_view reason, GuardStep& step);

  // When finished.
  const GuardOutcome& outcome() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace plumb::guard
