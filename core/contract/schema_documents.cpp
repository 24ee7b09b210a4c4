// Indexing finds every schema object of a document by walking the keywords that hold schemas, and notes its resource
// and place. Therefore `$id` inside `enum` or `const` has no meaning. A reference to a place that no keyword leads to
// (below an unknown keyword) is indexed when it is followed.

#include "core/contract/schema_documents.hpp"

#include <algorithm>
#include <utility>

#include "core/ascii.hpp"
#include "core/contract/built_in_schemas.hpp"
#include "core/contract/keywords.hpp"
#include "core/contract/uri.hpp"
#include "core/json/pointer.hpp"
#include "core/json/writer.hpp"
#include "core/text/steps.hpp"
#include "core/text/suggest.hpp"
#include "core/text/utf8.hpp"

namespace plumb::contract {

using json::Kind;

namespace {

constexpr std::uint32_t depth_max = 1024;
constexpr std::uint32_t documents_max = 1000;

std::string_view without_empty_fragment(std::string_view uri) {
  return !uri.empty() && uri.back() == '#' ? uri.substr(0, uri.size() - 1) : uri;
}

}  // namespace

void line_and_column(std::string_view text, std::uint64_t offset, std::size_t& line, std::size_t& column) {
  line = 1;
  std::size_t start = 0;
  std::size_t end = std::min<std::size_t>(text.size(), static_cast<std::size_t>(offset));
  for (std::size_t i = 0; i < end; ++i) {
    if (text[i] == '\n' || (text[i] == '\r' && !(i + 1 < text.size() && text[i + 1] == '\n'))) {
      ++line;
      start = i + 1;
    }
  }
  column = text::utf16_length(text.substr(start, end - start)) + 1;
}

Below below_keyword(std::string_view k, Dialect dialect) {
  static constexpr std::pair<std::string_view, Below> table[] = {{"additionalItems", Below::schema},
                                                                 {"additionalProperties", Below::schema},
                                                                 {"allOf", Below::schemas},
                                                                 {"anyOf", Below::schemas},
                                                                 {"contains", Below::schema},
                                                                 {"contentSchema", Below::schema},
                                                                 {"definitions", Below::schema_map},
                                                                 {"dependencies", Below::dependencies},
                                                                 {"dependentSchemas", Below::schema_map},
                                                                 {"else", Below::schema},
                                                                 {"if", Below::schema},
                                                                 {"items", Below::schema_or_schemas},
                                                                 {"not", Below::schema},
                                                                 {"oneOf", Below::schemas},
                                                                 {"patternProperties", Below::schema_map},
                                                                 {"pointers", Below::schema_map},
                                                                 {"prefixItems", Below::schemas},
                                                                 {"properties", Below::schema_map},
                                                                 {"propertyNames", Below::schema},
                                                                 {"rules", Below::our_rules},
                                                                 {"then", Below::schema},
                                                                 {"unevaluatedItems", Below::schema},
                                                                 {"unevaluatedProperties", Below::schema},
                                                                 {"$defs", Below::schema_map}};
  for (const auto& [name, below] : table) {
    if (name == k) {
      if (below == Below::schema_or_schemas && dialect >= Dialect::draft2020_12) {
        return Below::schema;
      }
      return below;
    }
  }
  return Below::nothing;
}

void SchemaDocuments::fail(std::uint32_t document, std::string where, std::uint64_t at, std::string message) {
  if (failed_) {
    return;
  }
  failed_ = true;
  error_.code = ErrorCode::invalid_contract;
  error_.message = std::move(message);
  if (document < documents_.size()) {
    const SchemaDocument& d = documents_[document];
    line_and_column(d.text, at, error_.line, error_.column);
    error_.where = d.main ? std::move(where) : d.uri + "#" + where;
  }
}

void SchemaDocuments::warn(std::uint32_t document, std::string where, std::uint64_t at, std::string message,
                           WarningKind kind, std::string_view meant) {
  constexpr std::size_t warnings_max = 1000;
  if (!documents_[document].main || warnings_.size() >= warnings_max) {
    return;
  }
  if (options_.steps != nullptr && !options_.steps->take(at / 4)) {
    return;
  }
  Warning warning;
  warning.kind = kind;
  warning.meant = meant;
  warning.message = std::move(message);
  warning.at = std::move(where);
  line_and_column(documents_[document].text, at, warning.line, warning.column);
  warnings_.push_back(std::move(warning));
}

bool SchemaDocuments::load(std::uint32_t document) {
  SchemaDocument& d = documents_[document];
  if (d.parsed) {
    return true;
  }
  Result<json::Value> parsed = json::parse(d.text, arena_, {depth_max, std::uint64_t{1} << 30});
  if (!parsed) {
    Error error = parsed.error();
    error.code = ErrorCode::invalid_contract;
    error.message =
        (d.main ? std::string("the contract is not valid JSON: ") : "the document " + d.uri + " is not valid JSON: ") +
        error.message;
    if (!failed_) {
      failed_ = true;
      error_ = std::move(error);
    }
    return false;
  }
  json::Value* root = arena_.array<json::Value>(1);
  *root = parsed.value();
  d.root = root;
  d.parsed = true;
  read_order_.push_back(document);
  if (!root->is(Kind::object) && !root->is(Kind::boolean)) {
    fail(document, "", root->from, "a contract is a JSON Schema: an object, true or false");
    return false;
  }
  std::uint32_t resource = open_resource(*root, no_index, "", d.uri);
  if (resource == no_index) {
    return false;
  }
  resources_[resource].document = document;
  places_[root] = {resource, ""};
  index_members(*root, resource, "", 0);
  return !failed_;
}

const json::Value* SchemaDocuments::read_main(std::string_view text) {
  SchemaDocument main;
  main.uri = std::string(options_.uri);
  texts_.push_back(std::string(text));
  main.text = texts_.back();
  main.main = true;
  documents_.push_back(std::move(main));
  for (const Document& given : options_.documents) {
    SchemaDocument d;
    d.uri = std::string(split_fragment(given.uri).without_fragment);
    texts_.push_back(std::string(given.text));
    d.text = texts_.back();
    documents_.push_back(std::move(d));
  }
  return load(0) ? documents_[0].root : nullptr;
}

std::uint32_t SchemaDocuments::find_document(std::string_view uri) {
  for (std::uint32_t i = 0; i < documents_.size(); ++i) {
    if (!documents_[i].main && documents_[i].uri == uri) {
      return i;
    }
  }
  const BuiltInSchema* built_in = built_in_schema(uri);
  if (built_in != nullptr && documents_.size() < documents_max) {
    SchemaDocument d;
    d.uri = std::string(uri);
    d.text = built_in->text;
    documents_.push_back(std::move(d));
    return static_cast<std::uint32_t>(documents_.size() - 1);
  }
  return no_index;
}

// Finds the dialect that `$schema` names. If the meta-schema is among the documents, it also declares the
// vocabularies.
bool SchemaDocuments::choose_dialect(const json::Value& schema, SchemaResource& out, const std::string& pointer,
                                     std::uint32_t depth) {
  const json::Value* named = schema.find("$schema");
  if (named == nullptr) {
    return true;
  }
  if (!named->is(Kind::string)) {
    fail(out.document, pointer + "/$schema", named->from, "$schema must be a URI in a string");
    return false;
  }
  std::string_view uri = without_empty_fragment(named->str());
  out.vocabularies = {};
  if (const DialectName* known = dialect_of_uri(uri)) {
    if (known->dialect == Dialect::v1 && options_.dialect != Dialect::v1) {
      fail(out.document, pointer + "/$schema", named->from,
           "version 1 of JSON Schema is not published yet, and is read only where that is asked for (--dialect v1, or "
           "`dialect`)");
      return false;
    }
    out.dialect = known->dialect;
    return true;
  }
  if (uri.starts_with("plumb:")) {
    out.dialect = Dialect::draft2020_12;
    out.ours = true;
    return true;
  }
  std::uint32_t meta = depth > 8 ? no_index : find_document(uri);
  if (meta == no_index) {
    fail(out.document, pointer + "/$schema", named->from,
         "the dialect '" + std::string(uri) +
             "' is not known; known are https://json-schema.org/draft/2020-12/schema, "
             "https://json-schema.org/draft/2019-09/schema, http://json-schema.org/draft-07/schema#, those of drafts 6 "
             "and 4, and those whose meta-schema is given beside the contract (--schema URI=FILE, or `documents`)");
    return false;
  }
  // First the meta-schema's own dialect, then the vocabularies that it enables.
  SchemaDocument& d = documents_[meta];
  json::Value root;
  if (d.parsed) {
    root = *d.root;
  } else {
    Result<json::Value> parsed = json::parse(d.text, arena_, {depth_max, std::uint64_t{1} << 30});
    if (!parsed) {
      fail(out.document, pointer + "/$schema", named->from,
           "the meta-schema " + std::string(uri) + " is not valid JSON: " + parsed.error().message);
      return false;
    }
    root = parsed.value();
  }
  SchemaResource of_meta;
  of_meta.document = out.document;
  const json::Value* base = root.find("$schema");
  if (base != nullptr && base->is(Kind::string) && without_empty_fragment(base->str()) != uri &&
      !choose_dialect(root, of_meta, pointer, depth + 1)) {
    return false;
  }
  out.dialect = of_meta.dialect;
  const json::Value* vocabulary = root.find("$vocabulary");
  if (vocabulary == nullptr) {
    return true;
  }
  out.vocabularies = {false, false, false, false};
  for (const json::Member& member : vocabulary->object()) {
    std::string_view v = member.key;
    for (std::string_view prefix : {std::string_view("https://json-schema.org/draft/2020-12/vocab/"),
                                    std::string_view("https://json-schema.org/draft/2019-09/vocab/")}) {
      if (v.starts_with(prefix)) {
        v.remove_prefix(prefix.size());
      }
    }
    bool on = member.value.is(Kind::boolean) && member.value.boolean;
    if (v == "applicator") {
      out.vocabularies.applicator = true;
      out.vocabularies.unevaluated = out.vocabularies.unevaluated || of_meta.dialect == Dialect::draft2019_09;
    } else if (v == "unevaluated") {
      out.vocabularies.unevaluated = true;
    } else if (v == "validation") {
      out.vocabularies.validation = true;
    } else if (v == "format-assertion" || (v == "format" && on)) {
      out.vocabularies.format_assertion = true;
    } else if (v.starts_with("plumb:")) {
      out.ours = true;
    } else if (on && v != "core" && v != "meta-data" && v != "format-annotation" && v != "format" && v != "content") {
      fail(out.document, pointer + "/$schema", named->from,
           "the meta-schema " + std::string(uri) + " requires the vocabulary " + std::string(member.key) +
               ", which is not known");
      return false;
    }
  }
  return true;
}

// `id` becomes `$id`, and `exclusiveMinimum: true` beside `minimum: 5` becomes `exclusiveMinimum: 5`. Both are done in
// place, once, before anything below is indexed, so places and addresses stay valid. A member that has no more meaning
// gets an empty name.
void SchemaDocuments::read_as_draft6(const json::Value& schema, std::uint32_t document, const std::string& pointer) {
  constexpr std::pair<std::string_view, std::string_view> sharpened[] = {{"exclusiveMinimum", "minimum"},
                                                                         {"exclusiveMaximum", "maximum"}};
  for (const json::Member& one : schema.object()) {
    auto& member = const_cast<json::Member&>(one);  // of our own tree, in arena_
    if (member.key == "id" && member.value.is(Kind::string)) {
      member.key = "$id";
      continue;
    }
    for (const auto& [key, bound] : sharpened) {
      if (member.key != key) {
        continue;
      }
      const json::Value* limit = schema.find(bound);
      if (!member.value.is(Kind::boolean) || (member.value.boolean && limit == nullptr)) {
        fail(document, pointer + "/" + std::string(key), member.value.from,
             "in draft 4 " + std::string(key) + " is true or false, beside " + std::string(bound));
        return;
      }
      if (!member.value.boolean) {
        member.key = {};
        continue;
      }
      member.value = *limit;
      for (const json::Member& other : schema.object()) {
        if (other.key == bound) {
          const_cast<json::Member&>(other).key = {};
        }
      }
    }
  }
}

// `x-plumb-NAME` becomes `NAME`, in place, once.
void SchemaDocuments::read_prefixed(const json::Value& schema, std::uint32_t document, const std::string& pointer) {
  for (const json::Member& one : schema.object()) {
    if (!one.key.starts_with(vocabulary_prefix)) {
      continue;
    }
    const std::string_view name = one.key.substr(vocabulary_prefix.size());
    const auto known = std::begin(vocabulary_keywords);
    const auto end = std::end(vocabulary_keywords);
    std::string where = pointer;
    json::append_token(where, one.key);
    if (std::find(known, end, name) == end) {
      const auto near = text::nearest(name, std::vector<std::string_view>(known, end));
      fail(document, std::move(where), one.key_from,
           "unknown keyword '" + json::excerpt(one.key, 60) + "'" +
               (near ? "; did you mean '" + std::string(vocabulary_prefix) + std::string(known[*near]) + "'?" : ""));
      return;
    }
    if (schema.find(name) != nullptr) {
      fail(document, std::move(where), one.key_from,
           "'" + std::string(one.key) + "' is '" + std::string(name) + "', and both are given; one is enough");
      return;
    }
    const_cast<json::Member&>(one).key = name;  // of our own tree, in arena_
  }
}

std::uint32_t SchemaDocuments::open_resource(const json::Value& schema, std::uint32_t parent,
                                             const std::string& pointer, std::string uri) {
  SchemaResource r;
  if (parent != no_index) {
    const SchemaResource& p = resources_[parent];
    r.document = p.document;
    r.dialect = p.dialect;
    r.vocabularies = p.vocabularies;
    r.ours = p.ours;
  } else {
    r.dialect = options_.dialect;
    for (std::uint32_t i = 0; i < documents_.size(); ++i) {
      if (documents_[i].root == &schema) {
        r.document = i;
      }
    }
  }
  r.root = &schema;
  r.pointer = pointer;
  if (!choose_dialect(schema, r, pointer, 0)) {
    return no_index;  // the reason was reported
  }
  if (parent == no_index && r.dialect == Dialect::draft4) {
    read_as_draft6(schema, r.document, pointer);
  }
  r.uri = std::move(uri);
  if (const json::Value* id = schema.find("$id"); id != nullptr && id->is(Kind::string)) {
    std::string full = resolve_uri(r.uri, id->str());
    r.uri = std::string(split_fragment(full).without_fragment);
    r.ours = r.ours || r.uri.starts_with("plumb:");
  }
  std::uint32_t index = static_cast<std::uint32_t>(resources_.size());
  bool fresh = resource_by_uri_.emplace(r.uri, index).second;
  if (!fresh && parent != no_index) {
    fail(r.document, pointer + "/$id", schema.from, "the $id " + r.uri + " is used twice");
  }
  if (parent == no_index && !documents_[r.document].uri.empty()) {
    resource_by_uri_.emplace(documents_[r.document].uri, index);
  }
  const json::Value* recursive = schema.find("$recursiveAnchor");
  r.recursive_anchor =
      r.dialect == Dialect::draft2019_09 && recursive != nullptr && recursive->is(Kind::boolean) && recursive->boolean;
  resources_.push_back(std::move(r));
  return index;
}

void SchemaDocuments::index(const json::Value& schema, std::uint32_t resource, const std::string& pointer,
                            std::uint32_t depth) {
  if (failed_ || (!schema.is(Kind::object) && !schema.is(Kind::boolean))) {
    return;  // the compiler reports the fault at its place
  }
  if (depth > depth_max) {
    fail(resources_[resource].document, pointer, schema.from, "the contract is nested too deeply");
    return;
  }
  Dialect dialect = resources_[resource].dialect;
  if (dialect == Dialect::draft4 && places_.find(&schema) == places_.end()) {
    read_as_draft6(schema, resources_[resource].document, pointer);
  }
  if (const json::Value* id = schema.find("$id"); id != nullptr && id->is(Kind::string)) {
    bool ref_hides_it = ref_stands_alone(dialect) && schema.find("$ref") != nullptr;
    bool only_fragment = !id->str().empty() && id->str().front() == '#';
    if (!ref_hides_it && !only_fragment) {
      resource = open_resource(schema, resource, pointer, resources_[resource].uri);
      if (resource == no_index || failed_) {
        return;
      }
    }
  }
  places_[&schema] = {resource, pointer};
  index_members(schema, resource, pointer, depth);
}

void SchemaDocuments::index_members(const json::Value& schema, std::uint32_t resource, const std::string& pointer,
                                    std::uint32_t depth) {
  read_prefixed(schema, resources_[resource].document, pointer);
  Dialect dialect = resources_[resource].dialect;
  auto anchor = [&](const json::Value& value, std::string_view name, const char* keyword) {
    SchemaResource& r = resources_[resource];
    if (!r.anchors.emplace(std::string(name), &schema).second) {
      fail(r.document, pointer + "/" + keyword, value.from,
           "the anchor " + std::string(name) + " is used twice in one schema resource");
    }
  };
  for (const json::Member& member : schema.object()) {
    std::string_view key = member.key;
    const json::Value& value = member.value;
    if (value.is(Kind::string)) {
      if (key == "$anchor" && dialect >= Dialect::draft2019_09) {
        anchor(value, value.str(), "$anchor");
      } else if (key == "$dynamicAnchor" && dialect >= Dialect::draft2020_12) {
        anchor(value, value.str(), "$dynamicAnchor");
        resources_[resource].dynamic_anchors.emplace_back(value.str());
      } else if (key == "$id" && dialect <= Dialect::draft7 && value.size > 1 && value.str().front() == '#') {
        anchor(value, value.str().substr(1), "$id");
      }
    }
  }
  for (const json::Member& member : schema.object()) {
    if (failed_) {
      return;
    }
    Below below = below_keyword(member.key, dialect);
    if (below == Below::nothing) {
      continue;
    }
    const json::Value& value = member.value;
    std::string at = pointer;
    json::append_token(at, member.key);
    auto list = [&] {
      std::size_t i = 0;
      for (const json::Value& item : value.array()) {
        index(item, resource, at + "/" + std::to_string(i++), depth + 1);
      }
    };
    auto map = [&] {
      for (const json::Member& entry : value.object()) {
        std::string inner = at;
        json::append_token(inner, entry.key);
        index(entry.value, resource, inner, depth + 1);
      }
    };
    switch (below) {
      case Below::nothing:
        break;
      case Below::schema:
        index(value, resource, at, depth + 1);
        break;
      case Below::schemas:
        list();
        break;
      case Below::schema_map:
      case Below::dependencies:
        map();
        break;
      case Below::schema_or_schemas:
        if (value.is(Kind::array)) {
          list();
        } else {
          index(value, resource, at, depth + 1);
        }
        break;
      case Below::our_rules: {
        std::size_t i = 0;
        for (const json::Value& item : value.array()) {
          if (const json::Value* check = item.find("check")) {
            index(*check, resource, at + "/" + std::to_string(i) + "/check", depth + 1);
          }
          ++i;
        }
        break;
      }
    }
  }
}

}  // namespace plumb::contract
