// Fixes that tools print, as edits: what the developer `extract` applies (without a model).
//
//   FixReading read = read_fixes(output, {"/tree", "build"});
//   Fixed fixed = apply_fixes(read.fixes, task, [&](const std::string& path) { return text of the file; });
//   change the tree by edits_json(fixed.files)
//
// Read are g++'s and clang's -fdiagnostics-parseable-fixits, `fixes` of SARIF documents, and unified diffs. Paths are
// taken relative to the tree; one that lies beyond it, or beyond the task's files, is left out by name. Fixes that
// touch the same bytes are refused, both, by name. Lines and columns count as the tool counts them: g++ and clang in
// bytes, SARIF in UTF-16 units unless it says otherwise.
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

namespace plumb::workflow {

inline constexpr std::size_t fixes_max = 1'000;

enum class Columns : std::uint8_t { bytes, utf16, code_points };

struct Fix {
  std::string path;
  std::string from_tool;                     // "fix-it", "sarif", "diff"
  std::uint32_t line = 1, column = 1;        // from 1
  std::uint32_t line_to = 1, column_to = 1;  // half open
  Columns columns = Columns::bytes;
  std::string text;                    // that stands there then
  std::optional<std::string> expects;  // what must stand there now, of a diff
};

struct FixReading {
  std::vector<Fix> fixes;
  std::vector<std::string> left_out;  // a sentence each
};
// `roots`: where the gate's tree lay, whose path is taken off absolute ones, and folders in it that paths with `..` may
// be seen from.
FixReading read_fixes(std::string_view output, std::span<const std::string> roots);

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
