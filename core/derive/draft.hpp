// A target being written: its text, what it narrows, and the first thing that went wrong. Private to core/derive.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/contract/contract.hpp"
#include "core/derive/derive.hpp"
#include "core/derive/form.hpp"
#include "core/derive/schema_graph.hpp"

namespace plumb::derive {

struct Draft {
  const contract::Contract& contract;
  SchemaGraph& graph;
  const Limits& limits;
  std::string text = {};
  std::vector<Narrowing> narrows = {};
  bool failed = false;
  Error error = {};

  // Each kind once at each place.
  void narrow(std::string_view kind, std::string_view schema_location, std::string_view words);
  // The first error is kept.
  void fail(ErrorCode code, std::string_view schema_location, std::string message);
  // False when `depth` or the size of the text is beyond its bound, which is then the error.
  bool within(std::uint32_t depth, std::string_view schema_location);
};

// The sentences of narrowings that several targets have.
inline constexpr std::string_view absent_members = "absent members";
inline constexpr std::string_view other_members = "other members";
inline constexpr std::string_view member_order = "order of members";
inline constexpr std::string_view other_types = "other types";
inline constexpr std::string_view other_values = "other values";
inline constexpr std::string_view long_numbers = "long numbers";
inline constexpr std::string_view ignored_keywords = "ignored keywords";
// `types` were implied for the form: nothing else is let through there.
void narrow_implied(Draft& draft, const Form& form, std::string_view schema_location);
// Members that are not named are not let through there.
void narrow_other_members(Draft& draft, std::string_view schema_location);

// Letters, digits, `-` and `_`, at most 64: what providers take as a name.
std::string plain_name(std::string_view name);

// Marks our keywords, and every applicator that says something else without them: `not`, `oneOf`, `if`, `contains` and
// `unevaluated*` over a schema that has some.
void leave_what_is_ours(SchemaGraph& graph);

// One for each target. They mark in the graph what they leave.
void write_openai_strict(Draft& draft, const Forms& forms);
void write_openai(Draft& draft);
void write_json_schema(Draft& draft);
void write_anthropic(Draft& draft, const Forms& forms);
void write_gbnf(Draft& draft, const Forms& forms);
void write_gemini(Draft& draft, const Forms& forms);
void write_typescript(Draft& draft, const Forms& forms);
void write_zod(Draft& draft, const Forms& forms);
void write_pydantic(Draft& draft, const Forms& forms);
void write_prompt(Draft& draft, const Forms& forms);
void write_page(Draft& draft, const Forms& forms, bool html);

}  // namespace plumb::derive
