// A patch works on a tree of its own. Values are copied into it as text, so that numbers keep their spelling, and
// moved without a look inside.

#include "core/repair/patch.hpp"

#include <algorithm>
#include <optional>
#include <string_view>

#include "core/json/arena.hpp"
#include "core/json/number_text.hpp"
#include "core/json/pointer.hpp"
#include "core/json/writer.hpp"

namespace plumb::repair {

namespace {

using json::Kind;
using json::Value;

struct Tree {
  Kind kind = Kind::null;
  std::string text;               // of a scalar: its JSON
  std::vector<std::string> keys;  // of an object, one for each of `parts`
  std::vector<Tree> parts;
};

Tree tree_of(const Value& value) {
  Tree out;
  out.kind = value.kind;
  if (value.is(Kind::array)) {
    out.parts.reserve(value.size);
    for (const Value& item : value.array()) {
      out.parts.push_back(tree_of(item));
    }
  } else if (value.is(Kind::object)) {
    out.parts.reserve(value.size);
    for (const json::Member& member : value.object()) {
      out.keys.emplace_back(member.key);
      out.parts.push_back(tree_of(member.value));
    }
  } else {
    out.text = json::value_text(value);
  }
  return out;
}

void write(const Tree& tree, std::string& out) {
  if (tree.kind != Kind::array && tree.kind != Kind::object) {
    out += tree.text;
    return;
  }
  out += tree.kind == Kind::array ? '[' : '{';
  for (std::size_t i = 0; i < tree.parts.size(); ++i) {
    out += i > 0 ? "," : "";
    if (tree.kind == Kind::object) {
      json::append_string(out, tree.keys[i]);
      out += ':';
    }
    write(tree.parts[i], out);
  }
  out += tree.kind == Kind::array ? ']' : '}';
}

std::size_t bytes_of(const Tree& tree) {
  std::size_t bytes = tree.text.size() + 2;
  for (std::size_t i = 0; i < tree.parts.size(); ++i) {
    bytes += bytes_of(tree.parts[i]) + (i < tree.keys.size() ? tree.keys[i].size() + 3 : 1);
  }
  return bytes;
}

Error wrong(std::string message, std::string where = {}) {
  Error error;
  error.code = ErrorCode::invalid_argument;
  error.message = std::move(message);
  error.where = std::move(where);
  return error;
}

// The index that a token names in a list of `size`. `behind`: it may also name the place after the last item.
std::optional<std::size_t> index_of(const std::string& token, std::size_t size, bool behind) {
  if (behind && token == "-") {
    return size;
  }
  std::uint64_t index = 0;
  if (token.empty() || token.size() > 10 || (token.size() > 1 && token[0] == '0') || !json::read_uint(token, index) ||
      index >= size + (behind ? 1 : 0)) {
    return std::nullopt;
  }
  return static_cast<std::size_t>(index);
}

// The part that a token names, or nullptr.
Tree* part(Tree& tree, const std::string& token) {
  if (tree.kind == Kind::array) {
    const std::optional<std::size_t> index = index_of(token, tree.parts.size(), false);
    return index ? &tree.parts[*index] : nullptr;
  }
  const auto found = std::find(tree.keys.begin(), tree.keys.end(), token);
  return found == tree.keys.end() ? nullptr : &tree.parts[static_cast<std::size_t>(found - tree.keys.begin())];
}

using Tokens = std::vector<std::string>;

Tree* find(Tree& root, const Tokens& tokens, std::size_t count) {
  Tree* at = &root;
  for (std::size_t i = 0; i < count && at != nullptr; ++i) {
    at = part(*at, tokens[i]);
  }
  return at;
}

bool add(Tree& root, const Tokens& path, Tree value) {
  if (path.empty()) {
    root = std::move(value);
    return true;
  }
  Tree* parent = find(root, path, path.size() - 1);
  if (parent == nullptr) {
    return false;
  }
  if (parent->kind == Kind::array) {
    const std::optional<std::size_t> index = index_of(path.back(), parent->parts.size(), true);
    if (!index) {
      return false;
    }
    parent->parts.insert(parent->parts.begin() + static_cast<std::ptrdiff_t>(*index), std::move(value));
    return true;
  }
  if (parent->kind != Kind::object) {
    return false;
  }
  if (Tree* known = part(*parent, path.back())) {
    *known = std::move(value);
  } else {
    parent->keys.push_back(path.back());
    parent->parts.push_back(std::move(value));
  }
  return true;
}

std::optional<Tree> take(Tree& root, const Tokens& path) {
  if (path.empty()) {
    return std::nullopt;  // nothing would be left
  }
  Tree* parent = find(root, path, path.size() - 1);
  Tree* found = parent == nullptr ? nullptr : part(*parent, path.back());
  if (found == nullptr) {
    return std::nullopt;
  }
  const std::ptrdiff_t index = found - parent->parts.data();
  Tree out = std::move(*found);
  parent->parts.erase(parent->parts.begin() + index);
  if (parent->kind == Kind::object) {
    parent->keys.erase(parent->keys.begin() + index);
  }
  return out;
}

bool covers(std::string_view scope, std::string_view pointer) {
  return pointer.starts_with(scope) &&
         (pointer.size() == scope.size() || scope.empty() || pointer[scope.size()] == '/');
}

bool in_scope(std::span<const std::string> scope, std::string_view pointer) {
  return std::any_of(scope.begin(), scope.end(), [&](const std::string& one) { return covers(one, pointer); });
}

class Patching {
 public:
  Patching(const Value& document, std::span<const std::string> scope) : root_(tree_of(document)), scope_(scope) {}

  // Applies one operation. Returns what is wrong with it, or an empty sentence.
  std::string apply(const Value& operation) {
    const Value* op = operation.find("op");
    const Value* path = operation.find("path");
    if (op == nullptr || !op->is(Kind::string) || path == nullptr || !path->is(Kind::string)) {
      return "an operation is an object with `op` and `path`";
    }
    const Result<Tokens> to = json::parse_pointer(path->str());
    if (!to) {
      return "`path` is not a JSON Pointer";
    }
    const std::string_view name = op->str();
    const bool moves = name == "move" || name == "copy";
    Tokens from;
    if (moves) {
      const Value* source = operation.find("from");
      const Result<Tokens> read = json::parse_pointer(source == nullptr ? "?" : source->str());
      if (!read) {
        return "`from` is not a JSON Pointer";
      }
      from = read.value();
      if (name == "move" && !in_scope(scope_, source->str())) {
        return outside(source->str());
      }
      if (name == "move" && covers(source->str(), path->str()) && source->str() != path->str()) {
        return "a value cannot be moved into itself";
      }
    }
    if (name != "test" && !in_scope(scope_, path->str())) {
      return outside(path->str());
    }
    const Value* value = operation.find("value");
    if ((name == "add" || name == "replace" || name == "test") && value == nullptr) {
      return "`value` is missing";
    }
    return change(name, to.value(), from, value);
  }

  bool too_large() const { return bytes_of(root_) > patched_bytes_max; }
  std::string text() const {
    std::string out;
    write(root_, out);
    return out;
  }

 private:
  static std::string outside(std::string_view pointer) {
    return "it changes " + (pointer.empty() ? std::string("the whole artifact") : json::excerpt(pointer, 200)) +
           ", which no finding is about";
  }

  std::string change(std::string_view name, const Tokens& to, const Tokens& from, const Value* value) {
    constexpr std::string_view nothing = "there is nothing at this place";
    if (name == "add") {
      return add(root_, to, tree_of(*value)) ? "" : std::string("there is no such place to add to");
    }
    if (name == "remove") {
      return take(root_, to) ? "" : std::string(nothing);
    }
    Tree* at = find(root_, to, to.size());
    if (name == "replace") {
      if (at == nullptr) {
        return std::string(nothing);
      }
      *at = tree_of(*value);
      return {};
    }
    if (name == "test") {
      if (at == nullptr) {
        return std::string(nothing);
      }
      std::string text;
      write(*at, text);
      json::Arena arena;
      const Result<Value> now = json::parse(text, arena);
      return now && json::equal(now.value(), *value) ? "" : "the test does not hold";
    }
    if (name == "copy" || name == "move") {
      std::optional<Tree> source;
      if (name == "move") {
        source = take(root_, from);
      } else if (Tree* found = find(root_, from, from.size())) {
        source = *found;
      }
      if (!source) {
        return "there is nothing at `from`";
      }
      return add(root_, to, std::move(*source)) ? "" : std::string("there is no such place to add to");
    }
    return "'" + json::excerpt(name, 40) +
           "' is not an operation; the operations are add, remove, replace, move, copy and test";
  }

  Tree root_;
  std::span<const std::string> scope_;
};

// Adds the places in the artifact that a pattern of a rule at `at` reads, up to the first star.
void add_read(std::string_view pattern_text, std::string_view at, std::vector<std::string>& out) {
  const Result<json::PointerPattern> pattern = json::parse_pattern(pattern_text, json::Slash::root);
  if (!pattern || pattern.value().base == json::PointerBase::context) {
    return;
  }
  std::string pointer;
  if (pattern.value().base == json::PointerBase::instance) {
    pointer = at;
    for (std::uint32_t up = 0; up < pattern.value().levels_up && !pointer.empty(); ++up) {
      pointer.resize(pointer.rfind('/'));
    }
  }
  for (const json::PointerToken& token : pattern.value().tokens) {
    if (token.star) {
      break;
    }
    json::append_token(pointer, token.text);
  }
  out.push_back(std::move(pointer));
}

void add_reads(const Value& keyword, std::string_view at, std::vector<std::string>& out) {
  for (const std::string_view name : {"in", "all", "any", "equals", "min", "max"}) {
    const Value* one = keyword.find(name);
    if (one == nullptr) {
      continue;
    }
    if (one->is(Kind::string)) {
      add_read(one->str(), at, out);
    }
    for (const Value& item : one->array()) {
      if (item.is(Kind::string) && !item.str().starts_with("text:")) {
        add_read(item.str(), at, out);
      }
    }
  }
}

}  // namespace

Result<std::string> apply_patch(const Value& document, const Value& patch, std::span<const std::string> scope) {
  if (!patch.is(Kind::array)) {
    return wrong("a JSON Patch is a list of operations");
  }
  if (patch.size > patch_operations_max) {
    return wrong("a patch has at most " + std::to_string(patch_operations_max) + " operations, this one " +
                 std::to_string(patch.size));
  }
  Patching patching(document, scope);
  std::size_t number = 0;
  for (const Value& operation : patch.array()) {
    std::string problem = patching.apply(operation);
    if (problem.empty() && patching.too_large()) {
      problem = "the artifact would have more than " + std::to_string(patched_bytes_max >> 20U) + " MB";
    }
    if (!problem.empty()) {
      return wrong("operation " + std::to_string(number + 1) + " of the patch: " + problem,
                   "/" + std::to_string(number));
    }
    ++number;
  }
  return patching.text();
}

std::vector<std::string> repair_scope(const contract::Contract& contract, std::span<const contract::Finding> findings) {
  std::vector<std::string> all;
  for (const contract::Finding& finding : findings) {
    if (finding.severity != contract::Severity::error || finding.shadowed_by != 0) {
      continue;
    }
    std::string at = finding.at;
    if (!finding.property.empty() &&
        (finding.rule == "required" || finding.rule == "dependentRequired" || finding.rule == "dependencies")) {
      json::append_token(at, finding.property);
    }
    all.push_back(std::move(at));
    if (finding.schema_location.empty() || finding.schema_location.front() != '/') {
      continue;
    }
    if (const Value* keyword = json::resolve(contract.tree(), finding.schema_location)) {
      add_reads(*keyword, finding.at, all);
    }
  }
  std::sort(all.begin(), all.end());
  std::vector<std::string> out;
  for (std::string& one : all) {
    if (std::none_of(out.begin(), out.end(), [&](const std::string& known) { return covers(known, one); })) {
      out.push_back(std::move(one));
    }
  }
  return out;
}

}  // namespace plumb::repair
