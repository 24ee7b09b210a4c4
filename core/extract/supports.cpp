// Whether a text has what a question wants: by the form of numbers, names, paths and options, and by the words around.
#include <algorithm>
#include <array>
#include <span>

#include "core/ascii.hpp"
#include "core/extract/wanted.hpp"
#include "core/text/facts.hpp"
#include "core/text/mentions.hpp"
#include "core/text/phrases.hpp"
#include "core/text/quotes.hpp"
#include "core/text/sentences.hpp"

namespace plumb::extract {

namespace {

using Strings = std::vector<std::string>;
using List = std::span<const std::string_view>;

constexpr std::size_t quote_words_max = 400;
// Words between a number and what it is a number of.
constexpr std::size_t window = 4;
constexpr std::array<std::string_view, 12> number_words = {"zero", "one",   "two",   "three", "four",    "five",
                                                           "six",  "seven", "eight", "nine",  "hundred", "dozen"};
constexpr std::array<std::string_view, 14> more_number_words = {
    "ten",       "eleven",   "twelve",   "thirteen", "fourteen",  "fifteen", "sixteen",
    "seventeen", "eighteen", "nineteen", "twenty",   "unlimited", "none",    "thousand"};
constexpr std::array<std::string_view, 14> roles = {"administrator", "maintainer", "developer", "author",    "user",
                                                    "root",          "superuser",  "team",      "committee", "owner",
                                                    "leader",        "group",      "project",   "everybody"};
constexpr std::array<std::string_view, 8> often_words = {"every",  "once",   "twice",   "daily",
                                                         "weekly", "hourly", "monthly", "each"};
constexpr std::array<std::string_view, 12> time_joints = {"when",  "after",  "before", "until",  "once", "if",
                                                          "while", "during", "every",  "unless", "upon", "whenever"};
// What comes between the name of a value and the value.
constexpr std::array<std::string_view, 16> value_joints = {
    "is",      "are",    "was",     "be",       "of",      "to",   "at",     "from",
    "between", "return", "default", "defaults", "returns", "uses", "equals", "code"};

bool in(List list, std::string_view word) { return std::find(list.begin(), list.end(), word) != list.end(); }
bool in(const Strings& list, std::string_view word) { return std::find(list.begin(), list.end(), word) != list.end(); }

bool is_number(std::string_view folded) {
  return (!folded.empty() && ascii::is_digit(folded.front())) || in(number_words, folded) ||
         in(more_number_words, folded);
}

bool asked_already(const Wanted& wanted, std::string_view token) {
  const text::Words words(token, 20);
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (!in(wanted.question, words.folded(i))) {
      return false;
    }
  }
  return true;
}

bool has_letter(std::string_view token) {
  return std::any_of(token.begin(), token.end(), [](char c) { return ascii::is_letter(c); });
}

bool is_path(std::string_view token) {
  static constexpr std::array<std::string_view, 4> pairs = {"and/or", "his/her", "he/she", "read/write"};
  if (!has_letter(token) || token.find("://") != std::string_view::npos || in(pairs, token)) {
    return false;
  }
  const char first = token.front();
  const std::size_t dot = token.rfind('.');
  const bool suffixed = dot != std::string_view::npos && dot > 0 && dot + 1 < token.size() && token.size() - dot <= 6 &&
                        !ascii::is_digit(token[dot + 1]) && dot > 2;
  return (first == '/' && token.size() > 1) || first == '~' || first == '$' || suffixed ||
         token.find('/') != std::string_view::npos;
}

bool is_option(std::string_view token, bool of_configuration) {
  const bool dashed = token.size() >= 2 && token.front() == '-' && (has_letter(token) || ascii::is_digit(token[1]));
  return dashed || (of_configuration && (token.find("::") != std::string_view::npos ||
                                         (token.find('=') != std::string_view::npos && token.size() > 1)));
}

bool is_variable(std::string_view token) {
  if (token.front() == '$') {
    return token.size() > 1;
  }
  const std::size_t capitals =
      static_cast<std::size_t>(std::count_if(token.begin(), token.end(), [](char c) { return ascii::is_upper(c); }));
  return capitals >= 3 && std::all_of(token.begin(), token.end(), [](char c) {
           return ascii::is_upper(c) || c == '_' || ascii::is_digit(c) || c == '=';
         });
}

// A term that a list of definitions begins with: "noatime", and then what it means.
std::string_view term_of(std::string_view quote) {
  std::size_t from = 0;
  while (from < quote.size() && (ascii::is_space(quote[from]) || quote[from] == '*' || quote[from] == '`')) {
    ++from;
  }
  std::size_t end = from;
  while (end < quote.size() && !ascii::is_space(quote[end]) && quote[end] != '`') {
    ++end;
  }
  const std::string_view term = quote.substr(from, end - from);
  const bool lower = !term.empty() && (ascii::is_lower(term.front()) || term.front() == '_');
  return lower && !text::is_function_word(term) ? term : std::string_view();
}

bool is_command(std::string_view token) {
  const std::size_t open = token.find('(');
  const bool paged =
      open != std::string_view::npos && open > 0 && open + 1 < token.size() && ascii::is_digit(token[open + 1]);
  const std::size_t dash = token.find('-');
  const bool dashed = dash != std::string_view::npos && dash > 0 && dash + 1 < token.size();
  const bool lower = std::all_of(token.begin(), token.end(), [](char c) {
    return ascii::is_lower(c) || ascii::is_digit(c) || c == '-' || c == '_' || c == '.' || c == '+';
  });
  return paged || (dashed && lower);
}

bool is_focus(const Wanted& wanted, std::string_view folded) {
  const std::string_view stem = word_stem(folded);
  return std::any_of(wanted.focus.begin(), wanted.focus.end(),
                     [&](const std::string& one) { return means_the_same(one, stem); });
}

// A number that the question does not have, with its unit, beside what it is a number of.
bool has_number(const Wanted& wanted, std::string_view quote, std::string_view claim) {
  const text::Words words(quote, quote_words_max);
  const text::Words said(claim, quote_words_max);
  const auto near = [&](const text::Words& all, std::size_t i) {
    const std::size_t from = i > window ? i - window : 0;
    for (std::size_t k = from; k < std::min(all.size(), i + window + 1); ++k) {
      if (k != i && is_focus(wanted, all.folded(k))) {
        return true;
      }
    }
    return false;
  };
  // "The default size that it uses for most files is 128": a value follows its noun, however far in the sentence,
  // where a word says that it is one; or it comes first: "124 if ...".
  const bool value = wanted.focus.size() == 1 && wanted.says.starts_with("a number: ");
  bool named = false;
  for (std::size_t i = 0; value && i < words.size(); ++i) {
    named = named || is_focus(wanted, words.folded(i));
  }
  const auto linked = [&](std::size_t i) {
    bool joint = i == 0 || words.gap(i - 1).find_first_of(":=(") != std::string_view::npos;
    for (std::size_t k = i > 3 ? i - 3 : 0; k < i && !joint; ++k) {
      joint = in(value_joints, words.folded(k));
    }
    return named && joint;
  };
  const bool focused = wanted.focus.empty();
  for (std::size_t i = 0; i < words.size(); ++i) {
    // "One can adjust the size": nobody is counted.
    const bool anybody =
        words.folded(i) == "one" && i + 1 < words.size() && text::is_function_word(words.folded(i + 1));
    if (!is_number(words.folded(i)) || anybody || in(wanted.question, words.folded(i))) {
      continue;
    }
    const std::size_t to = words.span(i).to;
    bool united = wanted.unit.empty();
    for (std::size_t k = i + 1; k < std::min(words.size(), i + 3) && !united; ++k) {
      const std::string_view unit = text::without_ending(words.folded(k));
      united = std::any_of(wanted.unit.begin(), wanted.unit.end(),
                           [&](const std::string& one) { return text::without_ending(one) == unit; });
    }
    united = united || (in(wanted.unit, "percent") && to < quote.size() && quote[to] == '%') ||
             (in(wanted.unit, "every") && i > 0 && in(often_words, words.folded(i - 1)));
    bool of_it = focused || linked(i) || near(words, i);
    for (std::size_t k = 0; k < said.size() && !of_it; ++k) {
      of_it = said.folded(k) == words.folded(i) && near(said, k);
    }
    if (united && of_it) {
      return true;
    }
  }
  return in(wanted.unit, "every") && std::any_of(often_words.begin(), often_words.end(), [&](std::string_view one) {
           for (std::size_t i = 0; i < words.size(); ++i) {
             if (words.folded(i) == one) {
               return true;
             }
           }
           return false;
         });
}

// A name as people have one: not an acronym, nor a name with digits.
bool is_persons(std::string_view name) {
  const bool digits = std::any_of(name.begin(), name.end(), ascii::is_digit<char>);
  const bool lower = std::any_of(name.begin(), name.end(), [](char c) { return ascii::is_lower(c); });
  return !digits && (lower || static_cast<unsigned char>(name.front()) >= 0x80U);
}

bool has_name(const Wanted& wanted, std::string_view quote) {
  const std::vector<text::Fact> found = text::facts(quote, text::fact_bit(text::FactKind::name));
  return std::any_of(found.begin(), found.end(), [&](const text::Fact& one) {
    const std::string_view name = text::piece(quote, one.where);
    return is_persons(name) && !asked_already(wanted, name);
  });
}

bool has_fact(const Wanted& wanted, std::string_view quote, text::FactKind kind) {
  const std::vector<text::Fact> found = text::facts(quote, text::fact_bit(kind));
  return std::any_of(found.begin(), found.end(),
                     [&](const text::Fact& one) { return !asked_already(wanted, text::piece(quote, one.where)); });
}

bool has_word_of(const Wanted& wanted, std::string_view quote, List list) {
  const text::Words words(quote, quote_words_max);
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (in(list, text::without_ending(words.folded(i))) && !in(wanted.question, words.folded(i))) {
      return true;
    }
  }
  return false;
}

template <class Is>
bool has_token(const Wanted& wanted, std::string_view quote, Is is) {
  for (const std::string_view token : typed_words(quote)) {
    if (is(token) && !asked_already(wanted, token)) {
      return true;
    }
  }
  return false;
}

bool says_more(const Wanted& wanted, std::string_view quote) {
  const text::Words words(quote, quote_words_max);
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (!text::is_function_word(words.folded(i)) && !in(wanted.question, words.folded(i))) {
      return true;
    }
  }
  return false;
}

}  // namespace

std::vector<std::string_view> typed_words(std::string_view text) {
  constexpr std::string_view around = "\"'`()[]{}<>,;:!?*";
  std::vector<std::string_view> out;
  for (std::size_t at = 0; at < text.size() && out.size() < quote_words_max;) {
    while (at < text.size() && ascii::is_space(text[at])) {
      ++at;
    }
    std::size_t end = at;
    while (end < text.size() && !ascii::is_space(text[end])) {
      ++end;
    }
    std::string_view token = text.substr(at, end - at);
    at = end;
    for (const std::string_view typographic : {"\xE2\x80\x9C", "\xE2\x80\x9D", "\xE2\x80\x98", "\xE2\x80\x99"}) {
      if (token.starts_with(typographic)) {
        token.remove_prefix(typographic.size());
      }
      if (token.ends_with(typographic)) {
        token.remove_suffix(typographic.size());
      }
    }
    while (!token.empty() && around.find(token.front()) != std::string_view::npos) {
      token.remove_prefix(1);
    }
    while (!token.empty() && (around.find(token.back()) != std::string_view::npos || token.back() == '.')) {
      token.remove_suffix(1);
    }
    if (!token.empty()) {
      out.push_back(token);
    }
  }
  return out;
}

bool supports(const Wanted& wanted, std::string_view quote, std::string_view claim) {
  switch (wanted.kind) {
    case WantedKind::number:
      return has_number(wanted, quote, claim);
    case WantedKind::date:
      return has_fact(wanted, quote, text::FactKind::date);
    case WantedKind::time:
      return has_fact(wanted, quote, text::FactKind::date) || has_word_of(wanted, quote, time_joints);
    case WantedKind::name:
      return has_name(wanted, quote) || has_word_of(wanted, quote, roles);
    case WantedKind::path:
      return has_token(wanted, quote, is_path);
    case WantedKind::option: {
      const std::string_view term = term_of(quote);
      return has_token(wanted, quote, [](std::string_view token) { return is_option(token, true); }) ||
             (!term.empty() && !asked_already(wanted, term));
    }
    case WantedKind::command: {
      const std::string_view term = term_of(quote);
      return has_token(wanted, quote, is_command) || quote.find('`') != std::string_view::npos ||
             quote.find("$ ") != std::string_view::npos || quote.find("# ") != std::string_view::npos ||
             (!term.empty() && !asked_already(wanted, term));
    }
    case WantedKind::variable:
      return has_token(wanted, quote, is_variable);
    case WantedKind::thing:
    case WantedKind::statement:
    case WantedKind::verdict:
    case WantedKind::meaning:
    case WantedKind::definition:
      break;
  }
  return says_more(wanted, quote);
}

}  // namespace plumb::extract
