// The routes of the control port, as one table that can be read: the server dispatches by it, /openapi.json is held
// against it, and docs/server.md explains it.
//
// A pattern is literal but for {names}, each of which takes one segment of 1 to 100 letters, digits and -_.~:. The
// first pattern that fits a path decides, so /ai/artifact/user/jobs comes before /ai/artifact/{id}/events.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "native/control/exchange.hpp"

namespace plumb::control {

struct Control;

// What a route takes beside its path.
enum class Takes : std::uint8_t {
  nothing,
  json,           // a body that is application/json
  json_optional,  // the same, or none
};

struct Route {
  std::string_view method;   // GET answers HEAD too
  std::string_view pattern;  // "/v1/runs/{id}/cancel"
  std::string_view summary;  // one sentence
  Answer (*handle)(Control& control, const Request& request) = nullptr;
  Takes takes = Takes::nothing;
  bool without_token = false;  // answers also where a token is wanted and none was sent
  bool keyed = false;          // changes something, and so takes an Idempotency-Key
  bool for_metrics = false;    // answers the token that reads metrics too
  // Tells of more than runs: keys of projects are refused. What all others tell is made of Control::host.
  bool of_operator = false;
  bool of_clients = false;   // answers client keys of any kind too
  bool needs_token = false;  // is refused on a server without a token, where everyone on this machine is the operator
};
std::span<const Route> routes();

struct RouteMatch {
  const Route* route = nullptr;
  std::vector<std::pair<std::string, std::string>> values;
  std::string_view pattern;  // that fits the path, also where its method does not; empty: none
  std::string allowed;       // methods of that pattern: "GET, HEAD, DELETE"
};
RouteMatch find_route(std::string_view method, std::string_view path);

// The handlers, by file.
Answer get_health(Control& control, const Request& request);  // about_routes.cpp
Answer get_ready(Control& control, const Request& request);
Answer get_version(Control& control, const Request& request);
Answer get_page_server(Control& control, const Request& request);
Answer get_server(Control& control, const Request& request);
Answer get_metrics(Control& control, const Request& request);
Answer get_openapi(Control& control, const Request& request);
Answer post_check(Control& control, const Request& request);
Answer post_budget(Control& control, const Request& request);
Answer post_job(Control& control, const Request& request);  // job_routes.cpp
Answer get_jobs(Control& control, const Request& request);
Answer get_job(Control& control, const Request& request);
Answer delete_job(Control& control, const Request& request);
Answer get_job_events(Control& control, const Request& request);
Answer get_ended_jobs(Control& control, const Request& request);
Answer get_runs(Control& control, const Request& request);  // run_routes.cpp
Answer post_run(Control& control, const Request& request);  // begin_routes.cpp
Answer get_run(Control& control, const Request& request);
Answer delete_run(Control& control, const Request& request);
Answer get_run_journal(Control& control, const Request& request);
Answer get_run_events(Control& control, const Request& request);
Answer post_run_cancel(Control& control, const Request& request);
Answer post_run_resume(Control& control, const Request& request);
Answer post_run_fork(Control& control, const Request& request);
Answer post_run_signal(Control& control, const Request& request);
Answer get_run_asks(Control& control, const Request& request);
Answer post_run_ask(Control& control, const Request& request);
Answer get_run_result(Control& control, const Request& request);  // result_routes.cpp
Answer post_discovery(Control& control, const Request& request);  // discovery_routes.cpp
Answer get_discoveries(Control& control, const Request& request);
Answer get_discovery(Control& control, const Request& request);
Answer get_opportunities(Control& control, const Request& request);
Answer get_opportunity(Control& control, const Request& request);
Answer post_decide(Control& control, const Request& request);
Answer post_rank(Control& control, const Request& request);
Answer post_experiments(Control& control, const Request& request);
Answer post_complete(Control& control, const Request& request);
Answer post_story(Control& control, const Request& request);  // story_routes.cpp
Answer get_stories(Control& control, const Request& request);
Answer get_story(Control& control, const Request& request);
Answer get_story_inspect(Control& control, const Request& request);
Answer get_story_graph(Control& control, const Request& request);
Answer get_story_export(Control& control, const Request& request);
Answer post_story_rewind(Control& control, const Request& request);
Answer post_workflow_plan(Control& control, const Request& request);  // workflow_routes.cpp
Answer get_workflow_plans(Control& control, const Request& request);
Answer get_workflow_plan(Control& control, const Request& request);
Answer post_workflow_promote(Control& control, const Request& request);
Answer post_workflow_run(Control& control, const Request& request);
Answer get_workflow_runs(Control& control, const Request& request);
Answer get_workflow_run(Control& control, const Request& request);
Answer get_workflow_tasks(Control& control, const Request& request);
Answer get_workflow_diff(Control& control, const Request& request);
Answer post_workflow_answer(Control& control, const Request& request);
Answer post_workflow_land(Control& control, const Request& request);
Answer get_workflow_sops(Control& control, const Request& request);  // workflow_knowledge.cpp
Answer get_workflow_conventions(Control& control, const Request& request);
Answer post_workflow_confirm(Control& control, const Request& request);
Answer post_workflow_retire(Control& control, const Request& request);
Answer get_loops(Control& control, const Request& request);  // loop_routes.cpp
Answer get_proxy(Control& control, const Request& request);  // proxy_routes.cpp
Answer get_proxy_events(Control& control, const Request& request);
Answer get_proxy_call(Control& control, const Request& request);
Answer get_keys(Control& control, const Request& request);  // key_routes.cpp
Answer post_key(Control& control, const Request& request);
Answer post_revoke_keys(Control& control, const Request& request);
Answer post_client_token(Control& control, const Request& request);

}  // namespace plumb::control
