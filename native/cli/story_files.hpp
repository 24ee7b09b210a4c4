// Stories as they lie in files: a file is a story, the Twee files of a folder are one, and so are several files of
// which one alone has StoryData. Findings are told at the file and line where they are.
#pragma once

#include <string>
#include <vector>

#include "core/contract/verdict.hpp"
#include "core/result.hpp"
#include "core/story/make.hpp"
#include "native/cli/story_source.hpp"

namespace plumb::cli {

class StoryFiles {
 public:
  // The stories of files and folders, in the order in which they are named. A file that cannot be read is a story with
  // its error. At most 10,000 files and 64 MB a story.
  static std::vector<StoryFiles> of(const std::vector<std::string>& paths);

  struct Told {
    std::string path, text;
    contract::Verdict verdict;
  };
  // The verdict, by file; the error names the file.
  Result<std::vector<Told>> check() const;

 private:
  struct Part {
    std::string path;
    StorySource source;
  };
  static StoryFiles folder(const std::string& path);
  static void join(std::vector<StoryFiles>& stories);
  Result<std::vector<Told>> check_joined() const;

  std::vector<Part> parts_;
  std::optional<Error> error_;
};

}  // namespace plumb::cli
