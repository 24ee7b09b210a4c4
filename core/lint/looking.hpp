// What the parts of lint share: the contract, how its schemas are reached, and where findings go. Only core/lint uses
// it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/contract/program.hpp"
#include "core/lint/lint.hpp"

namespace plumb::lint {

using contract::InPlaceForm;
using contract::Kw;
using contract::Node;
using contract::Program;

// How a schema comes to have a say about a value.
enum class Place : unsigned char {
  value,      // by itself: the root, a member, an item
  beside,     // together with the schema that names it: allOf, then, a rule's check, dependentSchemas
  condition,  // only asked: if, not, contains, a branch of anyOf and oneOf
};

// A schema of the contract's own text.
struct Seen {
  const Node* node = nullptr;
  Place place = Place::value;
  bool surely = false;  // each artifact has such a value, or breaks another rule
};

class Looking {
 public:
  Looking(const Program& of, LintReport& report) : program(of), report_(report) {}

  const Program& program;
  std::vector<Seen> seen;  // each schema of the contract's text once, in the order of the text

  const Seen* find(const Node* node) const;
  // Whether the schema is reached from within its own values: a tree.
  bool in_itself(const Node* node) const;

  // A finding about a keyword of the schema, or about the schema itself where `keyword` is empty; `below` is a pointer
  // further down.
  LintFinding& add(std::string_view rule, const Node& node, std::string_view keyword, std::string message,
                   std::string_view below = {});

  // The member of a schema that a keyword is.
  static const json::Member* member(const Node& node, std::string_view keyword);
  // Takes a member out, with the comma and the white space that belong to it.
  static Edit removal(const json::Value& object, const json::Member& gone);
  static Edit removal(const json::Value& array, std::size_t item);
  static void remove(LintFinding& finding, const Node& node, std::string_view keyword, bool certain = true);

 private:
  LintReport& report_;
};

// The rules, by what they look at.
void look_at_bounds(Looking& looking);    // bounds.cpp: what can never hold, or never break
void look_at_lists(Looking& looking);     // lists.cpp: enum, const, repeated branches, examples
void look_at_presence(Looking& looking);  // presence.cpp: what may be missing
void look_at_size(Looking& looking);      // size.cpp: what has no end
void look_at_order(Looking& looking);     // order.cpp: members in an order that costs
void look_at_release(Looking& looking);   // release.cpp: what hold-back cannot keep
void look_at_targets(Looking& looking, const contract::Contract& contract,
                     const LintOptions& options);  // targets.cpp: what a derived target loses, what a prompt costs
void look_at_keywords(Looking& looking);           // unread.cpp: keywords that nobody reads, and the reader's warnings

}  // namespace plumb::lint
