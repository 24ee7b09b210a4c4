// `plumb prompts list|show|export|check`: prompts are files that their users own.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "core/json/writer.hpp"
#include "core/pipelines/prompt.hpp"
#include "core/wording.hpp"
#include "native/base/file_bytes.hpp"
#include "native/base/near_miss.hpp"
#include "native/cli/command_specs.hpp"
#include "native/cli/commands.hpp"
#include "native/cli/exit_codes.hpp"
#include "native/cli/prompt_source.hpp"
#include "native/cli/terminal.hpp"
#include "native/config/config_file.hpp"

namespace plumb::cli {

namespace {

Result<PromptSource> source_of(const Arguments& arguments) {
  std::string configured;
  if (const std::string path = find_config_file(); !path.empty()) {
    Result<ConfigFile> config = read_config_file(path);
    if (!config) {
      return config.error();
    }
    configured = config.value().prompts;
  }
  return prompt_source(arguments, configured);
}

Result<pipelines::Prompt> read(const PromptSource& source, const std::string& name) {
  const Result<std::string> text = prompt_text(source, name);
  if (!text) {
    return text.error();
  }
  return pipelines::read_prompt(name, text.value(), prompt_file(source, name), pipelines::prompt_variables(name));
}

// Only made, never written over.
Result<bool> write_new(const std::string& path, std::string_view text) {
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
  if (file < 0) {
    return Error{ErrorCode::unavailable,
                 errno == EEXIST ? "is there already; it is left as it is" : "cannot be made: " + reason_of(errno),
                 path, 0, 0};
  }
  const bool written = write_all(file, text);
  const int number = errno;
  if (::close(file) != 0 || !written) {
    return Error{ErrorCode::unavailable, "cannot be written: " + reason_of(number), path, 0, 0};
  }
  return true;
}

int unknown(const PromptSource& source, const std::string& name) {
  const std::vector<std::string> names = prompt_names(source);
  const std::vector<std::string_view> views(names.begin(), names.end());
  return fail(Error{
      ErrorCode::not_found,
      "there is no prompt '" + name + "'" + did_you_mean(name, views) + ": 'plumb prompts list' lists them", "", 0, 0});
}

}  // namespace

CommandSpec prompts_list_command() {
  CommandSpec c;
  c.path = "prompts list";
  c.summary = "List the prompts, and where each comes from";
  c.description =
      "Prompts are Markdown files that begin with a JSON object. Your own are in the directory given by --prompts, "
      "PLUMB_PROMPTS or `prompts` in plumb.yaml. Prompts missing there are the built-in ones.";
  c.options = {prompts_option(), {"--json", 0, "", {}, "", "Print one JSON document.", Completes::nothing, false}};
  for (OptionSpec& one : look_options()) {
    c.options.push_back(one);
  }
  c.options.push_back(help_option());
  c.examples = {"plumb prompts list", "plumb prompts list --prompts my-prompts"};
  return c;
}

CommandSpec prompts_show_command() {
  CommandSpec c;
  c.path = "prompts show";
  c.summary = "Print a prompt";
  c.description = "Prints the prompt as used, with its JSON object.";
  c.arguments = {{"NAME", "The prompt's name in 'plumb prompts list'.", Completes::nothing, false, true}};
  c.options = {prompts_option(), help_option()};
  c.examples = {"plumb prompts show artifact-repair"};
  return c;
}

CommandSpec prompts_export_command() {
  CommandSpec c;
  c.path = "prompts export";
  c.summary = "Write the built-in prompts to a directory, so that you can change them";
  c.description = "Writes NAME.md for each prompt. Existing files are kept.";
  c.arguments = {{"DIR", "The directory; created if it does not exist.", Completes::directory, false, true},
                 {"NAME", "Write only these prompts.", Completes::nothing, true, false}};
  c.options = {help_option()};
  c.examples = {"plumb prompts export my-prompts", "plumb prompts export my-prompts artifact-repair"};
  return c;
}

CommandSpec prompts_check_command() {
  CommandSpec c;
  c.path = "prompts check";
  c.summary = "Check that prompts are valid, and report where and why not";
  c.description =
      "Checks each prompt's JSON object, template and variables. An unknown variable is an error with file, line and "
      "column. Exit code 0: all are valid; 2: one is not.";
  c.arguments = {{"FILE", "Prompt files. Default: all prompts in use.", Completes::file, true, false}};
  c.options = {prompts_option(), help_option()};
  c.examples = {"plumb prompts check", "plumb prompts check my-prompts/artifact-plan-quiz.md"};
  return c;
}

int run_prompts_list(const Arguments& arguments) {
  const Result<PromptSource> source = source_of(arguments);
  if (!source) {
    return fail(source.error());
  }
  const contract::TextStyle style = style_for(arguments, STDOUT_FILENO);
  std::string out;
  std::string problems;
  json::Writer json(out, 2);
  const bool as_json = arguments.has("--json");
  if (as_json) {
    json.begin_array();
  }
  for (const std::string& name : prompt_names(source.value())) {
    const Result<pipelines::Prompt> prompt = read(source.value(), name);
    const std::string file = prompt_file(source.value(), name);
    const std::string about = prompt ? prompt.value().about : "not well made: " + error_line(prompt.error());
    if (as_json) {
      json.begin_object().member("name", name).member("from", file).member("about", about);
      json.member_boolean("valid", static_cast<bool>(prompt)).end_object();
    } else {
      out += bold(name, style) + "  " + dim(file, style) + "\n    " + (prompt ? about : red(about, style)) + "\n";
    }
  }
  if (as_json) {
    json.end_array();
    out += '\n';
  }
  return write_all(STDOUT_FILENO, out)
             ? exit_clean
             : fail(Error{ErrorCode::unavailable, "cannot be written", "standard output", 0, 0});
}

int run_prompts_show(const Arguments& arguments) {
  const Result<PromptSource> source = source_of(arguments);
  if (!source) {
    return fail(source.error());
  }
  const std::string& name = arguments.positionals().front();
  const Result<std::string> text = prompt_text(source.value(), name);
  if (!text) {
    return text.error().code == ErrorCode::not_found ? unknown(source.value(), name) : fail(text.error());
  }
  return write_all(STDOUT_FILENO, text.value())
             ? exit_clean
             : fail(Error{ErrorCode::unavailable, "cannot be written", "standard output", 0, 0});
}

int run_prompts_export(const Arguments& arguments) {
  const std::string& directory = arguments.positionals().front();
  std::vector<std::string> names(arguments.positionals().begin() + 1, arguments.positionals().end());
  for (const std::string& name : names) {
    if (pipelines::built_in_prompt(name) == nullptr) {
      return unknown({}, name);
    }
  }
  if (names.empty()) {
    names = prompt_names({});
  }
  if (::mkdir(directory.c_str(), 0755) != 0 && errno != EEXIST) {
    return fail(Error{ErrorCode::unavailable, "cannot be made: " + reason_of(errno), directory, 0, 0});
  }
  int code = exit_clean;
  for (const std::string& name : names) {
    const std::string path = directory + "/" + name + ".md";
    const Result<bool> done = write_new(path, pipelines::built_in_prompt(name)->text);
    if (done) {
      write_all(STDOUT_FILENO, path + "\n");
    } else {
      code = fail(done.error());
    }
  }
  return code;
}

int run_prompts_check(const Arguments& arguments) {
  const Result<PromptSource> source = source_of(arguments);
  if (!source) {
    return fail(source.error());
  }
  std::size_t wrong = 0;
  std::size_t checked = 0;
  auto tell = [&](const Result<pipelines::Prompt>& prompt) {
    ++checked;
    if (!prompt) {
      ++wrong;
      complain(error_line(prompt.error()));
    }
  };
  if (arguments.positionals().empty()) {
    for (const std::string& name : prompt_names(source.value())) {
      tell(read(source.value(), name));
    }
  }
  for (const std::string& file : arguments.positionals()) {
    const Result<std::string> text = read_file(file, pipelines::prompt_bytes_max);
    if (!text) {
      tell(text.error());
      continue;
    }
    std::string name = file.substr(file.rfind('/') == std::string::npos ? 0 : file.rfind('/') + 1);
    name = name.size() > 3 && name.ends_with(".md") ? name.substr(0, name.size() - 3) : name;
    tell(pipelines::read_prompt(name, text.value(), file, pipelines::prompt_variables(name)));
  }
  if (wrong == 0) {
    write_all(STDOUT_FILENO, counted(checked, "prompt is", "prompts are") + " well made\n");
  }
  return wrong == 0 ? exit_clean : exit_undecided;
}

}  // namespace plumb::cli
