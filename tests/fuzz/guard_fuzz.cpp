// A guard before any model and any contract: what is given keeps the contract or is an error, what was released is a
// prefix of it, no bound is passed, and how the answers were cut changes nothing. The input is a contract, a line with
// 0xFF between each two answers, and answers.
#include <memory>

#include "core/contract/check.hpp"
#include "core/guard/guard.hpp"
#include "core/guard/guard_answer.hpp"
#include "tests/fuzz/fuzzing.hpp"

using namespace plumb;
using namespace plumb::guard;
using plumb::fuzz::expect;

namespace {

struct Told {
  std::string got;
  GuardOutcome outcome;
};

Told told_by(const GuardOptions& options, const std::vector<std::string_view>& answers, unsigned way) {
  Guard guard(options);
  Told told;
  GuardStep step;
  const auto take = [&] {
    for (const ReleasedDelta& one : step.released) {
      told.got += one.text;
    }
  };
  for (std::size_t i = 0; step.want != Want::finished; ++i) {
    const std::string_view answer = answers[i % answers.size()];
    expect(i <= options.attempts_max, "no more repairs than are allowed");
    step.clear();
    for (const std::string_view piece : fuzz::pieces_of(answer, way)) {
      step.clear();
      guard.take({wire::DeltaKind::text, 0, piece, {}, {}}, step);
      take();
      if (step.want != Want::more) {
        break;
      }
    }
    if (step.want == Want::more) {
      wire::ModelReply reply;
      reply.text = answer;
      reply.finish = wire::Finish::stop;
      step.clear();
      guard.end(reply, step);
      take();
    }
    if (step.want == Want::repair) {
      expect(!guard.repair_request({}).messages.empty(), "a repair says something");
    }
  }
  told.outcome = guard.outcome();
  return told;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) {
    return 0;
  }
  const unsigned char how = data[0];
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  const std::size_t first = text.find('\xFF');
  Result<contract::Contract> read = contract::Contract::read(text.substr(0, first));
  if (!read) {
    return 0;
  }
  std::vector<std::string_view> answers;
  for (std::size_t at = first; at != std::string_view::npos;) {
    const std::size_t next = text.find('\xFF', at + 1);
    answers.push_back(text.substr(at + 1, next == std::string_view::npos ? next : next - at - 1));
    at = next;
  }
  if (answers.empty()) {
    return 0;
  }
  GuardOptions options;
  options.text = {std::make_shared<const contract::Contract>(std::move(read).value()), "c", "",
                  static_cast<Mode>(how % 3U)};
  options.on_error = (how & 4U) != 0 ? OnError::pass : OnError::fail;
  options.early_stop = (how & 8U) == 0;
  options.edits.level = static_cast<contract::EditLevel>((how >> 4U) % 3U);
  const Told whole = told_by(options, answers, 0);
  if (options.text.mode == Mode::observe) {
    expect(whole.got == answers[0], "what is observed passes");
  } else if (whole.outcome.ok && whole.outcome.decision != contract::Decision::accept_unverified) {
    expect(contract::check_text(*options.text.contract, whole.got).valid, "what is given keeps its contract",
           whole.got);
  }
  for (unsigned way = 1; way < 3; ++way) {
    const Told cut = told_by(options, answers, way);
    expect(cut.got == whole.got, "pieces change nothing", whole.got, cut.got);
    expect(cut.outcome.ok == whole.outcome.ok && cut.outcome.decision == whole.outcome.decision, "nor the outcome");
  }
  json::Arena arena;
  expect(static_cast<bool>(json::parse(plumb_json(whole.outcome), arena)), "what is said of it is JSON");
  return 0;
}
