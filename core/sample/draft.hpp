// A JSON value that can be changed: an artifact while it is being made.
//
//   Draft draft = Draft::of_kind(json::Kind::object);
//   draft.set("name", Draft::string("Ada"));
//   text_of(draft)                       {"name":"Ada"}
//   find(draft, {"name"})                the member, or nullptr
//
// Members keep their order and have a name each; numbers keep their text. Values are made no deeper than
// SampleLimits::depth_max, and what is read is as deep as json::parse allows, so recursion is bounded.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/json/value.hpp"

namespace plumb::sample {

struct Draft {
  json::Kind kind = json::Kind::null;
  bool boolean = false;
  std::string text;             // string: decoded; number: as written
  std::string key;              // its name, where it is a member
  std::vector<Draft> children;  // items or members

  static Draft of_kind(json::Kind kind);
  static Draft string(std::string_view text);
  static Draft number(std::string_view text);
  static Draft truth(bool yes);
  static Draft of(const json::Value& value);

  bool is(json::Kind k) const { return kind == k; }
  Draft* member(std::string_view name);
  const Draft* member(std::string_view name) const;
  // Replaces the member of that name, or adds it at the end.
  void set(std::string_view name, Draft value);
  bool remove(std::string_view name);
  // The value of `other`; the name stays.
  void become(const Draft& other);
};

// Compact JSON.
std::string text_of(const Draft& draft);

// JSON equality: 1 = 1.0, objects without order.
bool equal(const Draft& a, const Draft& b);

// The decoded tokens of a JSON Pointer.
using Path = std::vector<std::string>;
Path path_of(std::string_view pointer);
std::string pointer_of(const Path& path);
// nullptr where there is nothing.
Draft* find(Draft& root, const Path& path, std::size_t tokens_max = ~std::size_t{0});
const Draft* find(const Draft& root, const Path& path, std::size_t tokens_max = ~std::size_t{0});

// Puts `value` at `path`, with objects on the way where there is nothing.
void put(Draft& root, const Path& path, const Draft& value);

// How many values there are, containers included.
std::size_t values_in(const Draft& draft);

}  // namespace plumb::sample
