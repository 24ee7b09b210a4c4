#include "core/lint/rules.hpp"

namespace plumb::lint {

namespace {

using S = contract::Severity;

constexpr LintRule rules[] = {
    {"no-contract", S::error, "The text is not a contract",
     "It is not valid JSON, or a keyword has a form that it cannot have. Nothing can be checked with it.",
     R"({"type": "strng"})", R"({"type": "string"})"},
    {"never-holds", S::error, "No value can keep this",
     "The rules beside each other, or those that hold together through `allOf` and `$ref`, exclude each other. Every "
     "artifact that has a value there is refused, whatever a model writes, and a repair loop spends its rounds on it.",
     R"({"type": "string", "minLength": 10, "maxLength": 5})",
     R"({"type": "string", "minLength": 5, "maxLength": 10})"},
    {"never-breaks", S::info, "A rule that nothing can break",
     "It reads as if something were checked, and nothing is. Say what is meant, or take it out.",
     R"({"type": "array", "items": {"type": "string", "maxLength": 9}, "minItems": 0, "maxItems": 5})",
     R"({"type": "array", "items": {"type": "string", "maxLength": 9}, "minItems": 1, "maxItems": 5})"},
    {"other-kind", S::warning, "A keyword of another kind of value",
     "Each keyword speaks of one kind of value and is silent about all others. Where `type` leaves none of its kind, "
     "it "
     "is never looked at: often the type or the keyword is not the one that was meant.",
     R"({"type": "string", "maximum": 5, "maxLength": 9})", R"({"type": "integer", "maximum": 5})"},
    {"enum-excluded", S::warning, "A listed value that another rule refuses",
     "The list offers a value, to models too, that the rules beside it never accept.",
     R"({"type": "string", "enum": ["low", "high", 3]})", R"({"type": "string", "enum": ["low", "high"]})"},
    {"repeated", S::warning, "The same thing twice",
     "A value that appears in a list twice is one value. A branch that appears in `oneOf` twice makes every value that "
     "fits it fit twice, which `oneOf` refuses.",
     R"({"enum": ["low", "high", "low"]})", R"({"enum": ["low", "high"]})"},
    {"example-breaks", S::warning, "An example that breaks its own schema",
     "Examples and defaults are shown to people and to models, who do as they are shown.",
     R"({"type": "string", "maxLength": 3, "examples": ["lantern"]})",
     R"({"type": "string", "maxLength": 9, "examples": ["lantern"]})"},
    {"empty-passes", S::warning, "Something must be true of each, and none need be there",
     "Where nothing wants a member or an item, the cheapest way to have no findings is to write none. Where a rule "
     "says "
     "\"must be true of each\", let another say \"must be present\": `required`, `minItems`.",
     R"({"type": "object", "required": ["tags"], "properties":
 {"tags": {"type": "array", "maxItems": 5,
  "items": {"type": "string", "notBlank": true, "maxLength": 9}}}})",
     R"({"type": "object", "required": ["tags"], "properties":
 {"tags": {"type": "array", "minItems": 1, "maxItems": 5,
  "items": {"type": "string", "notBlank": true, "maxLength": 9}}}})"},
    {"no-type", S::warning, "A schema that speaks of one kind and accepts all others",
     "Keywords are silent about other kinds of value: without `type`, a number passes where `properties` describes an "
     "object.",
     R"({"required": ["name"], "properties": {"name": {"type": "string", "maxLength": 9}}})",
     R"({"type": "object", "required": ["name"], "properties": {"name": {"type": "string", "maxLength": 9}}})"},
    {"undeclared-member", S::warning, "A required member that is declared nowhere",
     "It must be there and may be anything. Often its name is spelt in two ways; where no declared name is near it, "
     "this "
     "is an info.",
     R"({"type": "object", "required": ["titel"], "properties": {"title": {"type": "string", "maxLength": 9}}})",
     R"({"type": "object", "required": ["title"], "properties": {"title": {"type": "string", "maxLength": 9}}})"},
    {"closed-branch", S::warning, "A closed schema that refuses its neighbour's members",
     "`additionalProperties: false` knows the `properties` beside it and no others: not those of `allOf`, not those of "
     "the schema that refers to it. `unevaluatedProperties: false` in the outer schema knows them all.",
     R"({"type": "object", "properties": {"a": {"type": "null"}},
 "allOf": [{"properties": {"b": {"type": "null"}}, "additionalProperties": false}]})",
     R"({"type": "object", "properties": {"a": {"type": "null"}},
 "allOf": [{"properties": {"b": {"type": "null"}}}], "unevaluatedProperties": false})"},
    {"endless-text", S::info, "A text without an upper bound",
     "A model may go on writing until its tokens end, and all of it is paid. `maxLength`, `length`, `maxSentences` or "
     "`enum` give a text an end; a stream can then be stopped at the first character too many.",
     R"({"type": "string"})", R"({"type": "string", "maxLength": 300})"},
    {"endless-list", S::info, "A list without an upper bound",
     "A model that repeats itself fills a list without end, and all of it is paid. `maxItems` lets a stream be "
     "stopped.",
     R"({"type": "array", "items": {"type": "boolean"}})",
     R"({"type": "array", "maxItems": 20, "items": {"type": "boolean"}})"},
    {"decides-late", S::info, "A rule that reads a member written later",
     "Models write members in the order of `properties`. A rule is decided when all that it reads has been read: when "
     "that comes later, what is wrong is found later, and more is paid for. Put what is read first.",
     R"({"type": "object", "required": ["pick", "options"], "properties": {
  "pick": {"type": "string", "memberOf": {"in": "1/options/*"}},
  "options": {"type": "array", "minItems": 2, "maxItems": 4, "items": {"type": "string", "maxLength": 9}}}})",
     R"({"type": "object", "required": ["pick", "options"], "properties": {
  "options": {"type": "array", "minItems": 2, "maxItems": 4, "items": {"type": "string", "maxLength": 9}},
  "pick": {"type": "string", "memberOf": {"in": "1/options/*"}}}})"},
    {"released-early", S::info, "A rule that hold-back may be unable to keep",
     "With hold-back, fields of objects and items of lists go to the client one by one, and are never taken back. A "
     "rule "
     "of the object or list that is decided at its end can break when they are gone; where no repair of what is left "
     "mends it, the answer ends with an error. Put such a rule into the items of a list, which are released whole, or "
     "use enforce.",
     R"({"type": "object", "required": ["kind", "size"], "properties": {
  "kind": {"enum": ["box", "bag"]}, "size": {"type": "integer"}},
 "if": {"properties": {"size": {"minimum": 10}}}, "then": {"properties": {"kind": {"const": "box"}}}})",
     R"({"type": "array", "minItems": 1, "maxItems": 9, "items":
 {"type": "object", "required": ["kind", "size"], "properties": {
  "kind": {"enum": ["box", "bag"]}, "size": {"type": "integer"}},
 "if": {"properties": {"size": {"minimum": 10}}}, "then": {"properties": {"kind": {"const": "box"}}}}})"},
    {"answer-first", S::warning, "The answer before its reasons",
     "Models write from front to back. Reasons that are written after an answer defend it; written before, they lead "
     "to "
     "it, and answers become better.",
     R"({"type": "object", "required": ["decision", "reasoning"], "properties": {
  "decision": {"enum": ["go", "stop"]}, "reasoning": {"type": "string", "maxLength": 300}}})",
     R"({"type": "object", "required": ["decision", "reasoning"], "properties": {
  "reasoning": {"type": "string", "maxLength": 300}, "decision": {"enum": ["go", "stop"]}}})"},
    {"shadowed", S::info, "A rule whose findings are never told",
     "`stopAt` leaves out what is written after a broken keyword. A rule that breaks only when that keyword breaks is "
     "never heard of.",
     R"({"type": "string", "notBlank": true, "minLength": 1, "maxLength": 9, "stopAt": ["notBlank"]})",
     R"({"type": "string", "notBlank": true, "minLength": 2, "maxLength": 9, "stopAt": ["notBlank"]})"},
    {"stops-nothing", S::warning, "stopAt names a keyword that is not there",
     "`stopAt` looks at the keywords of its own schema.",
     R"({"type": "string", "maxLength": 9, "stopAt": ["minLength"]})",
     R"({"type": "string", "maxLength": 9, "stopAt": ["type"]})"},
    {"unread-message", S::warning, "A message for a keyword that is not there",
     "`errorMessage` words the keywords of its own schema; this text can never be said. Often it belongs to the schema "
     "above or below.",
     R"({"type": "string", "maxLength": 9, "errorMessage": {"minLength": "Too short"}})",
     R"({"type": "string", "maxLength": 9, "errorMessage": {"maxLength": "Too long"}})"},
    {"unread-keyword", S::warning, "A keyword that is not read where it appears",
     "It belongs to another keyword that is not there, or to another draft.",
     R"({"type": "string", "maxLength": 9, "then": {"minLength": 2}})",
     R"({"type": "string", "maxLength": 9, "if": {"pattern": "^A"}, "then": {"minLength": 2}})"},
    {"unknown-keyword", S::warning, "A keyword that is nearly one",
     "Unknown keywords are ignored, as JSON Schema wants; this one looks like a slip of the pen.",
     R"({"type": "string", "maxLenght": 9, "maxLength": 10})", R"({"type": "string", "maxLength": 9})"},
    {"other-form", S::warning, "A keyword of ours in another form",
     "In a schema that is not ours (by `$id` or `$schema`) a member with the name of one of our keywords and another "
     "form is somebody else's: it is ignored.",
     R"({"type": "string", "maxLength": 9, "severity": 3})",
     R"({"type": "string", "maxLength": 9, "severity": "warning"})"},
    {"old-escape", S::warning, "An escape of the old syntax",
     "With the flag `u`, which patterns have, a backslash is written only before what needs it. It is read as the "
     "character, "
     "here; other readers refuse the pattern.",
     R"({"type": "string", "maxLength": 9, "pattern": "^a\\-b$"})",
     R"({"type": "string", "maxLength": 9, "pattern": "^a-b$"})"},
    {"unanchored", S::info, "A pattern that is found anywhere",
     "Patterns are searched for: without ^ and $ a text passes that has the pattern somewhere inside.",
     R"({"type": "string", "maxLength": 9, "pattern": "[a-z]+"})",
     R"({"type": "string", "maxLength": 9, "pattern": "^[a-z]+$"})"},
    {"format-unasked", S::info, "A format that only describes",
     "`format` breaks nothing unless formats are asserted (--assert-formats, `assertFormats`, or a meta-schema that "
     "says "
     "so). A `pattern` always does.",
     R"({"type": "string", "format": "date"})", R"({"type": "string", "pattern": "^\\d{4}-\\d{2}-\\d{2}$"})"},
    {"prompt-costs", S::info, "A prompt that costs much",
     "The text that tells a model of this contract goes with each call. Long messages, long lists of values and many "
     "rules make it long. Say it shorter, or split the contract. It is told from 1,500 tokens on, or as "
     "--prompt-tokens "
     "says; this example from 60 on.",
     R"({"enum": ["anchor", "basket", "bridge", "button", "candle", "clock", "copper", "desert", "engine", "feather",
  "forest", "garden", "glacier", "hammer", "harbor", "island", "kettle", "ladder", "lantern", "market", "meadow",
  "needle", "orchard", "pebble", "quilt", "river", "rocket", "saddle", "temple", "valley", "wagon", "window"]})",
     R"({"enum": ["anchor", "basket"]})"},
    {"target-drops", S::info, "A rule that a derived target does not enforce",
     "Asked for with --target: what an OpenAI response_format, an Anthropic tool, a grammar or types leave unsaid. A "
     "model "
     "that is held to the target can still break it: check with the contract, or with the residual.",
     R"({"type": "object", "required": ["a"], "additionalProperties": false,
 "properties": {"a": {"type": "string", "maxLength": 9, "notBlank": true}}})",
     R"({"type": "object", "required": ["a"], "additionalProperties": false,
 "properties": {"a": {"type": "boolean"}}})"},
    {"target-refuses", S::warning, "A target that cannot be derived",
     "Asked for with --target: the target has a limit that the contract does not keep, or no value can keep the "
     "contract.",
     R"({"type": "object", "required": ["a"], "additionalProperties": false, "properties": {"a": false}})",
     R"({"type": "object", "required": ["a"], "additionalProperties": false,
 "properties": {"a": {"type": "boolean"}}})"},
    {"unused-definition", S::info, "A definition that nothing refers to", "It is read by nobody, and grows old.",
     R"({"type": "null", "$defs": {"name": {"type": "string"}}})",
     R"({"$ref": "#/$defs/name", "$defs": {"name": {"type": "string", "maxLength": 9}}})"},
    {"nothing-to-allow", S::info, "Something is allowed that is not found",
     "A `lint-allow` whose reason is gone hides what may come.",
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
