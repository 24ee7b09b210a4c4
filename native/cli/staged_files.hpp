// `plumb check --staged`: copies git's index into a temporary folder and makes that the working directory. Artifacts,
// contracts and plumb.yaml are then read as they will be committed.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/result.hpp"

namespace plumb::cli {

class StagedFiles {
 public:
  // Copies the index and changes the working directory to the matching folder in the copy.
  static Result<StagedFiles> lay_out();
  StagedFiles(StagedFiles&&) noexcept;
  StagedFiles& operator=(StagedFiles&&) noexcept;
  ~StagedFiles();

  // Staged files that are not deletions, relative to the working directory.
  const std::vector<std::string>& changed() const { return changed_; }
  // Resolves a path from the command line: in the copy if the index has it, otherwise where the command was started.
  std::string input(const std::string& path) const;
  std::string output(const std::string& path) const;

 private:
  StagedFiles();
  struct Laid;
  std::unique_ptr<Laid> laid_;
  std::string started_in_;
  std::vector<std::string> changed_;
};

}  // namespace plumb::cli
