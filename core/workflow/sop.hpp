// SOPs: what a project holds its changes to, as Markdown with front matter (004-38 to 004-44).
//
//   SopReading read = read_sop({.path = ".semspec/sources/docs/sops/errors.md", .text = text, .front_matter = json});
//   std::vector<const Sop*> held = sops_for(sops, changes.paths(), SopScope::code);
//   std::vector<PatternFinding> broken = check_patterns(*held[0], changes);
//
// Front matter: category, applies_to (a text or a list), severity, scope (plan, code, all), domain, requirements,
// checks. Without `severity` it is inferred from the text: MUST or SHALL an error, SHOULD a warning, MAY an info, else
// a warning; and marked so. Unknown members warn. `applies_to` is matched on the path and on the base name; absent, all
// files. Requirements are those of the front matter, else the items below a heading "Requirements".
//
// The parent is summary (the first paragraph) and requirements; sections are its chunks, of 200 to 1,500 tokens and
// about 1,000 (core/extract/chunks.hpp), never cut inside fenced code.
//
// A check {required | forbidden: PATTERN, files?, message?} is decided on added lines: a `forbidden` one names the
// line that it matches; a `required` one must match some added line of each file that was changed and to which it
// applies.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/budget/shares.hpp"
#include "core/json/record.hpp"
#include "core/text/pattern.hpp"
#include "core/text/tokens.hpp"
#include "core/workflow/changes.hpp"

namespace plumb::workflow {

inline constexpr std::size_t sops_max = 2'000;

enum class SopScope : std::uint8_t { plan, code, all };

struct SopCheck {
  bool forbidden = false;  // else required
  std::string source;      // of the pattern
  text::Pattern pattern;
  std::vector<std::string> files;  // globs; empty: those of the SOP
  std::string message;
};

struct SopChunk {
  std::string section;  // the path of headings, " > " between
  std::string text;
  budget::Tokens tokens = 0;
};

struct Sop {
  std::string slug;  // "error-handling" of error-handling.md
  std::string id;    // "source.doc.sops.error-handling"
  std::string path, title, category = "sop", summary;
  std::vector<std::string> applies_to, domain, requirements;
  budget::Severity severity = budget::Severity::warning;
  bool severity_inferred = false;
  SopScope scope = SopScope::all;
  std::vector<SopCheck> checks;
  std::vector<SopChunk> chunks;
  budget::Tokens parent_tokens = 0;
  std::string hash;  // of the text

  std::string parent_text() const;  // what always goes into a context
};

struct SopFile {
  std::string path;
  std::string text;          // without the front matter
  std::string front_matter;  // JSON; empty: none
  std::uint32_t line = 1;    // in which `text` begins
  std::string lines;         // JSON: the line of each member of the front matter; empty: not known
  static std::span<const json::Field> fields();
};
struct SopReading {
  std::optional<Sop> sop;  // where no error was found
  std::vector<FileFinding> findings;
};
SopReading read_sop(const SopFile& file, text::Encoding encoding = text::Encoding::unknown);

// All of a folder: slugs that occur twice are errors.
struct SopLibrary {
  std::vector<Sop> sops;  // in the order of their ids
  std::vector<FileFinding> findings;
};
SopLibrary read_sops(std::span<const SopFile> files, text::Encoding encoding = text::Encoding::unknown);

// `path`: of a file, or a pattern that a task declares; of a pattern, whether it may.
bool applies(const Sop& sop, std::string_view path);
// Those that apply to one of the paths, errors first, then by id. `scope` code or plan.
std::vector<const Sop*> sops_for(std::span<const Sop> sops, std::span<const std::string> paths, SopScope scope);
// A warning for each SOP whose `applies_to` fits none of the repository's paths.
std::vector<FileFinding> sops_without_files(std::span<const Sop> sops, std::span<const std::string> repository_paths);

// The broken checks of an SOP, with file and line; severity is the SOP's. `item` is its id.
std::vector<FileFinding> check_patterns(const Sop& sop, const Changes& changes);

// [{"id", "triples": [{"predicate", "object"}]}] with the seven predicates of the seed and code.structure.belongs from
// chunk to parent. A `prefix` of source.doc.sops gives the parents without chunks, a parent's id its parent and chunks.
std::string sop_entities(std::span<const Sop> sops, std::string_view prefix = {});

}  // namespace plumb::workflow
