// Gates: the project's own commands, which decide before any reviewer is asked (004-10 to 004-18).
//
//   Result<GateList> gates = read_gates(R"([{"name": "test", "command": "ctest --test-dir build", "after":
//   ["build"]}])");
//
// One form for `workflow.gates` of plumb.yaml and `gates` of .semspec/config.yaml, given as JSON: a list of gates, or
// {preset, overrides, additional}. An error's `where` is the JSON Pointer into what was given, so that the host can say
// the line; its text has the remedy.
//
//   name         letters, digits, - _ . and unique        command     a text, or a list of words
//   required     true unless said                          shell       true: the text is for /bin/sh
//   category     compile, lint, typecheck, test, format or a word of one's own
//   after        gates before it that must pass            trigger     globs: only where a changed file fits
//   dir          below the tree                            timeout_ms  at most an hour; 5 minutes unless said
//   env          names of variables                        network     false unless said
//   writable     folders it may write beside its tree      report      a JUnit file that it writes
//   caches       folders copied from the setup's tree      repeatable  true unless said
//   exclude      globs: these changed files do not count   fix         a command that mends, as `command`
//
// A word {files} in `command` or `fix` stands for the changed files that the gate is about (files_of).
//
// Without `shell: true` a command is split at blanks outside quotes, and what only a shell knows is an error when the
// configuration is read.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/json/writer.hpp"
#include "core/result.hpp"

namespace plumb::workflow {

inline constexpr std::size_t gates_max = 50;
inline constexpr std::uint64_t gate_ms_usual = 300'000;
inline constexpr std::uint64_t gate_ms_max = 3'600'000;

struct Gate {
  std::string name;
  std::string command;            // as it was written; of a list, its words with blanks between
  std::vector<std::string> argv;  // with `shell`: /bin/sh -c TEXT
  bool shell = false;
  bool required = true;
  bool network = false;
  bool repeatable = true;
  std::string category, dir, report;
  std::vector<std::string> after, trigger, exclude, env, writable, caches;
  std::string fix;                    // as it was written; empty: the gate has none
  std::vector<std::string> fix_argv;  // as `argv`
  std::uint64_t timeout_ms = gate_ms_usual;
};

struct GateList {
  std::vector<Gate> gates;  // in the order they are run in
  std::vector<std::string> names() const;
};
Result<GateList> read_gates(std::string_view json);
// One gate as JSON: what a run is pinned to; read_gates() of a list of these gives the same.
void write_gate(json::Writer& json, const Gate& gate);
std::string gates_json(std::span<const Gate> gates);

// The gates of a preset (go, cmake, npm, python, make); nothing for a name that is none.
std::optional<std::vector<Gate>> preset_gates(std::string_view preset);
std::span<const std::string_view> preset_names();

// The place of changed files in a command: a word of its own, which becomes a word for each file. In a text for a shell
// it stands outside quotes.
inline constexpr std::string_view files_place = "{files}";
bool takes_files(std::span<const std::string> argv);
// The changed files that a gate is about: below its `dir`, those that fit `trigger` and not `exclude`; as paths below
// `dir`, of which none can be taken for an option.
std::vector<std::string> files_of(const Gate& gate, std::span<const std::string> changed);
// Which of the gates changed files call for: those about which of them are, and those without `trigger`; all of them
// where `changed` is empty. A gate that takes files is called for only where it has some. A path that ends with '/' is
// a submodule that moved: gates are called for that may be about any file below it.
std::vector<std::uint32_t> gates_for(std::span<const Gate> gates, std::span<const std::string> changed);

}  // namespace plumb::workflow
