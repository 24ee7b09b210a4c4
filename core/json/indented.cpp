#include "core/json/indented.hpp"

#include <algorithm>

#include "core/json/arena.hpp"
#include "core/json/writer.hpp"

namespace plumb::json {

namespace {

bool is_container(const Value& value) { return value.is(Kind::array) || value.is(Kind::object); }

bool is_flat(const Value& value) {
  const auto is_leaf = [](const Value& child) { return !is_container(child) || child.size == 0; };
  const auto items = value.array();
  const auto members = value.object();
  return std::all_of(items.begin(), items.end(), is_leaf) &&
         std::all_of(members.begin(), members.end(), [&](const Member& member) { return is_leaf(member.value); });
}

// What was written is UTF-8: every byte but those that continue a character begins one.
std::size_t code_points(const std::string& out, std::size_t from) {
  return static_cast<std::size_t>(
      std::count_if(out.begin() + static_cast<std::ptrdiff_t>(from), out.end(),
                    [](char byte) { return (static_cast<unsigned char>(byte) & 0xC0U) != 0x80U; }));
}

// The whole container on one line, or nothing where the line has more than `columns` code points.
bool append_line(std::string& out, const Value& value, std::size_t columns) {
  const std::size_t from = out.size();
  std::size_t counted = from;
  std::size_t used = 0;
  const auto fits = [&] {
    used += code_points(out, counted);
    counted = out.size();
    return used <= columns;
  };
  const bool object = value.is(Kind::object);
  out += object ? "{ " : "[";
  for (std::size_t i = 0; i < value.size; ++i) {
    out += i == 0 ? "" : ", ";
    if (object) {
      append_string(out, value.members[i].key);
      out += ": ";
    }
    append_value(out, object ? value.members[i].value : value.items[i]);
    if (!fits()) {
      out.resize(from);
      return false;
    }
  }
  out += object ? " }" : "]";
  if (!fits()) {
    out.resize(from);
    return false;
  }
  return true;
}

void append_indented(std::string& out, const Value& value, std::size_t indent) {
  if (!is_container(value) || value.size == 0) {
    append_value(out, value);
    return;
  }
  if (indent < indented_columns_max && is_flat(value) && append_line(out, value, indented_columns_max - indent)) {
    return;
  }
  const bool object = value.is(Kind::object);
  out += object ? '{' : '[';
  for (std::size_t i = 0; i < value.size; ++i) {
    out += i == 0 ? "\n" : ",\n";
    out.append(indent + 2, ' ');
    if (object) {
      append_string(out, value.members[i].key);
      out += ": ";
    }
    append_indented(out, object ? value.members[i].value : value.items[i], indent + 2);
  }
  out += '\n';
  out.append(indent, ' ');
  out += object ? '}' : ']';
}

}  // namespace

std::string indented(const Value& value) {
  std::string out;
  append_indented(out, value, 0);
  return out;
}

std::string indented(std::string_view text) {
  Arena arena;
  const Result<Value> value = parse(text, arena);
  return value ? indented(value.value()) : std::string(text);
}

}  // namespace plumb::json
