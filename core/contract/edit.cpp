#include "core/contract/edit.hpp"

namespace plumb::contract {

namespace {

struct Row {
  std::string_view name;
  std::string_view title;
};

// In the order of EditClass.
constexpr Row rows[] = {
    {"fence", "the code fence around the artifact was removed"},
    {"prose", "text around the artifact was removed"},
    {"severalValues", "what follows the first value was removed"},
    {"envelope", "the object around the artifact was removed"},
    {"comment", "a comment was removed"},
    {"trailingComma", "a comma behind the last item or member was removed"},
    {"missingComma", "a comma was put between two items or members"},
    {"singleQuotes", "single quotes became double quotes"},
    {"typographicQuotes", "typographic quotes became double quotes"},
    {"innerQuote", "a quote inside a string was escaped"},
    {"unquotedKey", "a key was put in quotes"},
    {"pythonLiteral", "a Python literal became a JSON literal"},
    {"listOfOne", "a single value became a list of one"},
    {"numberInString", "a number in a string became a number"},
    {"enumSpelling", "a text became the allowed one that differs in case or white space"},
};
static_assert(sizeof(rows) / sizeof(rows[0]) == edit_classes, "a name for every class");

constexpr std::string_view levels[] = {"none", "certain", "guess"};

}  // namespace

std::string_view edit_class_name(EditClass c) { return rows[static_cast<std::size_t>(c)].name; }
std::string_view edit_class_title(EditClass c) { return rows[static_cast<std::size_t>(c)].title; }

EditClass edit_class_named(std::string_view name) {
  std::size_t i = 0;
  while (i < edit_classes && rows[i].name != name) {
    ++i;
  }
  return static_cast<EditClass>(i);
}

std::string_view edit_level_name(EditLevel level) {
  return level == EditLevel::unset ? std::string_view() : levels[static_cast<std::size_t>(level)];
}

EditLevel edit_level_named(std::string_view name) {
  std::size_t i = 0;
  while (i < 3 && levels[i] != name) {
    ++i;
  }
  return static_cast<EditLevel>(i);
}

}  // namespace plumb::contract
