// The command line, taken apart by the table in command_table.hpp. Values are checked against their choices here; what
// they mean is for the command.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.hpp"
#include "native/cli/command_table.hpp"

namespace plumb::cli {

class Arguments {
 public:
  // `words` without the program's name. No words: `command` is nullptr and help is wanted. The error is a usage error,
  // with a near miss where there is one.
  static Result<Arguments> parse(const std::vector<std::string>& words);

  const CommandSpec* command() const { return command_; }  // nullptr: help of `group`, or of plumb itself
  const std::string& group() const { return group_; }      // "contracts" when only that was said
  bool help_wanted() const { return help_wanted_; }        // asked for with --help
  bool version_wanted() const { return version_wanted_; }

  const std::vector<std::string>& positionals() const { return positionals_; }
  bool has(std::string_view option) const { return values_.find(option) != values_.end(); }
  // The last value given, or `otherwise`.
  std::string text(std::string_view option, std::string_view otherwise = {}) const;
  std::vector<std::string> list(std::string_view option) const;
  // A whole number within bounds.
  Result<std::uint64_t> number(std::string_view option, std::uint64_t otherwise, std::uint64_t min,
                               std::uint64_t max) const;
  // The same with K, M or G for 1024, its square and its cube.
  Result<std::uint64_t> size(std::string_view option, std::uint64_t otherwise, std::uint64_t max) const;

  // Where plumb.yaml is looked for, and above: the working directory, or the top of the repository of a workflow.
  const std::string& config_folder() const { return config_folder_; }
  Arguments with_config_folder(std::string folder) const;

 private:
  const CommandSpec* command_ = nullptr;
  std::string group_;
  bool help_wanted_ = false;
  bool version_wanted_ = false;
  std::vector<std::string> positionals_;
  std::map<std::string, std::vector<std::string>, std::less<>> values_;
  std::string config_folder_ = ".";
};

// The plumb.yaml that holds for the command: the one that --config names, none with --no-config, else the nearest.
std::string config_path(const Arguments& arguments);

}  // namespace plumb::cli
