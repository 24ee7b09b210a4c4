// What a search for files leaves out: paths that match --exclude or '!GLOB', and, when asked for, what .gitignore says.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.hpp"
#include "native/base/glob.hpp"

namespace plumb::cli {

class PathFilter {
 public:
  // A glob with a `/` (not at its end) is held against the path as it is shown; any other against the last name of it.
  // A directory that matches is left out with all that is below it.
  Result<bool> exclude(std::string_view said);
  // Obeys the .gitignore files (gitignore(5)) of the directories from the file's up to the one that holds `.git`. Those
  // that cannot be read, or have more than 1 MB, are as if they were not there; so are lines that are no patterns.
  void use_gitignore() { gitignore_ = true; }

  bool empty() const { return excluded_.empty() && !gitignore_; }
  // Of what a search has found.
  bool leaves_out(const std::string& path, bool is_directory);
  // Of a file that was named: by --exclude or '!GLOB', also of a directory that it is in.
  bool excludes(const std::string& path) const;

 private:
  struct Rule {
    Glob glob;
    bool negated = false;
    bool directories_only = false;
    bool any_depth = false;  // held against the last name
  };
  struct Directory {
    std::vector<Rule> rules;
    bool top = false;  // of the work tree
  };

  bool excluded(std::string_view path, bool is_directory) const;
  bool ignored(const std::string& absolute, bool is_directory);
  const Directory& directory(const std::string& absolute);  // with a `/` at its end

  std::vector<Rule> excluded_;
  bool gitignore_ = false;
  std::map<std::string, Directory> directories_;
};

}  // namespace plumb::cli
