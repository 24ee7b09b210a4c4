#include "core/wire/answer_rules.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

#include "core/ascii.hpp"
#include "core/json/number_text.hpp"
#include "core/json/writer.hpp"
#include "core/wire/told_failure.hpp"

namespace plumb::wire {

AnswerForm answer_form(std::string_view begin, bool says_events) {
  constexpr std::string_view blanks = " \t\r\n\xEF\xBB\xBF";  // and a byte order mark
  constexpr std::array<std::string_view, 5> fields = {"data:", "event:", "id:", "retry:", ":"};
  constexpr std::size_t blanks_max = 4'096;
  const std::size_t first = begin.find_first_not_of(blanks);
  if (first == std::string_view::npos) {
    return begin.size() < blanks_max ? AnswerForm::unknown : says_events ? AnswerForm::stream : AnswerForm::whole;
  }
  begin.remove_prefix(first);
  if (begin.front() == '{' || begin.front() == '[' || begin.front() == '<') {
    return AnswerForm::whole;
  }
  if (says_events) {
    return AnswerForm::stream;
  }
  bool may_be = false;
  for (const std::string_view field : fields) {
    if (begin.starts_with(field)) {
      return AnswerForm::stream;
    }
    may_be = may_be || field.starts_with(begin);
  }
  return may_be ? AnswerForm::unknown : AnswerForm::whole;
}

bool says_events(std::string_view content_type) {
  constexpr std::string_view name = "text/event-stream";
  content_type = content_type.substr(0, content_type.find(';'));
  return ascii::lower(ascii::trim_back(ascii::trim_front(content_type))) == name;
}

bool is_done_mark(std::string_view data) { return ascii::trim_back(data) == "[DONE]"; }
bool is_done_mark(Wire wire, std::string_view data) { return wire == Wire::openai && is_done_mark(data); }

std::string not_json(const Error& error) {
  std::string message = "The provider's answer is no JSON: ";
  message += error.message;
  message += " (line ";
  json::append_uint(message, error.line);
  message += ", column ";
  json::append_uint(message, error.column);
  message += ")";
  return message;
}

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
