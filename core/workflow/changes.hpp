// What was changed, read from git's patch and never from what a developer says.
//
//   Result<Changes> changes = read_changes(patch);           // `patch` of the worktree effect's `diff`
//   Result<Changes> changes = read_diff_reply(reply);        // its whole value: all paths, also where the patch is cut
//
// Read are unified diffs as `git diff-tree -p` writes them (renames as a file gone and one that came), and others with
// `---`, `+++` and `@@`. What contradicts itself (a hunk that is shorter than it says, a line before any hunk) is an
// error with the line of the patch. Bounds: 64 MB, 100,000 files, 4,000,000 lines.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/json/record.hpp"
#include "core/result.hpp"
#include "core/workflow/plan.hpp"

namespace plumb::workflow {

enum class ChangeKind : std::uint8_t { added, modified, removed };
std::string_view change_kind_name(ChangeKind kind);  // "added"

struct DiffLine {
  char sign = ' ';         // ' ', '+', '-'
  std::uint32_t line = 0;  // afterwards; of a removed line, before
  std::string text;        // without sign and line end
};

struct Hunk {
  std::uint32_t old_from = 0, old_count = 0;
  std::uint32_t new_from = 0, new_count = 0;
  std::vector<DiffLine> lines;
};

struct Change {
  std::string path;
  ChangeKind kind = ChangeKind::modified;
  bool binary = false;
  bool mode = false;                     // its mode changed
  bool listed = false;                   // only its path is known: the patch was cut before it
  std::uint64_t added = 0, removed = 0;  // lines
  std::vector<Hunk> hunks;
};

// A file in a reply of the worktree effect: its status as git has it (A, M, D).
struct ChangedFile {
  std::string path, status;
  bool binary = false;
  std::optional<std::uint64_t> added, removed;
  Change change() const;  // listed
  static std::span<const json::Field> fields();
};

struct Changes {
  std::vector<Change> files;  // in the order of the patch
  std::uint64_t cut = 0;      // bytes of the patch that are not known
  bool paths_cut = false;     // not even all paths are known
  bool empty() const { return files.empty(); }
  std::vector<std::string> paths() const;
  std::vector<std::string> present() const;  // without removed files
};

// `cut`: the patch ends in the middle; what is whole of it is read.
Result<Changes> read_changes(std::string_view patch, std::uint64_t cut = 0);
Result<Changes> read_diff_reply(const json::Value& reply);

// "src/a.cpp: +3 -1", a line a file, and the patch's own lines below it.
std::string changes_summary(const Changes& changes);

// Files beyond what the task may write: rule `scope`, warnings (004-6). Empty `files` of a task allow all.
std::vector<FileFinding> beyond_task(const Task& task, const Changes& changes);
// Changed files of `do_not_touch`, rule `do-not-touch`, and of `globs` that the task does not name word for word or by
// a path that fits, rule `protected`: the former are errors, the latter of `severity`.
std::vector<FileFinding> protected_changes(const Task& task, std::span<const std::string> globs,
                                           std::span<const std::string> do_not_touch, const Changes& changes,
                                           contract::Severity severity = contract::Severity::error);
// Where a project says nothing else: what decides about all work (this product's configuration, CI). Files that gates
// run and tests are found by what they are (guarded.hpp).
std::span<const std::string_view> protected_configuration();
// The same with names of both, as runs had it that were begun before there were guards.
std::span<const std::string_view> protected_usual();
// Files that the developer says it changed and that the diff does not have: rule `no-diff`, errors; one without a path
// where anything is claimed and nothing changed.
std::vector<FileFinding> claims_without_diff(std::span<const std::string> claimed, const Changes& changes);

}  // namespace plumb::workflow
