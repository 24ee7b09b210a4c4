// What a contract asks beyond its shape, told in words and in reading order: lines for prompts and pages.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/derive/form.hpp"
#include "core/derive/schema_graph.hpp"

namespace plumb::derive {

// What the schemas of a form ask of its value besides shape: "at least 4 items". In the contract's own words where it
// has some. Without `rules`.
// Without `own_counts`, "Must have 4 questions" is "4 questions", as the rules beside it are.
std::vector<std::string> check_texts(const SchemaGraph& graph, const Form& form, bool own_counts = true);

// A schema in words, as far as it speaks of members and their values: "`query` not blank". Empty for what is too deep.
std::vector<std::string> schema_texts(const SchemaGraph& graph, SchemaId id);
// The same of what `if` asks.
std::vector<std::string> condition_texts(const SchemaGraph& graph, SchemaId id);

struct RuleText {
  std::string id;
  std::string title;
  std::string asks;    // the question, or what the check asks
  std::string action;  // what to do instead
  std::string at;      // the place in an artifact, as far as the contract tells: "questions/*"
  std::string where;   // a condition: "`decision` exactly \"continue\""
  bool blocks = false;
};

// The lines of all `rules` that the root leads to.
std::vector<RuleText> rule_texts(const SchemaGraph& graph);

struct MessageText {
  std::string at;
  std::string keyword;
  std::string text;
};
std::vector<MessageText> message_texts(const SchemaGraph& graph);

// The first simple value of a form, compact JSON: for examples. Not more than 4,000 bytes; empty where there is none.
std::string example_text(const Forms& forms, FormId id);

}  // namespace plumb::derive
