// Compiler: makes a Program from the text of a contract. Internal to core/contract. compile.cpp knows JSON Schema,
// compile_vocabulary.cpp knows the Plumbline keywords, and link.cpp does what needs all nodes.
#pragma once

#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/contract/pointer_uses.hpp"
#include "core/contract/program.hpp"
#include "core/contract/schema_documents.hpp"

namespace plumb::contract {

class Compiler {
 public:
  Compiler(const ReadOptions& options, Program& program)
      : options_(options), program_(program), documents_(program.arena, program.texts, options) {}

  bool compile(std::string_view text);
  const Error& error() const { return documents_.error(); }
  std::vector<Warning> take_warnings() { return documents_.take_warnings(); }

  // The keyword that is being read: its schema object, its value and its place.
  struct At {
    Node& node;
    const json::Member& member;
    Position position;
    const SchemaResource& resource;
    std::string where;  // JSON Pointer of the keyword within its document
    bool ours = false;  // a keyword of the Plumbline vocabulary, and meant as one: a wrong form is an error

    std::string below(std::string_view key) const;  // JSON Pointer of a member of its value
  };

  // For the keywords' own files (keywords/). Functions that return bool return false if they have reported a fault. A
  // wrong form is an error in a contract of ours, and a warning elsewhere.
  Program& program() { return program_; }
  StringPart& string(Node& node);
  ArrayPart& array(Node& node);
  ObjectPart& object(Node& node);
  ExtraPart& extra(Node& node);
  Slot& slot(Node& node, std::string_view key);
  // How a schema is reached: at the same instance, at a member or item, along a path, or not from the instance
  // (context).
  enum class Step : std::uint8_t { in_place, child, path, apart };
  // The node for the schema `schema`, whose pointer is `where`; nullptr if it is not a schema.
  const Node* child(const At& at, const json::Value& schema, const std::string& where, Step step,
                    std::uint32_t path = none32);
  // The nodes of the keyword's list. Reports a list that is empty.
  std::vector<const Node*> children(const At& at, Step step);
  void add(const At& at, TextRule rule);
  // Asks that a place is remembered for the node. none32: the instance itself, as a whole.
  void want(Node& node, std::uint32_t pattern_index);
  bool form(const At& at, bool good, std::string_view wanted) { return good || refuse_form(at, wanted); }
  bool refuse_form(const At& at, std::string_view wanted);  // returns false
  bool only_members(const At& at, const json::Value& value, std::initializer_list<std::string_view> known);
  void fail(const At& at, std::string message) { fail(at, at.where, at.member.value, std::move(message)); }
  void fail(const At& at, std::string where, const json::Value& value, std::string message) {
    documents_.fail(at.resource.document, std::move(where), value.from, std::move(message));
  }
  void warn(const At& at, std::string message) {
    documents_.warn(at.resource.document, at.where, at.member.value.from, std::move(message));
  }
  bool asserts_formats(const At& at) const;
  bool count(const At& at, std::uint64_t& out);
  bool number(const At& at, const json::Value& value, const std::string& where, json::Decimal& out);
  // Reads a whole number of at least 0 into `out`. Leaves `out` alone if `value` is null.
  bool whole(const At& at, const json::Value* value, std::uint64_t& out, std::string_view wanted);
  // Reads a list of at least one name, each of which `known` accepts.
  bool names(const At& at, const json::Value& list, bool (*known)(std::string_view), std::vector<std::string>& out,
             std::string_view wanted);
  // Reads a list of strings. A string that occurs twice gives a warning and is taken once.
  bool string_list(const At& at, const json::Value& value, const std::string& where,
                   std::vector<std::string_view>& out);
  // The index of a regular expression in Program::patterns; none32 if it is wrong.
  std::uint32_t pattern(const At& at, std::string_view source, const json::Value& value, const std::string& where);
  bool read_fold(const At& at, const json::Value& value, text::Fold& fold, bool& folds);
  std::uint32_t pointer(const At& at, std::string_view text, json::Slash slash);
  bool operands(const At& at, const json::Value& value, bool literals, json::Slash slash,
                std::vector<CrossRule::Operand>& out);
  // Notes what a rule on repeated values reads by pointers. link.cpp resolves it.
  void watch_tree(const TreeUse& use) { trees_.push_back(use); }
  void watch_items(const ByUse& use) { bys_.push_back(use); }

 private:
  // compile.cpp
  bool takes(std::uint64_t steps) const;
  Node* node_for(const json::Value& schema);
  void fill(Node& node, const json::Value& schema);
  bool keyword(At& at);
  const Node* refer(const At& at, bool dynamic);
  void refer_dynamically(const At& at);
  void check_dynamic_uses();
  void unknown_keyword(const At& at);
  void warn_of_artifact(const json::Value& root);

  // compile_vocabulary.cpp. Returns false if the member is not a keyword of the vocabulary.
  bool vocabulary(At& at);
  void error_message(At& at);
  void item_label(At& at);
  void edits(At& at);

  struct Edge {
    Node* parent;
    Node* child;
    Step step;
    std::uint32_t path;  // index into pointer_patterns
  };
  using EdgesInto = std::unordered_map<Node*, std::vector<const Edge*>>;

  // link.cpp
  void link();
  void link_readings();
  EdgesInto edges_into();
  std::optional<Want> want_above(const Edge& edge, const Want& w);
  bool raise_wants(EdgesInto& into);
  void link_readings_of(Node& node);
  void link_items(const ByUse& use);
  bool rides(const TreeUse& use);
  void link_tree(const TreeUse& use);
  void link_discriminators();
  void link_loops();
  void link_references();
  void link_fast_accept();
  std::uint32_t new_reading();
  std::uint32_t add_reading(std::uint32_t start, const PointerPattern& pattern, bool keep);

  const ReadOptions& options_;
  Program& program_;
  SchemaDocuments documents_;
  std::unordered_map<const json::Value*, Node*> node_by_schema_;
  std::vector<std::pair<Node*, const json::Value*>> to_fill_;
  std::vector<Edge> edges_;
  Pool<Edge> dynamic_edges_;  // the schemas that dynamic references may lead to
  std::vector<const Node*> loops_;
  std::vector<DynamicUse> dynamic_uses_;
  std::unordered_map<std::string, std::uint32_t> pattern_by_source_;
  std::unordered_map<std::string, std::uint32_t> pointer_by_text_;
  std::unordered_map<Node*, std::set<Want>> wants_;
  std::vector<TreeUse> trees_;
  std::vector<ByUse> bys_;
};

}  // namespace plumb::contract
