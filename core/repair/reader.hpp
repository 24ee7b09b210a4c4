// Reader: reads what a model wrote, and gives out strict JSON. It passes bytes on as they are, and makes edits if they
// are not valid JSON, or do not have the form that the contract requires. reader.cpp has the theory.
//
//   Reader reader(program, options, depth_max);
//   reader.read(bytes, false, output);    // any number of times, split anywhere
//   reader.read({}, true, output);        // the end
//   reader.edits(); reader.origins();
//
// The whole output, the edits and the map do not depend on how the bytes are split. Strict JSON passes unchanged,
// except for values that the contract certainly refuses in that form.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/repair/edit_options.hpp"
#include "core/repair/places.hpp"
#include "core/repair/reader_state.hpp"

namespace plumb::repair {

// Takes the edited text, piece by piece.
class Output {
 public:
  virtual void take(std::string_view text) = 0;

 protected:
  ~Output() = default;
};

class Reader {
 public:
  // Bounds, in bytes: how far a decision looks ahead, past comments too; the size of an oddly quoted text, and of an
  // envelope.
  static constexpr std::uint64_t look_max = 256;
  static constexpr std::uint64_t comments_max = 4096;
  static constexpr std::size_t keys_max = 1024;  // remembered keys of one object
  static constexpr std::uint64_t token_max = std::uint64_t{1} << 20;
  static constexpr std::uint64_t envelope_max = std::uint64_t{4} << 20;

  Reader(const contract::Program& program, const EditOptions& options, std::uint32_t depth_max);
  void reset();
  void read(std::string_view bytes, bool final, Output& output);

  std::vector<contract::Edit>& edits() { return r_.edits; }
  const OriginMap& origins() const { return r_.origins; }
  // True if an edit that the syntax needs was not made, or the text is beyond repair. The rest went out as it was.
  bool gave_up() const { return r_.raw || r_.mute; }
  // The place after which no more edits were made, because there were too many; 0 if there is none.
  std::uint64_t full_at() const { return r_.full_at; }

 private:
  enum class Look : std::uint8_t { found, ended, wait };
  using Class = contract::EditClass;

  // reader.cpp: the bytes in the window, the output, edits. A step reads on. It returns false if it needs more bytes,
  // or is done.
  bool step();
  std::uint64_t end() const { return base_ + window_.size(); }
  char byte(std::uint64_t i) const { return window_[static_cast<std::size_t>(i - base_)]; }
  std::string_view slice(std::uint64_t from, std::uint64_t to) const {
    return window_.substr(static_cast<std::size_t>(from - base_), static_cast<std::size_t>(to - from));
  }
  Look visible(std::uint64_t i, std::uint64_t& found) const;
  Look beyond_comments(std::uint64_t i, std::uint64_t& found) const;
  void take_space();
  void give(std::string_view text);
  void flush(std::uint64_t to);
  void change(std::uint64_t from, std::uint64_t to, std::string_view text);
  bool allowed(Class c, bool certain) const;
  bool edit(Class c, bool certain, std::initializer_list<Part> parts, std::string at) {
    return edit(c, certain, parts.begin(), parts.size(), std::move(at));
  }
  bool edit(Class c, bool certain, const Part* parts, std::size_t count, std::string at);
  contract::Edit& record(Class c, bool certain, bool applied, const json::Place& from, const json::Place& to,
                         const Part* parts, std::size_t count);
  bool removed(Class c, bool certain, bool applied, const json::Place& from, const json::Place& to);
  void add_change(std::size_t index, std::uint64_t from, std::uint64_t to, std::string_view text);
  std::string pointer(bool of_value) const;
  bool fail();
  OriginMap::Window window() const { return {window_, base_}; }

  // reader_values.cpp, reader_between.cpp: the grammar inside the value.
  bool step_value();
  bool step_item();
  bool step_key();
  bool step_colon();
  bool step_after();
  bool step_number();
  bool step_comment();
  bool begin_comment(At back);
  bool comment_begins(std::uint64_t i, bool& wait) const;
  bool missing_comma(std::uint64_t i);
  Look extra_comma(std::uint64_t comma, std::uint64_t next, bool& done);
  Look fits_around(std::uint64_t i, bool& fits) const;
  Look wrong_bracket(std::uint64_t i, bool& done);
  Look ellipsis(std::uint64_t from, std::uint64_t i, bool& done);
  unsigned ellipsis_size(std::uint64_t i, bool& wait) const;
  Look null_member(std::uint64_t from, std::uint64_t key, bool& done);
  bool trailing_is_certain(std::uint64_t comma, std::uint64_t bracket) const;
  void open(bool object);
  void close();
  void value_ended(json::Kind kind);
  bool list_of_one(char first);
  bool word();
  bool missing_colon();
  Look odd_space(std::uint64_t i, unsigned& size) const;
  Look mend_space();
  void offer_end();

  // reader_strings.cpp, reader_quotes.cpp, reader_keys.cpp: strings, quotes of other kinds, keys.
  bool step_string();
  bool begin_string();
  Look closes(std::uint64_t quote, bool& yes) const;
  Look string_end(std::uint64_t open, std::uint64_t most, std::uint64_t& behind);
  Look by_contract(bool& done);
  Look encoded_twice(bool& done);
  bool step_escape(std::uint64_t at);
  Look joins(std::uint64_t quote, std::uint64_t& behind, bool& plus) const;
  bool escaped_quotes(bool key);
  bool step_control(std::uint64_t at);
  bool other_quotes(bool key);
  unsigned opening_quote(std::uint64_t i) const;
  bool quoted_key();
  bool bare_key();
  void key_read(std::string_view raw, bool backslash);
  std::string mend_key(std::uint64_t from, std::uint64_t to);

  // reader_around.cpp: fences, and text before and after the value.
  bool step_before();
  Look thinking_begins(std::size_t& tag) const;
  bool step_thinking();
  bool step_prose();
  bool step_after_root();
  bool step_behind();
  bool fence_holds_json(std::uint64_t line_end, unsigned ticks) const;
  void open_fence(std::uint64_t line_end, unsigned ticks);
  Look value_begins(std::uint64_t i, bool isolated, bool& yes) const;
  Look fence_line(std::uint64_t i, std::uint64_t& line_end, unsigned& ticks) const;
  void begin_text(At at);
  void note_text(char c);
  void refuse_text();
  void end_prose();
  void end_behind();
  bool literal_alone(bool& wait) const;

  // reader_envelope.cpp
  Look envelope_begins(std::uint64_t i, std::uint64_t& inner);
  bool step_envelope_end();
  Look look_past(std::uint64_t i, std::uint64_t& behind) const;
  void forget_envelope();

  EditOptions options_;
  std::uint32_t depth_max_;
  Places places_;
  ReaderState r_;
  Envelope envelope_;
  Scan scan_;
  std::string_view window_;  // the available bytes,
  std::uint64_t base_ = 0;   // from this offset on
  bool final_ = false;
  std::string kept_;  // bytes of earlier pieces that are still needed
  Output* output_ = nullptr;
};

}  // namespace plumb::repair
