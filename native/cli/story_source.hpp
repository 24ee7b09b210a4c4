// A story's file: an outline in YAML or JSON, Twee, story.json or HTML; and the places of findings in the file as it
// was written. The core reads JSON; what it finds in an outline that was YAML is told at the YAML's lines and columns.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/contract/verdict.hpp"
#include "core/result.hpp"

namespace plumb::cli {

class StorySource {
 public:
  // At most 64 MB; a YAML text of at most 16 MB and a million nodes, aliases counted as often as they are used. YAML is
  // what is named so (.yaml, .yml), or has the parts of an outline.
  static Result<StorySource> read(const std::string& path);
  // The same where an outline is wanted: a story in another form is refused.
  static Result<StorySource> read_outline(const std::string& path);

  const std::string& text() const { return text_; }  // what the core reads
  // Places of findings, and of signals, become those of the file.
  void relocate(contract::Verdict& verdict) const;

 private:
  struct Mark {
    std::uint64_t byte = 0;  // in text()
    std::uint32_t line = 1, column = 1;
    std::uint64_t file_byte = 0;
  };
  const Mark& mark_at(std::uint64_t byte) const;  // the last that begins there or before; there are marks
  std::string text_;
  std::vector<Mark> marks_;  // by byte; empty where text() is the file
};

}  // namespace plumb::cli
