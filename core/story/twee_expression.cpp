#include "core/story/twee_expression.hpp"

#include <algorithm>
#include <array>

#include "core/ascii.hpp"

namespace plumb::story {

namespace {

constexpr std::size_t digits_max = 15;  // that a double holds exactly

// Functions of SugarCube that change nothing.
constexpr std::array<std::string_view, 22> pure = {
    "visited",  "hasVisited", "lastVisited", "previous", "passage", "tags",     "visitedTags", "turns",
    "time",     "random",     "randomFloat", "either",   "Number",  "String",   "Boolean",     "isNaN",
    "parseInt", "parseFloat", "def",         "ndef",     "not",     "variables"};
// Of these, those whose results are numbers, or one of their arguments.
constexpr std::array<std::string_view, 10> plain = {"visited",     "lastVisited", "turns",  "time",     "random",
                                                    "randomFloat", "either",      "Number", "parseInt", "parseFloat"};
constexpr std::array<std::string_view, 18> operators = {"to",   "is",    "isnot", "not",  "and",  "or",
                                                        "eq",   "neq",   "gt",    "gte",  "lt",   "lte",
                                                        "true", "false", "def",   "ndef", "null", "undefined"};

template <std::size_t n>
bool among(const std::array<std::string_view, n>& all, std::string_view one) {
  return std::find(all.begin(), all.end(), one) != all.end();
}

// Behind the quotation that begins at `at`; npos where it does not end.
std::size_t behind_quotation(std::string_view text, std::size_t at) {
  for (std::size_t i = at + 1; i < text.size(); ++i) {
    if (text[i] == '\\') {
      ++i;
    } else if (text[i] == text[at]) {
      return i + 1;
    }
  }
  return std::string_view::npos;
}

bool begins_variable(std::string_view text, std::size_t i) {
  return (text[i] == '$' || text[i] == '_') && i + 1 < text.size() && (ascii::is_word(text[i + 1])) &&
         !ascii::is_digit(text[i + 1]) && (i == 0 || !(ascii::is_word(text[i - 1]) || text[i - 1] == '$'));
}

std::size_t behind_word(std::string_view text, std::size_t i) {
  while (i < text.size() && (ascii::is_word(text[i]) || text[i] == '$')) {
    ++i;
  }
  return i;
}

std::string name_at(std::string_view text, std::size_t from, std::size_t to) {
  return std::string(text.substr(text[from] == '$' ? from + 1 : from, to - from - (text[from] == '$' ? 1 : 0)));
}

}  // namespace

std::optional<TweeValue> read_value(std::string_view text) {
  TweeValue out;
  if (text == "true" || text == "false") {
    out.number = text == "true" ? 1 : 0;
    return out;
  }
  if (!text.empty() && (text[0] == '"' || text[0] == '\'')) {
    if (behind_quotation(text, 0) != text.size()) {
      return std::nullopt;
    }
    out.kind = TweeValue::Kind::text;
    for (std::size_t i = 1; i + 1 < text.size(); ++i) {
      if (text[i] == '\\' && text[++i] != '"' && text[i] != '\'' && text[i] != '\\') {
        return std::nullopt;
      }
      out.text += text[i];
    }
    return out;
  }
  out.kind = TweeValue::Kind::number;
  const bool negative = text.starts_with('-');
  double unit = 1;
  std::size_t digits = 0, points = 0;
  for (const char c : text.substr(negative ? 1 : 0)) {
    points += c == '.' ? 1U : 0U;
    digits += ascii::is_digit(c) ? 1U : 0U;
    if ((c != '.' && !ascii::is_digit(c)) || points > 1 || digits > digits_max) {
      return std::nullopt;
    }
    if (c != '.') {
      out.number = out.number * 10 + (c - '0');
      unit *= points > 0 ? 10 : 1;
    }
  }
  if (digits == 0 || text.ends_with('.') || (digits > 1 && text[negative ? 1 : 0] == '0' && points == 0)) {
    return std::nullopt;
  }
  out.number = (negative ? -out.number : out.number) / unit;
  return out;
}

std::string_view variable_asked(std::string_view word) { return word.substr(0, word.find(' ')); }

std::optional<bool> word_holds(std::string_view word, const TweeValue& value) {
  const std::size_t first = word.find(' ');
  if (first == std::string_view::npos) {
    return value.counts_as_true();
  }
  const std::size_t second = word.find(' ', first + 1);
  const std::string_view sign = word.substr(first + 1, second == std::string_view::npos ? second : second - first - 1);
  if (sign == "def") {
    return true;
  }
  const std::optional<TweeValue> asked = read_value(word.substr(second + 1));
  if (!asked) {
    return std::nullopt;
  }
  const bool same_kind = asked->kind == value.kind;
  if (sign == "is" || (sign == "eq" && same_kind)) {
    return same_kind && asked->number == value.number && asked->text == value.text;
  }
  if (!same_kind || value.kind != TweeValue::Kind::number) {
    return std::nullopt;
  }
  return sign == "gt"    ? value.number > asked->number
         : sign == "gte" ? value.number >= asked->number
         : sign == "lt"  ? value.number < asked->number
                         : value.number <= asked->number;
}

TweeEffects effects_of(std::string_view text) {
  TweeEffects out;
  bool changes = false, beyond = false;
  for (std::size_t i = 0; i < text.size();) {
    const char c = text[i];
    if (c == '"' || c == '\'' || c == '`') {
      const std::size_t end = behind_quotation(text, i);
      out.anything = out.anything || end == std::string_view::npos ||
                     (c == '`' && text.substr(i, end - i).find("${") != std::string_view::npos);
      i = std::min(end, text.size());
      continue;
    }
    if (begins_variable(text, i) || ascii::is_letter(c)) {
      const bool variable = !ascii::is_letter(c);
      std::size_t end = behind_word(text, i + 1);
      const std::string_view first = text.substr(i, end - i);
      while (end + 1 < text.size() && text[end] == '.' && (ascii::is_letter(text[end + 1]) || text[end + 1] == '_')) {
        end = behind_word(text, end + 1);
      }
      const bool chain = end > i + first.size();
      const std::size_t next = text.find_first_not_of(ascii::spaces, end);
      const bool called = next != std::string_view::npos && text[next] == '(';
      if (variable || (i > 0 && text[i - 1] == '.')) {
        changes = changes || called;  // a method: it may change what it is of
      } else if (first == "new" || first == "function" || first == "await" || first == "async") {
        out.anything = true;
      } else if (first == "to" || first == "delete") {
        changes = true;
      } else if (called && !(chain ? first == "Math" : among(pure, first) || among(operators, first))) {
        out.anything = true;
      } else {
        beyond = beyond || (!called && !among(operators, first));
      }
      i = end;
      continue;
    }
    out.anything = out.anything || c == '$';
    const char before = i > 0 ? text[i - 1] : ' ', next = i + 1 < text.size() ? text[i + 1] : ' ';
    if (c == '=' && next == '>') {
      out.anything = true;
    } else if (c == '=' && next != '=' && before != '=' && before != '!' && before != '<' && before != '>') {
      changes = true;
    }
    changes = changes || ((c == '+' || c == '-') && next == c);
    out.anything = out.anything || (c == '(' && (before == ']' || before == ')'));
    ++i;
  }
  if (changes) {
    out.variables = variables_in(text);
    out.anything = out.anything || beyond;
  }
  return out;
}

bool shows_plainly(std::string_view text, std::string_view variable) {
  for (std::size_t i = 0; i < text.size();) {
    const char c = text[i];
    if (c == '"' || c == '\'') {
      const std::size_t end = behind_quotation(text, i);
      if (end == std::string_view::npos || text.substr(i, end - i).find_first_of("[<$_?\\") != std::string_view::npos) {
        return false;
      }
      i = end;
    } else if (begins_variable(text, i)) {
      const std::size_t end = behind_word(text, i + 1);
      const bool known = variable == any_variable || name_at(text, i, end) == variable;
      if (!known || (end < text.size() && text[end] == '.')) {
        return false;
      }
      i = end;
    } else if (ascii::is_letter(c)) {
      std::size_t end = behind_word(text, i);
      const std::string_view name = text.substr(i, end - i);
      if (name == "Math" && end < text.size() && text[end] == '.') {
        end = behind_word(text, end + 1);
      } else if (!among(plain, name) && !among(operators, name)) {
        return false;
      }
      i = end;
    } else if (ascii::is_digit(c) || ascii::is_space(c) ||
               std::string_view("+-*/%=!<>&|,.()?:").find(c) != std::string_view::npos) {
      ++i;
    } else {
      return false;
    }
  }
  return true;
}

std::set<std::string> variables_in(std::string_view text) {
  std::set<std::string> out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (begins_variable(text, i)) {
      const std::size_t end = behind_word(text, i + 1);
      out.insert(name_at(text, i, end));
      i = end - 1;
    }
  }
  return out;
}

std::vector<std::string_view> cut_at(std::string_view text, std::string_view signs) {
  std::vector<std::string_view> out;
  std::size_t from = 0, depth = 0;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    const char c = i < text.size() ? text[i] : '\0';
    if (c == '"' || c == '\'' || c == '`') {
      i = std::min(behind_quotation(text, i), text.size()) - 1;
      continue;
    }
    depth += c == '(' || c == '[' || c == '{' ? 1U : 0U;
    depth -= depth > 0 && (c == ')' || c == ']' || c == '}') ? 1U : 0U;
    if (i == text.size() || (depth == 0 && signs.find(c) != std::string_view::npos)) {
      if (const std::string_view part = ascii::trim(text.substr(from, i - from)); !part.empty()) {
        out.push_back(part);
      }
      from = i + 1;
    }
  }
  return out;
}

std::vector<TweeArgument> arguments_of(std::string_view text) {
  std::vector<TweeArgument> out;
  for (std::size_t i = 0; i < text.size();) {
    if (ascii::is_space(text[i])) {
      ++i;
      continue;
    }
    TweeArgument one;
    std::size_t end = i;
    if (text[i] == '"' || text[i] == '\'' || text[i] == '`') {
      end = std::min(behind_quotation(text, i), text.size());
      one.known = text[i] != '`';
      for (std::size_t k = i + 1; k + 1 < end; ++k) {
        k += text[k] == '\\' && k + 2 < end ? 1U : 0U;
        one.text += text[k];
      }
    } else if (text.substr(i, 2) == "[[") {
      const std::size_t closed = text.find("]]", i);
      end = closed == std::string_view::npos ? text.size() : closed + 2;
      one.text = text.substr(i + 2, end - i - std::min<std::size_t>(4, end - i));
      one.known = one.link = true;
    } else {
      end = std::min(text.find_first_of(ascii::spaces, i), text.size());
      one.text = text.substr(i, end - i);
      one.known =
          one.text.find_first_of("$_.`([{\"'+") == std::string::npos && one.text != "null" && one.text != "undefined";
    }
    out.push_back(std::move(one));
    i = std::max(end, i + 1);
  }
  return out;
}

}  // namespace plumb::story
