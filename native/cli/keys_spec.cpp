// What the commands of `plumb keys` take.
#include "native/cli/command_specs.hpp"

namespace plumb::cli {

namespace {

OptionSpec valued(std::string_view name, std::string_view value, std::string_view otherwise, std::string_view help,
                  bool repeats = false) {
  return {name, 0, value, {}, otherwise, help, Completes::nothing, repeats};
}

OptionSpec mode(std::string_view name, std::string_view help) {
  return {name, 0, "MODE", {"off", "observe", "enforce", "hold-back"}, "", help, Completes::choice, false};
}

void finish(CommandSpec& c) {
  c.options.push_back({"--file",
                       0,
                       "FILE",
                       {},
                       "",
                       "The file of keys. Default: PLUMB_KEYS, `proxy.keys` in plumb.yaml, or plumb/client-keys.json "
                       "in $XDG_STATE_HOME or ~/.local/state.",
                       Completes::file,
                       false});
  c.options.push_back({"--server",
                       0,
                       "URL",
                       {},
                       "",
                       "Use the keys of the `plumb serve` at this address, such as http://127.0.0.1:8787, with the "
                       "server's token in PLUMB_TOKEN.",
                       Completes::nothing,
                       false});
  c.options.push_back(
      {"--config", 0, "FILE", {}, "", "Read this file instead of looking for plumb.yaml.", Completes::file, false});
  c.options.push_back({"--no-config", 0, "", {}, "", "Do not look for plumb.yaml.", Completes::nothing, false});
  c.options.push_back({"--json", 0, "", {}, "", "As JSON.", Completes::nothing, false});
  for (OptionSpec& o : look_options()) {
    c.options.push_back(std::move(o));
  }
  c.options.push_back(help_option());
}

CommandSpec create_command() {
  CommandSpec c;
  c.path = "keys create";
  c.summary = "Create a client key for the proxy, and show it once";
  c.description =
      "Prints the key on a line of its own on standard output. The key itself is not kept: the file stores its SHA-256 "
      "and what it may do. Clients send it as `Authorization: Bearer KEY` or `x-api-key: KEY`. A running proxy accepts "
      "it within a second.\n\nThe limits of plumb.yaml apply unless set here. VALUE is a whole number, or dollars for "
      "the usd limits. The limits are requests_per_minute, requests_per_day, tokens_per_minute, tokens_per_day, "
      "usd_per_minute, usd_per_day and calls_at_once.";
  c.arguments = {{"NAME", "A note on what the key is for.", Completes::nothing, false, true}};
  c.options = {
      valued("--model", "NAME", "all", "A model that the key may use, by its name in plumb.yaml.", true),
      valued("--contract", "NAME", "all", "A contract that the key may use.", true),
      valued("--origin", "ORIGIN", "",
             "Accept the key only from pages of this origin, such as https://app.example.org.", true),
      valued("--limit", "LIMIT=VALUE", "", "A limit for this key.", true),
      valued("--project", "NAME", "",
             "The key's project. The key opens the project's runs at the control port of `plumb serve`, and shares the "
             "project's limits. Letters, digits, '-' and '_', at most 32."),
      valued("--expires", "WHEN", "never",
             "A date (2026-12-31), a time in UTC (2026-12-31T18:00:00Z) or a duration: 90d, 12h, 30m."),
      mode("--response-format", "How a schema in `response_format` is handled for this key."),
      mode("--tools", "How tool schemas are handled for this key."),
  };
  finish(c);
  c.examples = {"plumb keys create web --model fast --origin https://app.example.org --limit usd_per_day=5",
                "export OPENAI_API_KEY=$(plumb keys create ci --expires 90d)",
                "plumb keys create acme-runs --project acme",
                "PLUMB_TOKEN=... plumb keys create web --server https://plumb.example.org"};
  return c;
}

CommandSpec list_command() {
  CommandSpec c;
  c.path = "keys list";
  c.summary = "List client keys: what they may do, and whether they are accepted";
  c.description = "Prints one line per key. The keys themselves are not kept, so they cannot be shown.";
  c.options = {{"--all", 'a', "", {}, "", "Include revoked and expired keys.", Completes::nothing, false}};
  finish(c);
  c.examples = {"plumb keys list", "plumb keys list --all --json"};
  return c;
}

CommandSpec revoke_command() {
  CommandSpec c;
  c.path = "keys revoke";
  c.summary = "Revoke client keys";
  c.description =
      "KEY is an id from `plumb keys list`, a name that only one key has, or the key itself. A running proxy refuses "
      "the key within a second; calls in progress are finished. Its usage stays counted.";
  c.arguments = {{"KEY", "Ids, names or keys.", Completes::nothing, true, true}};
  finish(c);
  c.examples = {"plumb keys revoke kabcd2345", "plumb keys revoke ci"};
  return c;
}

}  // namespace

std::vector<CommandSpec> keys_commands() { return {create_command(), list_command(), revoke_command()}; }

}  // namespace plumb::cli
