// Edits: what was changed, or could be changed, in a model's text so that it can be judged as JSON. This header has
// the record that a verdict carries and that the keyword `edits` refers to. core/repair makes edits.
//
// An edit is certain if the bytes allow no other plausible reading; otherwise it is a guess. Guesses are made only if
// the contract or the caller allows them. An edit that was not made is an offer.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/contract/finding.hpp"

namespace plumb::contract {

enum class EditClass : std::uint8_t {
  fence,               // ```json ... ``` around the artifact
  prose,               // text before or after it
  thinking,            // <think> ... </think> before it
  several_values,      // a second value after the first
  envelope,            // {"quiz": {...}}, {"type": "object", "properties": {...}}, {"name": ..., "arguments": {...}}
  comment,             // // ... , /* ... */ , # ...
  trailing_comma,      // after the last item or member
  extra_comma,         // after another comma
  missing_comma,       // between two items or members
  missing_colon,       // between a key and its value
  wrong_bracket,       // } for ], or ] for }
  missing_end,         // the end of whatever is open where the text ends; only ever offered
  single_quotes,       // 'text'
  typographic_quotes,  // “text” or ‘text’
  inner_quote,         // "he said "hi" there"
  joined_strings,      // "one" + "two"
  control_in_string,   // an unescaped line break or tab
  bad_escape,          // "it\'s", "\mathrm"
  escaped_quotes,      // {\"name\": 1}
  unquoted_key,        // {name: 1}
  python_literal,      // True, False, None
  missing_zero,        // .5
  odd_space,           // a no-break space between tokens
  ellipsis,            // ... for items or members that were left out
  list_of_one,         // a single value where a list is required
  number_in_string,    // "5" where a number is required
  boolean_in_string,   // "true" where a boolean is required
  enum_spelling,       // a member of an enum, except for case and white space
  double_encoded,      // "{\"n\": 1}" where an object is required
  null_member,         // null for an optional member that may not be null
  suspect_escape,      // "$3 \times 4$": \t is a tab, where \\times was probably meant
  count_
};
inline constexpr std::size_t edit_classes = static_cast<std::size_t>(EditClass::count_);

std::string_view edit_class_name(EditClass c);      // "trailingComma"
EditClass edit_class_named(std::string_view name);  // count_ if there is none
std::string_view edit_class_title(EditClass c);     // "remove a comment"

// The edits that may be made: none, certain ones, or guesses too.
enum class EditLevel : std::uint8_t { none, certain, guess, unset };
std::string_view edit_level_name(EditLevel level);
EditLevel edit_level_named(std::string_view name);  // unset if there is none

// A level per class. `unset` leaves the decision to the next source of levels.
struct EditLevels {
  std::array<EditLevel, edit_classes> of;
  EditLevels() { of.fill(EditLevel::unset); }
  EditLevel& operator[](EditClass c) { return of[static_cast<std::size_t>(c)]; }
  EditLevel operator[](EditClass c) const { return of[static_cast<std::size_t>(c)]; }
};

// Replaces the original's bytes [from, to) by `text`. To get the edited text, apply all changes of the edits that were
// made, in the order of `from`, then of `to`, then of the edits.
struct Change {
  std::uint64_t from = 0;
  std::uint64_t to = 0;
  std::string text;
};

struct Edit {
  EditClass edit_class = EditClass::prose;
  bool certain = false;
  bool applied = false;         // otherwise the edit is offered, and the judged text does not have it
  std::string at;               // JSON Pointer of the value that it concerns
  Span span;                    // in the original, from the first change to the last
  std::vector<Change> changes;  // in the order of the text
  std::string patch;            // JSON Patch (RFC 6902) if a value changes and the patch is small, else empty
};

// The number of edits that renderers list. They count the others.
inline constexpr std::size_t edits_shown_max = 1000;

}  // namespace plumb::contract
