// The keys of `proxy:` and of the key file.
#include "native/proxy/setting_table.hpp"

#include "native/proxy/settings.hpp"

namespace plumb::proxy {

namespace {

std::string number(std::uint64_t value) { return std::to_string(value); }
std::string yes_no(bool value) { return value ? "true" : "false"; }

void add(SettingTable& table, const SettingTable& rows) { table.insert(table.end(), rows.begin(), rows.end()); }

SettingTable top(const Settings& usual) {
  return {
      {"proxy.listen", "address", usual.host + ":" + number(usual.port), "where clients reach the proxy", "proxy.md"},
      {"proxy.threads", "number", "one per core", "event loops", "proxy.md"},
  };
}

SettingTable models(const Settings& usual) {
  return {
      {"proxy.models", "map", "all names go to `providers.default`", "the model names that clients use",
       "proxy-operate.md"},
      {"proxy.models.NAME", "model or map", "", "the target of a name; `*` matches all other names"},
      {"proxy.models.NAME.to", "model", "", "the only target"},
      {"proxy.models.NAME.targets", "list of models or maps", "", "targets, chosen at random by weight"},
      {"proxy.models.NAME.targets[].to", "model", "", "the target"},
      {"proxy.models.NAME.targets[].weight", "number", number(Target{}.weight), "its weight"},
      {"proxy.models.NAME.fallbacks", "like proxy.models.NAME.targets", "", "targets to try next, in order"},
      {"proxy.models.NAME.limits", "like proxy.limits", "", "limits of all callers of this model together"},
      {"proxy.models.NAME.max_output_tokens", "number", "`proxy.max_output_tokens`",
       "output tokens to reserve if a request sets no limit"},
      {"proxy.passthrough", "text", "", "the provider for files, batches, audio and images, which are not read",
       "proxy-operate.md"},
      {"proxy.max_output_tokens", "number", number(usual.output_tokens_max),
       "output tokens to reserve if a request sets no limit", "proxy-operate.md"},
      {"proxy.prices", "map", "", "prices by `PROVIDER/MODEL`, or by `PROVIDER` for its other models",
       "proxy-operate.md"},
      {"proxy.prices.MODEL.input", "dollars", "", "price of a million input tokens"},
      {"proxy.prices.MODEL.output", "dollars", "", "price of a million output tokens"},
      {"proxy.prices.MODEL.cached", "dollars", "the price of `input`",
       "price of a million input tokens from the provider's cache"},
  };
}

SettingTable limits() {
  SettingTable out = {
      {"proxy.limits", "map", "unlimited", "limits of each client key that has none of its own", "proxy-operate.md"}};
  for (const LimitField& field : limit_fields) {
    out.push_back({"proxy.limits." + std::string(field.name), field.money ? "dollars" : "number", "unlimited",
                   std::string(field.help)});
  }
  add(out,
      {
          {"proxy.limits_all", "like proxy.limits", "unlimited", "limits of all calls together", "proxy-operate.md"},
          {"proxy.projects", "map", "", "limits of projects, by name", "proxy-operate.md"},
          {"proxy.projects.NAME", "like proxy.limits", "unlimited", "limits of all keys of the project together"},
      });
  return out;
}

SettingTable retries(const Settings& usual) {
  return {
      {"proxy.retries", "map", "", "when a call is retried", "proxy-operate.md"},
      {"proxy.retries.max", "number", number(usual.retries.retries_max), "retries after each target was tried once"},
      {"proxy.retries.backoff", "duration", text_of_ms(usual.retries.backoff_ms),
       "wait before the first retry; doubled each time"},
      {"proxy.retries.backoff_max", "duration", text_of_ms(usual.retries.backoff_max_ms), "longest such wait"},
      {"proxy.retries.retry_after_max", "duration", text_of_ms(usual.retries.retry_after_max_ms),
       "longest Retry-After of a provider to wait for"},
      {"proxy.breaker", "map", "", "when a failing target is skipped", "proxy-operate.md"},
      {"proxy.breaker.failures", "number", number(usual.breaker.failures_min),
       "failures that open the breaker, if half of the calls fail"},
      {"proxy.breaker.window", "duration", text_of_ms(usual.breaker.window_ms), "period in which failures count"},
      {"proxy.breaker.open", "duration", text_of_ms(usual.breaker.open_ms), "how long the target is skipped"},
  };
}

SettingTable guarding(const Settings& usual) {
  const Guarding& guard = usual.guarding;
  return {
      {"proxy.contracts", "map", "all built-in contracts", "the contract names that clients use", "proxy-contracts.md"},
      {"proxy.contracts.NAME", "contract or map", "the built-in contract NAME",
       "the contract: built-in, of `artifacts`, or a file"},
      {"proxy.contracts.NAME.contract", "contract", "the built-in contract NAME", "the same"},
      {"proxy.contracts.NAME.enforce", "percent", "100%",
       "share of calls for which `mode` applies, such as `10%`; the others are observed", "proxy-contracts.md"},
      {"proxy.mode", "one of observe, enforce, hold-back", std::string(mode_name(guard.named)),
       "mode for contracts that a client names", "proxy-contracts.md"},
      {"proxy.response_format", "one of off, observe, enforce, hold-back",
       std::string(mode_name(guard.response_format)), "mode for schemas in requests", "proxy-contracts.md"},
      {"proxy.tools", "one of off, observe, enforce, hold-back", std::string(mode_name(guard.tools)),
       "mode for the schemas of tools", "proxy-contracts.md"},
      {"proxy.edits", "one of none, certain, guess", std::string(contract::edit_level_name(guard.edits)),
       "edits that may be made without a model", "proxy-contracts.md"},
      {"proxy.attempts", "number", number(guard.attempts_max), "repairs by the model", "proxy-contracts.md"},
      {"proxy.on_error", "one of fail, pass", guard.pass_on_error ? "pass" : "fail",
       "what happens to an answer that cannot be judged", "proxy-contracts.md"},
      {"proxy.own_contracts", "true or false", yes_no(guard.inline_contracts),
       "whether clients may send contracts and schemas", "proxy-contracts.md"},
  };
}

SettingTable judge(const Settings& usual) {
  const JudgeSettings& judge = usual.judge;
  return {
      {"proxy.judge", "model or map", "no judge", "the model that decides rules which need a judge",
       "proxy-contracts.md"},
      {"proxy.judge.to", "model", "", "the judge's model"},
      {"proxy.judge.targets", "like proxy.models.NAME.targets", "", "models, chosen at random by weight"},
      {"proxy.judge.fallbacks", "like proxy.models.NAME.targets", "", "models to try next, in order"},
      {"proxy.judge.deadline", "duration", text_of_ms(judge.deadline_ms), "time for all judgements of an answer"},
      {"proxy.judge.calls", "number", number(judge.calls_max), "most judgements of an answer"},
      {"proxy.judge.max_output_tokens", "number", number(judge.output_tokens_max),
       "output tokens to reserve for each judgement"},
      {"proxy.judge.evidence", "one of conversation, any", judge.answer_is_evidence ? "any" : "conversation",
       "where quotes count as proof; `any`: in the answer too"},
      {"proxy.judge.on_unverified", "one of pass, fail", judge.open_passes ? "pass" : "fail",
       "what happens to rules that the judge leaves open"},
  };
}

SettingTable kept(const Settings& usual) {
  return {
      {"proxy.idempotency", "map or off", "", "answers kept for calls with an Idempotency-Key", "proxy-operate.md"},
      {"proxy.idempotency.bytes", "size", text_of_bytes(usual.idempotency.bytes_max), "size of all kept answers"},
      {"proxy.idempotency.entry_bytes", "size", text_of_bytes(usual.idempotency.entry_bytes_max),
       "size of one kept answer"},
      {"proxy.idempotency.ttl", "duration", text_of_ms(usual.idempotency.ttl_ms), "how long an answer is kept"},
      {"proxy.responses", "map", "", "the client keys of responses that providers store", "proxy-reference.md"},
      {"proxy.responses.entries", "number", number(usual.responses.entries_max), "most responses to remember"},
      {"proxy.responses.ttl", "duration", text_of_ms(usual.responses.ttl_ms), "how long a response is remembered"},
      {"proxy.keys", "file or none", "`client-keys.json` in the state folder",
       "the key file; `none`: this machine needs no key", "proxy-operate.md"},
      {"proxy.counters", "file", "`proxy-counters.json` in the state folder", "the day's counts of limits",
       "proxy-operate.md"},
      {"proxy.share", "URL or none", "", "NATS servers over which several proxies share limits and keys", "scale.md"},
      {"proxy.record", "folder", "nothing is kept", "where prompts and answers are kept", "proxy-operate.md"},
  };
}

SettingTable networks() {
  return {
      {"proxy.origins", "list of texts", "", "origins of pages that may call; `*` allows all", "proxy-operate.md"},
      {"proxy.private_upstreams", "list of networks", "", "private networks in which providers may be",
       "proxy-operate.md"},
      {"proxy.trusted_proxies", "list of networks", "", "proxies whose X-Forwarded-For is used", "proxy-operate.md"},
  };
}

SettingTable bounds(const Settings& usual) {
  const Bounds& bound = usual.bounds;
  return {
      {"proxy.bounds", "map", "", "limits that protect the proxy itself", "proxy-reference.md"},
      {"proxy.bounds.body", "size", text_of_bytes(bound.body_bytes_max), "size of a request"},
      {"proxy.bounds.answer", "size", text_of_bytes(bound.answer_bytes_max), "size of a provider's answer"},
      {"proxy.bounds.connections", "number", number(bound.connections_max), "open connections"},
      {"proxy.bounds.connections_each", "number", number(bound.connections_each_max),
       "open connections from one address"},
      {"proxy.bounds.head", "duration", text_of_ms(bound.head_ms), "time for the head of a request to arrive"},
      {"proxy.bounds.body_time", "duration", text_of_ms(bound.body_ms), "time for the body of a request to arrive"},
      {"proxy.bounds.call", "duration", text_of_ms(bound.call_ms), "time of a whole call with retries and repairs"},
      {"proxy.bounds.client_idle", "duration", text_of_ms(bound.client_idle_ms),
       "time between requests, and in which a client reads nothing"},
      {"proxy.bounds.keepalive", "duration", text_of_ms(bound.keepalive_ms),
       "time between comments in a silent stream"},
      {"proxy.bounds.stop_delay", "duration", text_of_ms(bound.stop_delay_ms),
       "time from SIGTERM until the ports close"},
      {"proxy.bounds.grace", "duration", text_of_ms(bound.grace_ms), "time for open calls to finish after that"},
      {"proxy.bounds.steps", "number", number(bound.steps_max),
       "steps of work to judge an answer, about ten nanoseconds each; 0: unlimited"},
  };
}

SettingTable monitoring(const Settings& usual) {
  const Telemetry& telemetry = usual.telemetry;
  return {
      {"proxy.log", "one of off, text, json", "text", "format of the log", "proxy-operate.md"},
      {"proxy.telemetry", "map", "nothing is sent", "where traces go", "proxy-operate.md"},
      {"proxy.telemetry.otlp", "URL", "", "an OpenTelemetry collector (required)"},
      {"proxy.telemetry.headers_env", "map", "", "headers for the collector"},
      {"proxy.telemetry.headers_env.HEADER", "text", "", "the environment variable with the value of the header"},
      {"proxy.telemetry.service", "text", telemetry.service, "name of the service in traces"},
      {"proxy.telemetry.conventions", "one of 1.36, 1.40", std::string(conventions_name(telemetry.conventions)),
       "version of OpenTelemetry's conventions for GenAI"},
      {"proxy.telemetry.sampled", "decimal", telemetry.sampled_per_mille == 1000 ? "1" : "",
       "share of calls to send, from 0 to 1, if the client does not decide"},
  };
}

SettingTable make_proxy_table() {
  const Settings usual;
  SettingTable out;
  for (const SettingTable& part : {top(usual), models(usual), limits(), retries(usual), guarding(usual), judge(usual),
                                   kept(usual), networks(), bounds(usual), monitoring(usual)}) {
    add(out, part);
  }
  return out;
}

}  // namespace

const SettingTable& proxy_settings() {
  static const SettingTable table = make_proxy_table();
  return table;
}

const SettingTable& key_file_settings() {
  static const SettingTable table = {
      {"plumb_keys", "number", "", "version of the file: 1 (required)", "proxy-operate.md"},
      {"keys", "list", "", "the client keys (required)", "proxy-operate.md"},
      {"keys[].id", "text", "", "id of the key in logs and metrics (required)"},
      {"keys[].name", "text", "", "what the key is for (required)"},
      {"keys[].sha256", "text", "", "SHA-256 of the key, in hexadecimal digits (required)"},
      {"keys[].created", "time", "", "when the key was created"},
      {"keys[].expires", "time", "never", "when the key expires"},
      {"keys[].revoked", "time", "", "when the key was revoked"},
      {"keys[].models", "list of texts", "all", "models that the key may use, by their names in `proxy.models`"},
      {"keys[].contracts", "list of texts", "all", "contracts that the key may use"},
      {"keys[].origins", "list of texts", "`proxy.origins`", "origins of pages that may use the key"},
      {"keys[].limits", "like proxy.limits", "`proxy.limits`", "limits of this key; numbers may be texts"},
      {"keys[].response_format", "one of off, observe, enforce, hold-back", "`proxy.response_format`",
       "mode for schemas in requests"},
      {"keys[].tools", "one of off, observe, enforce, hold-back", "`proxy.tools`", "mode for the schemas of tools"},
      {"keys[].project", "text", "", "the project whose limits the key shares"},
  };
  return table;
}

}  // namespace plumb::proxy
