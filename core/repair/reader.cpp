// The theory of edits.
//
// The reader is an automaton over the grammar of JSON, extended by what models are known to write. If the next visible
// byte fits the grammar, it is passed on. If not, the reader looks for an edit that makes it fit, and asks two
// questions: is the edit certain, and is it allowed here? An allowed edit is made, and the output continues as strict
// JSON. An edit that is not allowed is recorded as an offer, and from its place on all bytes go out as they are
// (`raw`). Every edit of the text repairs a place where strict JSON is broken, so the judge finds its syntax error
// there. The reader reads on as if the edit had been made, to find further offers. Edits for the contract's sake (a
// list of one, a number in a string, a spelling) repair no syntax; without them the text continues as it is.
//
// An edit is certain if no other plausible text gives these bytes. Besides the habits of models, this considers damage
// to bytes: one is lost, added, changed or swapped with its neighbour, or the backslashes before the quotes of one
// string are lost. So
//  - beside a number nothing about commas is certain: [12,3] with two bytes swapped is [1,2 3];
//  - a comma is missing after a string only where a line ends, because a string cannot contain the line end; and not
//    where a comma is the string's last character or the next one's first;
//  - a comma too many directly after a string may be the string's own, unless the string ends as a sentence does;
//  - a comma too many in an array is certain if no number may be there, or if the layout shows that nothing is lost;
//  - a quote inside a string is always a guess; so is an edit that makes sense only if a string has ended where it may
//    not have: comments with quotes in them, other quotes, or keys without quotes among plain ones;
//  - text around the artifact must look like text: words, and no brackets or odd quotes;
//  - the end of the text closes nothing: open containers stay open, and the judge reports that the text was cut off.
//
// Splits change nothing: a decision is made only when all bytes it needs are there, or the text has ended (until then
// it is `wait`), and it looks at a bounded number of bytes. An envelope around the artifact is decided at its end.
// Until then the output is held back, and the text is read again from the envelope's beginning if it was none.

#include "core/repair/reader.hpp"

#include <algorithm>

#include "core/ascii.hpp"
#include "core/json/pointer.hpp"
#include "core/json/scan_simd.hpp"
#include "core/require.hpp"

namespace plumb::repair {

using contract::Edit;
using contract::EditLevel;

Reader::Reader(const contract::Program& program, const EditOptions& options, std::uint32_t depth_max)
    : options_(options), depth_max_(depth_max), places_(program) {}

void Reader::reset() {
  places_.reset();
  r_ = ReaderState();
  envelope_ = Envelope();
  scan_ = Scan();
  base_ = 0;
  final_ = false;
  std::string().swap(kept_);
}

void Reader::read(std::string_view bytes, bool final, Output& output) {
  output_ = &output;
  final_ = final;
  const bool direct = kept_.empty();
  if (!direct) {
    kept_.append(bytes);
  }
  window_ = direct ? bytes : std::string_view(kept_);
  for (;;) {
    while (step()) {
    }
    if (envelope_.open && (final || r_.pos - envelope_.from > envelope_max)) {
      forget_envelope();
      continue;
    }
    break;
  }
  PLUMB_REQUIRE(!final || r_.pos == end(), "the whole text has been read");
  flush(r_.pos);
  if (final) {
    offer_end();
  }
  const std::uint64_t needed = envelope_.open ? envelope_.from : r_.pos;
  const std::size_t gone = static_cast<std::size_t>(needed - base_);
  r_.origins.place(window(), std::max(r_.pos, needed));
  if (direct) {
    kept_.assign(bytes.substr(gone));
    base_ += gone;
  } else if (gone == kept_.size() || gone > 4096) {
    kept_.erase(0, gone);
    base_ += gone;
  }
  window_ = {};
}

bool Reader::step() {
  if (r_.pos == end() && !final_) {
    return false;
  }
  switch (r_.at) {
    case At::before:
      return step_before();
    case At::thinking:
      return step_thinking();
    case At::prose:
      return step_prose();
    case At::value:
      return step_value();
    case At::item:
      return step_item();
    case At::first_key:
    case At::key:
      return step_key();
    case At::colon:
      return step_colon();
    case At::after:
      return step_after();
    case At::string:
      return step_string();
    case At::number:
      return step_number();
    case At::comment:
      return step_comment();
    case At::envelope_end:
      return step_envelope_end();
    case At::after_root:
      return step_after_root();
    case At::behind:
      return step_behind();
    case At::dead:
      r_.pos = end();
      return false;
  }
  return false;
}

// Finds the first byte from `i` on that is not white space. If there is more white space than it may look at, finds
// the byte after the bound.
Reader::Look Reader::visible(std::uint64_t i, std::uint64_t& found) const {
  const std::uint64_t most = std::min(end(), i + look_max);
  for (found = i;;) {
    const char* const from = window_.data() + (found - base_);
    const char* const to = window_.data() + (most - base_);
    found += static_cast<std::uint64_t>(json::skip_space(from, to) - from);
    if (found >= most) {
      return found < end() ? Look::found : final_ ? Look::ended : Look::wait;
    }
    unsigned size = 0;
    const Look look = odd_space(found, size);
    if (look != Look::found) {
      return look == Look::wait ? look : Look::found;
    }
    found += size;
  }
}

// The size of a no-break space, or of another space that JSON does not have between tokens, at `i`. Otherwise `ended`.
Reader::Look Reader::odd_space(std::uint64_t i, unsigned& size) const {
  const auto lead = static_cast<unsigned char>(byte(i));
  if (lead != 0xC2 && lead != 0xE2 && lead != 0xE3) {
    return Look::ended;
  }
  size = lead == 0xC2 ? 2 : 3;
  if (end() - i < size) {
    return final_ ? Look::ended : Look::wait;
  }
  const std::string_view bytes = slice(i, i + size);
  const bool odd = bytes == "\xC2\xA0" || bytes == "\xE2\x80\xAF" || bytes == "\xE2\x80\x89" || bytes == "\xE3\x80\x80";
  return odd ? Look::found : Look::ended;
}

// Between two tokens: passes white space up to the first such space, and replaces that by a plain space. `ended`:
// there is none.
Reader::Look Reader::mend_space() {
  std::uint64_t i = r_.pos;
  while (i != end() && ascii::is_space(byte(i))) {
    ++i;
  }
  unsigned size = 0;
  const Look odd = i == end() ? Look::ended : odd_space(i, size);
  if (odd != Look::found) {
    return odd;
  }
  take_space();
  edit(Class::odd_space, true, {{r_.pos, r_.pos + size, " "}}, pointer(false));
  r_.pos += size;
  return odd;
}

// The same, but comments are passed over too.
Reader::Look Reader::beyond_comments(std::uint64_t i, std::uint64_t& found) const {
  const std::uint64_t most = i + comments_max;
  for (;;) {
    const Look look = visible(i, found);
    if (look != Look::found || found >= most) {
      return look;
    }
    bool wait = false;
    if (!comment_begins(found, wait)) {
      return wait ? Look::wait : look;
    }
    const bool line = byte(found) == '#' || byte(found + 1) == '/';
    std::uint64_t p = found + (line ? 1 : 2);
    for (;; ++p) {
      if (p >= end()) {
        return final_ ? Look::ended : Look::wait;
      }
      if (p >= most) {
        return Look::found;  // too long, so the result is the comment
      }
      if (line ? byte(p) == '\n' || byte(p) == '\r' : byte(p) == '/' && byte(p - 1) == '*' && p > found + 2) {
        break;
      }
    }
    i = line ? p : p + 1;
  }
}

void Reader::take_space() {
  const char* const from = window_.data() + (r_.pos - base_);
  const char* const to = window_.data() + window_.size();
  const char* const stop = json::skip_space(from, to);
  for (const char* p = from; p != stop; ++p) {
    if (*p == '\n' || *p == '\r') {
      r_.fresh = true;
      r_.gap_newline = true;
      r_.quote_on_line = false;
      break;
    }
  }
  r_.pos += static_cast<std::uint64_t>(stop - from);
}

// ---------------------------------------------------------------- output

void Reader::give(std::string_view text) {
  if (text.empty() || r_.mute) {
    return;
  }
  if (envelope_.open) {
    envelope_.held.append(text);
  } else {
    output_->take(text);
  }
}

void Reader::flush(std::uint64_t to) {
  if (r_.copied >= to) {
    return;
  }
  if (!r_.mute) {
    r_.origins.copy(window(), r_.copied, to);
    give(slice(r_.copied, to));
  }
  r_.copied = to;
}

// Replaces the original's bytes [from, to), which must be in the window, by `text`.
void Reader::change(std::uint64_t from, std::uint64_t to, std::string_view text) {
  flush(from);
  const json::Place begin = r_.origins.place(window(), from);
  const json::Place behind = r_.origins.place(window(), to);
  if (!r_.mute) {
    r_.origins.insert(text, begin, behind);
    give(text);
  }
  r_.copied = to;
}

bool Reader::allowed(Class c, bool certain) const {
  EditLevel level = options_.classes[c];
  if (level == EditLevel::unset) {
    level = places_.level(c);
  }
  if (level == EditLevel::unset) {
    level = options_.level;
  }
  return level == EditLevel::guess || (certain && level == EditLevel::certain);
}

Edit& Reader::record(Class c, bool certain, bool applied, const json::Place& from, const json::Place& to,
                     const Part* parts, std::size_t count) {
  Edit& one = r_.edits.emplace_back();
  one.edit_class = c;
  one.certain = certain;
  one.applied = applied;
  one.span = {from.byte, to.byte, from.utf16, to.utf16, from.line, from.column, to.line, to.column};
  for (std::size_t i = 0; i < count; ++i) {
    one.changes.push_back({parts[i].from, parts[i].to, std::string(parts[i].text)});
  }
  return one;
}

// Records that the bytes between two places, which were read, are removed or offered for removal.
bool Reader::removed(Class c, bool certain, bool applied, const json::Place& from, const json::Place& to) {
  const Part part = {from.byte, to.byte, ""};
  record(c, certain, applied, from, to, &part, 1);
  return applied;
}

// Makes or offers an edit of bytes in the window. True if it was made.
bool Reader::edit(Class c, bool certain, const Part* parts, std::size_t count, std::string at) {
  const bool form = c >= Class::list_of_one;  // repairs no syntax
  if (r_.edits.size() >= options_.edits_max) {
    if (r_.full_at == 0) {
      r_.full_at = parts[0].from + 1;
    }
    r_.raw = r_.raw || !form;
    return false;
  }
  const std::uint64_t to = parts[count - 1].to;
  const bool made = !r_.raw && allowed(c, certain);
  if (!made && !form) {
    r_.raw = true;
  }
  flush(parts[0].from);
  const json::Place begin = r_.origins.place(window(), parts[0].from);
  for (std::size_t i = 0; made && i < count; ++i) {
    change(parts[i].from, parts[i].to, parts[i].text);
  }
  record(c, certain, made, begin, r_.origins.ahead(window(), to), parts, count).at = std::move(at);
  return made;
}

// Adds a change to an edit that was recorded. It is made if the edit was made.
void Reader::add_change(std::size_t index, std::uint64_t from, std::uint64_t to, std::string_view text) {
  if (r_.edits[index].applied && !r_.raw) {
    change(from, to, text);
  } else {
    flush(to);
  }
  const json::Place behind = r_.origins.place(window(), to);
  Edit& one = r_.edits[index];
  one.changes.push_back({from, to, std::string(text)});
  one.span.to = behind.byte;
  one.span.utf16_to = behind.utf16;
  one.span.line_to = behind.line;
  one.span.column_to = behind.column;
}

// JSON Pointer of the open container, or of the value in it that is being read.
std::string Reader::pointer(bool of_value) const {
  std::string out;
  for (std::size_t i = 0; i + (of_value ? 0 : 1) < r_.levels.size(); ++i) {
    const Level& level = r_.levels[i];
    if (level.object) {
      json::append_token(out, level.key);
    } else {
      json::append_token(out, level.count == 0 ? 0 : level.count - 1);
    }
  }
  return out;
}

// The text has ended after a value inside open containers. Offers the brackets that would close them. This is never
// done, because nobody knows what was cut off.
void Reader::offer_end() {
  const bool offered = !r_.edits.empty() && r_.edits.back().edit_class == Class::missing_end;
  if (offered || r_.at != At::after || r_.raw || r_.mute || r_.edits.size() >= options_.edits_max) {
    return;
  }
  std::string closing;
  for (std::size_t i = r_.levels.size(); i-- > 0;) {
    closing += r_.levels[i].object ? '}' : ']';
    if (r_.levels[i].wrapper) {
      return;
    }
  }
  const json::Place place = r_.origins.place(window(), r_.pos);
  const Part part = {r_.pos, r_.pos, closing};
  record(Class::missing_end, false, false, place, place, &part, 1);
}

// Gives up: nothing can be made of these bytes.
bool Reader::fail() {
  r_.raw = true;
  r_.at = At::dead;
  return true;
}

}  // namespace plumb::repair
