#include "core/story/graph.hpp"

#include <algorithm>
#include <array>

#include "core/json/sha256.hpp"
#include "core/json/writer.hpp"
#include "core/stable_sort.hpp"
#include "core/text/suggest.hpp"
#include "core/text/utf8.hpp"

namespace plumb::story {

namespace {

constexpr std::array<std::string_view, 6> operation_names = {"create_node", "update_node", "replace_node",
                                                             "delete_node", "add_edge",    "remove_edge"};
constexpr std::size_t near_max = 3;
constexpr std::size_t there_max = 20;

FieldKind kind_of(NodeType type, Field field) {
  const FieldRow* row = field_row(type, field);
  PLUMB_REQUIRE(row != nullptr, "a field is read of a node whose type has it");
  return row->kind;
}

bool fits(FieldKind kind, const FieldValue& value) {
  switch (kind) {
    case FieldKind::flag:
      return std::holds_alternative<bool>(value);
    case FieldKind::number:
      return std::holds_alternative<std::int64_t>(value);
    case FieldKind::text:
    case FieldKind::json:
      return std::holds_alternative<std::string>(value);
    case FieldKind::texts:
      return std::holds_alternative<Texts>(value);
  }
  return false;
}

bool empty(const FieldValue& value) {
  if (const auto* text = std::get_if<std::string>(&value)) {
    return text->empty();
  }
  const auto* texts = std::get_if<Texts>(&value);
  return texts != nullptr ? texts->empty() : std::holds_alternative<std::monostate>(value);
}

Error refused(std::string message, std::string_view where) {
  return Error{ErrorCode::invalid_argument, std::move(message), std::string(where), 0, 0};
}

std::string stages_text(Set<Stage> stages) {
  std::string out;
  for (std::size_t i = 0; i < stage_count; ++i) {
    if (stages.has(static_cast<Stage>(i))) {
      out += (out.empty() ? "" : " or ") + std::string(name_of(static_cast<Stage>(i)));
    }
  }
  return out;
}

std::optional<Error> not_allowed(const Stage* stage, Set<Stage> allowed, std::string_view what, std::string_view id) {
  if (stage == nullptr || allowed.has(*stage)) {
    return std::nullopt;
  }
  return refused("the stage " + std::string(name_of(*stage)) + " may not " + std::string(what) + "; " +
                     stages_text(allowed) + " may",
                 id);
}

const FieldValue& field_in(const Fields& fields, Field field) {
  static const FieldValue none;
  const auto at = std::lower_bound(fields.begin(), fields.end(), field,
                                   [](const auto& one, Field wanted) { return one.first < wanted; });
  return at != fields.end() && at->first == field ? at->second : none;
}

bool link(std::vector<std::pair<EdgeKind, std::string>>& links, EdgeKind kind, const std::string& to, bool add) {
  std::pair<EdgeKind, std::string> one{kind, to};
  const auto at = std::lower_bound(links.begin(), links.end(), one);
  const bool there = at != links.end() && *at == one;
  if (there == add) {
    return false;
  }
  if (add) {
    links.insert(at, std::move(one));
  } else {
    links.erase(at);
  }
  return true;
}

std::vector<std::string_view> linked(const std::vector<std::pair<EdgeKind, std::string>>& links, EdgeKind kind) {
  std::vector<std::string_view> out;
  auto at = std::lower_bound(links.begin(), links.end(), kind,
                             [](const auto& one, EdgeKind wanted) { return one.first < wanted; });
  for (; at != links.end() && at->first == kind; ++at) {
    out.push_back(at->second);
  }
  return out;
}

// Whether one is like the other by at least 0.6.
bool similar(std::string_view a, std::string_view b, std::uint32_t& distance) {
  const auto longer = static_cast<std::uint32_t>(std::max(text::code_points(a), text::code_points(b)));
  const std::uint32_t most = longer * 4 / 10;
  distance = text::edit_distance(a, b, most);
  return distance <= most;
}

}  // namespace

std::string_view raw(std::string_view id) {
  const std::size_t colons = id.find("::");
  return colons == std::string_view::npos ? id : id.substr(colons + 2);
}

std::string id_of(NodeType type, std::string_view raw_id) {
  return std::string(name_of(type)) + "::" + std::string(raw_id);
}

std::optional<NodeType> type_of(std::string_view id) {
  const std::size_t colons = id.find("::");
  return colons == std::string_view::npos || colons + 2 == id.size() ? std::nullopt : type_named(id.substr(0, colons));
}

std::string_view name_of(Operation operation) { return operation_names[static_cast<std::size_t>(operation)]; }

std::optional<Operation> operation_named(std::string_view name) {
  for (std::size_t i = 0; i < operation_names.size(); ++i) {
    if (operation_names[i] == name) {
      return static_cast<Operation>(i);
    }
  }
  return std::nullopt;
}

const FieldValue& Node::get(Field field) const {
  PLUMB_REQUIRE(field_row(type_, field) != nullptr, "a field is read of a node whose type has it");
  return field_in(fields_, field);
}

bool Node::flag(Field field) const {
  PLUMB_REQUIRE(kind_of(type_, field) == FieldKind::flag, "a flag is read of a field that is one");
  const auto* value = std::get_if<bool>(&field_in(fields_, field));
  return value != nullptr && *value;
}

std::int64_t Node::number(Field field) const {
  PLUMB_REQUIRE(kind_of(type_, field) == FieldKind::number, "a number is read of a field that is one");
  const auto* value = std::get_if<std::int64_t>(&field_in(fields_, field));
  return value != nullptr ? *value : 0;
}

const std::string& Node::text(Field field) const {
  static const std::string none;
  const FieldKind kind = kind_of(type_, field);
  PLUMB_REQUIRE(kind == FieldKind::text || kind == FieldKind::json, "a text is read of a field that is one");
  const auto* value = std::get_if<std::string>(&field_in(fields_, field));
  return value != nullptr ? *value : none;
}

const Texts& Node::texts(Field field) const {
  static const Texts none;
  PLUMB_REQUIRE(kind_of(type_, field) == FieldKind::texts, "texts are read of a field that has them");
  const auto* value = std::get_if<Texts>(&field_in(fields_, field));
  return value != nullptr ? *value : none;
}

void Node::set(Field field, FieldValue value) {
  const auto at = std::lower_bound(fields_.begin(), fields_.end(), field,
                                   [](const auto& one, Field wanted) { return one.first < wanted; });
  const bool there = at != fields_.end() && at->first == field;
  if (std::holds_alternative<std::monostate>(value)) {
    if (there) {
      fields_.erase(at);
    }
  } else if (there) {
    at->second = std::move(value);
  } else {
    fields_.insert(at, {field, std::move(value)});
  }
}

Mutation creation(std::string id, Fields fields, std::string rationale) {
  Mutation out;
  out.target = std::move(id);
  stable_sort(fields, [](const auto& a, const auto& b) { return a.first < b.first; });
  for (auto& one : fields) {
    if (!std::holds_alternative<std::monostate>(one.second)) {
      out.delta.push_back(std::move(one));
    }
  }
  out.rationale = std::move(rationale);
  return out;
}

Mutation new_edge(EdgeKind kind, std::string from, std::string to, std::string rationale) {
  Mutation out;
  out.operation = Operation::add_edge;
  out.edge = kind;
  out.target = std::move(from);
  out.to = std::move(to);
  out.rationale = std::move(rationale);
  return out;
}

Mutation inverse(const Mutation& mutation) {
  Mutation out = mutation;
  switch (mutation.operation) {
    case Operation::create_node:
      out.operation = Operation::delete_node;
      break;
    case Operation::delete_node:
      out.operation = Operation::create_node;
      break;
    case Operation::add_edge:
      out.operation = Operation::remove_edge;
      break;
    case Operation::remove_edge:
      out.operation = Operation::add_edge;
      break;
    case Operation::update_node:
    case Operation::replace_node:
      break;
  }
  std::swap(out.delta, out.before);
  return out;
}

const Node* Graph::find(std::string_view id) const {
  const auto at = nodes_.find(id);
  return at == nodes_.end() ? nullptr : &at->second;
}

const Node& Graph::at(std::string_view id) const {
  const Node* node = find(id);
  PLUMB_REQUIRE(node != nullptr, "a node that is asked for by a known id is there");
  return *node;
}

std::vector<std::string_view> Graph::ids(NodeType type) const {
  std::vector<std::string_view> out;
  const std::string prefix = std::string(name_of(type)) + "::";
  for (auto at = nodes_.lower_bound(prefix); at != nodes_.end() && at->first.starts_with(prefix); ++at) {
    out.push_back(at->first);
  }
  return out;
}

std::vector<std::string_view> Graph::out(std::string_view id, EdgeKind kind) const { return linked(at(id).out_, kind); }
std::vector<std::string_view> Graph::in(std::string_view id, EdgeKind kind) const { return linked(at(id).in_, kind); }

std::string_view Graph::only_out(std::string_view id, EdgeKind kind) const {
  const std::vector<std::string_view> all = out(id, kind);
  PLUMB_REQUIRE(all.size() <= 1, "an edge that is asked for as the only one is");
  return all.empty() ? std::string_view() : all.front();
}

bool Graph::has_edge(EdgeKind kind, std::string_view from, std::string_view to) const {
  const std::vector<std::string_view> all = out(from, kind);
  return std::binary_search(all.begin(), all.end(), to);
}

Error Graph::missing(std::string_view id) const {
  const std::optional<NodeType> type = type_of(id);
  std::vector<std::pair<std::uint32_t, std::string_view>> near;
  std::vector<std::string_view> there;
  for (const auto& [known, node] : nodes_) {
    if (type && node.type() != *type) {
      continue;
    }
    there.push_back(known);
    std::uint32_t distance = 0;
    if (similar(raw(id), raw(known), distance)) {
      near.emplace_back(distance, known);
    }
  }
  stable_sort(near);
  std::string message = "there is no node '" + std::string(id) + "'";
  if (!type) {
    message += ", and no type of that name";
  }
  for (std::size_t i = 0; i < std::min(near.size(), near_max); ++i) {
    message += (i == 0 ? "; near it: " : ", ") + std::string(near[i].second);
  }
  const std::size_t shown = std::min(there.size(), there_max);
  message += "; there are " + std::to_string(there.size()) + (type ? " of its type" : " nodes");
  for (std::size_t i = 0; i < shown; ++i) {
    message += (i == 0 ? ": " : ", ") + std::string(there[i]);
  }
  message += shown < there.size() ? ", and more" : "";
  return Error{ErrorCode::not_found, std::move(message), std::string(id), 0, 0};
}

Result<bool> Graph::create(const Mutation& m, const Stage* stage) {
  const std::optional<NodeType> type = type_of(m.target);
  if (!type) {
    return refused("'" + m.target + "' is not an id: ids are TYPE::NAME with a type of the ontology", m.target);
  }
  if (!m.before.empty()) {
    return refused("a node that is created has nothing before it", m.target);
  }
  const NodeRow& row = node_row(*type);
  if (auto error = not_allowed(stage, row.made_by, "make a node of type " + std::string(name_of(*type)), m.target)) {
    return std::move(*error);
  }
  if (nodes_.find(m.target) != nodes_.end()) {
    return refused("the node '" + m.target + "' is there already", m.target);
  }
  for (std::size_t i = 0; i < m.delta.size(); ++i) {
    const FieldRow* field = field_row(*type, m.delta[i].first);
    const std::string name(name_of(m.delta[i].first));
    if (field == nullptr) {
      return refused("a node of type " + std::string(name_of(*type)) + " has no field '" + name + "'", m.target);
    }
    if (!fits(field->kind, m.delta[i].second)) {
      return refused("the field '" + name + "' is to be of kind " + std::string(name_of(field->kind)), m.target);
    }
    if (i > 0 && !(m.delta[i - 1].first < m.delta[i].first)) {
      return refused("the field '" + name + "' is given twice, or out of order", m.target);
    }
  }
  for (const FieldRow& field : row.fields) {
    if (field.required && empty(field_in(m.delta, field.field))) {
      return refused("the field '" + std::string(name_of(field.field)) + "' of a node of type " +
                         std::string(name_of(*type)) + " must be there and not be empty",
                     m.target);
    }
  }
  nodes_.emplace(m.target, Node(*type, m.delta));
  return true;
}

Result<bool> Graph::update(const Mutation& m, const Stage* stage) {
  const auto found = nodes_.find(m.target);
  if (found == nodes_.end()) {
    return missing(m.target);
  }
  Node& node = found->second;
  const NodeRow& row = node_row(node.type());
  const bool replaced = m.operation == Operation::replace_node;
  Node next = replaced ? Node(node.type(), {}) : node;
  if (replaced) {
    if (auto error =
            not_allowed(stage, row.made_by, "replace a node of type " + std::string(name_of(node.type())), m.target)) {
      return std::move(*error);
    }
    if (m.before != node.fields()) {
      return refused("what is said to have been there is not what is there", m.target);
    }
  } else if (m.before.size() != m.delta.size()) {
    return refused("an update names the value before it for each field that it changes", m.target);
  }
  for (std::size_t i = 0; i < m.delta.size(); ++i) {
    const auto& [field, value] = m.delta[i];
    const FieldRow* known = field_row(node.type(), field);
    const std::string name(name_of(field));
    if (known == nullptr) {
      return refused("a node of type " + std::string(name_of(node.type())) + " has no field '" + name + "'", m.target);
    }
    Set<Stage> may = known->set_by;
    may.bits |= row.made_by.bits;
    if (auto error = not_allowed(stage, may, "change '" + name + "'", m.target)) {
      return std::move(*error);
    }
    const bool none = std::holds_alternative<std::monostate>(value);
    if ((!none && !fits(known->kind, value)) || (known->required && empty(value))) {
      return refused("the field '" + name + "' is to be of kind " + std::string(name_of(known->kind)) +
                         (known->required ? ", and not empty" : ""),
                     m.target);
    }
    if (!replaced && (m.before[i].first != field || m.before[i].second != field_in(node.fields(), field))) {
      return refused("what is said to have been in '" + name + "' is not what is there", m.target);
    }
    next.set(field, value);
  }
  for (const FieldRow& field : row.fields) {
    if (field.required && empty(field_in(next.fields(), field.field))) {
      return refused("the field '" + std::string(name_of(field.field)) + "' must be there and not be empty", m.target);
    }
  }
  node.fields_ = std::move(next.fields_);
  node.digest_.clear();
  return true;
}

Result<bool> Graph::erase(const Mutation& m, const Stage* stage) {
  const auto found = nodes_.find(m.target);
  if (found == nodes_.end()) {
    return missing(m.target);
  }
  const Node& node = found->second;
  if (auto error = not_allowed(stage, node_row(node.type()).made_by,
                               "delete a node of type " + std::string(name_of(node.type())), m.target)) {
    return std::move(*error);
  }
  if (m.before != node.fields() || !m.delta.empty()) {
    return refused("what is said to have been there is not what is there", m.target);
  }
  if (!node.out_.empty() || !node.in_.empty()) {
    const std::string& other = node.out_.empty() ? node.in_.front().second : node.out_.front().second;
    return refused("the node '" + m.target + "' still has edges, one of them with '" + other + "'; remove them first",
                   m.target);
  }
  nodes_.erase(found);
  return true;
}

Result<bool> Graph::edge(const Mutation& m, const Stage* stage) {
  const bool add = m.operation == Operation::add_edge;
  const auto from = nodes_.find(m.target);
  const auto to = nodes_.find(m.to);
  if (from == nodes_.end() || to == nodes_.end()) {
    return missing(from == nodes_.end() ? m.target : m.to);
  }
  if (!m.delta.empty() || !m.before.empty()) {
    return refused("an edge has no fields", m.target);
  }
  const EdgeRow& row = edge_row(m.edge);
  const std::string name(name_of(m.edge));
  if (auto error = not_allowed(stage, row.made_by, (add ? "add an edge " : "remove an edge ") + name, m.target)) {
    return std::move(*error);
  }
  if (!row.from.has(from->second.type()) || !row.to.has(to->second.type())) {
    return refused("an edge " + name + " does not lead from a node of type " +
                       std::string(name_of(from->second.type())) + " to one of type " +
                       std::string(name_of(to->second.type())),
                   m.target);
  }
  if (!link(from->second.out_, m.edge, m.to, add)) {
    return refused(
        "the edge " + name + " from '" + m.target + "' to '" + m.to + "' is " + (add ? "there already" : "not there"),
        m.target);
  }
  link(to->second.in_, m.edge, m.target, add);
  from->second.digest_.clear();
  edges_ = add ? edges_ + 1 : edges_ - 1;
  return true;
}

Result<bool> Graph::changed(const Mutation& mutation, const Stage* stage) {
  hash_.clear();
  switch (mutation.operation) {
    case Operation::create_node:
      return create(mutation, stage);
    case Operation::update_node:
    case Operation::replace_node:
      return update(mutation, stage);
    case Operation::delete_node:
      return erase(mutation, stage);
    case Operation::add_edge:
    case Operation::remove_edge:
      return edge(mutation, stage);
  }
  return true;
}

Result<bool> Graph::apply(const Mutation& mutation, Stage stage) { return changed(mutation, &stage); }
Result<bool> Graph::replay(const Mutation& mutation) { return changed(mutation, nullptr); }

void append_field(std::string& out, const FieldValue& value) {
  if (const auto* yes = std::get_if<bool>(&value)) {
    out += *yes ? "true" : "false";
  } else if (const auto* number = std::get_if<std::int64_t>(&value)) {
    out += std::to_string(*number);
  } else if (const auto* text = std::get_if<std::string>(&value)) {
    json::append_string(out, *text);
  } else if (const auto* texts = std::get_if<Texts>(&value)) {
    out += '[';
    for (const std::string& one : *texts) {
      out += out.back() == '[' ? "" : ",";
      json::append_string(out, one);
    }
    out += ']';
  } else {
    out += "null";
  }
}

namespace {

void append_node(std::string& out, const std::string& id, const Node& node) {
  out += "{\"id\":";
  json::append_string(out, id);
  for (const auto& [field, value] : node.fields()) {
    out += ",\"" + std::string(name_of(field)) + "\":";
    append_field(out, value);
  }
  out += '}';
}

void append_edge(std::string& out, EdgeKind kind, const std::string& from, const std::string& to) {
  out += "{\"kind\":\"" + std::string(name_of(kind)) + "\",\"from\":";
  json::append_string(out, from);
  out += ",\"to\":";
  json::append_string(out, to);
  out += '}';
}

}  // namespace

std::string Graph::json() const {
  std::string out = "{\"nodes\":[";
  for (const auto& [id, node] : nodes_) {
    out += out.back() == '[' ? "" : ",";
    append_node(out, id, node);
  }
  out += "],\"edges\":[";
  for (const auto& [id, node] : nodes_) {
    for (const auto& [kind, to] : node.out_) {
      out += out.back() == '[' ? "" : ",";
      append_edge(out, kind, id, to);
    }
  }
  out += "]}";
  return out;
}

std::string Graph::hash() const {
  if (hash_.empty()) {
    json::Sha256 all;
    std::string text;
    for (const auto& [id, node] : nodes_) {
      if (node.digest_.empty()) {
        text.clear();
        append_node(text, id, node);
        for (const auto& [kind, to] : node.out_) {
          append_edge(text, kind, id, to);
        }
        node.digest_ = json::sha256_hex(text);
      }
      all.update(node.digest_);
    }
    hash_ = "sha256:" + all.hex();
  }
  return hash_;
}

}  // namespace plumb::story
