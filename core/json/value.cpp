// Equality and hashing of trees. Both recurse as deep as the values are; trees come from parse(), which bounds their
// depth (ParseLimits::depth_max).
//
// An object with a key more than once (a tree built by hand: parse() refuses it) counts as its first members do, here
// as in Value::find.
#include "core/json/value.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

#include "core/json/equality.hpp"
#include "core/stable_sort.hpp"

namespace plumb::json {

namespace {

// Up to this many members are compared each with each; more are sorted by key first.
constexpr std::size_t few_members = 12;

bool key_came_before(std::span<const Member> members, std::size_t index) {
  for (std::size_t i = 0; i < index; ++i) {
    if (members[i].key == members[index].key) {
      return true;
    }
  }
  return false;
}

// The first member of each key, by key.
std::vector<const Member*> sorted_members(std::span<const Member> members) {
  std::vector<const Member*> sorted;
  sorted.reserve(members.size());
  for (const Member& member : members) {
    sorted.push_back(&member);
  }
  stable_sort(sorted, [](const Member* a, const Member* b) { return a->key < b->key; });
  const auto repeated = [](const Member* a, const Member* b) { return a->key == b->key; };
  sorted.erase(std::unique(sorted.begin(), sorted.end(), repeated), sorted.end());
  return sorted;
}

bool equal_objects(const Value& a, const Value& b) {
  const std::span<const Member> members_a = a.object();
  const std::span<const Member> members_b = b.object();
  if (members_a.size() <= few_members && members_b.size() <= few_members) {
    for (const Member& member : members_b) {
      if (a.find(member.key) == nullptr) {
        return false;
      }
    }
    for (std::size_t i = 0; i < members_a.size(); ++i) {
      const Value* const other = b.find(members_a[i].key);
      if (other == nullptr || (!equal(members_a[i].value, *other) && !key_came_before(members_a, i))) {
        return false;
      }
    }
    return true;
  }
  const std::vector<const Member*> sorted_a = sorted_members(members_a);
  const std::vector<const Member*> sorted_b = sorted_members(members_b);
  return std::equal(sorted_a.begin(), sorted_a.end(), sorted_b.begin(), sorted_b.end(),
                    [](const Member* x, const Member* y) { return x->key == y->key && equal(x->value, y->value); });
}

std::uint64_t member_hash(const Member& member, std::uint64_t seed) {
  return hash_combine(hash_text(member.key, seed), hash(member.value, seed));
}

}  // namespace

std::string_view kind_name(Kind kind) {
  constexpr std::string_view names[] = {"null", "boolean", "number", "string", "array", "object"};
  return names[static_cast<std::size_t>(kind)];
}

const Value* Value::find(std::string_view key) const {
  for (const Member& member : object()) {
    if (member.key.size() == key.size() &&
        (key.empty() || std::memcmp(member.key.data(), key.data(), key.size()) == 0)) {
      return &member.value;
    }
  }
  return nullptr;
}

bool equal(const Value& a, const Value& b) {
  if (a.kind != b.kind) {
    return false;
  }
  switch (a.kind) {
    case Kind::null:
      return true;
    case Kind::boolean:
      return a.boolean == b.boolean;
    case Kind::number:
      return numbers_equal(a.str(), b.str());
    case Kind::string:
      return a.str() == b.str();
    case Kind::array: {
      const std::span<const Value> items_a = a.array();
      const std::span<const Value> items_b = b.array();
      return std::equal(items_a.begin(), items_a.end(), items_b.begin(), items_b.end(), equal);
    }
    case Kind::object:
      break;
  }
  return equal_objects(a, b);
}

std::uint64_t hash(const Value& value, std::uint64_t seed) {
  constexpr std::uint64_t array_mark = 0x61C8864680B583EBU;
  constexpr std::uint64_t object_mark = 0xD1B54A32D192ED03U;
  switch (value.kind) {
    case Kind::null:
    case Kind::number:
    case Kind::string:
      return hash_scalar(value.kind, value.str(), seed);
    case Kind::boolean:
      return hash_scalar(value.kind, value.boolean ? "true" : "false", seed);
    case Kind::array: {
      std::uint64_t all = hash_combine(seed, array_mark);
      for (const Value& item : value.array()) {
        all = hash_combine(all, hash(item, seed));
      }
      return all;
    }
    case Kind::object:
      break;
  }
  std::uint64_t sum = 0;  // a sum, so that the order of the members does not matter
  const std::span<const Member> members = value.object();
  if (members.size() <= few_members) {
    for (std::size_t i = 0; i < members.size(); ++i) {
      sum += key_came_before(members, i) ? 0 : member_hash(members[i], seed);
    }
  } else {
    for (const Member* const member : sorted_members(members)) {
      sum += member_hash(*member, seed);
    }
  }
  return hash_combine(hash_combine(seed, object_mark), sum);
}

}  // namespace plumb::json
