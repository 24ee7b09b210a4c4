// Conditions: a recursive descent that yields any-of clauses at once; `not` turns a part into its opposite.
#include <algorithm>

#include "core/ascii.hpp"
#include "core/story/twee.hpp"

namespace plumb::story {

namespace {

constexpr std::size_t clauses_max = 32;
constexpr int depth_max = 32;

bool word_character(char c) { return ascii::is_word(c) || c == '$'; }

// Both hold: every clause of one with every clause of the other; what contradicts itself is dropped.
bool both(const Condition& a, const Condition& b, Condition& into) {
  Condition out;
  for (const Clause& x : a) {
    for (const Clause& y : b) {
      Clause one = x;
      one.held.insert(one.held.end(), y.held.begin(), y.held.end());
      one.lacking.insert(one.lacking.end(), y.lacking.begin(), y.lacking.end());
      for (Texts* texts : {&one.held, &one.lacking}) {
        std::sort(texts->begin(), texts->end());
        texts->erase(std::unique(texts->begin(), texts->end()), texts->end());
      }
      const bool contradicts = std::any_of(one.held.begin(), one.held.end(), [&](const std::string& word) {
        return std::binary_search(one.lacking.begin(), one.lacking.end(), word);
      });
      if (!contradicts) {
        out.push_back(std::move(one));
      }
      if (out.size() > clauses_max) {
        return false;
      }
    }
  }
  into = std::move(out);
  return true;
}

class ConditionReader {
 public:
  explicit ConditionReader(std::string_view text) : text_(text) {}

  bool read(Condition& into) { return either(into, 0) && (blanks(), at_ == text_.size()) && !into.empty(); }

 private:
  void blanks() {
    while (at_ < text_.size() && (ascii::is_space(text_[at_]))) {
      ++at_;
    }
  }
  bool word(std::string_view wanted) {
    blanks();
    if (text_.substr(at_, wanted.size()) != wanted) {
      return false;
    }
    const std::size_t end = at_ + wanted.size();
    if (word_character(wanted.back()) && end < text_.size() && word_character(text_[end])) {
      return false;
    }
    at_ = end;
    return true;
  }
  bool either(Condition& into, int depth) {
    if (depth > depth_max || !all(into, depth)) {
      return false;
    }
    while (word("or") || word("||")) {
      Condition more;
      if (!all(more, depth)) {
        return false;
      }
      into.insert(into.end(), more.begin(), more.end());
      if (into.size() > clauses_max) {
        return false;
      }
    }
    return true;
  }
  bool all(Condition& into, int depth) {
    if (!one(into, depth)) {
      return false;
    }
    while (word("and") || word("&&")) {
      Condition more;
      if (!one(more, depth) || !both(into, more, into)) {
        return false;
      }
    }
    return true;
  }
  bool one(Condition& into, int depth) {
    if (depth > depth_max) {
      return false;
    }
    if (word("not") || (text_.substr(at_, 2) != "!=" && word("!"))) {
      Condition inner;
      return one(inner, depth + 1) && negate(inner, into);
    }
    if (word("(")) {
      return either(into, depth + 1) && word(")");
    }
    return variable(into);
  }
  bool variable(Condition& into) {
    blanks();
    if (at_ >= text_.size() || text_[at_] != '$') {
      return false;
    }
    const std::size_t from = ++at_;
    while (at_ < text_.size() && word_character(text_[at_])) {
      ++at_;
    }
    if (at_ == from || (at_ < text_.size() && (text_[at_] == '.' || text_[at_] == '['))) {
      return false;
    }
    const std::string name(text_.substr(from, at_ - from));
    bool yes = true;
    if (word("isnot") || word("neq") || word("!==") || word("!=")) {
      yes = false;
    } else if (!(word("is") || word("eq") || word("===") || word("=="))) {
      into = {{{name}, {}}};
      return true;
    }
    if (word("not")) {
      yes = !yes;
    }
    if (word("false")) {
      yes = !yes;
    } else if (!word("true")) {
      return false;
    }
    into = yes ? Condition{{{name}, {}}} : Condition{{{}, {name}}};
    return true;
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace

bool read_condition(std::string_view text, Condition& into) { return ConditionReader(text).read(into); }

bool negate(const Condition& condition, Condition& into) {
  Condition out = {{}};
  for (const Clause& clause : condition) {
    Condition opposite;
    for (const std::string& word : clause.held) {
      opposite.push_back({{}, {word}});
    }
    for (const std::string& word : clause.lacking) {
      opposite.push_back({{word}, {}});
    }
    if (!both(out, opposite, out)) {
      return false;
    }
  }
  into = std::move(out);
  return true;
}

}  // namespace plumb::story
