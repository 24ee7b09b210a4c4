// The commands of `plumb` and their options: one array that help, shell completion, the man page and the parser read.
//
// A command is found by its path ("check", "contracts show") and knows what runs it. Options are written once; what
// several commands share is repeated by value, so that each command's list can be read on its own.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace plumb::cli {

class Arguments;

// What a shell may offer after an option or in place of an argument.
enum class Completes : unsigned char { nothing, file, directory, contract, rule, provider, choice };

struct OptionSpec {
  std::string_view name;                  // "--contract"
  char letter = 0;                        // 'c', or 0
  std::string_view value;                 // "NAME|FILE"; empty for a flag
  std::vector<std::string_view> choices;  // the values allowed, or empty
  std::string_view default_text;          // shown in help, or empty
  std::string_view help;
  Completes completes = Completes::nothing;
  bool repeats = false;
  bool optional = false;  // "--fix" is "--fix=" with the first choice; another value needs the `=`
};

struct ArgumentSpec {
  std::string_view name;  // "PATH..."
  std::string_view help;
  Completes completes = Completes::nothing;
  bool repeats = false;
  bool required = false;
  std::vector<std::string_view> choices = {};
};

struct CommandSpec {
  std::string_view path;         // "contracts show"
  std::string_view summary;      // one line
  std::string_view description;  // paragraphs
  std::vector<ArgumentSpec> arguments;
  std::vector<OptionSpec> options;
  std::vector<std::string_view> examples;            // "command" or "command\tmeaning"
  int (*run)(const Arguments& arguments) = nullptr;  // gives the exit code
};

// In the order in which help lists them.
const std::vector<CommandSpec>& command_table();
// Whether `path`, a command or the word before several, is one that this build is without (native/base/edge_build.hpp).
bool is_left_out(std::string_view path);
// What is said of such a one.
std::string left_out_text(std::string_view path);
const CommandSpec* find_command(std::string_view path);
// Of a word that is no command itself but has commands after it, "contracts"; empty when there is none.
std::string_view group_summary(std::string_view group);

}  // namespace plumb::cli
