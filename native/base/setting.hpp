// A key of a settings file: plumb.yaml, or the file of client keys.
//
// Each reader has a table of its keys. It accepts the keys of its table and no others, and docs/settings.md is written
// from the same tables, so both know the same keys. native/cli/setting_tables.hpp has all tables in order.
//
//   {"proxy.bounds.head", "duration", text_of_ms(Bounds{}.head_ms), "time for the head of a request to arrive"}
//   {"proxy.limits_all", "like proxy.limits", "", "limits of all calls together"}
//
// In a path, a word in capitals stands for a name that the user chooses, and [] for each entry of a list. Types:
//
//   text, file, folder, glob, model, URL     true or false       one of A, B, C      map, list, list of T
//   number, decimal, dollars, percent        duration, size      A or B              like PATH: the keys below PATH
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace plumb {

struct Setting {
  std::string path;
  std::string type;
  std::string usual;  // the default, or empty
  std::string meaning;
  std::string page = {};  // of docs/; empty: as for the key above it
};
using SettingTable = std::vector<Setting>;

// The keys right below a path, "bounds" below "proxy"; below "" those of the whole file.
std::vector<std::string_view> keys_below(const SettingTable& table, std::string_view path);

// "10m", "30s", "250ms"; a size in the same way: "32MB". What is 0 is "0".
std::string text_of_ms(std::uint64_t ms);
std::string text_of_bytes(std::uint64_t bytes);
// "one of off, observe, enforce"
std::string one_of_type(const std::vector<std::string_view>& choices);

}  // namespace plumb
