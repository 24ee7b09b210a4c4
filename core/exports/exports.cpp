#include "core/exports/exports.hpp"

#include <array>

#include "core/exports/writers.hpp"
#include "core/json/pointer.hpp"
#include "core/text/utf8.hpp"
#include "core/wording.hpp"

namespace plumb::exports {

namespace {

using json::Kind;
using json::Value;

struct Row {
  Format format;
  Result<std::string> (*write)(const Value& artifact, const Value& run);
};

template <Result<std::string> (*writer)(const Value&)>
Result<std::string> without_run(const Value& artifact, const Value&) {
  return writer(artifact);
}

constexpr std::array<Row, 7> rows = {{
    {{"gift", "quiz", ".gift.txt", "text/plain; charset=utf-8"}, without_run<write_gift>},
    {{"moodle-xml", "quiz", ".xml", "application/xml"}, without_run<write_moodle_xml>},
    {{"anki", "flashcards", ".txt", "text/plain; charset=utf-8"}, without_run<write_anki>},
    {{"csv", "flashcards", ".csv", "text/csv; charset=utf-8"}, without_run<write_csv>},
    {{"opml", "mindmap", ".opml", "text/x-opml; charset=utf-8"}, without_run<write_opml>},
    {{"freemind", "mindmap", ".mm", "application/xml"}, without_run<write_freemind>},
    {{"review", "", ".html", "text/html; charset=utf-8"}, write_review},
}};

constexpr auto format_rows = [] {
  std::array<Format, rows.size()> out;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    out[i] = rows[i].format;
  }
  return out;
}();

bool can_be_held(char32_t c) {
  return c >= 0x20 ? !text::is_surrogate(c) && c != 0xFFFE && c != 0xFFFF : c == '\t' || c == '\n' || c == '\r';
}

// Returns the first character that no file format can contain, or 0xFFFFFFFF if all can be written.
constexpr char32_t none = 0xFFFFFFFF;
char32_t bad_character(std::string_view text) {
  const char* const end = text.data() + text.size();
  for (const char* at = text.data(); at < end;) {
    const text::Decoded one = text::decode(at, end);
    if (!can_be_held(one.code_point)) {
      return one.code_point;
    }
    at += one.size;
  }
  return none;
}

// Recurses as deep as the artifact, as the writer of JSON does.
Result<bool> all_can_be_held(const Value& value, const std::string& place) {
  if (value.is(Kind::string)) {
    const char32_t bad = bad_character(value.str());
    if (bad == none) {
      return true;
    }
    constexpr std::string_view digits = "0123456789ABCDEF";
    std::string name = "U+";
    for (unsigned shift = 16; shift > 0;) {
      shift -= 4;
      name += digits[(static_cast<std::uint32_t>(bad) >> shift) & 0xFU];
    }
    return Error{ErrorCode::invalid_argument,
                 "contains " + name + ", which a file of text cannot hold; remove it and export again", place, 0, 0};
  }
  std::uint64_t index = 0;
  for (const Value& item : value.array()) {
    std::string at = place;
    json::append_token(at, index++);
    if (Result<bool> held = all_can_be_held(item, at); !held) {
      return held;
    }
  }
  for (const json::Member& member : value.object()) {
    std::string at = place;
    json::append_token(at, member.key);
    if (Result<bool> held = all_can_be_held(member.value, at); !held) {
      return held;
    }
  }
  return true;
}

}  // namespace

std::span<const Format> formats() { return format_rows; }

const Format* format_named(std::string_view name) {
  for (const Format& one : format_rows) {
    if (one.name == name) {
      return &one;
    }
  }
  return nullptr;
}

std::string format_names() {
  std::array<std::string_view, rows.size()> names;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    names[i] = rows[i].format.name;
  }
  return joined(names);
}

Result<std::string_view> text_at(const Value& object, std::string_view place, std::string_view member) {
  const Value* found = object.find(member);
  if (found != nullptr && found->is(Kind::string)) {
    return found->str();
  }
  std::string where(place);
  json::append_token(where, member);
  return Error{ErrorCode::invalid_argument, "this format needs a text here", where, 0, 0};
}

Result<std::string> write(const Format& format, const Value& artifact, const Value& run) {
  if (Result<bool> held = all_can_be_held(artifact, ""); !held) {
    return held.error();
  }
  for (const Row& row : rows) {
    if (row.format.name == format.name) {
      return row.write(artifact, run);
    }
  }
  return Error{ErrorCode::not_found, "there is no such format", "", 0, 0};
}

}  // namespace plumb::exports
