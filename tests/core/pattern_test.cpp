#include "core/text/pattern.hpp"
#include "core/text/format_regex.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/text/utf8.hpp"

using plumb::Error;
using plumb::ErrorCode;
using plumb::Result;
using plumb::text::Matcher;
using plumb::text::Pattern;
using plumb::text::Status;

namespace doctest {
template <>
struct StringMaker<Status> {
  static String convert(Status status) {
    return status == Status::undecided ? "undecided" : status == Status::matches ? "matches" : "impossible";
  }
};
}  // namespace doctest

namespace {

Pattern compiled(std::string_view source) {
  Result<Pattern> pattern = Pattern::compile(source);
  const std::string message = pattern ? std::string() : pattern.error().message;
  CAPTURE(message);
  REQUIRE_MESSAGE(bool(pattern), std::string(source));
  return pattern.value();
}

bool found(std::string_view source, std::string_view text) { return Matcher(compiled(source)).search(text); }

struct Decision {
  Status status = Status::undecided;
  std::size_t after = 0;  // bytes of the whole text
  bool end = false;

  friend bool operator==(const Decision& a, const Decision& b) {
    return a.status == b.status && a.after == b.after && a.end == b.end;
  }
};

// Feeds `pieces` and tells when the decision fell.
Decision decide(Matcher& matcher, const std::vector<std::string_view>& pieces) {
  matcher.start();
  Decision decision;
  std::size_t fed = 0;
  for (const std::string_view piece : pieces) {
    const bool decided_before = matcher.status() != Status::undecided;
    std::size_t after = 0;
    const Status status = matcher.feed(piece, after);
    CHECK(status == matcher.status());
    CHECK(after <= piece.size());
    if (!decided_before) {
      decision.after = fed + after;
    }
    fed += piece.size();
  }
  decision.status = matcher.status();
  decision.end = matcher.end();
  return decision;
}

Decision decide(std::string_view source, std::string_view text) {
  Matcher matcher(compiled(source));
  return decide(matcher, {text});
}

std::optional<Error> refused(std::string_view source) {
  Result<Pattern> pattern = Pattern::compile(source);
  if (pattern) {
    return std::nullopt;
  }
  return pattern.error();
}

void check_syntax_error(std::string_view source, std::size_t column) {
  CAPTURE(source);
  const auto error = refused(source);
  REQUIRE(error.has_value());
  CHECK(error->code == ErrorCode::invalid_argument);
  CHECK(error->column == column);
  CHECK(error->message.find("(character " + std::to_string(column) + ")") != std::string::npos);
  CHECK(Pattern::syntax_error(source).has_value());
}

void check_not_run(std::string_view source, std::size_t column, std::string_view reason) {
  CAPTURE(source);
  const auto error = refused(source);
  REQUIRE(error.has_value());
  CHECK(error->code == ErrorCode::limit);
  CHECK(error->column == column);
  CHECK_MESSAGE(error->message.find(reason) != std::string::npos, error->message);
  CHECK_FALSE(Pattern::syntax_error(source).has_value());
}

// --- An oracle: what a pattern matches, by the plainest means ---
//
// A node maps a set of places, as bits, to the set of places at which it can end when it begins at one of them. Knows
// characters, '.', classes of characters, groups, |, * + ? {n,m}, ^ $ \b \B, look-ahead and negative look-ahead.
class Oracle {
 public:
  explicit Oracle(std::string_view source) : source_(source) {
    root_ = disjunction();
    valid_ = valid_ && at_ == source_.size();
  }
  bool valid() const { return valid_; }

  bool search(std::string_view text) const {
    text_ = text;
    const std::uint64_t all = (std::uint64_t{2} << text.size()) - 1;
    return ends(*root_, all) != 0;
  }

 private:
  struct Node {
    char kind = 'e';  // e(mpty) c(haracters) | & * ^ $ b B =(look) !(look)
    std::string set;  // c: characters; a leading '^' negates
    std::vector<std::unique_ptr<Node>> parts;
    int min = 0;
    int max = 0;  // -1: no bound
  };
  using Ptr = std::unique_ptr<Node>;

  static Ptr make(char kind) {
    auto node = std::make_unique<Node>();
    node->kind = kind;
    return node;
  }
  bool sees(std::string_view text) const { return source_.substr(at_, text.size()) == text; }
  bool take(std::string_view text) {
    if (!sees(text)) {
      return false;
    }
    at_ += text.size();
    return true;
  }
  Ptr disjunction() {
    Ptr all = make('|');
    do {
      Ptr sequence = make('&');
      while (valid_ && at_ < source_.size() && !sees("|") && !sees(")")) {
        sequence->parts.push_back(term());
      }
      all->parts.push_back(std::move(sequence));
    } while (valid_ && take("|"));
    return all;
  }
  Ptr term() {
    for (const auto& [text, kind] :
         {std::pair("^", '^'), std::pair("$", '$'), std::pair("\\b", 'b'), std::pair("\\B", 'B')}) {
      if (take(text)) {
        return make(kind);
      }
    }
    for (const auto& [text, kind] : {std::pair("(?=", '='), std::pair("(?!", '!')}) {
      if (take(text)) {
        Ptr node = make(kind);
        node->parts.push_back(disjunction());
        valid_ = valid_ && take(")");
        return node;
      }
    }
    Ptr atom;
    if (take("(?:") || take("(")) {
      atom = disjunction();
      valid_ = valid_ && take(")");
    } else if (take("[")) {
      atom = make('c');
      while (at_ < source_.size() && !sees("]")) {
        atom->set += source_[at_++];
      }
      valid_ = valid_ && take("]");
    } else if (take(".")) {
      atom = make('c');
      atom->set = "^\n\r";
    } else if (at_ < source_.size() && std::string_view("*+?{}|)").find(source_[at_]) == std::string_view::npos) {
      atom = make('c');
      atom->set = source_[at_++];
    } else {
      valid_ = false;
      return make('e');
    }
    int min = 0;
    int max = -1;
    if (take("*")) {
    } else if (take("+")) {
      min = 1;
    } else if (take("?")) {
      max = 1;
    } else if (take("{")) {
      min = source_[at_++] - '0';
      max = min;
      if (take(",")) {
        max = sees("}") ? -1 : source_[at_++] - '0';
      }
      valid_ = valid_ && take("}");
    } else {
      return atom;
    }
    take("?");
    Ptr node = make('*');
    node->min = min;
    node->max = max;
    node->parts.push_back(std::move(atom));
    return node;
  }

  static bool word(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  }

  std::uint64_t ends(const Node& node, std::uint64_t from) const {
    const std::size_t size = text_.size();
    std::uint64_t to = 0;
    switch (node.kind) {
      case 'e':
        return from;
      case 'c': {
        const bool negative = node.set.size() > 1 && node.set[0] == '^';
        const std::string_view set = std::string_view(node.set).substr(negative ? 1 : 0);
        for (std::size_t i = 0; i < size; ++i) {
          if ((from >> i & 1U) != 0 && (set.find(text_[i]) != std::string_view::npos) != negative) {
            to |= std::uint64_t{2} << i;
          }
        }
        return to;
      }
      case '|':
        for (const Ptr& part : node.parts) {
          to |= ends(*part, from);
        }
        return to;
      case '&':
        for (const Ptr& part : node.parts) {
          from = ends(*part, from);
        }
        return from;
      case '*': {
        for (int i = 0; i < node.min; ++i) {
          from = ends(*node.parts[0], from);
        }
        for (int i = node.min; node.max < 0 || i < node.max; ++i) {
          to = from | ends(*node.parts[0], from);
          if (to == from) {
            break;
          }
          from = to;
        }
        return from;
      }
      case '^':
        return from & 1U;
      case '$':
        return from & (std::uint64_t{1} << size);
      case 'b':
      case 'B':
        for (std::size_t i = 0; i <= size; ++i) {
          const bool before = i > 0 && word(text_[i - 1]);
          const bool after = i < size && word(text_[i]);
          if ((from >> i & 1U) != 0 && (before != after) == (node.kind == 'b')) {
            to |= std::uint64_t{1} << i;
          }
        }
        return to;
      default:  // = and !
        for (std::size_t i = 0; i <= size; ++i) {
          const std::uint64_t one = std::uint64_t{1} << i;
          if ((from & one) != 0 && (ends(*node.parts[0], one) != 0) == (node.kind == '=')) {
            to |= one;
          }
        }
        return to;
    }
  }

  std::string_view source_;
  std::size_t at_ = 0;
  bool valid_ = true;
  Ptr root_;
  mutable std::string_view text_;
};

// All texts over `alphabet` with at most `length_max` characters, the shorter first.
std::vector<std::string> all_texts(std::string_view alphabet, std::size_t length_max) {
  std::vector<std::string> texts = {""};
  for (std::size_t i = 0; i < texts.size(); ++i) {
    if (texts[i].size() < length_max) {
      for (const char c : alphabet) {
        texts.push_back(texts[i] + c);
      }
    }
  }
  return texts;
}

// What holds for all continuations of `texts[i]` that are among `texts`: bit 0 some match, bit 1 some do not.
std::vector<std::uint8_t> outcomes(const std::vector<std::string>& texts, std::size_t letters, const Oracle& oracle,
                                   std::vector<std::uint8_t>& matched) {
  // The children of text i are at i * letters + 1 and after.
  std::vector<std::uint8_t> bits(texts.size());
  matched.resize(texts.size());
  for (std::size_t i = texts.size(); i-- != 0;) {
    matched[i] = oracle.search(texts[i]) ? 1 : 0;
    bits[i] = matched[i] != 0 ? 1 : 2;
    for (std::size_t child = i * letters + 1; child <= i * letters + letters && child < texts.size(); ++child) {
      bits[i] |= bits[child];
    }
  }
  return bits;
}

enum class Exactness { both, impossible_only, sound };

// Compares the result for every text, and the decision for every prefix that has `room` characters to go on.
// Gives the number of disagreements.
std::size_t disagreements(const Pattern& pattern, const Oracle& oracle, const std::vector<std::string>& texts,
                          std::size_t letters, std::size_t room, Exactness exactness) {
  std::vector<std::uint8_t> matched;
  const std::vector<std::uint8_t> bits = outcomes(texts, letters, oracle, matched);
  const std::size_t length_max = texts.back().size();
  std::size_t wrong = 0;
  Matcher matcher(pattern);
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const bool result = matcher.search(texts[i]);
    wrong += result != (matched[i] != 0) ? 1U : 0U;
    const Status status = matcher.status();
    // Sound: what is said to be certain is so for all continuations.
    wrong += status == Status::matches && bits[i] != 1 ? 1U : 0U;
    wrong += status == Status::impossible && bits[i] != 2 ? 1U : 0U;
    if (texts[i].size() + room > length_max || exactness == Exactness::sound) {
      continue;
    }
    wrong += status != Status::impossible && bits[i] == 2 ? 1U : 0U;
    wrong += status != Status::matches && bits[i] == 1 && exactness == Exactness::both ? 1U : 0U;
  }
  return wrong;
}

class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  std::size_t below(std::size_t n) {
    state_ = state_ * 6364136223846793005U + 1442695040888963407U;
    return static_cast<std::size_t>(state_ >> 33U) % n;
  }

 private:
  std::uint64_t state_;
};

std::string random_pattern(Random& random, std::size_t depth, bool assertions) {
  static constexpr std::string_view atoms[] = {"a", "b", "c", ".", "[ab]", "[^a]", "[^ -]", "-", "a", "b"};
  static constexpr std::string_view repeats[] = {"*", "+", "?", "{2}", "{0,2}", "{1,3}", "{2,}", "*?", "{0}"};
  static constexpr std::string_view asserted[] = {"^", "$", "\\b", "\\B"};
  std::string out;
  const std::size_t terms = 1 + random.below(3);
  for (std::size_t i = 0; i < terms; ++i) {
    const std::size_t choice = random.below(assertions ? 12 : 10);
    if (choice >= 10) {
      out += asserted[random.below(4)];
      continue;
    }
    if (choice < 3 && depth > 0) {
      out += random.below(2) == 0 ? "(" : "(?:";
      out += random_pattern(random, depth - 1, assertions);
      if (random.below(2) == 0) {
        out += "|" + random_pattern(random, depth - 1, assertions);
      }
      out += ")";
    } else {
      out += atoms[random.below(10)];
    }
    if (random.below(3) == 0) {
      out += repeats[random.below(9)];
    }
  }
  return out;
}

}  // namespace

// --- The syntax ---

TEST_CASE("pattern: a pattern is searched, not anchored") {
  CHECK(found("b", "abc"));
  CHECK_FALSE(found("^b", "abc"));
  CHECK_FALSE(found("b$", "abc"));
  CHECK(found("", ""));
  CHECK(found("", "abc"));
}

TEST_CASE("pattern: ^ and $ are the ends of the text, not of lines") {
  CHECK_FALSE(found("^abc$", "abc\n"));
  CHECK_FALSE(found("^b", "a\nb"));
  CHECK_FALSE(found("a$", "a\nb"));
}

TEST_CASE("pattern: the dot is everything but line ends") {
  CHECK_FALSE(found(".", "\n\r\u2028\u2029"));
  CHECK(found("^.$", "\U0001F600"));
  CHECK(found("^.$", "\u0085"));
}

TEST_CASE("pattern: the classes \\d \\w \\s are those of ECMA-262 without the flag i") {
  CHECK(found("^\\d$", "7"));
  CHECK_FALSE(found("\\d", "\u07c0"));
  CHECK(found("^\\w+$", "aZ_09"));
  CHECK_FALSE(found("\\w", "\u00e9\u017f\u212a"));
  CHECK(found("^\\s+$", " \t\n\v\f\r\u00a0\ufeff\u2028\u2029\u1680\u3000"));
  CHECK_FALSE(found("\\s", "\u0085\u180e\u200b"));
  CHECK(found("^\\S\\D\\W$", "ab-"));
  CHECK(found("^[\\d\\s]+$", "1 2"));
  CHECK_FALSE(found("[^\\D]", "x"));
}

TEST_CASE("pattern: escapes of characters") {
  CHECK(found("^\\t\\n\\v\\f\\r\\0$", std::string_view("\t\n\v\f\r\0", 6)));
  CHECK(found("^\\cC\\cj$", "\x03\n"));
  CHECK(found("^\\x41\\u0042\\u{43}\\u{00000044}$", "ABCD"));
  CHECK(found("^\\uD83D\\uDE00$", "\U0001F600"));
  CHECK(found("^[\\uD83D\\uDE00-\\uD83D\\uDE02]$", "\U0001F601"));
  CHECK(found("^\\^\\$\\\\\\.\\*\\+\\?\\(\\)\\[\\]\\{\\}\\|\\/$", "^$\\.*+?()[]{}|/"));
  CHECK(found("^[\\b]$", "\b"));
  CHECK(found("^[\\-a]+$", "-a"));
  CHECK(compiled("[\\-]").warnings().empty());
}

TEST_CASE("pattern: a lone surrogate is a character of its own") {
  CHECK(found("^\\uD83D$", "\xed\xa0\xbd"));
  CHECK(found("^\\uDE00\\uD83D$", "\xed\xb8\x80\xed\xa0\xbd"));
  CHECK_FALSE(found("\\uD83D", "\U0001F600"));
  CHECK(found("^[^a]$", "\xed\xa0\xbd"));
  CHECK(found("^\\p{Cs}$", "\xed\xa0\xbd"));
}

TEST_CASE("pattern: malformed bytes are U+FFFD, each") {
  CHECK(found("^\\uFFFD\\uFFFDa$",
              "\xff\xc3"
              "a"));
}

TEST_CASE("pattern: an escape of the old syntax is its character, with a warning") {
  const Pattern pattern = compiled("^a\\-\\_\\@\\\u00e9$");
  REQUIRE(pattern.warnings().size() == 4);
  CHECK(pattern.warnings()[0].column == 3);
  CHECK(pattern.warnings()[0].message == "the escape \\- belongs to the old syntax; it is read as - (character 3)");
  CHECK(Matcher(pattern).search("a-_@\u00e9"));
}

TEST_CASE("pattern: classes") {
  CHECK(found("^[a-c-]+$", "abc-"));
  CHECK(found("^[-a]+$", "-a"));
  CHECK(found("^[^]$", "\n"));
  CHECK_FALSE(found("[]", "abc"));
  CHECK(found("^[]*$", ""));
  CHECK(found("^[.*+?(){}|^$/]+$", ".*+?(){}|^$/"));
  CHECK(found("^[^^]$", "a"));
  CHECK(found("^[\u0430-\u044f]+$", "\u043f\u0440\u0438\u0432\u0435\u0442"));
  CHECK_FALSE(found("^[\u0430-\u044f]+$", "\u041f\u0440\u0438\u0432\u0435\u0442"));
}

TEST_CASE("pattern: Unicode properties") {
  CHECK(found("^\\p{Letter}+$", "\u00e9\u0416\u4e2d\u05d0"));
  CHECK(found("^\\p{L}\\P{L}$", "a1"));
  CHECK(found("^\\p{Script=Greek}+$", "\u03b1\u03b2\u03b3"));
  CHECK(found("^\\p{scx=Grek}+$", "\u03b1\u0342"));
  CHECK(found("^\\p{digit}+$", "\u09ea\u09e8"));
  CHECK(found("^\\p{gc=Lu}\\p{Lowercase}$", "\u0416\u0436"));
  CHECK(found("^[\\p{L}\\p{N}_]+$", "x_9\u4e2d"));
  CHECK(found("^[^\\p{L}]$", "5"));
  CHECK(found("^\\p{Emoji_Presentation}$", "\U0001F600"));
  CHECK(found("^\\p{Any}\\p{ASCII}\\p{Assigned}$",
              "\U0010FFFF"
              "aa"));
  CHECK_FALSE(found("\\p{Any}", ""));
}

TEST_CASE("pattern: groups, named groups, lazy quantifiers") {
  CHECK(found("^(a)(?:b)(?<name>c)(?<$\\u0061_1>d)$", "abcd"));
  CHECK(found("^(a|b|)+?c$", "abac"));
  CHECK(found("^a{2,3}?$", "aaa"));
  CHECK_FALSE(found("^a{2,3}$", "aaaa"));
  CHECK(found("^a{2,}$", "aaaaaaaa"));
  CHECK(found("^(?:ab){0}c$", "c"));
  CHECK(found("^(?:)*a(?:(?:)|){3,}$", "a"));
}

TEST_CASE("pattern: word boundaries know the word characters of ASCII only") {
  CHECK(found("\\bcat\\b", "a cat!"));
  CHECK_FALSE(found("\\bcat\\b", "concat"));
  CHECK(found("\\Bcat\\b", "concat"));
  CHECK(found("\\bcat", "\u00e9cat"));
  CHECK_FALSE(found("\\b", ""));
  CHECK(found("\\B", ""));
  CHECK(found("^(?:\\b){5}a", "a"));
}

TEST_CASE("pattern: look-ahead at the start is run beside the rest") {
  const std::string_view password = "^(?=.*[A-Z])(?=.*\\d)(?!.*\\s).{8,}$";
  CHECK(found(password, "Password1"));
  CHECK_FALSE(found(password, "password1"));
  CHECK_FALSE(found(password, "Pass word1"));
  CHECK_FALSE(found(password, "Pass1"));
  CHECK(found("(?!abc)^ab", "abd"));
  CHECK_FALSE(found("(?!abc)^ab", "abc"));
  CHECK(found("^(?=abc)", "abcd"));
  CHECK(found("^(?!$)", "a"));
  CHECK_FALSE(found("^(?!$)", ""));
  CHECK_FALSE(found("^(?!(?:foo|bar)$)[a-z]+$", "foo"));
  CHECK(found("^(?!(?:foo|bar)$)[a-z]+$", "foot"));
}

TEST_CASE("pattern: what is no regular expression is refused with its place") {
  check_syntax_error("a(b", 2);
  check_syntax_error("ab)", 3);
  check_syntax_error("[a", 1);
  check_syntax_error("*a", 1);
  check_syntax_error("a**", 3);
  check_syntax_error("a|+", 3);
  check_syntax_error("^*", 2);
  check_syntax_error("\\b+", 3);
  check_syntax_error("(?=a)*", 6);
  check_syntax_error("a{2,1}", 2);
  check_syntax_error("\\", 1);
  check_syntax_error("ab\\", 3);
  check_syntax_error("\\a", 1);
  check_syntax_error("^\\S(|(.|\\n)*\\S)\\Z", 16);
  check_syntax_error("\\c1", 1);
  check_syntax_error("\\01", 1);
  check_syntax_error("\\x4", 1);
  check_syntax_error("\\u00", 1);
  check_syntax_error("\\u{110000}", 1);
  check_syntax_error("\\u{}", 1);
  check_syntax_error("\\u{12", 1);
  check_syntax_error("\\p{Foo}", 1);
  check_syntax_error("\\pL", 1);
  check_syntax_error("\\p{letter}", 1);
  check_syntax_error("\\p{Script}", 1);
  check_syntax_error("[z-a]", 2);
  check_syntax_error("[\\B]", 2);
  check_syntax_error("(?a)", 1);
  check_syntax_error("(?<1>a)", 1);
  check_syntax_error("(?<a>x)(?<a>y)", 8);
  check_syntax_error("(?<a", 1);
  check_syntax_error("\\1", 1);
  check_syntax_error("(a)\\2", 4);
  check_syntax_error("\\k<a>", 1);
  check_syntax_error("\\k", 1);
  // Columns count UTF-16 units.
  check_syntax_error("\U0001F600\u00e9)", 4);
}

TEST_CASE("pattern: what only the syntax without the flag u has is read as browsers read it, with a warning") {
  struct Old {
    const char* pattern;
    const char* matches;
    const char* other;
    std::size_t column;  // of the first warning
  };
  for (const Old& one :
       {Old{"^[\\w-.]+$", "a-b.c", "a+b", 3}, Old{"^[a-\\d]+$", "a-7", "b", 3}, Old{"^[\\d-\\s]+$", "1 -", "a", 3},
        Old{"^a]$", "a]", "a", 3}, Old{"^a}$", "a}", "a", 3}, Old{"^x{,3}$", "x{,3}", "xxx", 3}, Old{"^{$", "{", "", 2},
        Old{"^a{2$", "a{2", "aa", 3}, Old{"^{{2}$", "{{", "{", 2}, Old{"^{a}+$", "{a}}", "{a{a", 2},
        Old{"^[^\\w-.]$", "+", "-", 4}}) {
    CAPTURE(one.pattern);
    const Pattern pattern = compiled(one.pattern);
    REQUIRE(!pattern.warnings().empty());
    CHECK(pattern.warnings()[0].column == one.column);
    CHECK(Matcher(pattern).search(one.matches));
    CHECK_FALSE(Matcher(pattern).search(one.other));
    CHECK(Pattern::syntax_error(one.pattern).has_value());
    CHECK_FALSE(plumb::text::is_regex(one.pattern));
  }
  // {2} is a number of repeats in either syntax, and nothing is before it. \\p{} means another thing without the flag.
  check_syntax_error("{2}", 1);
  check_syntax_error("a|{2,}", 3);
  check_syntax_error("\\p{L}]", 6);
  check_syntax_error("\\u{61}[\\w-.]", 8);
  check_syntax_error("\U0001F600}", 3);
}

TEST_CASE("pattern: what cannot be run in linear time is refused with its place") {
  check_not_run("(a)\\1", 4, "back-reference");
  check_not_run("\\1(a)", 1, "back-reference");
  check_not_run("(?<x>a)b\\k<x>", 9, "back-reference");
  check_not_run("a(?<=a)b", 2, "look-behind");
  check_not_run("a(?<!a)b", 2, "look-behind");
  check_not_run("^a(?=b)", 3, "look-ahead");
  check_not_run("(?!a)b", 1, "look-ahead");
  check_not_run("^(?=a(?!b))c", 6, "look-ahead");
  check_not_run("^(?:(?!a).)*$", 5, "look-ahead");
  check_not_run("^(?=a)b|c", 2, "look-ahead");
  // A mistake of syntax behind it is still found first.
  check_syntax_error("(a)\\1(", 6);
}

TEST_CASE("pattern: repeats that need too many states are refused before they are made") {
  check_not_run("a{10001}", 2, "10,000 states");
  check_not_run("(a{1,1000}){1,1000}", 12, "10,000 states");
  check_not_run("((((a{100}){100}){100}){100}){100}", 18, "10,000 states");
  check_not_run("x{4294967295}", 2, "10,000 states");
  check_not_run("x{99999999999999999999999999,}", 2, "10,000 states");
  check_not_run(std::string(10001, 'a'), 1, "10,000 states");
  CHECK(found("^a{10000}$", std::string(10000, 'a')));
  CHECK_FALSE(found("^a{10000}$", std::string(9999, 'a')));
  CHECK(found("^(?:a{1,100}){1,100}$", std::string(5000, 'a')));
  CHECK(found("(?:){99999999999}", ""));
}

TEST_CASE("pattern: depth and length have bounds") {
  const std::string deep = std::string(251, '(') + "a" + std::string(251, ')');
  REQUIRE(refused(deep).has_value());
  CHECK(refused(deep)->code == ErrorCode::limit);
  const std::string nearly = std::string(250, '(') + "a" + std::string(250, ')');
  CHECK(found(nearly, "a"));
  REQUIRE(refused(std::string(300000, '|')).has_value());
  CHECK(refused(std::string(300000, '|'))->code == ErrorCode::limit);
  CHECK(found(std::string(200000, '|'), ""));
  std::string properties;
  for (int i = 0; i < 3000; ++i) {
    properties += "\\p{L}";
  }
  REQUIRE(refused(properties).has_value());
  CHECK(refused(properties)->code == ErrorCode::limit);
}

TEST_CASE("pattern: every sequence of bytes is read as a pattern or refused") {
  Random random(7);
  static constexpr std::string_view bytes = "ab\\()[]{}|?*+^$.-,:=!<>0123456789dDwWsSpPukxc{L}\xc3\xa9\xff\xed\xa0\x80";
  std::size_t accepted = 0;
  for (int i = 0; i < 20000; ++i) {
    std::string source;
    const std::size_t size = random.below(12);
    for (std::size_t k = 0; k < size; ++k) {
      source += bytes[random.below(bytes.size())];
    }
    const Result<Pattern> pattern = Pattern::compile(source);
    if (pattern) {
      ++accepted;
      Matcher(pattern.value()).search(source);
    } else {
      CHECK(pattern.error().column >= 1);
      CHECK(pattern.error().column <= source.size() + 1);
      CHECK_FALSE(pattern.error().message.empty());
    }
  }
  CHECK(accepted > 100);
}

// --- Decisions ---

TEST_CASE("pattern: impossible as soon as no continuation can match") {
  CHECK(decide("^[a-z]+$", "ab1cd") == Decision{Status::impossible, 3, false});
  CHECK(decide("^[a-z]+$", "abcd") == Decision{Status::undecided, 4, true});
  CHECK(decide("^\\d{4}-\\d{2}-\\d{2}$", "2024-1x") == Decision{Status::impossible, 7, false});
  CHECK(decide("^\\d{4}-\\d{2}-\\d{2}$", "2024-01-02") == Decision{Status::undecided, 10, true});
  CHECK(decide("^\\d{4}-\\d{2}-\\d{2}$", "2024-01-023") == Decision{Status::impossible, 11, false});
  CHECK(decide("^a", "ba") == Decision{Status::impossible, 1, false});
  CHECK(decide("a\\bb", "") == Decision{Status::impossible, 0, false});
  CHECK(decide("a$b", "") == Decision{Status::impossible, 0, false});
  CHECK(decide("a^", "") == Decision{Status::impossible, 0, false});
  CHECK(decide("[]", "") == Decision{Status::impossible, 0, false});
  CHECK(decide("^\u00e9$", "\u00e9\u4e2d") == Decision{Status::impossible, 5, false});  // at the end of the character
}

TEST_CASE("pattern: matches as soon as nothing can undo it") {
  CHECK(decide("b", "abc") == Decision{Status::matches, 2, true});
  CHECK(decide("^", "") == Decision{Status::matches, 0, true});
  CHECK(decide("\\S", "  \u4e2d ") == Decision{Status::matches, 5, true});
  CHECK(decide("$", "") == Decision{Status::matches, 0, true});
  CHECK(decide("a*$", "b") == Decision{Status::matches, 0, true});
  CHECK(decide("^[^]*$", "b") == Decision{Status::matches, 0, true});
  CHECK(decide("^.*$", "ab") == Decision{Status::undecided, 2, true});
  CHECK(decide("a\\b", "a") == Decision{Status::undecided, 1, true});
  CHECK(decide("a\\b", "a ") == Decision{Status::matches, 2, true});
  CHECK(decide("^(?=ab)(?!abc)", "abd") == Decision{Status::matches, 3, true});
  CHECK(decide("^(?=ab)(?!abc)", "abc") == Decision{Status::impossible, 3, false});
  CHECK(decide("^(?!a)[ab]{2}", "ab") == Decision{Status::impossible, 1, false});
  CHECK(decide("^(?=a)(?=b)", "") == Decision{Status::impossible, 0, false});
}

TEST_CASE("pattern: all patterns of up to five symbols agree with the oracle, results and decisions") {
  static constexpr std::string_view symbols = "ab|*()^$?";
  const std::vector<std::string> texts = all_texts("abc", 7);
  std::size_t patterns = 0;
  std::size_t wrong = 0;
  std::string source;
  std::vector<std::size_t> digits;
  for (std::size_t length = 0; length <= 5; ++length) {
    std::size_t count = 1;
    for (std::size_t i = 0; i < length; ++i) {
      count *= symbols.size();
    }
    for (std::size_t number = 0; number < count; ++number) {
      source.clear();
      for (std::size_t i = 0, rest = number; i < length; ++i, rest /= symbols.size()) {
        source += symbols[rest % symbols.size()];
      }
      if (source.find("(?") != std::string::npos) {
        continue;  // what may follow is another matter
      }
      const Oracle oracle(source);
      const Result<Pattern> pattern = Pattern::compile(source);
      if (bool(pattern) != oracle.valid()) {
        CAPTURE(source);
        CHECK(bool(pattern) == oracle.valid());
        continue;
      }
      if (!pattern) {
        continue;
      }
      ++patterns;
      const std::size_t found_wrong = disagreements(pattern.value(), oracle, texts, 3, 5, Exactness::both);
      if (found_wrong != 0) {
        CAPTURE(source);
        CHECK(found_wrong == 0);
      }
      wrong += found_wrong;
    }
  }
  CHECK(wrong == 0);
  CHECK(patterns == 9010);
}

TEST_CASE("pattern: random patterns with classes, counts and assertions agree with the oracle") {
  Random random(42);
  const std::vector<std::string> texts = all_texts("ab -", 5);
  for (int i = 0; i < 2000; ++i) {
    const std::string source = random_pattern(random, 2, true);
    const Oracle oracle(source);
    CAPTURE(source);
    REQUIRE(oracle.valid());
    const std::size_t wrong = disagreements(compiled(source), oracle, texts, 4, 5, Exactness::sound);
    if (wrong != 0) {
      CHECK(wrong == 0);
    }
  }
}

TEST_CASE("pattern: random patterns with look-ahead agree with the oracle") {
  Random random(43);
  const std::vector<std::string> texts = all_texts("abc", 5);
  for (int i = 0; i < 1500; ++i) {
    std::string source = random.below(4) == 0 ? "" : "^";
    const bool behind = source.empty();
    const std::size_t looks = 1 + random.below(2);
    for (std::size_t k = 0; k < looks; ++k) {
      source += (random.below(2) == 0 ? "(?=" : "(?!") + random_pattern(random, 1, true) + ")";
    }
    if (behind) {
      source += "^";
    }
    source += random_pattern(random, 1, true);
    const Oracle oracle(source);
    CAPTURE(source);
    REQUIRE(oracle.valid());
    const std::size_t wrong = disagreements(compiled(source), oracle, texts, 3, 5, Exactness::sound);
    if (wrong != 0) {
      CHECK(wrong == 0);
    }
  }
}

TEST_CASE("pattern: automata too large to be made whole answer the same, and impossible stays exact") {
  // An alternative that no text here can take makes the automaton large.
  Random random(44);
  const std::vector<std::string> texts = all_texts("abc", 5);
  for (int i = 0; i < 600; ++i) {
    const std::string inner = random_pattern(random, 1, true);
    const std::string source = "^z{200}|" + inner;
    const Oracle oracle(inner);
    CAPTURE(source);
    REQUIRE(oracle.valid());
    // "z" continues the empty text, so nothing is impossible there; the texts from the first letter on are the same.
    const Pattern pattern = compiled(source);
    const Pattern small = compiled(inner);
    Matcher large_matcher(pattern);
    Matcher small_matcher(small);
    std::size_t wrong = 0;
    for (const std::string& text : texts) {
      wrong += large_matcher.search(text) != small_matcher.search(text) ? 1U : 0U;
      wrong += large_matcher.search(text) != oracle.search(text) ? 1U : 0U;
      if (!text.empty()) {
        wrong +=
            (large_matcher.status() == Status::impossible) != (small_matcher.status() == Status::impossible) ? 1U : 0U;
        wrong += large_matcher.status() == Status::matches && small_matcher.status() != Status::matches ? 1U : 0U;
      }
    }
    if (wrong != 0) {
      CHECK(wrong == 0);
    }
  }
}

TEST_CASE("pattern: look-ahead beside automata too large to be made whole") {
  const std::string_view source = "^(?=.*[A-Z])(?!.*\\s)(?=.*\\d).{8,200}$";
  CHECK(found(source, "Password1"));
  CHECK_FALSE(found(source, "password1"));
  CHECK(found(source, "Pass" + std::string(100, 'w') + "1"));
  CHECK_FALSE(found(source, "Pass" + std::string(200, 'w') + "1"));
  CHECK(decide(source, "Pass word1") == Decision{Status::impossible, 5, false});
  CHECK(decide("^(?=.{300})(?!.*b)", std::string(301, 'a')).status == Status::undecided);
  CHECK(decide("^(?=.{300})(?!.{5}b)", std::string(301, 'a')) == Decision{Status::matches, 300, true});
  CHECK(decide("^(?=.{300})(?!.{5}b)", "aaaaab") == Decision{Status::impossible, 6, false});
}

TEST_CASE("pattern: how a text is cut changes nothing") {
  static constexpr std::string_view sources[] = {
      "^[a-z][a-z0-9_]*$",
      "^\\d{4}-\\d{2}$",
      "\\bcat\\b",
      "^(?=.*\\d)(?!.*x).{3,}$",
      "\\S",
      "[^\\x00-\\x7f]",
      "^(?:a|\u4e2d|\U0001F600){1,150}$",
      "(?:[ab]*a[ab]{9})$",
      "^(?=.{150}|.*\u4e2d)(?!.*bb)",
  };
  static constexpr std::string_view alphabet[] = {"a", "b", "1", "-", " ", "x", "\u4e2d", "\U0001F600", "c", "t"};
  Random random(5);
  for (const std::string_view source : sources) {
    CAPTURE(source);
    Matcher matcher(compiled(source));
    for (int round = 0; round < 300; ++round) {
      std::string text;
      std::vector<std::size_t> borders = {0};
      const std::size_t size = random.below(14);
      for (std::size_t i = 0; i < size; ++i) {
        text += alphabet[random.below(10)];
        borders.push_back(text.size());
      }
      const Decision whole = decide(matcher, {text});
      // Every split in two, and character by character.
      std::vector<std::string_view> characters;
      for (std::size_t i = 0; i + 1 < borders.size(); ++i) {
        characters.push_back(std::string_view(text).substr(borders[i], borders[i + 1] - borders[i]));
      }
      CHECK(decide(matcher, characters) == whole);
      for (const std::size_t border : borders) {
        CHECK(decide(matcher, {std::string_view(text).substr(0, border), std::string_view(text).substr(border)}) ==
              whole);
      }
    }
  }
}

// --- Bombs ---

TEST_CASE("pattern: patterns that make others exponential run in linear time") {
  const std::string a(200000, 'a');
  CHECK_FALSE(found("(a*)*b", a));
  CHECK_FALSE(found("(a|a)*b", a));
  CHECK_FALSE(found("^(([a-z])+.)+[A-Z]([a-z])+$", a));
  CHECK_FALSE(found("(x+x+)+y", std::string(200000, 'x')));
  CHECK(found("(x+x+)+y", std::string(200000, 'x') + "y"));
  CHECK_FALSE(found("^(a?){50}a{50}$", std::string(49, 'a')));
  CHECK(found("^(a?){50}a{50}$", std::string(75, 'a')));
  CHECK_FALSE(found("(.*)(.*)(.*)(.*)(.*)(.*)(.*)(.*)(.*)[^a]$", a));
}

TEST_CASE("pattern: an automaton with more states than fit forgets and goes on") {
  // Two to the power of 15 deterministic states.
  const Pattern pattern = compiled("a[ab]{14}c");
  Matcher matcher(pattern);
  Random random(9);
  std::string text;
  for (int i = 0; i < 50000; ++i) {
    text += random.below(2) == 0 ? 'a' : 'b';
  }
  CHECK_FALSE(matcher.search(text));
  std::string match = text;
  match[match.size() - 15] = 'a';
  CHECK(matcher.search(match + "c"));
  match[match.size() - 15] = 'b';
  CHECK_FALSE(matcher.search(match + "c"));
}

TEST_CASE("pattern: classes of thousands of characters") {
  std::string alternatives;
  for (char32_t c = 0x4E00; c < 0x4E00 + 3000; ++c) {
    if (c != 0x4E00) {
      alternatives += '|';
    }
    plumb::text::append_utf8(alternatives, c);
  }
  const Pattern pattern = compiled("^(?:" + alternatives + ")+$");
  CHECK(Matcher(pattern).search("\u4e00\u5000\u4eff"));
  CHECK_FALSE(Matcher(pattern).search("\u4e00\u6000"));
}

TEST_CASE("pattern: a matcher is used again, and patterns outlive their first owner") {
  std::optional<Matcher> matcher;
  {
    const Pattern pattern = compiled("^(?:ab){1,90}$");
    matcher.emplace(pattern);
  }
  CHECK(matcher->search("abab"));
  CHECK_FALSE(matcher->search("aba"));
  Matcher moved = std::move(*matcher);
  CHECK(moved.search("ab"));
}
