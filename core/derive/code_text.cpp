#include "core/derive/code_text.hpp"

#include <algorithm>

#include "core/ascii.hpp"
#include "core/json/decimal.hpp"

namespace plumb::derive {

std::string type_name(std::string_view name) {
  std::string out;
  bool upper = true;
  for (char c : name) {
    const bool letter = ascii::is_letter(c);
    const bool digit = ascii::is_digit(c);
    if (!letter && !digit) {
      upper = true;
      continue;
    }
    if (out.empty() && digit) {
      out += 'T';
    }
    out += upper ? ascii::upper(c) : c;
    upper = false;
  }
  return out.empty() ? std::string("Contract") : out;
}

bool is_identifier(std::string_view key) {
  if (key.empty() || ascii::is_digit(key.front())) {
    return false;
  }
  return std::all_of(key.begin(), key.end(), [](char c) { return ascii::is_word(c) || c == '$'; });
}

bool is_literal_number(std::string_view text, std::string& out) {
  json::Decimal number;
  if (json::Decimal::read(text, json::Decimal::exponent_max_default, number) != json::DecimalStatus::ok) {
    return false;
  }
  out = number.canonical();
  return out.size() <= 15 && out.find('e') == std::string::npos && (number.is_integer() || out.size() <= 12);
}

std::string one_line(std::string_view text) {
  std::string out;
  for (char c : text) {
    out += c == '\n' || c == '\r' ? ' ' : c;
  }
  return out;
}

std::string_view description_of(const SchemaGraph& graph, const Form& form, SchemaId said) {
  const json::Value* own = said == no_schema ? nullptr : graph.schema(said).find("description");
  return own != nullptr && own->is(json::Kind::string) ? own->str() : text_of(graph, form, "description");
}

}  // namespace plumb::derive
