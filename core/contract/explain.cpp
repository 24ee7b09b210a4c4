#include "core/contract/explain.hpp"

#include <cstddef>

namespace plumb::contract {

namespace {

using K = RuleKind;

constexpr std::string_view at_number_end = "When the number has ended.";
constexpr std::string_view at_string_end = "When the string has ended.";
constexpr std::string_view at_close = "When the value closes.";
constexpr std::string_view at_parts = "As early as the schemas inside it decide.";
constexpr std::string_view at_reads = "When all that the rule reads has been read.";

// rule, kind, meaning, decides, fix, contract, artifact, finds, breaks
constexpr Explanation table[] = {
    // The text itself.
    {"syntax", K::text,
     "The text is not valid JSON (RFC 8259). The finding says what was expected and where; nothing after it is judged.",
     "At the byte that no JSON text could have there, or at the end for a text that is cut off.",
     "Write strict JSON: double quotes, no trailing comma, no comment, nothing around the value.", R"({})",
     R"({"a": 1,})", "syntax"},
    {"duplicateKey", K::text,
     "An object has the same key twice. Readers disagree about which one counts, so it is always an error. Each "
     "occurrence is judged; rules that read another place read the first.",
     "At the end of the second key.", "Keep one of the members.", R"({})", R"({"a": 1, "a": 2})", "duplicateKey"},
    {"loneSurrogate", K::text,
     "A string has one half of a surrogate pair (\\ud800 to \\udfff) without the other: no Unicode text.",
     "When the next character shows that the other half is missing.",
     "Write both halves, or the character itself in UTF-8.", R"({})", R"({"a": "\ud83d"})", "loneSurrogate"},
    {"limit", K::text,
     "A stated bound was reached: levels of nesting, bytes, the length or exponent of a number, schemas at work at one "
     "place. The artifact is then neither valid nor invalid: the decision is `undecided`.",
     "At the byte that goes beyond the bound.",
     "Keep within the bound, or raise it where the artifact is trusted (--max-depth, --max-bytes).",
     R"({"type": "number", "maximum": 5})", R"(1e99999)", "limit"},

    // Any value.
    {"type", K::any_value,
     "The value has one of the named types: null, boolean, object, array, number, string, integer. 1.0 is an integer.",
     "At the first byte of the value; `integer` at the end of the number.", "Give a value of the named type.",
     R"({"type": "string"})", R"(12)", "type"},
    {"enum", K::any_value,
     "The value equals one of those listed; 1 equals 1.0, objects are equal whatever their order.",
     "A string at the first character with which no listed one goes on; anything else at its end.",
     "Take one of the listed values; `allowed` in the finding names them, the nearest first.",
     R"({"enum": ["easy", "hard"]})", R"("medium")", "enum"},
    {"const", K::any_value, "The value equals the given one.",
     "A string at the first character that differs; anything else at its end.", "Give exactly that value.",
     R"({"const": "quiz"})", R"("test")", "const"},

    // Numbers.
    {"multipleOf", K::number, "The number divided by this one gives a whole number. Exact, whatever the size.",
     at_number_end, "Round to the nearest multiple.", R"({"multipleOf": 0.01})", R"(4.999)", "multipleOf"},
    {"maximum", K::number, "The number is at most this.", at_number_end, "Give a smaller number.", R"({"maximum": 5})",
     R"(6)", "maximum"},
    {"exclusiveMaximum", K::number, "The number is less than this.", at_number_end, "Give a smaller number.",
     R"({"exclusiveMaximum": 5})", R"(5)", "exclusiveMaximum"},
    {"minimum", K::number, "The number is at least this.", at_number_end, "Give a greater number.", R"({"minimum": 0})",
     R"(-1)", "minimum"},
    {"exclusiveMinimum", K::number, "The number is greater than this.", at_number_end, "Give a greater number.",
     R"({"exclusiveMinimum": 0})", R"(0)", "exclusiveMinimum"},

    // Strings.
    {"maxLength", K::string, "The string has at most so many characters (Unicode code points).",
     "At the first character too many.", "Shorten the text.", R"({"maxLength": 3})", R"("long")", "maxLength"},
    {"minLength", K::string, "The string has at least so many characters (Unicode code points).", at_string_end,
     "Write more.", R"({"minLength": 3})", R"("ab")", "minLength"},
    {"pattern", K::string,
     "The regular expression (ECMA-262 with the u flag) is found in the string; anchor it with ^ and $ to match all of "
     "it. It runs in time linear in the text.",
     "At the first character after which no continuation can match; else when the string has ended.",
     "Write the value in the form that the expression describes.", R"({"pattern": "^[A-Z]{3}$"})", R"("ab1")",
     "pattern"},
    {"format", K::string,
     "The string is of a named form: date-time, email, uri, uuid and the others of the specification. It breaks only "
     "where formats are asserted (--assert-formats, or a meta-schema that says so).",
     at_string_end, "Write the value in the named form, such as 2026-01-31 for date.",
     R"({"$schema": "https://json-schema.org/draft/2020-12/schema", "format": "date"})", R"("31 January")", "", false},

    // Arrays.
    {"prefixItems", K::array, "Item n fits schema n of the list; `items` is for those after it.", at_parts,
     "Correct the item at that index.", R"({"prefixItems": [{"type": "string"}]})", R"([1])", "type"},
    {"items", K::array, "Every item (after those of `prefixItems`) fits the schema; false allows none.", at_parts,
     "Correct the item named in the finding.", R"({"items": {"type": "string"}})", R"(["a", 1])", "type"},
    {"additionalItems", K::array, "Until 2019-09: items after those of an `items` list fit the schema.", at_parts,
     "Correct or remove the item.",
     R"({"$schema": "http://json-schema.org/draft-07/schema#", "items": [{}], "additionalItems": {"type": "string"}})",
     R"([1, 2])", "type"},
    {"contains", K::array, "At least one item fits the schema; see minContains and maxContains for how many.", at_close,
     "Add an item of the kind described.", R"({"contains": {"const": "x"}})", R"(["a"])", "contains"},
    {"minContains", K::array, "At least so many items fit `contains`.", at_close, "Add items of the kind described.",
     R"({"contains": {"type": "number"}, "minContains": 2})", R"([1, "a"])", "minContains"},
    {"maxContains", K::array, "At most so many items fit `contains`.", "At the first item too many.",
     "Remove items of the kind described.", R"({"contains": {"type": "number"}, "maxContains": 1})", R"([1, 2])",
     "maxContains"},
    {"minItems", K::array, "The array has at least so many items.", at_close, "Add items.", R"({"minItems": 4})",
     R"(["a", "b", "c"])", "minItems"},
    {"maxItems", K::array, "The array has at most so many items.", "At the first byte of the first item too many.",
     "Remove items.", R"({"maxItems": 1})", R"([1, 2])", "maxItems"},
    {"uniqueItems", K::array, "No two items are equal. `distinct` does the same after folding case and white space.",
     "At the end of the item that repeats another.", "Remove or change the repeated item.", R"({"uniqueItems": true})",
     R"([1, 1.0])", "uniqueItems"},
    {"unevaluatedItems", K::array,
     "Items that no other keyword of the schema, also inside allOf or $ref, has looked at fit this.",
     "When it is certain that nothing else looks at the item; at the latest when the array closes.",
     "Remove the item, or describe it in the contract.", R"({"prefixItems": [true], "unevaluatedItems": false})",
     R"([1, 2])", "unevaluatedItems"},

    // Objects.
    {"properties", K::object, "The member with that name, where there is one, fits the schema.", at_parts,
     "Correct the member's value.", R"({"properties": {"n": {"type": "integer"}}})", R"({"n": "one"})", "type"},
    {"patternProperties", K::object, "Every member whose name matches the expression fits the schema.", at_parts,
     "Correct the member's value, or its name.", R"({"patternProperties": {"^n_": {"type": "integer"}}})",
     R"({"n_a": "one"})", "type"},
    {"additionalProperties", K::object,
     "Members that neither `properties` nor `patternProperties` name fit this; false forbids them.",
     "When the key has ended (for false), else as the schema decides.",
     "Remove the member, or write its name as the contract has it.",
     R"({"properties": {"a": {}}, "additionalProperties": false})", R"({"b": 1})", "additionalProperties"},
    {"propertyNames", K::object, "Every member's name fits the schema.", "When the key has ended.",
     "Rename the member.", R"({"propertyNames": {"pattern": "^[a-z]+$"}})", R"({"A": 1})", "pattern"},
    {"minProperties", K::object, "The object has at least so many members.", at_close, "Add members.",
     R"({"minProperties": 1})", R"({})", "minProperties"},
    {"maxProperties", K::object, "The object has at most so many members.", "At the end of the first key too many.",
     "Remove members.", R"({"maxProperties": 1})", R"({"a": 1, "b": 2})", "maxProperties"},
    {"required", K::object, "The object has these members. A member that is null is there.", at_close,
     "Add the missing member.", R"({"required": ["question"]})", R"({})", "required"},
    {"dependentRequired", K::object, "Where a member is there, these others are there too.", at_close,
     "Add the missing member, or remove the one that asks for it.", R"({"dependentRequired": {"a": ["b"]}})",
     R"({"a": 1})", "dependentRequired"},
    {"unevaluatedProperties", K::object,
     "Members that no other keyword of the schema, also inside allOf or $ref, has looked at fit this.",
     "When it is certain that nothing else looks at the member; at the latest when the object closes.",
     "Remove the member, or describe it in the contract.",
     R"({"allOf": [{"properties": {"a": {}}}], "unevaluatedProperties": false})", R"({"b": 1})",
     "unevaluatedProperties"},

    // Schemas applied to the same value.
    {"allOf", K::in_place, "The value fits every schema of the list; their findings are reported as they are.",
     at_parts, "Correct what the findings name.", R"({"allOf": [{"type": "string"}, {"minLength": 3}]})", R"("ab")",
     "minLength"},
    {"anyOf", K::in_place,
     "The value fits at least one schema of the list. Where none fits, `causes` tells why the closest did not; where "
     "the "
     "branches fix one property to different constants, only the chosen branch's findings are reported.",
     "When the last branch that could still fit does not.", "Make the value fit one of them; start with the causes.",
     R"({"anyOf": [{"type": "string"}, {"type": "number"}]})", R"(true)", "anyOf"},
    {"oneOf", K::in_place, "The value fits exactly one schema of the list. Causes and constants as with anyOf.",
     "When none can fit any more, or a second one is certain to fit.", "Make the value fit one, and not the others.",
     R"({"oneOf": [{"minimum": 1}, {"multipleOf": 2}]})", R"(4)", "oneOf"},
    {"not", K::in_place, "The value does not fit the schema.", "When it is certain that it fits.",
     "Change the value so that it no longer fits what is forbidden.", R"({"not": {"type": "null"}})", R"(null)", "not"},
    {"if", K::in_place, "Where the value fits this, `then` applies, else `else`. It never breaks by itself.", at_parts,
     "See then and else.", R"({"if": {"type": "string"}, "then": {"minLength": 1}})", R"("")", "minLength"},
    {"then", K::in_place, "What holds where the value fits `if`.", "When `if` is certain and the schema has decided.",
     "Correct what the finding names, or what makes `if` hold.",
     R"({"if": {"type": "string"}, "then": {"minLength": 1}})", R"("")", "minLength"},
    {"else", K::in_place, "What holds where the value does not fit `if`.",
     "When `if` is certain and the schema has decided.", "Correct what the finding names, or make `if` hold.",
     R"({"if": {"type": "string"}, "else": {"minimum": 1}})", R"(0)", "minimum"},
    {"dependentSchemas", K::in_place, "Where a member is there, the object fits this schema.", at_parts,
     "Correct what the finding names, or remove the member.", R"({"dependentSchemas": {"a": {"required": ["b"]}}})",
     R"({"a": 1})", "required"},
    {"dependencies", K::in_place, "Draft 7: dependentRequired and dependentSchemas in one.", at_close,
     "Add the missing member, or remove the one that asks for it.",
     R"({"$schema": "http://json-schema.org/draft-07/schema#", "dependencies": {"a": ["b"]}})", R"({"a": 1})",
     "dependencies"},

    // References.
    {"$ref", K::reference,
     "The value fits the schema at that place: in the same document (#/$defs/x, #anchor) or in one that was given "
     "(--schema URI=FILE). Nothing is ever fetched.",
     at_parts, "Correct what the finding names.", R"({"$ref": "#/$defs/name", "$defs": {"name": {"minLength": 1}}})",
     R"("")", "minLength"},
    {"$dynamicRef", K::reference,
     "Like $ref, but an anchor of the same name in a schema that led here wins: how recursive schemas are extended.",
     at_parts, "Correct what the finding names.",
     R"({"$dynamicRef": "#x", "$defs": {"a": {"$dynamicAnchor": "x", "type": "string"}}})", R"(1)", "type"},
    {"$recursiveRef", K::reference, "2019-09: what $dynamicRef became; it refers to `#`.", at_parts,
     "Correct what the finding names.",
     R"({"$schema": "https://json-schema.org/draft/2019-09/schema", )"
     R"("type": ["object", "null"], "additionalProperties": {"$recursiveRef": "#"}})",
     R"({"a": 1})", "type"},
    {"$id", K::reference, "The URI of the schema; references are relative to it. `plumb:NAME` names a contract.", "",
     "", R"({"$id": "plumb:greeting", "type": "string"})", R"("hello")", "", false},
    {"$schema", K::reference,
     "The dialect: 2020-12, 2019-09, drafts 7, 6 and 4, or a meta-schema of your own that was given.", "", "",
     R"({"$schema": "https://json-schema.org/draft/2020-12/schema"})", R"(1)", "", false},
    {"$vocabulary", K::reference, "In a meta-schema: which keywords its schemas may use.", "", "", "", "", "", false},
    {"$anchor", K::reference, "A name for this schema, for `#NAME`.", "", "",
     R"({"$ref": "#word", "$defs": {"w": {"$anchor": "word", "type": "string"}}})", R"("a")", "", false},
    {"$dynamicAnchor", K::reference, "A name for this schema that $dynamicRef looks for.", "", "", "", "", "", false},
    {"$recursiveAnchor", K::reference, "2019-09: true makes the document one that $recursiveRef looks for.", "", "", "",
     "", "", false},
    {"$defs", K::reference, "Schemas kept for $ref; they ask nothing by being there.", "", "",
     R"({"$defs": {"never": false}})", R"(1)", "", false},
    {"definitions", K::reference, "What $defs was called until draft 7.", "", "",
     R"({"definitions": {"never": false}})", R"(1)", "", false},
    {"$comment", K::reference, "A note for who maintains the contract.", "", "", R"({"$comment": "why"})", R"(1)", "",
     false},

    // The Plumbline vocabulary.
    {"itemLabel", K::vocabulary,
     "What people call an item, \"Question {n}\": findings in it begin with that, unless `prefix` is false.", "", "",
     R"({"items": {"itemLabel": "Question {n}", "type": "string"}})", R"(["Why?"])", "", false},
    {"errorMessage", K::vocabulary,
     "A map from keyword to the message that its finding gets; for `required` also from property to message. Variables "
     "are {n} {size} {limit} {value} {property} {path} {/pointer}.",
     "", "", R"({"type": "string", "errorMessage": {"type": "'{value}' must be a text"}})", R"("a")", "", false},
    {"severity", K::vocabulary,
     "error, warning or info: how much the findings of this schema weigh. Only an error makes an artifact invalid.", "",
     "", R"({"maxLength": 3, "severity": "warning"})", R"("long")", "maxLength", false},
    {"stopAt", K::vocabulary,
     "When one of these keywords is broken, later findings of the same value are marked `shadowedBy` and left out of "
     "text, feedback and counts.",
     "", "", R"({"stopAt": ["type"], "type": "string", "minLength": 1})", R"("a")", "", false},
    {"rules", K::vocabulary,
     "A scorecard's lines. `check` is a schema, decided without a model; `ask` is a question for a judge; `each` says "
     "what each one is asked of; `blocks` makes it a gate. A finding carries the rule's own id.",
     "As its check decides; an `ask` stays undecided in a plain check.", "See the rule's title and action.",
     R"({"rules": [{"id": "named", "title": "Has a name", "check": {"required": ["name"]}}]})", R"({})", "named"},
    {"memberOf", K::vocabulary,
     "The value is one of those that the pointers lead to: relative (1/options/*), or in the context (context:/ids/*). "
     "`match` compares parts of objects.",
     at_reads, "Take one of the values that are there; `allowed` lists them, the nearest first.",
     R"({"properties": {"answer": {"memberOf": {"in": "1/options/*"}}}})", R"({"options": ["a", "b"], "answer": "c"})",
     "memberOf"},
    {"distinct", K::vocabulary,
     "No two items (or no two values at `by`) are equal after folding (trim, lowercase). `report` once: one finding on "
     "the array; each: one at every repetition. With from and children, over a tree.",
     "At the value that repeats another.", "Change or remove the repeated value.",
     R"({"distinct": {"fold": ["trim", "lowercase"]}})", R"(["Cell", "cell "])", "distinct"},
    {"acyclic", K::vocabulary, "In a tree, no node's label comes again among its own descendants.",
     "At the label that comes again.", "Rename the node, or cut the branch that leads back.",
     R"({"acyclic": {"from": "/root", "children": "/children/*", "by": "/label"}})",
     R"({"root": {"label": "A", "children": [{"label": "A", "children": []}]}})", "acyclic"},
    {"countOf", K::vocabulary, "How many values a pointer finds: equals, min and max, as a number or a pointer.",
     at_reads, "Add or remove values, or correct the number.", R"({"countOf": {"in": "/items/*", "equals": "/total"}})",
     R"({"items": [1, 2], "total": 3})", "countOf"},
    {"sumOf", K::vocabulary, "The exact sum of the numbers a pointer finds: equals, min and max.", at_reads,
     "Correct the numbers, or the sum.", R"({"sumOf": {"in": "/parts/*", "equals": 100}})", R"({"parts": [60, 30]})",
     "sumOf"},
    {"sameSetAs", K::vocabulary, "The values here and there are the same set, in any order.", at_reads,
     "Add what is missing and remove what is too much.",
     R"({"properties": {"done": {"sameSetAs": {"in": "1/asked/*"}}}})", R"({"asked": ["a", "b"], "done": ["a"]})",
     "sameSetAs"},
    {"notBlank", K::vocabulary, "The string has more than white space.", at_string_end, "Write something.",
     R"({"notBlank": true})", R"("  ")", "notBlank"},
    {"length", K::vocabulary, "The length in characters after folding (trim): min and max.", at_string_end,
     "Shorten the text, or write more.", R"({"length": {"fold": ["trim"], "min": 2}})", R"(" a ")", "length"},
    {"maxSentences", K::vocabulary, "The text has at most so many sentences.", at_string_end,
     "Say it in fewer sentences.", R"({"maxSentences": 1})", R"("It rains. It pours.")", "maxSentences"},
    {"avoids", K::vocabulary,
     "The text has no phrase of the named lists: vague, exploratory, opinion, vibe, search-operators, keyword-soup, "
     "bare-topic, unanchored.",
     at_string_end, "Say it without the phrase that the finding names.", R"({"avoids": ["search-operators"]})",
     R"("site:example.org when was it founded")", "avoids"},
    {"singleUnknown", K::vocabulary, "The text asks for one unknown, not several at once.", at_string_end,
     "Ask one question; leave the others for later.", R"({"singleUnknown": true})",
     R"("When was it founded? Who founded it?")", "singleUnknown"},
    {"mentions", K::vocabulary,
     "The text names all, or any, of the terms that pointers lead to or that are given here as \"text:TERM\".",
     at_reads, "Name the missing term.", R"({"mentions": {"all": ["text:photosynthesis"]}})", R"("Plants need light.")",
     "mentions"},
    {"facts", K::vocabulary,
     "The text has at least `min` concrete facts (numbers, dates, names, countable things, URLs, quotes), where asked "
     "`within` its first characters.",
     at_string_end, "Say something that can be looked up: a number, a date, a name.",
     R"({"facts": {"min": 1, "kinds": ["number"]}})", R"("It grew a lot.")", "facts"},
    {"novel", K::vocabulary, "The text says something new compared with earlier ones; a duplicate breaks it.", at_reads,
     "Ask or say something that was not there before.", R"({"properties": {"now": {"novel": {"in": "1/before/*"}}}})",
     R"({"before": ["Who founded the town?"], "now": "Who founded the town?"})", "novel"},
    {"quotedFrom", K::vocabulary,
     "The text appears word for word in a source, after folding white space and typographic marks.", at_reads,
     "Quote exactly what the source says.", R"({"properties": {"quote": {"quotedFrom": {"in": "1/source"}}}})",
     R"({"source": "Plants convert light into chemical energy.", "quote": "Plants turn sunlight to sugar."})",
     "quotedFrom"},
    {"pointers", K::vocabulary,
     "A map from pointer to schema: every value that the pointer finds fits it, also in the context.", at_parts,
     "Correct what the finding names.", R"({"pointers": {"/a/*/n": {"type": "integer"}}})", R"({"a": [{"n": "x"}]})",
     "type"},
    {"role", K::vocabulary, "Who produces this artifact: purpose, what it reads, what it may do. For runs.", "", "",
     R"({"role": {"purpose": "Asks the next question", "reads": [], "may": []}})", R"({})", "", false},
    {"itemId", K::vocabulary, "A pointer to the field by which an item is named to models. For runs.", "", "",
     R"({"items": {"itemId": "/id"}})", R"([{"id": "a"}])", "", false},
    {"edits", K::vocabulary,
     "Which edits are allowed here and below: none, certain or guess, or an object from classes of edits to these.", "",
     "", R"({"properties": {"code": {"edits": "none"}}})", R"({"code": "x"})", "", false},

    // What only describes.
    {"title", K::annotation, "The contract's or the rule's name for people.", "", "", R"({"title": "Quiz"})", R"(1)",
     "", false},
    {"description", K::annotation, "What it is about, for people and for prompts.", "", "",
     R"({"description": "A quiz"})", R"(1)", "", false},
    {"default", K::annotation, "The value that is meant where none is given. It is not filled in.", "", "",
     R"({"default": 1})", R"(2)", "", false},
    {"deprecated", K::annotation, "Do not use this any more.", "", "", R"({"deprecated": true})", R"(1)", "", false},
    {"readOnly", K::annotation, "Only the producer writes it.", "", "", R"({"readOnly": true})", R"(1)", "", false},
    {"writeOnly", K::annotation, "It is given, and never shown.", "", "", R"({"writeOnly": true})", R"(1)", "", false},
    {"examples", K::annotation, "Values that fit, for people and for prompts.", "", "", R"({"examples": ["a"]})",
     R"(1)", "", false},
    {"contentEncoding", K::annotation, "How bytes are written as a string, such as base64. It is not decoded.", "", "",
     R"({"contentEncoding": "base64"})", R"("?")", "", false},
    {"contentMediaType", K::annotation, "What the string holds, such as text/html.", "", "",
     R"({"contentMediaType": "text/html"})", R"("<p>")", "", false},
    {"contentSchema", K::annotation, "What the decoded content looks like. It is not judged.", "", "",
     R"({"contentSchema": false})", R"("a")", "", false},
};

}  // namespace

std::string_view kind_title(RuleKind kind) {
  switch (kind) {
    case K::text:
      return "The text itself";
    case K::any_value:
      return "JSON Schema, any value";
    case K::number:
      return "JSON Schema, numbers";
    case K::string:
      return "JSON Schema, strings";
    case K::array:
      return "JSON Schema, arrays";
    case K::object:
      return "JSON Schema, objects";
    case K::in_place:
      return "JSON Schema, schemas together";
    case K::reference:
      return "JSON Schema, references";
    case K::vocabulary:
      return "Plumbline vocabulary";
    case K::annotation:
      return "JSON Schema, what only describes";
  }
  return "";
}

std::span<const Explanation> explanations() { return table; }

const Explanation* explanation_of(std::string_view rule) {
  for (const Explanation& one : table) {
    if (one.rule == rule) {
      return &one;
    }
  }
  return nullptr;
}

}  // namespace plumb::contract
