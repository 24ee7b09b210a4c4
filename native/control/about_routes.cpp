// Routes about the server itself, and the check of an artifact.
#include <sys/resource.h>
#include <unistd.h>

#include <memory>

#include "core/budget/operations.hpp"
#include "core/json/writer.hpp"
#include "core/text/steps.hpp"
#include "native/control/check_request.hpp"
#include "native/control/control.hpp"
#include "native/control/openapi.hpp"
#include "native/control/process_metrics.hpp"
#include "native/control/route_table.hpp"

namespace plumb::control {

namespace {

std::string object(std::string_view name, std::string_view value) {
  std::string out;
  json::Writer(out).begin_object().member(name, value).end_object();
  return out;
}

constexpr int check_niceness = 10;

void append_host(std::string& out, const host::Counts& counts) {
  append_metric(out, "plumb_runs_waiting", "gauge", "Runs that have not ended.", counts.runs);
  append_heading(out, "plumb_runs_total", "counter", "Runs since the start of the server, by what became of them.");
  append_sample(out, "plumb_runs_total", metric_label("state", "started"), counts.started);
  append_sample(out, "plumb_runs_total", metric_label("state", "done"), counts.done);
  append_sample(out, "plumb_runs_total", metric_label("state", "failed"), counts.failed);
  append_sample(out, "plumb_runs_total", metric_label("state", "cancelled"), counts.cancelled);
  append_metric(out, "plumb_effects_under_way", "gauge", "Effects in progress.", counts.under_way);
  append_metric(out, "plumb_runs_queued", "gauge", "Runs that wait for an effect to become free.", counts.queued);
  append_metric(out, "plumb_effects_total", "counter", "Effects that were begun.", counts.calls);
  append_metric(out, "plumb_effects_again_total", "counter", "Effects that were begun again after a loss.",
                counts.calls_again);
  append_metric(out, "plumb_effects_handed_over_total", "counter",
                "Effects that were given up because the server was stopped; the next one begins them again.",
                counts.handed_over);
  append_metric(out, "plumb_runs_held", "gauge",
                "Runs that wait because they are to ask somebody else than this server has.", counts.held);
  append_metric(out, "plumb_store_failures_total", "counter", "Appends that the store could not write (a full disk).",
                counts.store_failures);
  append_metric(out, "plumb_watches", "gauge", "Watches on runs.", counts.watches);
}

}  // namespace

Answer get_health(Control& /*control*/, const Request& /*request*/) { return json_answer(200, R"({"status":"ok"})"); }

Answer get_ready(Control& control, const Request& /*request*/) {
  if (control.serving->stopping || control.serving->leaving) {
    return refuse(Wrong::stopping, "The server is being stopped and takes nothing new.");
  }
  store::ListQuery query;
  query.limit = 1;
  if (const Result<store::Page> page = control.host->list(query); !page) {
    return refuse(Wrong::unavailable, page.error());
  }
  if (const std::string problem = control.host->store_problem(); !problem.empty()) {
    return refuse(Wrong::unavailable, "The store " + problem + ".");
  }
  return json_answer(200, R"({"status":"ready"})");
}

Answer get_version(Control& control, const Request& /*request*/) {
  return json_answer(200, object("version", control.version));
}

// A file of the page, which says of a web server that it is no more: this one says that it is.
Answer get_page_server(Control& /*control*/, const Request& /*request*/) {
  return json_answer(200, object("server", "plumb"));
}

Answer get_server(Control& control, const Request& request) {
  if (std::optional<Answer> refused = unknown_query(request, {})) {
    return std::move(*refused);
  }
  std::string text;
  json::Writer json(text);
  const auto names = [&json](std::string_view key, const std::vector<std::string>& all) {
    json.key(key).begin_array();
    for (const std::string& one : all) {
      json.string(one);
    }
    json.end_array();
  };
  json.begin_object().member("version", control.version).key("providers").begin_array();
  for (const auto& [phase, provider] : control.texts.providers) {
    json.begin_object().member("phase", phase).member("provider", provider).end_object();
  }
  json.end_array();
  names("also", control.texts.also);
  names("roots", control.roots);
  std::vector<std::string> repositories;
  for (const auto& [name, one] : control.repositories.by_name) {
    repositories.push_back(name);
  }
  names("repositories", repositories);
  json.member_boolean("searches", control.searches).member_boolean("proxy", static_cast<bool>(control.proxy));
  json.end_object();
  return json_answer(200, std::move(text));
}

Answer get_metrics(Control& control, const Request& /*request*/) {
  Answer answer;
  answer.type = "text/plain; version=0.0.4; charset=utf-8";
  answer.body = control.metrics.text();
  append_host(answer.body, control.host->counts());
  append_metric(answer.body, "plumb_idempotency_keys", "gauge", "Idempotency keys that are remembered.",
                control.keys.size());
  if (control.proxy) {
    control.proxy.append_metrics(answer.body);
  }
  if (control.events) {
    control.events.append_metrics(answer.body);
  }
  append_process_metrics(answer.body);
  append_metric(answer.body, "plumb_build_info", "gauge", "Which plumb this is.", 1,
                metric_label("version", control.version));
  return answer;
}

Answer get_openapi(Control& /*control*/, const Request& /*request*/) {
  return json_answer(200, std::string(openapi_document()));
}

Answer post_budget(Control& /*control*/, const Request& request) {
  const std::string_view name = request.value("operation");
  const budget::Operation* operation = budget::operation_named(name);
  if (operation == nullptr) {
    std::string names;
    for (const budget::Operation& one : budget::operations()) {
      names += (names.empty() ? "" : ", ") + std::string(one.name);
    }
    return refuse(Wrong::not_found, "there is no operation '" + std::string(name) + "'; there are " + names);
  }
  return isolated("POST /v1/budget", [body = request.body, operation] {
    std::string answer = budget::answer(*operation, *body);
    const bool valid = answer.starts_with(R"({"valid":true)");
    return json_answer(valid ? 200 : 422, std::move(answer));
  });
}

Answer post_check(Control& control, const Request& request) {
  const auto steps = std::make_shared<text::Steps>(control.check_steps_max, request.listening);
  const CheckPlaces::Place place = control.serving->checks.take(request.listening);
  if (!place) {
    return refuse(Wrong::limit, "Too many checks at once; send it again later.");
  }
  return isolated("POST /v1/check", [body = request.body, seed = control.hash_seed, steps] {
    // Whoever serves others goes first.
    (void)::setpriority(PRIO_PROCESS, static_cast<id_t>(::gettid()), check_niceness);
    return check_request(*body, seed, steps.get());
  });
}

}  // namespace plumb::control
