// JSON Schema, keyword by keyword. Nodes are filled from a work list, not by recursion. So references may form any
// graph, and a deep contract needs no deep stack.

#include <algorithm>
#include <utility>

#include "core/ascii.hpp"
#include "core/contract/compiler.hpp"
#include "core/contract/keywords/keyword.hpp"
#include "core/contract/our_form.hpp"
#include "core/contract/uri.hpp"
#include "core/json/pointer.hpp"
#include "core/json/sha256.hpp"
#include "core/json/writer.hpp"
#include "core/stable_sort.hpp"
#include "core/text/steps.hpp"
#include "core/text/suggest.hpp"

namespace plumb::contract {

using json::Kind;

namespace {

constexpr std::uint64_t member_steps = 50;  // to read a keyword with its place
constexpr std::uint64_t link_steps = 50;    // to link a schema

constexpr std::string_view annotations[] = {
    "$schema",  "$id",         "$anchor",         "$dynamicAnchor",   "$recursiveAnchor", "$defs",    "definitions",
    "$comment", "$vocabulary", "title",           "description",      "default",          "examples", "deprecated",
    "readOnly", "writeOnly",   "contentEncoding", "contentMediaType", "contentSchema",    "id"};

std::string child_pointer(std::string where, std::string_view token) {
  json::append_token(where, token);
  return where;
}

bool is_on(const Vocabularies& on, Vocabulary vocabulary) {
  switch (vocabulary) {
    case Vocabulary::applicator:
      return on.applicator;
    case Vocabulary::unevaluated:
      return on.unevaluated;
    case Vocabulary::validation:
      return on.validation;
    default:
      return true;
  }
}

}  // namespace

ObjectPart& Compiler::object(Node& node) {
  if (!node.object) {
    node.object = std::make_unique<ObjectPart>();
  }
  return *node.object;
}
ArrayPart& Compiler::array(Node& node) {
  if (!node.array) {
    node.array = std::make_unique<ArrayPart>();
  }
  return *node.array;
}
StringPart& Compiler::string(Node& node) {
  if (!node.string) {
    node.string = std::make_unique<StringPart>();
  }
  return *node.string;
}
ExtraPart& Compiler::extra(Node& node) {
  if (!node.extra) {
    node.extra = std::make_unique<ExtraPart>();
  }
  return *node.extra;
}
Slot& Compiler::slot(Node& node, std::string_view key) {
  ObjectPart& o = object(node);
  std::size_t size = o.table.size();
  if (o.slots.size() * 2 >= size) {
    size = size == 0 ? 8 : size * 2;
    o.table.assign(size, 0);
    o.table_mask = static_cast<std::uint32_t>(size - 1);
    for (std::uint32_t i = 0; i < o.slots.size(); ++i) {
      std::uint32_t h = slot_hash(o.slots[i].key) & o.table_mask;
      while (o.table[h] != 0) {
        h = (h + 1) & o.table_mask;
      }
      o.table[h] = i + 1;
    }
  }
  std::uint32_t h = slot_hash(key) & o.table_mask;
  for (; o.table[h] != 0; h = (h + 1) & o.table_mask) {
    if (o.slots[o.table[h] - 1].key == key) {
      return o.slots[o.table[h] - 1];
    }
  }
  o.slots.emplace_back();
  o.slots.back().key = key;
  o.table[h] = static_cast<std::uint32_t>(o.slots.size());
  return o.slots.back();
}

Node* Compiler::node_for(const json::Value& schema) {
  auto found = node_by_schema_.find(&schema);
  if (found != node_by_schema_.end()) {
    return found->second;
  }
  program_.nodes.emplace_back();
  Node& node = program_.nodes.back();
  node.schema = &schema;
  const SchemaPlace& place = documents_.place(&schema);
  node.resource = place.resource;
  const SchemaDocument& document = documents_.document(documents_.resource(place.resource).document);
  node.location = document.main ? place.pointer : document.uri + "#" + place.pointer;
  node_by_schema_.emplace(&schema, &node);
  to_fill_.emplace_back(&node, &schema);
  return &node;
}

const Node* Compiler::child(const At& at, const json::Value& schema, const std::string& where, Step step,
                            std::uint32_t path) {
  if (!schema.is(Kind::object) && !schema.is(Kind::boolean)) {
    fail(at, where, schema, std::string(at.member.key) + ": a schema is an object, true or false");
    return nullptr;
  }
  Node* node = node_for(schema);
  edges_.push_back({&at.node, node, step, path});
  return node;
}

std::vector<const Node*> Compiler::children(const At& at, Step step) {
  std::vector<const Node*> out;
  const json::Value& list = at.member.value;
  if (!list.is(Kind::array) || list.size == 0) {
    fail(at, std::string(at.member.key) + " must be a list of at least one schema");
    return out;
  }
  std::size_t i = 0;
  for (const json::Value& item : list.array()) {
    out.push_back(child(at, item, at.where + "/" + std::to_string(i++), step));
  }
  return out;
}

std::string Compiler::At::below(std::string_view key) const { return child_pointer(where, key); }

bool Compiler::count(const At& at, std::uint64_t& out) {
  json::Decimal d;
  if (!at.member.value.is(Kind::number) ||
      json::Decimal::read(at.member.value.str(), 10000, d) != json::DecimalStatus::ok || d.sign() < 0 ||
      !d.is_integer()) {
    fail(at, std::string(at.member.key) + " must be a whole number, 0 or greater");
    return false;
  }
  if (!d.to_uint64(out)) {
    out = no_bound - 1;  // more than any artifact can have
  }
  return true;
}

bool Compiler::number(const At& at, const json::Value& value, const std::string& where, json::Decimal& out) {
  if (!value.is(Kind::number)) {
    fail(at, where, value, std::string(at.member.key) + " must be a number");
    return false;
  }
  if (json::Decimal::read(value.str(), 10000, out) != json::DecimalStatus::ok) {
    fail(at, where, value, "this number has an exponent beyond 10,000 or too many digits");
    return false;
  }
  return true;
}

bool Compiler::string_list(const At& at, const json::Value& value, const std::string& where,
                           std::vector<std::string_view>& out) {
  if (!value.is(Kind::array)) {
    fail(at, where, value, std::string(at.member.key) + " must be a list of strings");
    return false;
  }
  std::set<std::string_view> seen;
  for (const json::Value& item : value.array()) {
    if (!item.is(Kind::string)) {
      fail(at, where, item, std::string(at.member.key) + " must be a list of strings");
      return false;
    }
    if (seen.insert(item.str()).second) {
      out.push_back(item.str());
    } else {
      documents_.warn(at.resource.document, where, item.from,
                      std::string(at.member.key) + " names '" + std::string(item.str()) + "' twice",
                      WarningKind::repeated);
    }
  }
  return true;
}

std::uint32_t Compiler::pattern(const At& at, std::string_view source, const json::Value& value,
                                const std::string& where) {
  auto found = pattern_by_source_.find(std::string(source));
  if (found != pattern_by_source_.end()) {
    return found->second;
  }
  Result<text::Pattern> compiled = text::Pattern::compile(source, options_.steps);
  if (!compiled) {
    fail(at, where, value, compiled.error().message);
    return none32;
  }
  for (const text::PatternWarning& warning : compiled.value().warnings()) {
    documents_.warn(at.resource.document, where, value.from, warning.message, WarningKind::old_escape);
  }
  std::uint32_t index = static_cast<std::uint32_t>(program_.patterns.size());
  program_.patterns.push_back(std::move(compiled).value());
  pattern_by_source_.emplace(std::string(source), index);
  return index;
}

bool Compiler::asserts_formats(const At& at) const {
  return options_.assert_formats || at.resource.vocabularies.format_assertion;
}

void Compiler::unknown_keyword(const At& at) {
  std::string_view key = at.member.key;
  if (key.size() < 4 || key.front() == '$' || key.starts_with("x-")) {
    return;
  }
  std::vector<std::string_view> known(std::begin(vocabulary_keywords), std::end(vocabulary_keywords));
  for (const KwFacets& one : all_kw_facets()) {
    if (one.group == KwGroup::standard) {
      known.push_back(one.name);
    }
  }
  constexpr std::uint64_t near_steps = 2'000;
  if (!takes(near_steps)) {
    return;
  }
  std::optional<std::size_t> near = text::nearest(key, known);
  if (near && *near < std::size(vocabulary_keywords) &&
      (at.resource.ours || has_our_form(known[*near], at.member.value))) {
    fail(at, "unknown keyword '" + std::string(key) + "'; did you mean '" + std::string(known[*near]) + "'?");
    return;
  }
  if (near) {
    documents_.warn(
        at.resource.document, at.where, at.member.key_from,
        "unknown keyword '" + std::string(key) + "' is ignored; did you mean '" + std::string(known[*near]) + "'?",
        WarningKind::unknown_keyword, known[*near]);
  }
}

const Node* Compiler::refer(const At& at, bool dynamic) {
  const json::Value& value = at.member.value;
  if (!value.is(Kind::string)) {
    fail(at, std::string(at.member.key) + " must be a URI reference in a string");
    return nullptr;
  }
  const json::Value* target = documents_.resolve(at.node.resource, value.str(), at.where, value);
  if (target == nullptr) {
    return nullptr;
  }
  Node* node = node_for(*target);
  edges_.push_back({&at.node, node, Step::in_place, none32});
  InPlace in(dynamic ? kw_named(at.member.key) : Kw::ref, at.position, node);
  if (in.kw == Kw::dynamic_ref) {
    // The reference is dynamic only if its plain target is itself a dynamic anchor with this name.
    std::string fragment = ascii::percent_decoded(split_fragment(value.str()).fragment);
    const json::Value* anchor = target->find("$dynamicAnchor");
    if (!fragment.empty() && fragment.front() != '/' && anchor != nullptr && anchor->is(Kind::string) &&
        anchor->str() == fragment) {
      in.anchor = anchor->str();
    }
  }
  if (in.kw == Kw::recursive_ref) {
    const json::Value* anchor = target->find("$recursiveAnchor");
    if (anchor != nullptr && anchor->is(Kind::boolean) && anchor->boolean) {
      in.anchor = "$recursiveAnchor";
    }
  }
  if (in.anchor.empty()) {
    in = InPlace(Kw::ref, at.position, node);
  } else {
    dynamic_uses_.push_back({&at.node, at.node.in_place.size(), in.kw == Kw::recursive_ref});
  }
  at.node.in_place.push_back(std::move(in));
  return node;
}

// Version 1: the outermost $dynamicAnchor with this name in the dynamic scope. If neither the resource nor the scope
// has one, nothing is accepted. If no resource has one, compile() reports it.
void Compiler::refer_dynamically(const At& at) {
  const json::Value& value = at.member.value;
  const std::string_view name = value.is(Kind::string) ? value.str() : std::string_view();
  if (name.size() < 2 || name.front() != '#' || name.find('/') != std::string_view::npos) {
    fail(at, "$dynamicRef is # and the name of a $dynamicAnchor");
    return;
  }
  Node* node = node_for(*documents_.dynamic_anchor(at.node.resource, name.substr(1), at.where, value));
  edges_.push_back({&at.node, node, Step::in_place, none32});
  InPlace in(Kw::dynamic_ref, at.position, node);
  in.anchor = name.substr(1);
  at.node.in_place.push_back(std::move(in));
  dynamic_uses_.push_back({&at.node, at.node.in_place.size() - 1, false});
}

// Reports references of version 1 to an anchor that no resource has.
void Compiler::check_dynamic_uses() {
  for (const DynamicUse& use : dynamic_uses_) {
    const InPlace& in = use.node->in_place[use.in_place];
    if (use.recursive || !in.node->schema->is(Kind::boolean)) {
      continue;
    }
    bool found = in.node->schema->boolean;
    for (std::uint32_t i = 0; i < documents_.resource_count() && !found; ++i) {
      const auto& names = documents_.resource(i).dynamic_anchors;
      found = std::find(names.begin(), names.end(), in.anchor) != names.end();
    }
    if (!found) {
      const SchemaPlace& place = documents_.place(in.node->schema);
      documents_.fail(documents_.resource(place.resource).document, place.pointer, in.node->schema->from,
                      "the reference #" + std::string(in.anchor) + " names a $dynamicAnchor that is not there");
      return;
    }
  }
}

bool Compiler::keyword(At& at) {
  const std::string_view key = at.member.key;
  const Dialect dialect = at.resource.dialect;
  if (key == "$ref") {
    refer(at, false);
    return true;
  }
  if (key == "$dynamicRef" && dialect == Dialect::v1) {
    refer_dynamically(at);
    return true;
  }
  if ((key == "$dynamicRef" && dialect == Dialect::draft2020_12) ||
      (key == "$recursiveRef" && dialect == Dialect::draft2019_09)) {
    refer(at, true);
    return true;
  }
  const Keyword* known = keyword_of(kw_named(key));
  if (known == nullptr || known->vocabulary == Vocabulary::ours) {
    return false;
  }
  if (known->since > dialect) {
    documents_.warn(at.resource.document, at.where, at.member.key_from,
                    "'" + std::string(key) + "' is ignored: the dialect of this schema, " +
                        std::string(name_of(dialect)) + ", does not know it");
  } else if (is_on(at.resource.vocabularies, known->vocabulary)) {
    known->compile(*this, at);
  }
  return true;
}

// Takes steps if there is a budget. False if none are left; the contract is then not compiled.
bool Compiler::takes(std::uint64_t steps) const { return options_.steps == nullptr || options_.steps->take(steps); }

void Compiler::fill(Node& node, const json::Value& schema) {
  if (schema.is(Kind::boolean)) {
    node.always = schema.boolean;
    node.never = !schema.boolean;
    return;
  }
  const SchemaPlace place = documents_.place(&schema);
  const SchemaResource& resource = documents_.resource(place.resource);
  bool only_ref = ref_stands_alone(resource.dialect) && schema.find("$ref") != nullptr;
  Position position = 0;
  for (const json::Member& member : schema.object()) {
    if (documents_.failed() || !takes(member_steps + place.pointer.size() / 8)) {
      return;
    }
    At at{node, member, position++, resource, child_pointer(place.pointer, member.key)};
    if (only_ref && member.key != "$ref") {
      continue;
    }
    if (keyword(at) || vocabulary(at)) {
      continue;
    }
    bool annotation = std::find(std::begin(annotations), std::end(annotations), member.key) != std::end(annotations);
    if (!annotation && kw_named(member.key) == Kw::none) {
      unknown_keyword(at);
    }
  }
}

// Warns if no member of the document is a keyword. Such a document accepts everything; it may be an artifact that was
// passed as the contract.
void Compiler::warn_of_artifact(const json::Value& root) {
  constexpr std::string_view of_both[] = {"title",      "description", "default",   "examples",
                                          "deprecated", "readOnly",    "writeOnly", "id"};
  std::string_view other;
  for (const json::Member& member : root.object()) {
    const std::string_view key = member.key;
    const auto is = [key](std::string_view name) { return name == key; };
    const bool annotates = std::any_of(std::begin(annotations), std::end(annotations), is);
    if (kw_named(key) != Kw::none || key == "then" || key == "else" ||
        std::any_of(std::begin(vocabulary_keywords), std::end(vocabulary_keywords), is) ||
        (annotates && !std::any_of(std::begin(of_both), std::end(of_both), is))) {
      return;
    }
    if (other.empty() && !annotates && !key.starts_with('$') && !key.starts_with("x-")) {
      other = key;
    }
  }
  if (!other.empty()) {
    program_.without_keywords = true;
    documents_.warn(0, "", root.from,
                    "everything keeps this contract: none of its members ('" + json::excerpt(other, 60) +
                        "') is a keyword; is it an artifact?");
  }
}

bool Compiler::compile(std::string_view text) {
  if (!takes(text.size())) {
    return false;
  }
  const json::Value* root = documents_.read_main(text);
  if (root == nullptr) {
    return false;
  }
  warn_of_artifact(*root);
  program_.root = node_for(*root);
  constexpr std::size_t nodes_max = 2'000'000;
  while (!to_fill_.empty() && !documents_.failed()) {
    auto [node, schema] = to_fill_.back();
    to_fill_.pop_back();
    fill(*node, *schema);
    if (to_fill_.empty()) {
      // Dynamic references may lead to any anchor with their name, so those schemas need nodes too.
      for (std::uint32_t i = 0; i < documents_.resource_count(); ++i) {
        const SchemaResource& r = documents_.resource(i);
        for (const DynamicUse& use : dynamic_uses_) {
          if (use.recursive && r.recursive_anchor) {
            node_for(*r.root);
          }
          for (const std::string& name : r.dynamic_anchors) {
            if (!use.recursive && use.node->in_place[use.in_place].anchor == name) {
              node_for(*r.anchors.find(name)->second);
            }
          }
        }
      }
    }
    if (program_.nodes.size() > nodes_max) {
      documents_.fail(0, "", 0, "the contract has more than 2,000,000 schemas");
    }
    if (options_.steps != nullptr && options_.steps->spent()) {
      return false;
    }
  }
  check_dynamic_uses();
  if (documents_.failed() || !takes(program_.nodes.size() * link_steps)) {
    return false;
  }
  link();
  if (documents_.failed()) {
    return false;
  }
  json::Sha256 sha;
  for (std::uint32_t d : documents_.documents_read()) {
    const SchemaDocument& document = documents_.document(d);
    if (!document.main) {
      sha.update(std::string_view("\0", 1));
      sha.update(document.uri);
      sha.update(std::string_view("\0", 1));
    }
    sha.update(document.text);
  }
  program_.hash = "sha256:" + sha.hex();
  const json::Value* title = root->find("title");
  program_.title = title != nullptr && title->is(Kind::string) ? std::string(title->str()) : std::string();
  const json::Value* id = root->find("$id");
  std::string_view name = options_.name;
  if (name.empty() && id != nullptr && id->is(Kind::string)) {
    name = id->str();
    if (name.starts_with("plumb:")) {
      name.remove_prefix(6);
    }
  }
  program_.name = name.empty() ? std::string("contract") : std::string(name);
  return true;
}

Result<std::shared_ptr<const Program>> compile(std::string_view text, const ReadOptions& options) {
  auto program = std::make_shared<Program>();
  Compiler compiler(options, *program);
  const bool compiled = compiler.compile(text);
  if (options.steps != nullptr && options.steps->spent()) {
    return Error{ErrorCode::limit,
                 "this contract cannot be read within the work that is allowed: " + options.steps->why(), "", 0, 0};
  }
  if (!compiled) {
    return compiler.error();
  }
  program->warnings = compiler.take_warnings();
  return std::shared_ptr<const Program>(std::move(program));
}

Result<Contract> Contract::read(std::string_view text, const ReadOptions& options) {
  Result<std::shared_ptr<const Program>> program = compile(text, options);
  if (!program) {
    return program.error();
  }
  return Contract(std::move(program).value());
}

const std::string& Contract::name() const { return program_->name; }
const std::string& Contract::title() const { return program_->title; }
const std::string& Contract::hash() const { return program_->hash; }
const std::string& Contract::text() const { return program_->text(); }
const json::Value& Contract::tree() const { return *program_->root->schema; }
const std::vector<Warning>& Contract::warnings() const { return program_->warnings; }
const std::vector<std::string>& Contract::context_read() const { return program_->context_read; }

}  // namespace plumb::contract
