#include "core/contract/edit.hpp"

#include <iterator>

namespace plumb::contract {

namespace {

// In the order of EditClass. Titles stand apart, for programs that show none.
constexpr std::string_view names[] = {
    "fence",          "prose",           "thinking",     "severalValues",     "envelope",
    "comment",        "trailingComma",   "extraComma",   "missingComma",      "missingColon",
    "wrongBracket",   "missingEnd",      "singleQuotes", "typographicQuotes", "innerQuote",
    "joinedStrings",  "controlInString", "badEscape",    "escapedQuotes",     "unquotedKey",
    "pythonLiteral",  "missingZero",     "oddSpace",     "ellipsis",          "listOfOne",
    "numberInString", "booleanInString", "enumSpelling", "doubleEncoded",     "nullMember",
    "suspectEscape",
};
constexpr std::string_view titles[] = {
    "remove the code fence around the artifact",
    "remove the text around the artifact",
    "remove the thinking before the artifact",
    "remove what follows the first value",
    "take the artifact out of the object around it",
    "remove a comment",
    "remove the comma behind the last item or member",
    "remove a comma after a comma",
    "put a comma between two items or members",
    "put a colon behind a key",
    "replace a closing bracket by the one that fits",
    "close what is open where the text ends",
    "turn single quotes into double quotes",
    "turn typographic quotes into double quotes",
    "escape a quote inside a string",
    "join two strings that have a plus between them",
    "escape a line break or tab in a string",
    "remove or double a backslash that begins no escape",
    "take the backslashes off the quotes of a key or string",
    "put a key in quotes",
    "turn a Python literal into a JSON literal",
    "put a zero before a decimal point",
    "turn a no-break space into a space",
    "remove dots that stand for something left out",
    "make a single value a list of one",
    "take a number out of its string",
    "take true or false out of its string",
    "write a text as the contract spells it",
    "take the JSON out of a string",
    "leave out a member that is null",
    "double a backslash that gives a control character",
};
static_assert(std::size(names) == edit_classes && std::size(titles) == edit_classes, "both for every class");

constexpr std::string_view levels[] = {"none", "certain", "guess"};

}  // namespace

std::string_view edit_class_name(EditClass c) { return names[static_cast<std::size_t>(c)]; }
std::string_view edit_class_title(EditClass c) { return titles[static_cast<std::size_t>(c)]; }

EditClass edit_class_named(std::string_view name) {
  std::size_t i = 0;
  while (i < edit_classes && names[i] != name) {
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
