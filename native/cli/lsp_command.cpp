// `plumb lsp`: standard input and output for native/lsp, and what the files of an editor are to `plumb check`.
#include <unistd.h>

#include <csignal>
#include <memory>
#include <utility>

#include "core/json/value.hpp"
#include "native/cli/command_specs.hpp"
#include "native/cli/commands.hpp"
#include "native/cli/contract_source.hpp"
#include "native/cli/exit_codes.hpp"
#include "native/cli/inputs.hpp"
#include "native/cli/judging.hpp"
#include "native/cli/terminal.hpp"
#include "native/config/config_file.hpp"
#include "native/lsp/frames.hpp"
#include "native/lsp/session.hpp"
#include "native/mcp/line_input.hpp"

namespace plumb::cli {

CommandSpec lsp_command() {
  CommandSpec c;
  c.path = "lsp";
  c.summary = "Run a language server for editors: findings, completion, hover and fixes";
  c.description =
      "A language server on standard input and output, for contracts and artifacts. It reports what 'plumb contracts "
      "lint' and 'plumb check' report. Hover shows 'plumb explain'; code actions are the certain edits of --fix.\n\nA "
      "file's plumb.yaml is the nearest one in its folder or above. A file is a contract if plumb.yaml names it as "
      "one, or if it has a known `$schema`, or an `$id` that begins with plumb:. A file that an entry of `contracts` "
      "matches is an artifact. Other files are ignored, unless --contract is given.\n\nExit code 0: after 'shutdown' "
      "and 'exit'; 1: after 'exit' or the end of input without 'shutdown'; 2: the input is not a message. "
      "docs/editors.md has set-ups for Neovim, VS Code, Helix and Emacs.";
  c.options = {
      {"--contract",
       'c',
       "NAME|FILE",
       {},
       "",
       "Check every file that is not a contract against this contract.",
       Completes::contract,
       false},
      {"--context",
       0,
       "FILE",
       {},
       "",
       "A JSON document for the contract's `context:` pointers.",
       Completes::file,
       false},
      {"--config", 0, "FILE", {}, "", "Read this file instead of looking for plumb.yaml.", Completes::file, false},
      {"--no-config", 0, "", {}, "", "Do not look for plumb.yaml.", Completes::nothing, false},
  };
  for (OptionSpec& o : contract_reading_options()) {
    c.options.push_back(std::move(o));
  }
  c.options.push_back(help_option());
  c.examples = {"plumb lsp\tthe command of an editor's language client",
                "plumb lsp --contract quiz\tevery JSON file is a quiz"};
  return c;
}

namespace {

constexpr int settle_ms = 20;   // diagnostics wait so long for further changes,
constexpr int settle_max = 25;  // so many times

// By what it says of itself; a text that is no JSON (yet) by what comes first in it.
bool says_contract(std::string_view text) {
  json::Arena arena;
  const Result<json::Value> value = json::parse(text, arena);
  if (!value) {
    return text.substr(0, 4'096).find("\"$schema\"") != std::string_view::npos &&
           text.substr(0, 4'096).find("json-schema.org/") != std::string_view::npos;
  }
  const json::Value* schema = value.value().find("$schema");
  const json::Value* id = value.value().find("$id");
  return (schema != nullptr &&
          (schema->str().find("json-schema.org/") != std::string_view::npos || schema->str().starts_with("plumb:"))) ||
         (id != nullptr && id->str().starts_with("plumb:"));
}

class Files final : public lsp::Project {
 public:
  explicit Files(const Arguments& arguments) : arguments_(arguments) {}

  Result<lsp::Held> held(const std::string& path, std::string_view text) const override {
    Result<lsp::Held> found = look_up(path, text);
    if (found) {
      return found;
    }
    Error error = found.error();
    error.message = error_line(error);
    return error;
  }

 private:
  Result<lsp::Held> look_up(const std::string& path, std::string_view text) const {
    ConfigFile config;
    std::string file = arguments_.text("--config");
    if (file.empty() && !path.empty() && !arguments_.has("--no-config")) {
      file = find_config_file(path.substr(0, path.rfind('/') + 1));
    }
    if (!file.empty()) {
      Result<ConfigFile> read = read_config_file(file);
      if (!read) {
        return read.error();
      }
      config = std::move(read).value();
    }
    Result<ContractReading> reading = ContractReading::from(arguments_, config.documents, config.artifacts);
    if (!reading) {
      return reading.error();
    }
    lsp::Held held;
    held.lines = is_lines_name(path);
    const std::optional<std::size_t> entry = path.empty() ? std::nullopt : config.entry_for(path);
    const bool named = is_named(config, path);
    const std::string given = arguments_.text("--contract");
    if (named || ((!given.empty() || !entry) && says_contract(text))) {
      const auto owner = std::make_shared<ContractReading>(std::move(reading).value());
      held.as = lsp::Held::As::contract;
      held.reading = owner->options();
      held.owner = owner;
      return held;
    }
    if (given.empty() && !entry) {
      return held;
    }
    const std::string said = given.empty() ? config.contracts[*entry].contract : given;
    std::string context = arguments_.text("--context");
    if (context.empty() && given.empty()) {
      context = config.contracts[*entry].context;
    }
    Result<NamedContract> contract = find_contract(said, reading.value());
    if (!contract) {
      Error error = contract.error();
      if (error.where.empty()) {
        error.where = said;
      }
      return error;
    }
    Result<Slot> slot = slot_of(contract.value(), said, context);
    if (!slot) {
      return slot.error();
    }
    held.as = lsp::Held::As::artifact;
    held.contract = std::move(slot.value().contract);
    held.context = std::move(slot.value().context);
    return held;
  }

  // plumb.yaml says that it is a contract, or that contracts refer to it.
  static bool is_named(const ConfigFile& config, const std::string& path) {
    if (path.empty()) {
      return false;
    }
    const auto is = [&](const std::string& file) { return !file.empty() && absolute_path(file) == path; };
    bool found = false;
    for (const ContractEntry& one : config.contracts) {
      found = found || (contract::built_in_contract(one.contract) == nullptr && is(one.contract));
    }
    for (const auto& [type, file] : config.artifacts) {
      found = found || is(file);
    }
    for (const auto& [uri, file] : config.documents) {
      found = found || is(file);
    }
    return found;
  }

  const Arguments& arguments_;
};

}  // namespace

int run_lsp(const Arguments& arguments) {
  if (arguments.has("--config") && arguments.has("--no-config")) {
    return fail(Error{ErrorCode::invalid_argument, "'--config' and '--no-config' exclude each other", "", 0, 0});
  }
  ::signal(SIGPIPE, SIG_IGN);  // NOLINT: whoever takes nothing any more is an error of write()
  const Files files(arguments);
  bool takes = true;
  lsp::Session session(
      files, [&](std::string_view message) { takes = takes && mcp::write_bytes(STDOUT_FILENO, lsp::framed(message)); });
  lsp::FrameInput input(STDIN_FILENO);
  int waited = 0;
  while (takes && !session.over()) {
    // Diagnostics are not sent for every keystroke: only for a text at rest, or after half a second.
    if (session.has_changes() && (waited >= settle_max || !input.comes(settle_ms))) {
      session.tell_changes();
      waited = 0;
      continue;
    }
    waited = session.has_changes() ? waited + 1 : 0;
    const lsp::FrameInput::Got got = input.read();
    for (std::string message; takes && !session.over() && input.take(message);) {
      session.handle(message);
    }
    if (const std::uint64_t bytes = input.left_out(); bytes > 0) {
      session.complain("a message of " + std::to_string(bytes) + " bytes is left out: more than " +
                       std::to_string(mcp::message_bytes_max >> 20U) + " MB are not taken");
    }
    if (!input.trouble().empty() && !session.over()) {
      return fail(Error{ErrorCode::invalid_argument, input.trouble(), "standard input", 0, 0});
    }
    if (got == lsp::FrameInput::Got::end) {
      break;
    }
  }
  return session.exit_code();
}

}  // namespace plumb::cli
