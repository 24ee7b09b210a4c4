#include "core/lint/rules.hpp"

namespace plumb::lint {

namespace {

using S = contract::Severity;

constexpr LintRule rules[] = {
    {"no-contract", S::error, "The text is not a contract",
     "It is not valid JSON, or a keyword has a form that is not allowed. Nothing can be checked with it.",
     R"({"type": "strng"})", R"({"type": "string"})"},
    {"never-holds", S::error, "No value can satisfy this",
     "Rules beside each other, or joined through `allOf` and `$ref`, contradict each other. Every artifact with a "
     "value there is refused, whatever a model writes, and a repair loop wastes its rounds on it.",
     R"({"type": "string", "minLength": 10, "maxLength": 5})",
     R"({"type": "string", "minLength": 5, "maxLength": 10})"},
    {"never-breaks", S::info, "A rule that nothing can break",
     "It looks as if something is checked, but nothing is. Write what is meant, or remove it.",
     R"({"type": "array", "items": {"type": "string", "maxLength": 9}, "minItems": 0, "maxItems": 5})",
     R"({"type": "array", "items": {"type": "string", "maxLength": 9}, "minItems": 1, "maxItems": 5})"},
    {"other-kind", S::warning, "A keyword for another type of value",
     "Each keyword applies to one type of value and ignores all others. If `type` excludes that type, the keyword is "
     "never used. Often either the type or the keyword is wrong.",
     R"({"type": "string", "maximum": 5, "maxLength": 9})", R"({"type": "integer", "maximum": 5})"},
    {"enum-excluded", S::warning, "A listed value that another rule refuses",
     "The list offers a value, also to models, that the rules beside it never accept.",
     R"({"type": "string", "enum": ["low", "high", 3]})", R"({"type": "string", "enum": ["low", "high"]})"},
    {"repeated", S::warning, "The same value or branch twice",
     "A value that is listed twice counts once. If a branch of `oneOf` appears twice, every value that fits it fits "
     "twice, so `oneOf` refuses it.",
     R"({"enum": ["low", "high", "low"]})", R"({"enum": ["low", "high"]})"},
    {"example-breaks", S::warning, "An example that breaks its own schema",
     "People and models imitate examples and defaults.",
     R"({"type": "string", "maxLength": 3, "examples": ["lantern"]})",
     R"({"type": "string", "maxLength": 9, "examples": ["lantern"]})"},
    {"empty-passes", S::warning, "Every item has a rule, but none has to be present",
     "If no member or item is required, the easiest way to have no findings is to write none. Beside a rule about each "
     "item, put a rule that items are present: `required`, `minItems`.",
     R"({"type": "object", "required": ["tags"], "properties":
 {"tags": {"type": "array", "maxItems": 5,
  "items": {"type": "string", "notBlank": true, "maxLength": 9}}}})",
     R"({"type": "object", "required": ["tags"], "properties":
 {"tags": {"type": "array", "minItems": 1, "maxItems": 5,
  "items": {"type": "string", "notBlank": true, "maxLength": 9}}}})"},
    {"no-type", S::warning, "A schema for one type that accepts all others",
     "Keywords ignore other types of value. Without `type`, a number passes where `properties` describes an object.",
     R"({"required": ["name"], "properties": {"name": {"type": "string", "maxLength": 9}}})",
     R"({"type": "object", "required": ["name"], "properties": {"name": {"type": "string", "maxLength": 9}}})"},
    {"undeclared-member", S::warning, "A required member that is declared nowhere",
     "It must be present but may be anything. Often its name is spelled in two ways. If no declared name is similar, "
     "this is an info.",
     R"({"type": "object", "required": ["titel"], "properties": {"title": {"type": "string", "maxLength": 9}}})",
     R"({"type": "object", "required": ["title"], "properties": {"title": {"type": "string", "maxLength": 9}}})"},
    {"closed-branch", S::warning, "A closed schema that refuses its neighbour's members",
     "`additionalProperties: false` knows only the `properties` beside it, not those of `allOf` or of the schema that "
     "refers to it. `unevaluatedProperties: false` in the outer schema knows them all.",
     R"({"type": "object", "properties": {"a": {"type": "null"}},
 "allOf": [{"properties": {"b": {"type": "null"}}, "additionalProperties": false}]})",
     R"({"type": "object", "properties": {"a": {"type": "null"}},
 "allOf": [{"properties": {"b": {"type": "null"}}}], "unevaluatedProperties": false})"},
    {"endless-text", S::info, "A text without an upper bound",
     "A model may write until its tokens run out, and you pay for all of them. `maxLength`, `length`, `maxSentences` "
     "or `enum` limit a text; a stream can then be stopped at the first character too many.",
     R"({"type": "string"})", R"({"type": "string", "maxLength": 300})"},
    {"endless-list", S::info, "A list without an upper bound",
     "A model that repeats itself fills a list without end, and you pay for all of it. With `maxItems` the stream can "
     "be stopped.",
     R"({"type": "array", "items": {"type": "boolean"}})",
     R"({"type": "array", "maxItems": 20, "items": {"type": "boolean"}})"},
    {"decides-late", S::info, "A rule that reads a member written later",
     "Models write members in the order of `properties`. A rule is decided when everything it reads has been read. If "
     "that comes later, mistakes are found later and cost more. Put first what is read.",
     R"({"type": "object", "required": ["pick", "options"], "properties": {
  "pick": {"type": "string", "memberOf": {"in": "1/options/*"}},
  "options": {"type": "array", "minItems": 2, "maxItems": 4, "items": {"type": "string", "maxLength": 9}}}})",
     R"({"type": "object", "required": ["pick", "options"], "properties": {
  "options": {"type": "array", "minItems": 2, "maxItems": 4, "items": {"type": "string", "maxLength": 9}},
  "pick": {"type": "string", "memberOf": {"in": "1/options/*"}}}})"},
    {"released-early", S::info, "A rule that hold-back may be unable to enforce",
     "With hold-back, members of objects and items of lists go to the client one by one and are never taken back. A "
     "rule of the object or list that is decided at its end can break after they are sent. If the rest cannot be "
     "repaired, the answer ends with an error. Put such a rule into the items of a list, which are released whole, or "
     "use enforce.",
     R"({"type": "object", "required": ["kind", "size"], "properties": {
  "kind": {"enum": ["box", "bag"]}, "size": {"type": "integer"}},
 "if": {"properties": {"size": {"minimum": 10}}}, "then": {"properties": {"kind": {"const": "box"}}}})",
     R"({"type": "array", "minItems": 1, "maxItems": 9, "items":
 {"type": "object", "required": ["kind", "size"], "properties": {
  "kind": {"enum": ["box", "bag"]}, "size": {"type": "integer"}},
 "if": {"properties": {"size": {"minimum": 10}}}, "then": {"properties": {"kind": {"const": "box"}}}}})"},
    {"answer-first", S::warning, "The answer before its reasons",
     "Models write from front to back. Reasons written after an answer defend it; reasons written before lead to it, "
     "and answers get better.",
     R"({"type": "object", "required": ["decision", "reasoning"], "properties": {
  "decision": {"enum": ["go", "stop"]}, "reasoning": {"type": "string", "maxLength": 300}}})",
     R"({"type": "object", "required": ["decision", "reasoning"], "properties": {
  "reasoning": {"type": "string", "maxLength": 300}, "decision": {"enum": ["go", "stop"]}}})"},
    {"shadowed", S::info, "A rule whose findings are never reported",
     "`stopAt` leaves out findings after a broken keyword. A rule that breaks only when that keyword breaks is never "
     "reported.",
     R"({"type": "string", "notBlank": true, "minLength": 1, "maxLength": 9, "stopAt": ["notBlank"]})",
     R"({"type": "string", "notBlank": true, "minLength": 2, "maxLength": 9, "stopAt": ["notBlank"]})"},
    {"stops-nothing", S::warning, "stopAt names a keyword that is not there",
     "`stopAt` applies to the keywords of its own schema.",
     R"({"type": "string", "maxLength": 9, "stopAt": ["minLength"]})",
     R"({"type": "string", "maxLength": 9, "stopAt": ["type"]})"},
    {"unread-message", S::warning, "A message for a keyword that is not there",
     "`errorMessage` has messages for the keywords of its own schema, so this one is never used. Often it belongs to "
     "the schema above or below.",
     R"({"type": "string", "maxLength": 9, "errorMessage": {"minLength": "Too short"}})",
     R"({"type": "string", "maxLength": 9, "errorMessage": {"maxLength": "Too long"}})"},
    {"unread-keyword", S::warning, "A keyword that is ignored where it appears",
     "It belongs to another keyword that is not there, or to another draft.",
     R"({"type": "string", "maxLength": 9, "then": {"minLength": 2}})",
     R"({"type": "string", "maxLength": 9, "if": {"pattern": "^A"}, "then": {"minLength": 2}})"},
    {"unknown-keyword", S::warning, "A keyword that is probably misspelled",
     "JSON Schema ignores unknown keywords. This one looks like a typo.",
     R"({"type": "string", "maxLenght": 9, "maxLength": 10})", R"({"type": "string", "maxLength": 9})"},
    {"other-form", S::warning, "A Plumbline keyword in another form",
     "In a schema that is not Plumbline's (by `$id` or `$schema`), a member with the name of a Plumbline keyword but "
     "another form is taken for somebody else's and ignored.",
     R"({"type": "string", "maxLength": 9, "severity": 3})",
     R"({"type": "string", "maxLength": 9, "severity": "warning"})"},
    {"old-escape", S::warning, "Syntax that only patterns without the flag `u` have",
     "With the flag `u`, a backslash is allowed only before characters that need it. `{`, `}` and `]` need one, and so "
     "does a `-` beside `\\w` in a class. Plumbline reads the character, as browsers do without the flag; other "
     "readers "
     "refuse the pattern.",
     R"({"type": "string", "maxLength": 9, "pattern": "^a\\-b$"})",
     R"({"type": "string", "maxLength": 9, "pattern": "^a-b$"})"},
    {"unanchored", S::info, "A pattern that may match anywhere",
     "Without ^ and $, a text passes if the pattern matches any part of it.",
     R"({"type": "string", "maxLength": 9, "pattern": "[a-z]+"})",
     R"({"type": "string", "maxLength": 9, "pattern": "^[a-z]+$"})"},
    {"format-unasked", S::info, "A format that only describes",
     "`format` breaks nothing unless formats are asserted (--assert-formats, `assertFormats`, or a meta-schema that "
     "says so). A `pattern` is always checked.",
     R"({"type": "string", "format": "date"})", R"({"type": "string", "pattern": "^\\d{4}-\\d{2}-\\d{2}$"})"},
    {"prompt-costs", S::info, "A prompt that costs much",
     "Every call to a model includes the prompt text of the contract. Long messages, long lists of values and many "
     "rules make it long. Shorten them, or split the contract. This is reported from 1,500 tokens on, or from the "
     "number given with --prompt-tokens; this example from 60 on.",
     R"({"enum": ["anchor", "basket", "bridge", "button", "candle", "clock", "copper", "desert", "engine", "feather",
  "forest", "garden", "glacier", "hammer", "harbor", "island", "kettle", "ladder", "lantern", "market", "meadow",
  "needle", "orchard", "pebble", "quilt", "river", "rocket", "saddle", "temple", "valley", "wagon", "window"]})",
     R"({"enum": ["anchor", "basket"]})"},
    {"target-drops", S::info, "A rule that a derived target does not enforce",
     "Reported with --target. An OpenAI response_format, an Anthropic tool, a grammar or types cannot express the "
     "rule. A model that follows the target can still break it: check with the contract, or with the residual.",
     R"({"type": "object", "required": ["a"], "additionalProperties": false,
 "properties": {"a": {"type": "string", "maxLength": 9, "notBlank": true}}})",
     R"({"type": "object", "required": ["a"], "additionalProperties": false,
 "properties": {"a": {"type": "boolean"}}})"},
    {"target-refuses", S::warning, "A target that cannot be derived",
     "Reported with --target. The contract exceeds a limit of the target, or no value can satisfy the contract.",
     R"({"type": "object", "required": ["a"], "additionalProperties": false, "properties": {"a": false}})",
     R"({"type": "object", "required": ["a"], "additionalProperties": false,
 "properties": {"a": {"type": "boolean"}}})"},
    {"unused-definition", S::info, "A definition that nothing refers to", "Nothing reads it, and it goes out of date.",
     R"({"type": "null", "$defs": {"name": {"type": "string"}}})",
     R"({"$ref": "#/$defs/name", "$defs": {"name": {"type": "string", "maxLength": 9}}})"},
    {"nothing-to-allow", S::info, "An allowed finding that does not occur",
     "A `lint-allow` that is no longer needed would hide a new finding.",
     R"({"type": "null", "$comment": "lint-allow endless-text: it was a text once."})",
     R"({"type": "string", "$comment": "lint-allow endless-text: whole documents are wanted."})"},
};

}  // namespace

std::span<const LintRule> lint_rules() { return rules; }

const LintRule* lint_rule(std::string_view id) {
  for (const LintRule& rule : rules) {
    if (rule.id == id) {
      return &rule;
    }
  }
  return nullptr;
}

}  // namespace plumb::lint
