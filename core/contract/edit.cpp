#include "core/contract/edit.hpp"

namespace plumb::contract {

namespace {

struct Row {
  std::string_view name;
  std::string_view title;
};

// In the order of EditClass.
constexpr Row rows[] = {
    {"fence", "remove the code fence around the artifact"},
    {"prose", "remove the text around the artifact"},
    {"thinking", "remove the thinking before the artifact"},
    {"severalValues", "remove what follows the first value"},
    {"envelope", "take the artifact out of the object around it"},
    {"comment", "remove a comment"},
    {"trailingComma", "remove the comma behind the last item or member"},
    {"missingComma", "put a comma between two items or members"},
    {"missingColon", "put a colon behind a key"},
    {"missingEnd", "close what is open where the text ends"},
    {"singleQuotes", "turn single quotes into double quotes"},
    {"typographicQuotes", "turn typographic quotes into double quotes"},
    {"innerQuote", "escape a quote inside a string"},
    {"controlInString", "escape a line break or tab in a string"},
    {"badEscape", "remove a backslash that escapes nothing"},
    {"unquotedKey", "put a key in quotes"},
    {"pythonLiteral", "turn a Python literal into a JSON literal"},
    {"missingZero", "put a zero before a decimal point"},
    {"oddSpace", "turn a no-break space into a space"},
    {"listOfOne", "make a single value a list of one"},
    {"numberInString", "take a number out of its string"},
    {"booleanInString", "take true or false out of its string"},
    {"enumSpelling", "write a text as the contract spells it"},
    {"doubleEncoded", "take the JSON out of a string"},
    {"nullMember", "leave out a member that is null"},
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
