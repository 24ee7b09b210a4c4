// What a source holds: units that findings can point to. Read from the texts of files, without input and output.
//
// A unit has an id that evidence names: a conversation's own id, or "FILE:LINE", or a file and the number of the
// record. Lines that are no records are skipped, with the reason and the first place; what was reviewed and what was
// skipped adds up to what was there.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/pipelines/discovery/members.hpp"

namespace plumb::pipelines::discovery {

enum class SourceKind : std::uint8_t { conversations, analytics, repo, docs };
inline constexpr std::array<std::string_view, 4> source_names = {"conversations", "analytics", "repo", "docs"};
// "customer_voice", ...
inline constexpr std::array<std::string_view, 4> explorer_names = {"customer_voice", "analytics", "codebase",
                                                                   "research"};

struct Unit {
  std::string id;
  std::string path;
  std::uint64_t line = 0;
  std::string when;  // "2026-01-31", or empty
  std::string text;
  std::string type = {};  // what its source says it is; empty: nothing (source_type.hpp)
  static Fields fields();
};

struct Skipped {
  std::string why;
  std::uint64_t count = 0;
  std::string where;  // the first: "a.ndjson:7"
  static Fields fields();
};

struct Read {
  std::vector<Unit> units;
  std::vector<Skipped> skipped;
  std::uint64_t available() const;
  std::uint64_t skipped_count() const;
  void skip(std::string_view why, std::string where, std::uint64_t count = 1);
  static Fields fields();
};

struct ReadLimits {
  std::size_t units_max = 0;  // of a source
  std::size_t text_max = 0;   // bytes of a unit
  std::size_t files_max = 0;  // that are read
  std::size_t batch = 0;      // units of one call
};
ReadLimits limits_of(SourceKind kind);

// Whether a file of this name is read for a source of this kind.
bool is_read(SourceKind kind, std::string_view path);

// The units of one file.
Read read_file(SourceKind kind, std::string_view path, std::string_view text);
// Adds the units of another file. A conversation that is there already gets the turns.
void add(Read& all, Read file);

}  // namespace plumb::pipelines::discovery
