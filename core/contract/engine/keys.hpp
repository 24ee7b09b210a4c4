// Keys of objects: finds repeated keys, asks for the schemas of the member, and judges the names themselves.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/contract/engine/containers.hpp"

namespace plumb::contract {

// The keys of open objects that no schema object knows.
struct Keys {
  struct Entry {
    std::uint64_t hash = 0;
    std::uint32_t offset = 0;
    std::uint32_t size = 0;
  };
  std::vector<Entry> entries;
  std::string bytes;
  Reused<std::vector<std::vector<std::uint32_t>>> tables;  // hash tables, of objects with many keys

  void reset() {
    entries.clear();
    bytes.clear();
    tables.clear();
  }
};

void read_key(Engine& engine, std::string_view text, std::uint64_t from, std::uint64_t to);
const Slot* find_slot(Evaluation& e, const ObjectPart& o, std::string_view key, std::uint32_t& index);

}  // namespace plumb::contract
