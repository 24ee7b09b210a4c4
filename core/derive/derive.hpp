// From one contract: what tells a model, a provider, a program or a reader beforehand what the contract wants, and for
// each of these targets what it leaves unsaid.
//
//   Result<Derived> derived = derive(contract, Target::gbnf);
//   derived.value().text        the grammar
//   derived.value().residual    the rules it does not enforce, each with its place and a sentence
//   derived.value().contract    the same as a contract: JSON text, to check what the target let through
//   derived.value().narrows     what it forbids though the contract allows it, each with its place
//
// Two laws hold. Whatever the target allows and the residual accepts, the contract accepts. Whatever the contract
// accepts, the target allows in an equal form (JSON equality: white space, order of members and spelling of numbers
// aside), unless a narrowing says why not.
//
// An error names the place: a bound was reached (10,000 schema objects, 100 levels, 1 MB of text), the target has a
// limit of its own that the contract does not keep, or no value can keep the contract. Nothing is dropped in silence.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/contract/contract.hpp"
#include "core/derive/form.hpp"
#include "core/derive/residual.hpp"
#include "core/result.hpp"
#include "core/text/tokens.hpp"

namespace plumb::derive {

enum class Target : std::uint8_t {
  prompt,         // text for a model
  openai_strict,  // response_format of a provider that enforces it
  openai,         // response_format without `strict`
  anthropic,      // definition of a tool whose input the provider enforces
  gemini,         // responseSchema of a generationConfig
  gbnf,           // grammar of llama.cpp
  json_schema,    // the contract for any validator, our keywords as x-plumb-NAME
  typescript,     // types
  zod,            // schemas of zod 4, in TypeScript
  pydantic,       // models of pydantic 2, in Python
  page,           // documentation as Markdown
  html,           // the same as HTML
};

struct TargetName {
  Target target;
  std::string_view name;     // "openai-strict"
  std::string_view summary;  // one line
};

// All targets, in the order in which help lists them.
inline constexpr TargetName target_names[] = {
    {Target::prompt, "prompt", "text for a model, in the words of the contract"},
    {Target::openai_strict, "openai-strict", "an OpenAI response_format that is enforced"},
    {Target::openai, "openai", "an OpenAI response_format without strict"},
    {Target::anthropic, "anthropic", "an Anthropic tool definition that is enforced"},
    {Target::gemini, "gemini", "a Gemini responseSchema"},
    {Target::gbnf, "gbnf", "a grammar for llama.cpp"},
    {Target::json_schema, "json-schema", "a JSON Schema for any validator, with our keywords as x-plumb-NAME"},
    {Target::typescript, "typescript", "types for TypeScript"},
    {Target::zod, "zod", "schemas for zod 4"},
    {Target::pydantic, "pydantic", "models for pydantic 2"},
    {Target::page, "page", "a documentation page as Markdown"},
    {Target::html, "html", "the same page as HTML"},
};

// nullptr when there is no such target.
const TargetName* target_named(std::string_view name);
// Of a target: its row in target_names.
std::string_view name_of(Target target);

struct Narrowing {
  std::string kind;             // "absent members", "other members", "order of members", "other types", ...
  std::string schema_location;  // as in findings
  std::string sentence;
};

struct Derived {
  Target target = Target::prompt;
  std::string text;
  std::vector<ResidualRule> residual;
  std::string contract;
  std::vector<Narrowing> narrows;
  text::TokenEstimate tokens;  // of the text
};

Result<Derived> derive(const contract::Contract& contract, Target target, const Limits& limits = {});

// Everything as one JSON document: target, contract, hash, text, tokens, residual, residualContract, narrows.
std::string derived_json(const contract::Contract& contract, const Derived& derived, unsigned indent);

}  // namespace plumb::derive
