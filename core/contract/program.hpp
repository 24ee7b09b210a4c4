// Program: a compiled contract, which the engine runs. compile.cpp builds it once; then it does not change, and checks
// share it.
//
// A Node is one schema object. Keywords of one kind are together in a part, which exists only if one of them is used.
// So a node for `{"type": "string"}` is small, and a check does not look for absent keywords. Members named `..._at`
// are the Position of the keyword.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/contract/contract.hpp"
#include "core/contract/edit.hpp"
#include "core/contract/fast_path.hpp"
#include "core/contract/finding.hpp"
#include "core/contract/keywords.hpp"
#include "core/contract/message_template.hpp"
#include "core/contract/pointer_automaton.hpp"
#include "core/contract/pool.hpp"
#include "core/json/arena.hpp"
#include "core/json/decimal.hpp"
#include "core/json/equality.hpp"
#include "core/json/value.hpp"
#include "core/text/fold.hpp"
#include "core/text/format.hpp"
#include "core/text/pattern.hpp"

namespace plumb::contract {

struct Node;

inline constexpr std::uint64_t no_bound = ~std::uint64_t{0};
inline constexpr std::uint32_t none32 = ~std::uint32_t{0};

// Bits of Node::types. `integer` without `number` adds a test at the end of the number.
enum TypeBit : std::uint8_t {
  type_null = 1,
  type_boolean = 2,
  type_number = 4,
  type_string = 8,
  type_array = 16,
  type_object = 32,
  type_integer = 64,
  type_any = 63
};

// The bit of Node::types for a kind of value.
inline std::uint8_t bit_of(json::Kind kind) {
  constexpr std::uint8_t bits[] = {type_null, type_boolean, type_number, type_string, type_array, type_object};
  return bits[static_cast<std::size_t>(kind)];
}

// A keyword's place in its schema object, in file order. It is the first half of a finding's place in the walk.
using Position = std::uint32_t;

struct Value {  // a value of const or enum
  json::Value value;
  std::string text;  // compact JSON, for messages and `allowed`
};

struct ScalarPart {                    // const and enum, for values of any type
  std::vector<Value> members;          // in file order
  std::vector<std::uint32_t> strings;  // indices of string members, sorted in byte order
  bool only_strings = false;
  bool has_containers = false;  // if so, the instance must be remembered as a whole
  Position position = 0;
  bool is_const = false;
};

struct NumberPart {
  struct Bound {
    Kw kw;
    Position position;
    json::Decimal limit;
    std::string text;
  };
  std::vector<Bound> bounds;  // in file order, multipleOf among them
  // Bounds that a small integer can be compared with, without a Decimal.
  bool fast = false;
  std::int64_t fast_min = 0;
  std::int64_t fast_max = 0;
};

// A rule about the text of one string, judged when the string has ended.
struct TextRule {
  Kw kw = Kw::none;
  Position position = 0;
  std::uint64_t number = 0;         // maxSentences
  std::vector<std::string> lists;   // avoids; facts: kinds
  std::uint64_t within = no_bound;  // facts
  std::uint64_t min = 0;            // facts
};

struct StringPart {
  std::uint64_t min_length = 0;
  std::uint64_t max_length = no_bound;
  Position min_length_at = 0;
  Position max_length_at = 0;
  bool not_blank = false;
  Position not_blank_at = 0;
  bool has_length = false;  // the vocabulary's `length`
  text::Fold length_fold;
  std::uint64_t length_min = 0;
  std::uint64_t length_max = no_bound;
  Position length_at = 0;
  std::uint32_t pattern = none32;  // index into Program::patterns
  Position pattern_at = 0;
  std::optional<text::Format> format;
  Position format_at = 0;
  std::vector<TextRule> text_rules;
};

// `distinct` and `acyclic`.
struct DistinctPart {
  Kw kw = Kw::distinct;
  Position position = 0;
  text::Fold fold;
  bool folds = false;
  bool each = true;  // reports every repetition; else one finding on the array
  bool tree = false;
  bool by_self = false;          // compares the items themselves, without a pointer
  std::uint32_t rider = none32;  // trees: the other rule that reads the same labels
};

struct ContainsPart {
  const Node* node = nullptr;
  std::uint64_t min = 1;
  std::uint64_t max = no_bound;
  Position position = 0;
  Position min_at = 0;
  Position max_at = 0;
  bool has_min = false;
};

struct ArrayPart {
  std::uint64_t min_items = 0;
  std::uint64_t max_items = no_bound;
  Position min_items_at = 0;
  Position max_items_at = 0;
  std::vector<const Node*> prefix;
  Position prefix_at = 0;
  const Node* items = nullptr;  // of items after the prefix
  Kw items_kw = Kw::items;      // or additionalItems
  Position items_at = 0;
  std::optional<ContainsPart> contains;
  bool simple = false;             // items need only fulfil `items`
  bool contains_evaluates = true;  // 2020-12: contained items count as evaluated
  bool unique = false;
  Position unique_at = 0;
  const Node* unevaluated = nullptr;
  Position unevaluated_at = 0;
  std::vector<DistinctPart> distinct;  // over the items
  bool compares_items = false;         // uniqueItems, or a `distinct` of the items themselves
};

struct Slot {  // a key that this schema object knows
  std::string_view key;
  const Node* node = nullptr;                 // from `properties`
  std::uint32_t order = 0;                    // index within `properties`
  std::uint32_t required = none32;            // index into `required`
  std::uint32_t dependent_required = none32;  // index into ObjectPart::dependents
  std::uint32_t dependent_schema = none32;
  std::uint32_t reading = none32;  // child of the node's own reading
  bool by_pattern = false;         // some patternProperties apply to the key too
  bool discriminates = false;
};

struct Dependent {
  Kw kw = Kw::dependent_required;  // or `dependencies` in older drafts
  std::string_view key;
  std::vector<std::string_view> required;
  Position position = 0;
  std::uint32_t order = 0;
};

// The hash of ObjectPart::table.
inline std::uint32_t slot_hash(std::string_view key) { return static_cast<std::uint32_t>(json::hash_text(key, 0)); }

struct ObjectPart {
  std::vector<Slot> slots;           // properties first, in file order
  std::vector<std::uint32_t> table;  // open addressing over slots: index + 1, 0 for free
  std::uint32_t table_mask = 0;
  Position properties_at = 0;
  std::vector<std::uint32_t> required;  // slots, in the order of `required`
  Position required_at = 0;
  std::uint64_t required_mask = 0;  // a bit for each slot in `required`, if all are below 64
  bool few = false;                 // at most 64 slots
  bool simple = false;              // a known key need only fulfil its own schema
  struct PatternProperty {
    std::uint32_t pattern;
    const Node* node;
    std::uint32_t order;
  };
  std::vector<PatternProperty> pattern_properties;
  Position pattern_properties_at = 0;
  const Node* additional = nullptr;
  Position additional_at = 0;
  const Node* names = nullptr;
  Position names_at = 0;
  std::uint64_t min_properties = 0;
  std::uint64_t max_properties = no_bound;
  Position min_properties_at = 0;
  Position max_properties_at = 0;
  std::vector<Dependent> dependents;  // dependentRequired
  const Node* unevaluated = nullptr;
  Position unevaluated_at = 0;
};

// A set of rules.
class KwSet {
 public:
  void set(Kw kw) { words_[index(kw) / 64] |= std::uint64_t{1} << (index(kw) % 64); }
  bool test(Kw kw) const { return (words_[index(kw) / 64] >> (index(kw) % 64) & 1U) != 0; }

 private:
  static std::size_t index(Kw kw) { return static_cast<std::size_t>(kw); }
  std::uint64_t words_[2] = {};
};

// One or more schemas that apply to the same instance.
struct InPlace {
  InPlace(Kw by, Position at, const Node* schema) : kw(by), form(facets_of(by).form), position(at), node(schema) {}
  // All that its schema asks holds at this value, whatever the value is.
  bool joins() const { return form == InPlaceForm::reference || form == InPlaceForm::all; }

  Kw kw;
  InPlaceForm form;
  Position position;
  std::uint32_t order = 0;  // dependentSchemas: index of the key
  const Node* node;         // the schema of a ref, allOf member, not, if or dependent schema
  const Node* then_node = nullptr;
  const Node* else_node = nullptr;
  Position then_at = 0;
  Position else_at = 0;
  std::vector<const Node*> branches;  // anyOf, oneOf
  std::string_view key;               // dependentSchemas: the member that activates it
  std::string_view discriminator;     // anyOf, oneOf: the property that every branch fixes, or empty
  std::vector<const json::Value*> discriminator_values;
  std::string_view anchor;  // $dynamicRef: the anchor to look for in the dynamic scope
};

// An entry of `rules`.
struct Rule {
  std::string id;
  std::string title;
  std::string ask;
  std::string action;
  Severity severity = Severity::error;
  bool blocks = false;
  const Node* check = nullptr;
  bool each = false;
  std::uint32_t each_pattern = none32;
  Position position = 0;
  std::uint32_t order = 0;
  // A label of a rule. Its object form gives a label per outcome. Its text form names the source of the label: the
  // keyword "novel", or a place in the context.
  struct Label {
    std::string name;
    std::string from_keyword;
    std::uint32_t context = none32;  // index into Program::pointer_patterns
    std::vector<std::pair<std::string, std::string>> by_outcome;
  };
  std::vector<Label> labels;
};

// A rule that reads other places: memberOf, countOf, sumOf, sameSetAs, mentions, novel or quotedFrom.
struct CrossRule {
  struct Operand {
    std::uint32_t pattern = none32;  // index into Program::pointer_patterns
    std::string literal;             // used if `pattern` is none32
  };
  struct Match {
    std::uint32_t own = none32;    // pattern within the value
    std::uint32_t other = none32;  // pattern within the candidate
  };
  Kw kw = Kw::none;
  Position position = 0;
  std::vector<Operand> all;  // `in`, or mentions.all
  std::vector<Operand> any;  // mentions.any
  std::vector<Match> match;
  std::uint32_t by = none32;  // pattern within an item or candidate
  text::Fold fold;
  bool folds = false;
  std::uint64_t min_points = 0;  // quotedFrom
  struct Bound {
    enum class Kind : std::uint8_t { equals, min, max } kind = Kind::equals;
    std::optional<json::Decimal> number;
    std::string text;
    std::uint32_t pattern = none32;
  };
  std::vector<Bound> bounds;  // countOf, sumOf
};

// A schema that applies to other places: by `pointers`, or as a rule's check with `each`.
struct PointedSchema {
  std::uint32_t pattern = none32;
  const Node* node = nullptr;
  Kw kw = Kw::pointers;
  Position position = 0;
  std::uint32_t order = 0;
  std::uint32_t rule = none32;  // index into RulesPart::rules
};

struct Messages {
  std::vector<std::pair<Kw, MessageTemplate>> by_keyword;
  std::vector<std::pair<std::string, MessageTemplate>> required;  // by property; "_" for all others
  const MessageTemplate* find(Kw kw, std::string_view property) const;
};

struct ItemLabel {
  MessageTemplate text;
  bool prefix = true;
};

// What few nodes have, kept apart to keep nodes small.
struct ExtraPart {
  std::unique_ptr<Messages> messages;
  std::unique_ptr<ItemLabel> label;
  std::unique_ptr<EditLevels> edits;  // the edits that are allowed here and below
  KwSet stop_at;
  std::vector<CrossRule> cross;
  std::vector<PointedSchema> pointed;
  std::vector<Rule> rules;
  std::vector<DistinctPart> trees;      // distinct and acyclic with `from`
  std::vector<std::uint32_t> readings;  // start states in Program::readings, of patterns whose base is this instance
};

struct Node {
  std::uint8_t types = type_any;
  bool always = false;           // the schema true or {}, which requires nothing
  bool never = false;            // the schema false
  bool plain_integer = false;    // draft 4: an integer has no fraction and no exponent, so 1.0 is not one
  bool plain = true;             // no in-place applicator, and nothing in `extra` that needs an evaluation
  bool tracks = false;           // unevaluated*: must know what its applicators have evaluated
  bool fast_scalar = false;      // the fast tests alone can accept a scalar instance
  bool settles_plainly = false;  // nothing is left to do when its instance has closed
  bool fast_member = false;      // its only cross rule is memberOf, in the common form
  bool discriminates = false;    // a property identifies the branch of an anyOf or oneOf
  Severity severity = Severity::error;
  Position type_at = 0;
  std::uint32_t resource = 0;
  std::uint32_t fast_path = 0;  // its plan in Program::fast_paths, if no outer rule reads in it
  std::string location;         // JSON Pointer, or URI#pointer for another document
  const json::Value* schema = nullptr;
  std::unique_ptr<ScalarPart> scalar;
  std::vector<std::unique_ptr<ScalarPart>> more_scalars;  // a schema may have both enum and const
  std::unique_ptr<NumberPart> number;
  std::unique_ptr<StringPart> string;
  std::unique_ptr<ArrayPart> array;
  std::unique_ptr<ObjectPart> object;
  std::vector<InPlace> in_place;  // in file order
  std::unique_ptr<ExtraPart> extra;
};

struct Resource {
  std::string uri;
  Dialect dialect = Dialect::draft2020_12;
  std::vector<std::pair<std::string, const Node*>> dynamic_anchors;
  bool recursive_anchor = false;
  const Node* root = nullptr;
  const json::Value* value = nullptr;
};

struct Program {
  Program() = default;
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  const std::string& text() const { return texts[0]; }

  std::string name;
  std::string title;
  std::string hash;
  std::vector<Warning> warnings;
  std::vector<std::string> context_read;
  // There may be thousands of programs, most of them tiny, so no member begins large.
  json::Arena arena;
  Pool<std::string, 4> texts;  // the contract's text, then documents and strings that nodes refer to
  Pool<Node, 4> nodes;
  std::vector<Resource> resources;
  std::vector<text::Pattern> patterns;
  std::vector<PointerPattern> pointer_patterns;
  std::vector<AutomatonState> readings;
  FastPaths fast_paths;
  const Node* root = nullptr;
  bool uses_dynamic_scope = false;
  bool asks = false;              // true if some rule asks a judge
  bool without_keywords = false;  // true if no member is a keyword: probably an artifact, not a contract
};

// Reads and compiles a contract, as Contract::read() does.
Result<std::shared_ptr<const Program>> compile(std::string_view text, const ReadOptions& options);

}  // namespace plumb::contract
