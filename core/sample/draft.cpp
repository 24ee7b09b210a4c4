#include "core/sample/draft.hpp"

#include "core/json/equality.hpp"
#include "core/json/number_text.hpp"
#include "core/json/pointer.hpp"
#include "core/json/writer.hpp"

namespace plumb::sample {

using json::Kind;

namespace {

void append(std::string& out, const Draft& draft) {
  switch (draft.kind) {
    case Kind::null:
      out += "null";
      break;
    case Kind::boolean:
      out += draft.boolean ? "true" : "false";
      break;
    case Kind::number:
      out += draft.text;
      break;
    case Kind::string:
      json::append_string(out, draft.text);
      break;
    case Kind::array:
    case Kind::object: {
      out += draft.is(Kind::array) ? '[' : '{';
      bool first = true;
      for (const Draft& child : draft.children) {
        if (!first) {
          out += ',';
        }
        first = false;
        if (draft.is(Kind::object)) {
          json::append_string(out, child.key);
          out += ':';
        }
        append(out, child);
      }
      out += draft.is(Kind::array) ? ']' : '}';
      break;
    }
  }
}

}  // namespace

Draft Draft::of_kind(Kind kind) {
  Draft draft;
  draft.kind = kind;
  if (kind == Kind::number) {
    draft.text = "0";
  }
  return draft;
}

Draft Draft::string(std::string_view text) {
  Draft draft = of_kind(Kind::string);
  draft.text.assign(text);
  return draft;
}

Draft Draft::number(std::string_view text) {
  Draft draft = of_kind(Kind::number);
  draft.text.assign(text);
  return draft;
}

Draft Draft::truth(bool yes) {
  Draft draft = of_kind(Kind::boolean);
  draft.boolean = yes;
  return draft;
}

Draft Draft::of(const json::Value& value) {
  Draft draft = of_kind(value.kind);
  draft.boolean = value.boolean;
  if (value.is(Kind::string) || value.is(Kind::number)) {
    draft.text.assign(value.str());
  }
  for (const json::Value& item : value.array()) {
    draft.children.push_back(of(item));
  }
  for (const json::Member& member : value.object()) {
    draft.children.push_back(of(member.value));
    draft.children.back().key.assign(member.key);
  }
  return draft;
}

const Draft* Draft::member(std::string_view name) const {
  if (is(Kind::object)) {
    for (const Draft& child : children) {
      if (child.key == name) {
        return &child;
      }
    }
  }
  return nullptr;
}

Draft* Draft::member(std::string_view name) {
  return const_cast<Draft*>(static_cast<const Draft*>(this)->member(name));
}

void Draft::set(std::string_view name, Draft value) {
  value.key.assign(name);
  if (Draft* old = member(name)) {
    *old = std::move(value);
  } else {
    children.push_back(std::move(value));
  }
}

bool Draft::remove(std::string_view name) {
  for (std::size_t i = 0; is(Kind::object) && i < children.size(); ++i) {
    if (children[i].key == name) {
      children.erase(children.begin() + static_cast<std::ptrdiff_t>(i));
      return true;
    }
  }
  return false;
}

void Draft::become(const Draft& other) {
  Draft copy = other;
  copy.key = std::move(key);
  *this = std::move(copy);
}

std::string text_of(const Draft& draft) {
  std::string out;
  append(out, draft);
  return out;
}

bool equal(const Draft& a, const Draft& b) {
  if (a.kind != b.kind || a.children.size() != b.children.size()) {
    return false;
  }
  switch (a.kind) {
    case Kind::null:
      return true;
    case Kind::boolean:
      return a.boolean == b.boolean;
    case Kind::number:
      return json::numbers_equal(a.text, b.text);
    case Kind::string:
      return a.text == b.text;
    case Kind::array:
      for (std::size_t i = 0; i < a.children.size(); ++i) {
        if (!equal(a.children[i], b.children[i])) {
          return false;
        }
      }
      return true;
    case Kind::object:
      for (const Draft& child : a.children) {
        const Draft* other = b.member(child.key);
        if (other == nullptr || !equal(child, *other)) {
          return false;
        }
      }
      return true;
  }
  return false;
}

Path path_of(std::string_view pointer) {
  Result<std::vector<std::string>> tokens = json::parse_pointer(pointer);
  return tokens ? std::move(tokens).value() : Path();
}

std::string pointer_of(const Path& path) {
  std::string out;
  for (const std::string& token : path) {
    json::append_token(out, token);
  }
  return out;
}

const Draft* find(const Draft& root, const Path& path, std::size_t tokens_max) {
  const Draft* at = &root;
  for (std::size_t i = 0; i < path.size() && i < tokens_max; ++i) {
    std::uint64_t index = 0;
    if (at->is(Kind::array)) {
      at = json::read_uint(path[i], index) && index < at->children.size()
               ? &at->children[static_cast<std::size_t>(index)]
               : nullptr;
    } else {
      at = at->member(path[i]);
    }
    if (at == nullptr) {
      return nullptr;
    }
  }
  return at;
}

Draft* find(Draft& root, const Path& path, std::size_t tokens_max) {
  return const_cast<Draft*>(find(static_cast<const Draft&>(root), path, tokens_max));
}

void put(Draft& root, const Path& path, const Draft& value) {
  Draft* at = &root;
  for (const std::string& token : path) {
    std::uint64_t index = 0;
    if (at->is(Kind::array) && json::read_uint(token, index) && index < at->children.size()) {
      at = &at->children[static_cast<std::size_t>(index)];
      continue;
    }
    if (!at->is(Kind::object)) {
      at->become(Draft::of_kind(Kind::object));
    }
    if (at->member(token) == nullptr) {
      at->set(token, {});
    }
    at = at->member(token);
  }
  at->become(value);
}

std::size_t values_in(const Draft& draft) {
  std::size_t count = 1;
  for (const Draft& child : draft.children) {
    count += values_in(child);
  }
  return count;
}

}  // namespace plumb::sample
