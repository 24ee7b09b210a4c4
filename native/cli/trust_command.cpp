// `plumb trust`: what a plumb.yaml that was found proposes, and that it holds from now on.
#include <unistd.h>

#include <string>

#include "core/json/writer.hpp"
#include "native/cli/command_specs.hpp"
#include "native/cli/commands.hpp"
#include "native/cli/exit_codes.hpp"
#include "native/cli/terminal.hpp"
#include "native/cli/trust_yes.hpp"
#include "native/config/trust.hpp"

namespace plumb::cli {

CommandSpec trust_command() {
  CommandSpec c;
  c.path = "trust";
  c.summary = "Review and trust what a plumb.yaml may run, send or read";
  c.description =
      "A plumb.yaml that was found, here or in a folder above, may come from somebody else. So its commands, "
      "repositories, provider addresses, key names, `proxy` and `mcp` take effect only after you trust it. Everything "
      "else in it takes effect at once. This command shows what is proposed, and asks. The answer is kept in "
      "~/.local/state/plumb/trusted.json ($XDG_STATE_HOME) with the file's text and a hash of what was shown; a change "
      "to it asks again. A file that you name yourself (--config FILE) needs no trust.\n\nExit code 0: trusted, or "
      "nothing is proposed; 1: not trusted; 2: wrong usage, or the file cannot be read.";
  c.arguments = {{"FILE", "The file. Default: the plumb.yaml that is found.", Completes::file, false, false}};
  c.options = {
      plain_option("--yes", "", "Trust without asking. Without a terminal, this also needs PLUMB_TRUST_YES=1."),
      plain_option("--forget", "", "Remove the trust."),
      plain_option("--json", "", "Print the proposals and their state as JSON, without asking."),
  };
  for (OptionSpec& o : look_options()) {
    c.options.push_back(std::move(o));
  }
  c.options.push_back(help_option());
  c.examples = {"plumb trust", "PLUMB_TRUST_YES=1 plumb trust --yes\tin a script",
                "plumb trust ../plumb.yaml --forget"};
  return c;
}

namespace {

std::string shown(const ConfigFile& config, const contract::TextStyle& style) {
  std::string out = bold(config.path, style) + " proposes:\n";
  for (const ConfigFile::Proposal& one : config.proposals) {
    out += "  " + cyan(one.name, style) + dim(" (line " + std::to_string(one.line) + ")", style) + "\n      ";
    json::append_string(out, one.text);
    out += '\n';
  }
  return out;
}

std::string as_json(const ConfigFile& config, bool holds) {
  std::string out;
  json::Writer json(out, 2);
  json.begin_object().member("file", config.path).member_boolean("trusted", holds).key("proposals").begin_array();
  for (const ConfigFile::Proposal& one : config.proposals) {
    json.begin_object().member("name", one.name).member_uint("line", one.line).member("text", one.text).end_object();
  }
  json.end_array().end_object();
  return out + "\n";
}

}  // namespace

int run_trust(const Arguments& arguments) {
  if (arguments.has("--yes") && arguments.has("--forget")) {
    return fail(Error{ErrorCode::invalid_argument, "cannot be given with --forget", "--yes", 0, 0});
  }
  const std::string path = arguments.positionals().empty() ? find_config_file() : arguments.positionals().front();
  if (path.empty()) {
    note("there is no plumb.yaml here or above");
    return exit_clean;
  }
  const Result<ConfigFile> read = read_config_file(path);
  if (!read) {
    return fail(read.error());
  }
  const ConfigFile& config = read.value();
  const bool holds = !not_trusted(config, "");
  if (arguments.has("--json")) {
    write_all(STDOUT_FILENO, as_json(config, holds));
    return holds ? exit_clean : exit_findings;
  }
  if (arguments.has("--forget")) {
    const Result<bool> done = set_trust(config, false);
    return done ? exit_clean : fail(done.error());
  }
  if (config.proposals.empty()) {
    if (kept_trust(config.path) && arguments.has("--yes")) {
      if (const Result<bool> done = set_trust(config, false); !done) {
        return fail(done.error());
      }
      note("what it proposed is no longer trusted");
    }
    note(config.path + " proposes nothing that needs trust");
    return exit_clean;
  }
  write_all(STDOUT_FILENO, shown(config, style_for(arguments, STDOUT_FILENO)));
  if (trusted_as_it_is(config)) {
    note("you trust it as it is");
    return exit_clean;
  }
  if (!lets_it_hold(arguments)) {
    return exit_findings;
  }
  const Result<bool> done = set_trust(config, true);
  if (!done) {
    return fail(done.error());
  }
  note("it holds, until it proposes something else");
  return exit_clean;
}

}  // namespace plumb::cli
