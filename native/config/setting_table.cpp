#include "native/config/setting_table.hpp"

#include "core/budget/pressure.hpp"
#include "core/budget/risk.hpp"
#include "core/pipelines/workflow/settings.hpp"
#include "core/workflow/gates.hpp"
#include "native/config/events_section.hpp"
#include "native/host/host.hpp"

namespace plumb {

namespace {

void add(SettingTable& table, const SettingTable& rows) { table.insert(table.end(), rows.begin(), rows.end()); }

SettingTable top() {
  return {
      {"contracts", "list of maps", "", "the contract of each file", "getting-started.md"},
      {"documents", "map", "", "files that contracts refer to, by URI", "contract-reference.md"},
      {"artifacts", "map", "", "contracts of your own types of artifacts", "artifacts.md"},
      {"prompts", "folder", "built-in prompts", "prompts of your own, `NAME.md` each", "prompts.md"},
      {"fail_on", "one of error, warning, info, never", "error", "lowest severity that gives exit code 1",
       "commands.md"},
      {"format", "one of text, short, json, jsonl, sarif, junit, github, llm", "text", "format of reports",
       "commands.md"},
      {"store", "file or URL", "`runs.db` in the state folder", "where runs are stored", "runs.md"},
      {"runs", "map", "", "how long runs are kept", "runs.md"},
      {"providers", "map", "", "the model of each phase", "providers.md"},
      {"limits", "map", "", "time limits of model calls", "providers.md"},
      {"judge", "map", "", "what the judge of artifacts must have shown", "artifacts.md"},
      {"gates", "map or one of observe, bind", "bind", "whether the rules of boundaries reject, or are only observed",
       "boundaries.md"},
      {"budget", "map", "", "what is known of models; how runs are monitored", "budget.md"},
      {"commands", "map", "", "commands that runs may name", "work.md"},
      {"repositories", "map", "", "git repositories that runs may work on", "work.md"},
      {"workflow", "map", "", "gates and developers of the project", "workflow.md"},
      {"events", "map", "no events", "NATS servers for events", "events.md"},
      {"proxy", "map", "no proxy", "the proxy", "proxy.md"},
      {"mcp", "map", "", "checks of the tools of an MCP server", "mcp.md"},
  };
}

SettingTable files() {
  return {
      {"contracts[].files", "glob or list of globs", "", "files; `!GLOB` excludes files again (required)"},
      {"contracts[].contract", "contract", "", "name of a built-in contract, or a file (required)"},
      {"contracts[].context", "file", "", "JSON document for the contract's `context:` pointers"},
      {"documents.URI", "file", "", "the document with this URI"},
      {"artifacts.TYPE", "file", "", "the contract of this type"},
      {"runs.keep", "duration or forever", text_of_ms(host::HostSettings{}.keep_ms),
       "how long runs are kept after they end"},
      {"runs.stop_grace", "duration", "5s", "how long calls of runs may take when the server stops", "server.md"},
      {"repositories.NAME", "folder", "", "the repository with this name"},
  };
}

std::string percent_of(budget::Share share) { return std::to_string(share / budget::percent(1)); }

SettingTable budgets() {
  const budget::PressureThresholds usual;
  SettingTable out = {
      {"budget.models", "file", "", "registry of models"},
      {"budget.thresholds", "map", "", "how full a context window may be"},
      {"budget.thresholds.yellow_percent", "percent", percent_of(usual.yellow), "log a warning from here on"},
      {"budget.thresholds.orange_percent", "percent", percent_of(usual.orange), "consider a checkpoint from here on"},
      {"budget.thresholds.red_percent", "percent", percent_of(usual.red), "save a checkpoint from here on"},
      {"budget.thresholds.critical_percent", "percent", percent_of(usual.critical), "force a checkpoint above this"},
      {"budget.thresholds.pause_percent", "percent", percent_of(usual.pause), "pause above this"},
      {"budget.policy", "map", "", "responses to signs that a run goes wrong"},
  };
  static constexpr std::string_view meanings[] = {
      "response to many retries", "response to a full context window, in percent",
      "response to files written beyond the task's", "response to a file that parallel tasks write",
      "response to the same call again and again, in calls"};
  const budget::Policy policy = budget::policy_default();
  const std::string first = "budget.policy." + std::string(budget::signal_names[0]);
  for (std::size_t i = 0; i < budget::signals_size; ++i) {
    const std::uint64_t unit = static_cast<budget::Signal>(i) == budget::Signal::utilization ? 100 : 1;
    std::string steps;
    for (const budget::Step& step : policy[i]) {
      steps += "`{over: " + std::to_string(step.over / unit) +
               ", response: " + std::string(budget::response_name(step.response)) + "}`";
    }
    out.push_back({"budget.policy." + std::string(budget::signal_names[i]),
                   i == 0 ? "map or list of maps" : "like " + first, steps, std::string(meanings[i])});
  }
  add(out, {{first + ".over", "number", "0", "the response applies above this"},
            {first + ".response", one_of_type({std::begin(budget::response_names), std::end(budget::response_names)}),
             "", "the response (required)"}});
  return out;
}

SettingTable workflows() {
  const pipelines::workflow::Times usual;
  return {
      {"workflow.gates", "list of maps or map", "", "commands that decide whether work is good"},
      {"workflow.setup", "like commands.NAME", "", "a command that runs once, before any gate"},
      {"workflow.caches", "list of folders", "", "folders of the setup that each gate gets as a copy"},
      {"workflow.path", "list of folders", "", "folders that come first in PATH"},
      {"workflow.developers", "map", "", "commands that do the work, by name"},
      {"workflow.developer", "text", "", "the developer to use if none is named"},
      {"workflow.sops", "list of folders", "", "folders of SOPs, beside `.semspec/sources/docs/sops`"},
      {"workflow.protected", "list of globs", "", "files that a task may change only if it names them"},
      {"workflow.tests", "list of globs", "", "tests with unusual names"},
      {"workflow.parallel", "true or false", "false", "whether `check` runs gates side by side where `after` allows"},
      {"workflow.protect", "one of warn, strict", "warn", "how `check` treats guarded files"},
      {"workflow.waivers", "file", ".plumb/waivers.yaml", "waived findings and gates"},
      {"workflow.developer_reads", "list of texts", "", "what developers see besides their task"},
      {"workflow.base_failures", "one of refuse, warn", "refuse", "what happens if a gate fails before any change"},
      {"workflow.on_unverified", "one of hold, pass", "hold", "whether unverified work may land"},
      {"workflow.times", "map", "", "time limits"},
      {"workflow.times.develop", "duration", text_of_ms(usual.develop_ms), "time for one developer"},
      {"workflow.times.gates", "duration", text_of_ms(usual.gates_ms), "time for all gates"},
      {"workflow.times.review", "duration", text_of_ms(usual.review_ms), "time for a review"},
      {"workflow.times.task", "duration", text_of_ms(usual.task_ms), "time for a task"},
  };
}

// The keys that core/workflow/gates.cpp reads.
SettingTable gates() {
  const workflow::Gate usual;
  const std::vector<std::string_view> presets(workflow::preset_names().begin(), workflow::preset_names().end());
  return {
      {"workflow.gates[].name", "text", "", "name of the gate (required)"},
      {"workflow.gates[].command", "text or list of texts", "", "what runs (required)"},
      {"workflow.gates[].required", "true or false", usual.required ? "true" : "false", "whether a failure blocks"},
      {"workflow.gates[].category", "text", "", "group of gates"},
      {"workflow.gates[].after", "list of texts", "", "gates that must pass first"},
      {"workflow.gates[].trigger", "list of globs", "", "the gate runs only if a changed file matches"},
      {"workflow.gates[].exclude", "list of globs", "", "changed files that do not count"},
      {"workflow.gates[].fix", "text or list of texts", "", "command that mends, for `check --fix`"},
      {"workflow.gates[].dir", "folder", "", "folder of the tree in which it runs"},
      {"workflow.gates[].timeout_ms", "milliseconds", std::to_string(usual.timeout_ms), "time limit"},
      {"workflow.gates[].env", "list of texts", "", "environment variables that it gets"},
      {"workflow.gates[].network", "true or false", usual.network ? "true" : "false", "whether it may use the network"},
      {"workflow.gates[].writable", "list of folders", "", "folders outside the tree that it may write"},
      {"workflow.gates[].report", "file", "", "JUnit file that it must write"},
      {"workflow.gates[].caches", "list of folders", "", "folders of the setup that it gets as a copy"},
      {"workflow.gates[].repeatable", "true or false", usual.repeatable ? "true" : "false",
       "whether it may run again if its process was lost"},
      {"workflow.gates[].shell", "true or false", usual.shell ? "true" : "false",
       "whether `command` is a text for `/bin/sh`"},
      {"workflow.gates.preset", one_of_type(presets), "", "usual gates, if `gates` is a map"},
      {"workflow.gates.overrides", "list of maps", "", "changes of the preset's gates"},
      {"workflow.gates.overrides[].name", "text", "", "name of the gate"},
      {"workflow.gates.overrides[].required", "true or false", "", "whether a failure blocks"},
      {"workflow.gates.additional", "like workflow.gates", "", "more gates"},
  };
}

SettingTable events() {
  return {
      {"events.nats", "URL", "", "NATS servers (required)"},
      {"events.loops", "one of on, off", EventsSection{}.loops ? "on" : "off",
       "whether loops of other agents are judged"},
      {"events.triggers", "list of texts", "", "messages `workflow.trigger.NAME` that start runs"},
  };
}

SettingTable judges() {
  return {
      {"judge.max_false_accept", "number from 0 to 1", "1", "share of false claims that a measured judge may accept"},
      {"judge.must_be_measured", "true or false", "false", "whether a judge that was never measured is not enough"},
      {"gates.observe", "list of texts", "", "rules, and boundaries by name, that are only observed", "boundaries.md"},
  };
}

SettingTable make_config_table() {
  SettingTable out;
  for (const SettingTable& part : {top(), files(), judges(), budgets(), workflows(), gates(), events()}) {
    add(out, part);
  }
  return out;
}

}  // namespace

const SettingTable& config_settings() {
  static const SettingTable table = make_config_table();
  return table;
}

}  // namespace plumb
