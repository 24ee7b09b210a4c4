// `plumb check --staged`: the index laid out in a folder of its own, in which the command goes on as if it had been
// started there. So artifacts, contracts and plumb.yaml are all read as they will be committed.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/result.hpp"

namespace plumb::cli {

class StagedFiles {
 public:
  // Lays them out, and makes the folder that stands for the working directory the working directory.
  static Result<StagedFiles> lay_out();
  StagedFiles(StagedFiles&&) noexcept;
  StagedFiles& operator=(StagedFiles&&) noexcept;
  ~StagedFiles();

  // What is staged and not removed, from the working directory.
  const std::vector<std::string>& changed() const { return changed_; }
  // A path that was named where the command was started: as it is where the index has it, else as it lies there.
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
