// Edits: what was changed in a text, or could be, so that what a model wrote can be judged as JSON. Here is the record
// that a verdict carries and that a contract's `edits` keyword speaks of; core/repair makes them.
//
// An edit is certain where the bytes allow no other plausible reading, else a guess. Guesses are made only where they
// are allowed; an edit that was not made is an offer.
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
  prose,               // text before or behind it
  thinking,            // <think> ... </think> before it
  several_values,      // a second value behind the first
  envelope,            // {"quiz": {...}}, {"type": "object", "properties": {...}}, {"name": ..., "arguments": {...}}
  comment,             // // ... , /* ... */ , # ...
  trailing_comma,      // behind the last item or member
  missing_comma,       // between two of them
  missing_colon,       // between a key and its value
  missing_end,         // of what is open where the text ends; only ever offered
  single_quotes,       // 'text'
  typographic_quotes,  // “text” or ‘text’
  inner_quote,         // "he said "hi" there"
  control_in_string,   // a line break or tab as it is
  bad_escape,          // "it\'s"
  unquoted_key,        // {name: 1}
  python_literal,      // True, False, None
  missing_zero,        // .5
  odd_space,           // a no-break space between tokens
  list_of_one,         // a single value where a list is asked
  number_in_string,    // "5" where a number is asked
  boolean_in_string,   // "true" where a boolean is asked
  enum_spelling,       // an enum's member but for case and white space
  double_encoded,      // "{\"n\": 1}" where an object is asked
  null_member,         // null for a member that may be left out and may not be null
  count_
};
inline constexpr std::size_t edit_classes = static_cast<std::size_t>(EditClass::count_);

std::string_view edit_class_name(EditClass c);      // "trailingComma"
EditClass edit_class_named(std::string_view name);  // count_ when there is none
std::string_view edit_class_title(EditClass c);     // "remove a comment"

// Which edits may be made: none, those that are certain, guesses too.
enum class EditLevel : std::uint8_t { none, certain, guess, unset };
std::string_view edit_level_name(EditLevel level);
EditLevel edit_level_named(std::string_view name);  // unset when there is none

// A level for each class; `unset` leaves it to whoever else has a say.
struct EditLevels {
  std::array<EditLevel, edit_classes> of;
  EditLevels() { of.fill(EditLevel::unset); }
  EditLevel& operator[](EditClass c) { return of[static_cast<std::size_t>(c)]; }
  EditLevel operator[](EditClass c) const { return of[static_cast<std::size_t>(c)]; }
};

// Bytes of the original from `from` to `to` become `text`. All changes of the edits that were made, in the order of
// `from`, then of `to`, then of the edits, give the edited text.
struct Change {
  std::uint64_t from = 0;
  std::uint64_t to = 0;
  std::string text;
};

struct Edit {
  EditClass edit_class = EditClass::prose;
  bool certain = false;
  bool applied = false;         // else offered: what was judged does not have it
  std::string at;               // JSON Pointer of the value concerned
  Span span;                    // in the original, from the first change to the last
  std::vector<Change> changes;  // in the order of the text
  std::string patch;            // JSON Patch (RFC 6902) where the value changes and the patch is small, else empty
};

// Renderers list so many edits of a verdict and count the others.
inline constexpr std::size_t edits_shown_max = 1000;

}  // namespace plumb::contract
