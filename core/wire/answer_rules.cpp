#include "core/wire/answer_rules.hpp"

#include "core/json/writer.hpp"
#include "core/wire/told_failure.hpp"

namespace plumb::wire {

void end_answer(ReplyState& state) {
  if (state.reply().finish != Finish::none || state.failure()) {
    state.set_done();
    return;
  }
  Failure failure = make_failure(FailureClass::cut, "The answer ended without a reason why it is over");
  failure.code = no_finish_reason;
  state.fail(failure);
}

bool take_error(std::string_view type, const json::Value& body, ReplyState& state) {
  const std::optional<Failure> told = told_failure(type, body);
  if (told) {
    state.fail(*told);
  }
  return told.has_value();
}

void add_call_arguments(ReplyState& state, std::uint32_t call, const json::Value* arguments) {
  if (arguments == nullptr || arguments->is(json::Kind::null)) {
    return;
  }
  if (arguments->is(json::Kind::string)) {
    state.add_arguments(call, arguments->str());
  } else {
    state.add_arguments(call, *arguments);
  }
}

std::uint64_t block_number(ReplyState& state, const json::Value& event, std::string_view member, bool begins) {
  std::uint64_t number = 0;
  const ReplyState::Block* const last = state.last_block();
  if (!uint_member(event, member, number) && last != nullptr) {
    number = last->number + (begins ? 1 : 0);
  }
  return number;
}

}  // namespace plumb::wire
