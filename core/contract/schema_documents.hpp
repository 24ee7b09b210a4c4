// SchemaDocuments: the documents of one contract, and what its references lead to. They are the contract itself,
// documents given with it, and the built-in meta-schemas, with their resources ($id), anchors and dialects.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/contract/contract.hpp"
#include "core/contract/pool.hpp"
#include "core/json/arena.hpp"
#include "core/json/value.hpp"

namespace plumb::contract {

// The vocabularies that a dialect enables.
struct Vocabularies {
  bool applicator = true;
  bool unevaluated = true;
  bool validation = true;
  bool format_assertion = false;
};

struct SchemaDocument {
  std::string uri;
  std::string_view text;
  const json::Value* root = nullptr;  // in the program's arena, because nodes point into it
  bool parsed = false;
  bool main = false;
};

struct SchemaResource {
  std::string uri;
  std::uint32_t document = 0;
  std::string pointer;  // of its root, within the document
  const json::Value* root = nullptr;
  Dialect dialect = Dialect::draft2020_12;
  Vocabularies vocabularies;
  bool ours = false;  // `$id` or `$schema` begins with "plumb:", so the vocabulary's names are meant as keywords
  std::map<std::string, const json::Value*, std::less<>> anchors;
  std::vector<std::string> dynamic_anchors;
  bool recursive_anchor = false;
};

struct SchemaPlace {
  std::uint32_t resource = 0;
  std::string pointer;  // within the document
};

class SchemaDocuments {
 public:
  SchemaDocuments(json::Arena& arena, Pool<std::string, 4>& texts, const ReadOptions& options)
      : arena_(arena), texts_(texts), options_(options) {}

  // Reads the contract itself. Null on error.
  const json::Value* read_main(std::string_view text);
  // Follows a reference from a schema in `from_resource`. `where` and `at` give the place of the reference. Null on
  // error.
  const json::Value* resolve(std::uint32_t from_resource, std::string_view reference, const std::string& where,
                             const json::Value& at);
  // Version 1: the schema with this $dynamicAnchor in the resource. If there is none, the schema `false`, placed at
  // the reference.
  const json::Value* dynamic_anchor(std::uint32_t resource, std::string_view name, std::string where,
                                    const json::Value& at);
  // The place of a schema that was read or resolved.
  const SchemaPlace& place(const json::Value* schema) const;
  const SchemaResource& resource(std::uint32_t index) const { return resources_[index]; }
  std::uint32_t resource_count() const { return static_cast<std::uint32_t>(resources_.size()); }
  const SchemaDocument& document(std::uint32_t index) const { return documents_[index]; }
  // Indices of the documents that were read, in the order of reading. The contract's hash covers them.
  const std::vector<std::uint32_t>& documents_read() const { return read_order_; }

  // Only the first error is kept.
  bool failed() const { return failed_; }
  const Error& error() const { return error_; }
  void fail(std::uint32_t document, std::string where, std::uint64_t at, std::string message);
  void warn(std::uint32_t document, std::string where, std::uint64_t at, std::string message,
            WarningKind kind = WarningKind::other, std::string_view meant = {});
  std::vector<Warning> take_warnings() { return std::move(warnings_); }

 private:
  bool load(std::uint32_t document);
  static constexpr std::uint32_t no_index = ~std::uint32_t{0};
  std::uint32_t find_document(std::string_view uri);
  void index(const json::Value& schema, std::uint32_t resource, const std::string& pointer, std::uint32_t depth);
  void index_members(const json::Value& schema, std::uint32_t resource, const std::string& pointer,
                     std::uint32_t depth);
  // The index of the new resource; no_index if its dialect cannot be used.
  std::uint32_t open_resource(const json::Value& schema, std::uint32_t parent, const std::string& pointer,
                              std::string uri);
  void read_prefixed(const json::Value& schema, std::uint32_t document, const std::string& pointer);
  void read_as_draft6(const json::Value& schema, std::uint32_t document, const std::string& pointer);
  bool choose_dialect(const json::Value& schema, SchemaResource& out, const std::string& pointer, std::uint32_t depth);
  const json::Value* walk(std::uint32_t resource, std::string_view pointer, std::string_view reference,
                          const std::string& where, const json::Value& at);

  json::Arena& arena_;
  Pool<std::string, 4>& texts_;
  const ReadOptions& options_;
  Pool<SchemaDocument, 4> documents_;
  Pool<SchemaResource, 4> resources_;
  std::map<std::string, std::uint32_t, std::less<>> resource_by_uri_;
  std::unordered_map<const json::Value*, SchemaPlace> places_;
  std::vector<std::uint32_t> read_order_;
  std::vector<Warning> warnings_;
  std::uint32_t at_document_ = 0;  // of the reference that is being followed
  bool failed_ = false;
  Error error_;
};

// The kind of value below a keyword: nothing, one schema, a list of schemas, or an object of schemas. In older drafts
// also: one schema or a list of them (`items`), and an object of schemas and lists of keys (`dependencies`).
enum class Below : std::uint8_t { nothing, schema, schemas, schema_map, schema_or_schemas, dependencies, our_rules };
Below below_keyword(std::string_view keyword, Dialect dialect);

// Line and column of a byte offset, both counted from 1. Columns count UTF-16 units.
void line_and_column(std::string_view text, std::uint64_t offset, std::size_t& line, std::size_t& column);

}  // namespace plumb::contract
