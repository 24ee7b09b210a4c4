// ReaderState: everything that a Reader knows at one byte of the text. Internal to Reader; reader.cpp has the theory.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/ascii.hpp"
#include "core/contract/edit.hpp"
#include "core/json/value.hpp"
#include "core/repair/origin_map.hpp"

namespace plumb::repair {

// The characters that begin a name in programs, and those of a key without quotes.
constexpr bool is_name_begin(char c) { return ascii::is_letter(c) || c == '_' || c == '$'; }
constexpr bool is_key_character(char c) { return is_name_begin(c) || ascii::is_digit(c) || c == '-'; }

enum class At : std::uint8_t {
  before,        // before the value, also inside a fence
  thinking,      // in <think> ... </think> before it
  prose,         // in text before it
  value,         // where the root or a member's value begins
  item,          // where an item begins, or the array ends
  first_key,     // after {
  key,           // after a comma in an object
  colon,         // after a key
  after,         // after a member or item
  string,        // in a string
  number,        // in a number
  comment,       // in a comment
  envelope_end,  // after the inner value of an envelope
  after_root,    // after the value
  behind,        // in text after the value
  dead           // the text is beyond repair
};

// An object or array that is open.
struct Level {
  bool object = false;
  bool wrapper = false;     // the list that an edit puts around a single value
  bool any_quoted = false;  // a key in double quotes was read
  bool item_fresh = false;  // the last value that was read is the first on its line
  json::Kind last = json::Kind::null;
  std::uint64_t count = 0;          // members or items begun
  std::size_t edit = 0;             // wrapper: index of its edit
  std::string key;                  // the member that is being read
  std::vector<std::uint32_t> keys;  // hashes of the keys of its first members
};

// The part of the state whose size is fixed.
struct Marks {
  At at = At::before;
  At back = At::before;      // where the reader is after a comment
  std::uint64_t pos = 0;     // bytes before this offset have been read
  std::uint64_t copied = 0;  // bytes before this offset have been given out or dropped
  std::uint64_t value_end = 0;
  std::uint64_t full_at = 0;   // where there were too many edits; 0: nowhere
  bool raw = false;            // an edit was refused, so the rest goes out as it is
  bool mute = false;           // the judge has stopped, so nothing more is given out
  bool fresh = true;           // only white space since the line began
  bool gap_newline = false;    // a line ended since the last value
  bool quote_on_line = false;  // a string ended on this line
  bool plain_double = false;   // a string without apostrophe was in double quotes
  bool comma_last = false;     // the last string ends with a comma
  bool scalar_root = false;    // the root is neither an object nor an array
  bool sentence_last = false;  // the last string ends as a sentence does
  bool list_checked = false;   // the value that begins was tested for EditClass::list_of_one
  bool letter_last = false;    // the previous byte, in a string, is a letter
  bool n_last = false;         // the previous byte is an n
  bool string_begun = false;   // only the opening quote of the string was read
  std::uint64_t sign_at = 0;   // behind the last sign of TeX in the string; 0: none
  std::uint64_t key_end = 0;   // after the last key
  // The open comment.
  bool line_comment = false;
  bool comment_certain = false;
  // The text around the value, or the comment: where it begins.
  json::Place text_from;
  bool text_bad = false;      // it may be something other than text
  bool text_several = false;  // it may be another value
  bool text_word = false;     // two letters in a row
  bool text_colon = false;    // its last visible byte is a colon
  unsigned letters = 0;
  std::uint64_t quotes = 0;
  std::size_t think = 0;  // index of the open tag
  // The open fence.
  unsigned fence = 0;  // its length; 0: none
  char fence_mark = '`';
  std::size_t fence_edit = 0;
};

struct ReaderState : Marks {
  std::string text_kept;  // the first bytes of the text around the value, or of the comment
  std::vector<Level> levels;
  struct Offer {  // a list of one that is only offered, and waits for the end of its value
    std::size_t edit = 0;
    std::size_t depth = 0;
  };
  std::vector<Offer> offers;
  std::vector<contract::Edit> edits;
  OriginMap origins;
};

// An object around the artifact, while it is not certain that it is an envelope.
struct Envelope {
  bool tried = false;
  bool open = false;
  enum class Kind : std::uint8_t {
    member,  // {"quiz": {...}}
    schema,  // {"type": "object", "properties": {...}}
    call     // {"name": "submit", "arguments": {...}}
  } kind = Kind::member;
  std::uint64_t from = 0;                 // where it opens
  std::uint64_t inner = 0;                // where the artifact inside begins
  std::string key;                        // the member that contains the artifact
  std::vector<std::string_view> missing;  // members that the artifact must have, and does not have yet
  // The state to return to if it is not an envelope. No container is open then.
  struct {
    Marks marks;
    std::size_t edits = 0;
    OriginMap::Mark origins;
    json::Place place;
  } saved;
  std::string held;  // the output that is held back
};

// A change to make: the bytes [from, to) become `text`.
struct Part {
  std::uint64_t from = 0;
  std::uint64_t to = 0;
  std::string_view text;
};

// The token whose end is looked for, and what was seen in it, so that no byte is looked at again.
struct Scan {
  std::uint64_t token = ~std::uint64_t{0};
  std::uint64_t at = 0;
  bool quote_inside = false;
  bool backslash = false;
  bool control = false;      // a line break or tab was escaped in it
  bool inner_quote = false;  // a quote was escaped in it
};

}  // namespace plumb::repair
