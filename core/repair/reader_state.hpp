// What a Reader knows at one byte of the text. Private to it; reader.cpp has the theory.
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

// What a name of a program's begins with, and what a key without quotes is made of.
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
  behind,        // in text behind it
  dead           // nothing more can be made of the text
};

// An object or array that is open.
struct Level {
  bool object = false;
  bool wrapper = false;     // the list around a single value
  bool any_quoted = false;  // a key in double quotes was read
  bool item_fresh = false;  // the value read last began first on its line
  json::Kind last = json::Kind::null;
  std::uint64_t count = 0;          // items begun
  std::size_t edit = 0;             // wrapper: its edit
  std::string key;                  // the member being read
  std::vector<std::uint32_t> keys;  // of the first members: hashes of their keys
};

// What is known at a byte, but for what grows with the text.
struct Marks {
  At at = At::before;
  At back = At::before;      // where a comment returns to
  std::uint64_t pos = 0;     // bytes before it have been read
  std::uint64_t copied = 0;  // and before this one given out, or dropped
  std::uint64_t value_end = 0;
  std::uint64_t full_at = 0;   // where there were too many edits
  bool raw = false;            // an edit was refused: what follows goes out as it is
  bool mute = false;           // the judge has stopped: nothing more is given out
  bool fresh = true;           // nothing but white space since the line began
  bool gap_newline = false;    // a line ended since the last value
  bool quote_on_line = false;  // a string ended on this line
  bool plain_double = false;   // a string without apostrophe was in double quotes
  bool comma_last = false;     // the string read last ends with a comma
  bool scalar_root = false;    // the value that was read is no object or array
  bool sentence_last = false;  // the string read last ends as a sentence does
  bool list_checked = false;   // the value that begins was compared with "a list is asked"
  bool letter_last = false;    // the byte before this one, in a string, is a letter
  bool n_last = false;         // likewise, an n
  bool string_begun = false;   // nothing of the string has been read but its quote
  std::uint64_t key_end = 0;   // behind the key that was read last
  // The comment that is open.
  bool line_comment = false;
  bool comment_certain = false;
  // Text around the value, or the comment: where it began.
  json::Place text_from;
  bool text_bad = false;      // it may be something else than text
  bool text_several = false;  // it may be another value
  bool text_word = false;     // two letters in a row
  bool text_colon = false;    // its last visible byte is a colon
  unsigned letters = 0;
  std::uint64_t quotes = 0;
  std::size_t think = 0;  // which of the tags is open
  // The fence that is open.
  unsigned fence = 0;  // its length; 0: none
  char fence_mark = '`';
  std::size_t fence_edit = 0;
};

struct ReaderState : Marks {
  std::string text_kept;  // the first bytes of the text around the value, or of the comment
  std::vector<Level> levels;
  struct Offer {  // a list of one that was not made and waits for the end of its value
    std::size_t edit = 0;
    std::size_t depth = 0;
  };
  std::vector<Offer> offers;
  std::vector<contract::Edit> edits;
  OriginMap origins;
};

// An object around the artifact, while it is not known whether it is one.
struct Envelope {
  bool tried = false;
  bool open = false;
  enum class Kind : std::uint8_t {
    member,  // {"quiz": {...}}
    schema,  // {"type": "object", "properties": {...}}
    call     // {"name": "submit", "arguments": {...}}
  } kind = Kind::member;
  std::uint64_t from = 0;                 // where it opens
  std::uint64_t inner = 0;                // where the artifact in it begins
  std::string key;                        // the member that is the artifact
  std::vector<std::string_view> missing;  // what the artifact must have and has not yet
  // What to go back to, where it is none. Nothing is open there.
  struct {
    Marks marks;
    std::size_t edits = 0;
    OriginMap::Mark origins;
    json::Place place;
  } saved;
  std::string held;  // what would be given out
};

// A change that is to be made: bytes from `from` to `to` become `text`.
struct Part {
  std::uint64_t from = 0;
  std::uint64_t to = 0;
  std::string_view text;
};

// A token whose end is looked for, so that what was seen is not looked at again.
struct Scan {
  std::uint64_t token = ~std::uint64_t{0};
  std::uint64_t at = 0;
  bool quote_inside = false;
  bool backslash = false;
  bool control = false;      // a line break or tab was escaped in it
  bool inner_quote = false;  // a quote was
};

}  // namespace plumb::repair
