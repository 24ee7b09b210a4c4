// What a question is about: an entity, what is asked of it, and a scope, all in the question's own words, so that a
// query that names them is one that the question's author would know again.

#include <algorithm>
#include <optional>

#include "core/ascii.hpp"
#include "core/extract/research.hpp"
#include "core/text/facts.hpp"
#include "core/text/mentions.hpp"
#include "core/text/phrases.hpp"
#include "core/text/sentences.hpp"

namespace plumb::extract {

namespace {

std::string_view stripped(std::string_view token) {
  constexpr std::string_view around = "\"'`()[]{}<>,;:!?.";
  while (!token.empty() && around.find(token.front()) != std::string_view::npos && !token.starts_with("./")) {
    token.remove_prefix(1);
  }
  while (!token.empty() && around.find(token.back()) != std::string_view::npos) {
    token.remove_suffix(1);
  }
  return token;
}

// A name by its form: a path, a command, an option, an acronym, a word with a capital inside a sentence.
int rank_of(std::string_view token, bool first) {
  bool digit = false;
  bool capital = false;
  bool lower = false;
  bool joined = false;
  for (std::size_t i = 0; i < token.size(); ++i) {
    const char c = token[i];
    digit = digit || ascii::is_digit(c);
    lower = lower || ascii::is_lower(c);
    capital = capital || (ascii::is_upper(c) && (!first || i > 0));
    joined = joined || (i > 0 && i + 1 < token.size() && std::string_view("-_/.:@").find(c) != std::string_view::npos);
  }
  if (!lower && !capital) {
    return 0;  // a number is a scope
  }
  if (token.front() == '/' || token.find('/') != std::string_view::npos || token.find('_') != std::string_view::npos) {
    return 5;
  }
  return joined ? 4 : capital ? 3 : digit ? 2 : 0;
}

struct Token {
  std::string_view text;
  std::size_t from = 0;
  std::size_t to = 0;
};

std::vector<Token> tokens_of(std::string_view question) {
  std::vector<Token> out;
  for (std::size_t at = 0; at < question.size() && out.size() < 200;) {
    while (at < question.size() && ascii::is_space(question[at])) {
      ++at;
    }
    std::size_t end = at;
    while (end < question.size() && !ascii::is_space(question[end])) {
      ++end;
    }
    const std::string_view token = stripped(question.substr(at, end - at));
    if (!token.empty()) {
      const auto from = static_cast<std::size_t>(token.data() - question.data());
      out.push_back({token, from, from + token.size()});
    }
    at = end;
  }
  return out;
}

bool carries(std::string_view token) {
  const text::Words words(token);
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (!text::is_function_word(words.folded(i)) && !text::is_request_word(words.folded(i))) {
      return true;
    }
  }
  return false;
}

// The longest run of words that carry something, without the entity; the last of equals where `last`.
std::string run_of(std::string_view question, const std::vector<Token>& tokens, std::size_t from, std::size_t to,
                   bool last) {
  std::size_t best_from = 0;
  std::size_t best_to = 0;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    std::size_t end = i;
    while (end < tokens.size() && end - i < 4 && carries(tokens[end].text) &&
           (tokens[end].to <= from || tokens[end].from >= to)) {
      ++end;
      // Punctuation ends a run.
      if (end < tokens.size() && tokens[end].from - tokens[end - 1].to > 1) {
        break;
      }
    }
    const std::size_t size = end - i;
    if (size > best_to - best_from || (last && size > 0 && size == best_to - best_from)) {
      best_from = i;
      best_to = end;
    }
    i = size > 0 ? end - 1 : i;
  }
  return best_to == best_from
             ? std::string()
             : std::string(question.substr(tokens[best_from].from, tokens[best_to - 1].to - tokens[best_from].from));
}

}  // namespace

Subject subject_of(std::string_view question) {
  Subject out;
  const std::vector<Token> tokens = tokens_of(question);
  std::size_t from = question.size();
  std::size_t to = question.size();
  int best = 0;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const int rank = carries(tokens[i].text) ? rank_of(tokens[i].text, i == 0) : 0;
    if (rank > best) {
      best = rank;
      from = tokens[i].from;
      to = tokens[i].to;
    }
  }
  // "Debian Policy Manual" is one name.
  const auto is_part = [&](const Token& token) { return carries(token.text) && rank_of(token.text, false) == 3; };
  for (std::size_t i = 0; i < tokens.size() && best == 3; ++i) {
    if (tokens[i].from == from) {
      std::size_t first = i;
      std::size_t last = i;
      while (last + 1 < tokens.size() && tokens[last + 1].from == tokens[last].to + 1 && is_part(tokens[last + 1])) {
        ++last;
      }
      while (first > 1 && tokens[first].from == tokens[first - 1].to + 1 && is_part(tokens[first - 1])) {
        --first;
      }
      from = tokens[first].from;
      to = tokens[last].to;
      break;
    }
  }
  const std::vector<text::Fact> dates = text::facts(question, text::fact_bit(text::FactKind::date));
  if (!dates.empty()) {
    out.scope = std::string(text::piece(question, dates.front().where));
  }
  if (best > 0) {
    out.entity = std::string(question.substr(from, to - from));
  } else {
    out.entity = run_of(question, tokens, question.size(), question.size(), true);
    if (const std::size_t at = out.entity.empty() ? std::string_view::npos : question.rfind(out.entity);
        at != std::string_view::npos) {
      from = at;
      to = at + out.entity.size();
    }
  }
  out.attribute = run_of(question, tokens, from, to, false);
  if (!out.scope.empty() && out.attribute == out.scope) {
    out.attribute.clear();
  }
  if (out.entity.empty()) {
    out.entity = stripped(question);
  }
  if (out.attribute.empty()) {
    out.attribute = "purpose";
  }
  return out;
}

std::vector<std::string> queries_for(const Subject& subject) {
  const std::string scope = subject.scope.empty() ? "" : " in " + subject.scope;
  const std::string of = subject.attribute + " of " + subject.entity + scope;
  return {
      "Which " + of + " does the manual give?",      "What does the reference say is the " + of + "?",
      "Where does a guide describe the " + of + "?", "How is the " + of + " configured by an administrator?",
      "Which example shows the " + of + "?",
  };
}

}  // namespace plumb::extract
