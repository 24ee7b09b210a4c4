#include "core/text/template.hpp"

#include <algorithm>

#include "core/ascii.hpp"
#include "core/json/writer.hpp"

namespace plumb::text {

namespace {

bool is_line_blank(char c) { return ascii::is_blank(c) || c == '\r'; }

bool good_name(std::string_view name) {
  if (name == ".") {
    return true;
  }
  bool after_point = true;
  for (const char c : name) {
    const bool letter = ascii::is_word(c);
    if (c == '.' ? after_point : !letter && c != '-') {
      return false;
    }
    after_point = c == '.';
  }
  return !name.empty() && !after_point;
}

struct Place {
  std::size_t line = 1;
  std::size_t column = 1;
};

Place place_at(std::string_view text, std::size_t at, std::size_t first_line) {
  Place place{first_line, 1};
  for (std::size_t i = 0; i < at; ++i) {
    if (text[i] == '\n') {
      ++place.line;
      place.column = 1;
    } else if ((static_cast<unsigned char>(text[i]) & 0xC0U) != 0x80U) {
      ++place.column;
    }
  }
  return place;
}

const json::Value* look_up(const std::vector<const json::Value*>& around, std::string_view name) {
  if (name == ".") {
    return around.back();
  }
  const std::size_t point = std::min(name.find('.'), name.size());
  for (std::size_t i = around.size(); i-- > 0;) {
    const json::Value* found = around[i]->find(name.substr(0, point));
    if (found == nullptr) {
      continue;
    }
    while (!name.empty() && found != nullptr) {
      const std::size_t end = std::min(name.find('.'), name.size());
      name.remove_prefix(std::min(end + 1, name.size()));
      if (!name.empty()) {
        found = found->find(name.substr(0, std::min(name.find('.'), name.size())));
      }
    }
    return found;
  }
  return nullptr;
}

bool is_there(const json::Value* value) {
  if (value == nullptr) {
    return false;
  }
  switch (value->kind) {
    case json::Kind::null:
      return false;
    case json::Kind::boolean:
      return value->boolean;
    case json::Kind::string:
    case json::Kind::array:
      return value->size > 0;
    default:
      return true;
  }
}

}  // namespace

Result<Template> Template::read(std::string_view text, std::size_t first_line) {
  Template out;
  struct Open {
    std::size_t piece;
    std::size_t at;
  };
  std::vector<Open> open;
  auto fail = [&](std::string message, std::size_t at) {
    Error error;
    error.code = ErrorCode::invalid_argument;
    error.message = std::move(message);
    const Place place = place_at(text, at, first_line);
    error.line = place.line;
    error.column = place.column;
    return error;
  };
  auto add_text = [&out](std::string_view literal) {
    if (literal.empty()) {
      return;
    }
    if (out.pieces_.empty() || out.pieces_.back().kind != Kind::text) {
      out.pieces_.push_back({Kind::text, std::string(literal), 0});
    } else {
      out.pieces_.back().text += literal;
    }
  };
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t begin = text.find("{{", at);
    if (begin == std::string_view::npos) {
      add_text(text.substr(at));
      break;
    }
    const std::size_t end = text.find("}}", begin + 2);
    if (end == std::string_view::npos) {
      return fail("this {{ is not closed", begin);
    }
    std::string_view inside = ascii::trim(text.substr(begin + 2, end - begin - 2));
    const char mark = inside.empty() ? ' ' : inside.front();
    const bool marked = mark == '#' || mark == '^' || mark == '/' || mark == '!';
    std::size_t text_end = begin;
    std::size_t next = end + 2;
    if (marked) {
      inside = ascii::trim(inside.substr(1));
      // A line of its own goes as a whole.
      std::size_t line_from = begin;
      while (line_from > 0 && is_line_blank(text[line_from - 1])) {
        --line_from;
      }
      std::size_t line_to = next;
      while (line_to < text.size() && is_line_blank(text[line_to])) {
        ++line_to;
      }
      if ((line_from == 0 || text[line_from - 1] == '\n') && (line_to == text.size() || text[line_to] == '\n')) {
        text_end = std::max(line_from, at);
        next = std::min(line_to + 1, text.size());
      }
    }
    add_text(text.substr(at, text_end - at));
    at = next;
    if (mark == '!') {
      continue;
    }
    if (!good_name(inside)) {
      return fail("'" + json::excerpt(inside, 40) +
                      "' is not a variable name: use letters, digits, - and _, with points between",
                  begin);
    }
    if (mark == '/') {
      if (open.empty() || out.pieces_[open.back().piece].text != inside) {
        return fail("there is no open section '" + std::string(inside) + "' to close here", begin);
      }
      // Text behind a section must not join the text in it.
      out.pieces_[open.back().piece].end = out.pieces_.size();
      open.pop_back();
      out.pieces_.push_back({Kind::text, "", 0});
      continue;
    }
    if (inside != ".") {
      const Place place = place_at(text, begin, first_line);
      const std::string within = open.empty() ? std::string() : out.pieces_[open.front().piece].text;
      out.names_.push_back({std::string(inside), within, place.line, place.column});
    }
    if (mark == '#' || mark == '^') {
      if (open.size() == template_levels_max) {
        return fail("sections are nested more than 32 levels deep", begin);
      }
      open.push_back({out.pieces_.size(), begin});
      out.pieces_.push_back({mark == '#' ? Kind::section : Kind::inverted, std::string(inside), 0});
      out.pieces_.push_back({Kind::text, "", 0});
    } else {
      out.pieces_.push_back({Kind::value, std::string(inside), 0});
    }
  }
  if (!open.empty()) {
    return fail("the section '" + out.pieces_[open.back().piece].text + "' is not closed", open.back().at);
  }
  return out;
}

void Template::render(std::size_t from, std::size_t to, std::vector<const json::Value*>& around,
                      std::string& out) const {
  for (std::size_t i = from; i < to; ++i) {
    const Piece& piece = pieces_[i];
    if (piece.kind == Kind::text) {
      out += piece.text;
      continue;
    }
    const json::Value* value = look_up(around, piece.text);
    if (piece.kind == Kind::value) {
      if (value == nullptr || value->is(json::Kind::null)) {
        continue;
      }
      if (value->is(json::Kind::string)) {
        out += value->str();
      } else {
        json::append_value(out, *value);
      }
      continue;
    }
    if (piece.kind == Kind::inverted) {
      if (!is_there(value)) {
        render(i + 1, piece.end, around, out);
      }
    } else if (is_there(value)) {
      const json::Value* const one = value;
      const std::size_t times = value->is(json::Kind::array) ? value->size : 1;
      for (std::size_t k = 0; k < times; ++k) {
        around.push_back(one->is(json::Kind::array) ? &one->array()[k] : one);
        render(i + 1, piece.end, around, out);
        around.pop_back();
      }
    }
    i = piece.end - 1;
  }
}

std::string Template::render(const json::Value& values) const {
  std::string out;
  std::vector<const json::Value*> around = {&values};
  render(0, pieces_.size(), around, out);
  return out;
}

}  // namespace plumb::text
