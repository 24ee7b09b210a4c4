// Quizzes for Moodle. Both formats say that their texts are HTML: Moodle renders no formula in plain text, and in its
// own "moodle" format a `<` begins a tag. In HTML no text collides with the marks that a reader of GIFT puts in for
// escapes (&&058;), and [html] before an option keeps `%50%` from being read as its weight.
#include <algorithm>

#include "core/exports/writers.hpp"
#include "core/json/members.hpp"
#include "core/json/pointer.hpp"
#include "core/json/writer.hpp"

namespace plumb::exports {

namespace {

using json::Value;

constexpr std::size_t name_code_points_max = 80;

struct Question {
  std::string_view text;
  std::string_view explanation;  // may be empty
  std::span<const Value> options;
  const Value* right = nullptr;  // one of the options
};

Result<Question> read_question(const Value& value, const std::string& place) {
  const auto wrong = [&](std::string_view member, const char* why) {
    return Error{ErrorCode::invalid_argument, why, place + "/" + std::string(member), 0, 0};
  };
  const Result<std::string_view> text = text_at(value, place, "question");
  const Result<std::string_view> answer = text ? text_at(value, place, "correct_answer") : text;
  if (!answer) {
    return answer.error();
  }
  Question out{text.value(), json::text_of(value, "explanation"), json::list_of(value, "options"), nullptr};
  for (const Value& option : out.options) {
    if (!option.is(json::Kind::string)) {
      return wrong("options", "an option that is not a text cannot be exported");
    }
    out.right = out.right == nullptr && option.str() == answer.value() ? &option : out.right;
  }
  if (out.options.size() < 2) {
    return wrong("options", "a question needs at least 2 options");
  }
  return out.right == nullptr ? Result<Question>(wrong("correct_answer", "is not one of the options"))
                              : Result<Question>(out);
}

template <class Write>
Result<bool> each_question(const Value& artifact, Write write_one) {
  const std::span<const Value> questions = json::list_of(artifact, "questions");
  if (questions.empty()) {
    return Error{ErrorCode::invalid_argument, "this format is for a quiz, and needs a list of questions here",
                 "/questions", 0, 0};
  }
  for (std::size_t i = 0; i < questions.size(); ++i) {
    std::string place = "/questions";
    json::append_token(place, i);
    const Result<Question> question = read_question(questions[i], place);
    if (!question) {
      return question.error();
    }
    write_one(question.value());
  }
  return true;
}

// An element with a text in it, as Moodle nests them.
void add_text(std::string& out, const std::string& element, std::string_view attributes, std::string_view text) {
  out += "    <" + element + std::string(attributes) + "><text>" + xml(text) + "</text></" + element + ">\n";
}

constexpr std::string_view html_format = R"( format="html")";

void add_xml_question(std::string& out, const Question& one) {
  out += "  <question type=\"multichoice\">\n";
  std::string name = json::excerpt(one.text, name_code_points_max);
  std::replace_if(
      name.begin(), name.end(), [](char c) { return c == '\n' || c == '\r' || c == '\t'; }, ' ');
  add_text(out, "name", "", name);
  add_text(out, "questiontext", html_format, html(one.text));
  add_text(out, "generalfeedback", html_format, html(one.explanation));
  out +=
      "    <defaultgrade>1</defaultgrade>\n    <single>true</single>\n    <shuffleanswers>true</shuffleanswers>\n"
      "    <answernumbering>abc</answernumbering>\n";
  for (const Value& option : one.options) {
    add_text(out, "answer",
             &option == one.right ? R"( fraction="100" format="html")" : R"( fraction="0" format="html")",
             html(option.str()));
  }
  out += "  </question>\n";
}

}  // namespace

Result<std::string> write_gift(const Value& artifact) {
  std::string out;
  const Result<bool> written = each_question(artifact, [&out](const Question& one) {
    const auto text = [](std::string_view value) { return "[html]" + gift(html(value)) + "\n"; };
    out += "[html]" + gift(html(one.text)) + "{\n";
    for (const Value& option : one.options) {
      out += (&option == one.right ? "=" : "~") + text(option.str());
    }
    out += one.explanation.empty() ? "" : "####" + text(one.explanation);
    out += "}\n\n";
  });
  return written ? Result<std::string>(std::move(out)) : written.error();
}

Result<std::string> write_moodle_xml(const Value& artifact) {
  std::string out = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<quiz>\n";
  const Result<bool> written = each_question(artifact, [&out](const Question& one) { add_xml_question(out, one); });
  return written ? Result<std::string>(out + "</quiz>\n") : written.error();
}

}  // namespace plumb::exports
