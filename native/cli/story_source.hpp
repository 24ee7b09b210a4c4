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
  // At most 64 MB; a YAML text of at most a million nodes, aliases counted as often as they are used.
  static Result<StorySource> read(const std::string& path);

  const std::string& text() const { return text_; }  // what the core reads
  // Places of findings become those of the file.
  void relocate(contract::Verdict& verdict) const;

 private:
  struct Mark {
    std::uint64_t byte = 0;  // in text()
    std::uint32_t line = 1, column = 1;
    std::uint64_t file_byte = 0;
  };
  std::string text_;
  std::vector<Mark> marks_;  // by byte; empty where text() is the file
};

}  // namespace plumb::cli
