// What `plumb serve` takes.
#include <utility>

#include "native/cli/call_limits.hpp"
#include "native/cli/command_specs.hpp"
#include "native/cli/prompt_source.hpp"
#include "native/cli/provider_setup.hpp"
#include "native/cli/run_settings.hpp"
#include "native/cli/search_setup.hpp"
#include "native/cli/served_proxy.hpp"
#include "native/cli/work_setup.hpp"

namespace plumb::cli {

OptionSpec store_option() {
  return {"--store",
          0,
          "FILE",
          {},
          "plumb/runs.db in $XDG_STATE_HOME or ~/.local/state",
          "Where runs are kept (PLUMB_STORE, `store` in plumb.yaml): a file, which one process at a time may write, or "
          "nats://HOST:PORT[,HOST2:PORT2...]/NAME, which several hosts share (docs/scale.md).",
          Completes::file,
          false};
}

CommandSpec serve_command() {
  CommandSpec c;
  c.path = "serve";
  c.summary = "Serve jobs, runs, checks and the page over HTTP";
  c.description =
      "Accepts jobs (POST /ai/artifact/generate), reports their status and events, serves runs and their journals "
      "(/v1/runs), checks artifacts (POST /v1/check), and serves the page. GET /openapi.json describes the whole "
      "interface; docs/server.md has examples.\n\nRuns are kept in the store, so a server that was stopped or killed "
      "continues them when it starts again. SIGINT and SIGTERM stop it after the requests in progress. Event streams "
      "are closed. Calls of runs may finish within --stop-grace; then the next server continues them. Jobs stay in the "
      "store.\n\nWith `proxy:` in plumb.yaml, or --proxy, it opens a second port, which any OpenAI or Anthropic client "
      "can use instead of its provider, with contracts enforced in the answers (docs/proxy.md). SIGHUP reads its "
      "configuration again.\n\nWith `events:` in plumb.yaml, it publishes the events of workflow runs on NATS, and "
      "checks the loops of other agents (docs/events.md).\n\nWith --sample it opens only one port, where a fake model "
      "answers like OpenAI, Anthropic and Ollama, for trying a program without a key and with faults.\n\nBy default "
      "only this machine can use it: requests with another Host, or from a page of another origin, are refused. On any "
      "address but 127.0.0.1 a token is required, which clients send as `Authorization: Bearer TOKEN`. The address is "
      "printed on one line of standard output.";
  c.options = {
      {"--port", 'p', "PORT", {}, "8787", "The port; 0 chooses a free one (PLUMB_PORT).", Completes::nothing, false},
      {"--host",
       0,
       "ADDRESS",
       {},
       "127.0.0.1",
       "The address to listen on (PLUMB_HOST). 0.0.0.0 listens on all and accepts every Host. Any address but this "
       "machine's own requires a token.",
       Completes::nothing,
       false},
      {"--allow-host",
       0,
       "NAME",
       {},
       "",
       "Also accept requests for this Host, such as the name of a reverse proxy.",
       Completes::nothing,
       true},
      {"--allow-origin",
       0,
       "ORIGIN",
       {},
       "",
       "Let pages of this origin use the control port, such as https://app.example.org. Needs a token.",
       Completes::nothing,
       true},
      {"--token",
       0,
       "TOKEN",
       {},
       "",
       "The token that requests must carry, except for /healthz, /readyz, /openapi.json and the page's files. Prefer "
       "PLUMB_TOKEN, which the process list does not show.",
       Completes::nothing,
       false},
      {"--metrics-token",
       0,
       "TOKEN",
       {},
       "",
       "A token that can only read /metrics. Prefer PLUMB_METRICS_TOKEN.",
       Completes::nothing,
       false},
      {"--check-steps",
       0,
       "N",
       {},
       "200000000",
       "Maximum steps of work for a request to /v1/check, about ten nanoseconds each. Beyond it the verdict is "
       "undecided. 0: unlimited.",
       Completes::nothing,
       false},
      root_option(),
      work_options()[0],
      work_options()[1],
      store_option(),
      run_setting_options()[0],
      run_setting_options()[1],
      {"--web",
       0,
       "DIR",
       {},
       "../web beside the binary, else ../share/plumbline/web",
       "The folder of the built page.",
       Completes::directory,
       false},
      {"--max-body",
       0,
       "N",
       {},
       "16M",
       "Maximum bytes of one request (K, M or G), at most 200M.",
       Completes::nothing,
       false},
      {"--log",
       0,
       "KIND",
       {"off", "text", "json"},
       "text",
       "The log format on standard error: text or JSON lines. The log contains no keys, tokens or request texts.",
       Completes::choice,
       false},
      {"--log-level",
       0,
       "LEVEL",
       {"debug", "info", "warn", "error"},
       "warn",
       "The lowest level to log. Requests are logged at info.",
       Completes::choice,
       false},
  };
  for (OptionSpec& one : proxy_options()) {
    c.options.push_back(one);
  }
  c.options.push_back({"--sample",
                       0,
                       "PORT",
                       {},
                       "",
                       "Open only this port, 0 for a free one, and answer like OpenAI, Anthropic and Ollama. Each fake "
                       "model is named after its behaviour (docs/sample-provider.md).",
                       Completes::nothing,
                       false});
  for (OptionSpec& one : search_options()) {
    c.options.push_back(one);
  }
  for (OptionSpec& one : provider_options()) {
    c.options.push_back(one);
  }
  c.options.push_back(record_option());
  for (OptionSpec& one : limit_options()) {
    c.options.push_back(one);
  }
  c.options.push_back(prompts_option());
  c.options.push_back(help_option());
  c.examples = {"plumb serve",
                "plumb serve --provider ollama/qwen3:8b --store runs.db",
                "plumb serve --port 0 --log json --log-level info",
                "plumb serve --sample 8789",
                "plumb serve --proxy 8788 --provider openai/gpt-4o",
                "PLUMB_TOKEN=$(openssl rand -hex 32) plumb serve --host 0.0.0.0"};
  return c;
}

}  // namespace plumb::cli
