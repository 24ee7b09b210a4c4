// Runs grammars of llama.cpp (GBNF), as far as core/derive writes them: does a text keep the grammar, and texts that
// do. For tests: everything is bounded, and a text or a grammar beyond the bounds is a problem told, never a guess.
//
//   Grammar grammar;
//   std::string problem = grammar.read("root ::= \"a\" [0-9]{1,3}");   // empty: it was read
//   grammar.allows("a12");                                             // Run::yes
//   grammar.sample(seed);                                              // "a0"
//
// The forms read: names, literals, classes with ranges and negation, ( ), |, *, +, ?, {n}, {n,}, {n,m}, comments.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace plumb::cases {

enum class Run : std::uint8_t { yes, no, unknown };

class Grammar {
 public:
  std::string read(std::string_view text);
  Run allows(std::string_view text) const;
  std::string sample(std::uint64_t seed) const;
  // How many rules it has.
  std::size_t size() const { return rules_.size(); }
  // The text of the string literals of the grammar, in order.
  const std::vector<std::string>& literals() const { return literals_; }

 private:
  enum class Kind : std::uint8_t { literal, set, rule, sequence, choice, repeat };
  struct Node {
    Kind kind = Kind::literal;
    std::string text;                                   // literal
    bool negated = false;                               // set
    std::vector<std::pair<char32_t, char32_t>> ranges;  // set
    std::size_t rule = 0;                               // rule
    std::vector<std::size_t> parts;                     // sequence, choice; one for repeat
    std::uint64_t min = 0;
    std::uint64_t max = 0;
  };
  struct Reader;
  struct Search;
  struct Sampler;

  std::vector<Node> nodes_;
  std::vector<std::size_t> rules_;  // the node of each
  std::map<std::string, std::size_t, std::less<>> rule_by_name_;
  std::vector<std::string> literals_;
  std::size_t root_ = 0;
};

}  // namespace plumb::cases
