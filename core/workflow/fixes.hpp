// Fixes that tools print, as edits: what the developer `extract` applies (without a model).
//
//   FixReading read = read_fixes(output, seen_from(gate, "/tree", output));
//   Fixed fixed = apply_fixes(read.fixes, task, [&](const std::string& path) { return text of the file; });
//   change the tree by edits_json(fixed.files)
//
// Read are g++'s and clang's -fdiagnostics-parseable-fixits, `fixes` of SARIF documents, and unified diffs. A relative
// path is seen from where the gate ran, and from folders that its command or its output names (`cmake --build build`,
// `make -C src`, "Entering directory"); it means the one file of the task that is there. One that lies beyond the tree
// or the task's files, or may mean two of them, is left out by name. Fixes that touch the same bytes are refused, both,
// by name. Lines and columns count as the tool counts them: g++ and clang in bytes, SARIF in UTF-16 units unless it
// says otherwise.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.hpp"
#include "core/workflow/changes.hpp"
#include "core/workflow/gates.hpp"

namespace plumb::workflow {

inline constexpr std::size_t fixes_max = 1'000;

enum class Columns : std::uint8_t { bytes, utf16, code_points };

struct Fix {
  std::vector<std::string> paths;            // each that it may mean, from the tree's top
  std::string from_tool;                     // "fix-it", "sarif", "diff"
  std::uint32_t line = 1, column = 1;        // from 1
  std::uint32_t line_to = 1, column_to = 1;  // half open
  Columns columns = Columns::bytes;
  std::string text;                    // that is there then
  std::optional<std::string> expects;  // what must be there now, of a diff
};

struct FixReading {
  std::vector<Fix> fixes;
  std::vector<std::string> left_out;  // a sentence each
};
// What the paths of a gate's output are seen from.
struct SeenFrom {
  std::string tree;                         // absolute: where the gate's tree lay
  std::vector<std::string> folders = {""};  // from the tree's top, without a slash at their ends; "" is the top
};
// At most 40 folders: the gate's own first.
SeenFrom seen_from(const Gate& gate, std::string_view tree, std::string_view output);
FixReading read_fixes(std::string_view output, const SeenFrom& from);

struct FixedFile {
  std::string path;
  std::string text;
  std::size_t fixes = 0;
};
struct Fixed {
  std::vector<FixedFile> files;
  std::vector<std::string> left_out;  // what was not applied and why, a sentence each
};
// Applies them to the files that the task may write. `read` gives a file's text, nothing where there is none.
Fixed apply_fixes(std::span<const Fix> fixes, const Task& task,
                  const std::function<std::optional<std::string>(const std::string&)>& read);
// [{"path", "text"}...]: the member `edits` of the worktree effect's `change`.
std::string edits_json(std::span<const FixedFile> files);

}  // namespace plumb::workflow
