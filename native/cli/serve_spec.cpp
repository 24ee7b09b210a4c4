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
          "Where runs are kept (PLUMB_STORE, `store` in plumb.yaml): a file, which one process at a time writes, or "
          "nats://HOST:PORT[,HOST2:PORT2...]/NAME, which several hosts share (docs/scale.md).",
          Completes::file,
          false};
}

CommandSpec serve_command() {
  CommandSpec c;
  c.path = "serve";
  c.summary = "Serve jobs, runs, checks and the page over HTTP";
  c.description =
      "Takes jobs (POST /ai/artifact/generate), tells how they go on (status, and events as they happen), gives every "
      "run and its journal (/v1/runs), judges artifacts (POST /v1/check) and serves the built page. GET /openapi.json "
      "is the whole interface; docs/server.md shows it with examples.\n\n"
      "Runs are kept in the store: a server that is ended, or killed, goes on with them when it is started again. "
      "SIGINT and SIGTERM end it after the requests under way; event streams are told and closed, calls of runs get a "
      "while (--stop-grace) and are then handed over to the next server, and jobs stay in the "
      "store.\n\n"
      "Where plumb.yaml has `proxy:`, or with --proxy, it opens a second port, which any OpenAI or Anthropic client "
      "may call instead of its provider, with contracts kept in the answers (docs/proxy.md). SIGHUP reads its "
      "configuration again.\n\n"
      "Where plumb.yaml has `events:`, it tells on NATS what happens in runs of workflows, and judges loops of other "
      "agents (docs/events.md).\n\n"
      "With --sample it opens one port only, on which a sample of a model answers as OpenAI, Anthropic and Ollama do: "
      "to "
      "try a program without a key, and with faults.\n\n"
      "It answers for this machine only: requests with another Host or from a page of another origin are refused. On "
      "another address than 127.0.0.1 it wants a token, which clients send as `Authorization: Bearer TOKEN`. The "
      "address is told in one line on standard output.";
  c.options = {
      {"--port", 'p', "PORT", {}, "8787", "The port; 0 takes a free one (PLUMB_PORT).", Completes::nothing, false},
      {"--host",
       0,
       "ADDRESS",
       {},
       "127.0.0.1",
       "The address to listen on (PLUMB_HOST); 0.0.0.0 for all, every Host is then served. Others than this machine's "
       "own want a token.",
       Completes::nothing,
       false},
      {"--allow-host",
       0,
       "NAME",
       {},
       "",
       "Also answer requests for this Host: the name that a proxy in front of it has.",
       Completes::nothing,
       true},
      {"--token",
       0,
       "TOKEN",
       {},
       "",
       "Requests must carry it, but for /healthz, /readyz, /openapi.json and the page's files. Better given as "
       "PLUMB_TOKEN, which the list of processes does not show.",
       Completes::nothing,
       false},
      {"--metrics-token",
       0,
       "TOKEN",
       {},
       "",
       "Another token, that reads /metrics and nothing else. Better given as PLUMB_METRICS_TOKEN.",
       Completes::nothing,
       false},
      {"--check-steps",
       0,
       "N",
       {},
       "200000000",
       "What a request to /v1/check may cost, in steps of some ten nanoseconds; what takes more is undecided. 0: no "
       "bound.",
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
       "The built page.",
       Completes::directory,
       false},
      {"--max-body",
       0,
       "N",
       {},
       "16M",
       "Bytes of one request, at most 200M. K, M and G are understood.",
       Completes::nothing,
       false},
      {"--log",
       0,
       "KIND",
       {"off", "text", "json"},
       "text",
       "The log on standard error: text lines or JSON lines. No keys, tokens or texts of requests are in it.",
       Completes::choice,
       false},
      {"--log-level",
       0,
       "LEVEL",
       {"debug", "info", "warn", "error"},
       "warn",
       "The least level that is logged; requests are logged at info.",
       Completes::choice,
       false},
  };
  for (OptionSpec& one : proxy_options()) {
    c.options.push_back(one);
  }
  c.options.push_back(
      {"--sample",
       0,
       "PORT",
       {},
       "",
       "Open this port alone, 0 for a free one: the interfaces of OpenAI, Anthropic and Ollama in front "
       "of nothing, whose models are named after what they do (docs/sample-provider.md).",
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
