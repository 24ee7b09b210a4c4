// Findings about stories, in the form that every report knows (core/contract/finding.hpp): `at` is the node
// (/nodes/ID) or the place in the outline, `item` the node's id, `schemaLocation` the stage and phase that found it
// (/stages/grow/validation), and the span is in the text that an author can mend, where that is known.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/contract/verdict.hpp"

namespace plumb::story {

struct Book;

// A node's place in the author's text: half-open bytes and the JSON Pointer.
struct TextPlace {
  std::uint64_t from = 0;
  std::uint64_t to = 0;
  std::string pointer;
};
using Places = std::map<std::string, TextPlace, std::less<>>;  // by node id

// Lines and columns of a byte range in a text.
contract::Span span_of(std::string_view text, std::uint64_t from, std::uint64_t to);

class Findings {
 public:
  // `stage_phase`: "grow/validation".
  explicit Findings(std::string stage_phase) : where_(std::move(stage_phase)) {}

  contract::Finding& add(std::string rule, contract::Severity severity, contract::FindingClass finding_class,
                         std::string_view node, std::string message);
  contract::Finding& error(std::string rule, contract::FindingClass c, std::string_view node, std::string message) {
    return add(std::move(rule), contract::Severity::error, c, node, std::move(message));
  }
  contract::Finding& warning(std::string rule, contract::FindingClass c, std::string_view node, std::string message) {
    return add(std::move(rule), contract::Severity::warning, c, node, std::move(message));
  }
  const std::vector<contract::Finding>& all() const { return all_; }
  std::vector<contract::Finding>& all() { return all_; }

 private:
  std::string where_;
  std::vector<contract::Finding> all_;
};

// Findings without a span get that of their node's place in the text.
void locate(std::vector<contract::Finding>& findings, const Places& places, std::string_view text);
// `valid` and the decision as findings and undecided parts give them; findings are numbered.
void settle(contract::Verdict& verdict);

// A node's name as its author writes it: of a path, an answer and a codeword "lamp/keep", of an arc "lamp/keep +
// coat/wear", else the id without its type.
std::string authors_name(std::string_view id);

// The same of a codeword of the book, where it is an answer's.
std::string authors_word(const Book& book, const std::string& name);

// "a, b, c and 4 more", at most `shown`.
std::string some_of(const std::vector<std::string>& names, std::size_t shown = 5);

}  // namespace plumb::story
