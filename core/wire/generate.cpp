#include "core/wire/generate.hpp"

#include <algorithm>
#include <array>

#include "core/json/arena.hpp"
#include "core/json/writer.hpp"
#include "core/wire/translate_parts.hpp"

namespace plumb::wire {

namespace {

// Nothing, in any of its forms.
bool is_empty(const json::Value& value) {
  return value.is(json::Kind::null) || (value.is(json::Kind::boolean) && !value.boolean) ||
         (value.is(json::Kind::string) && value.str().empty()) || (value.is(json::Kind::array) && value.size == 0);
}

constexpr std::array<std::string_view, 4> unsaid = {"template", "context", "suffix", "raw"};
constexpr std::array<std::string_view, 3> moved = {"prompt", "system", "images"};

template <class Names>
bool is_one_of(const Names& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

Result<std::string> chat_of_generate(std::string_view body, std::uint32_t depth_max) {
  json::Arena arena;
  const Result<json::Value> root = json::parse(body, arena, {depth_max, body.size()});
  if (!root) {
    return root.error();
  }
  if (!root.value().is(json::Kind::object)) {
    return not_understood("The body must be a JSON object", "");
  }
  const json::Value* const prompt = said(root.value(), "prompt");
  if (prompt == nullptr || !prompt->is(json::Kind::string) || prompt->str().empty()) {
    return not_understood("There must be a prompt, a text: models are not loaded without one here", "/prompt");
  }
  std::string out;
  json::Writer json(out);
  json.begin_object();
  for (const json::Member& member : root.value().object()) {
    if (is_one_of(unsaid, member.key) && !is_empty(member.value)) {
      return not_understood("This has no counterpart here; use /api/chat", below("", member.key));
    }
    if (!is_one_of(unsaid, member.key) && !is_one_of(moved, member.key) && member.key != "messages") {
      json.key(member.key).value(member.value);
    }
  }
  json.key("messages").begin_array();
  if (const json::Value* const system = said(root.value(), "system"); system != nullptr && !is_empty(*system)) {
    json.begin_object().member("role", "system").key("content").value(*system).end_object();
  }
  json.begin_object().member("role", "user").key("content").value(*prompt);
  if (const json::Value* const images = said(root.value(), "images"); images != nullptr && !is_empty(*images)) {
    json.key("images").value(*images);
  }
  json.end_object().end_array().end_object();
  return out;
}

}  // namespace plumb::wire
