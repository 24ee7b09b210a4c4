#include "native/control/route_table.hpp"

#include <algorithm>
#include <array>

#include "core/ascii.hpp"
#include "native/base/edge_build.hpp"

namespace plumb::control {

namespace {

constexpr std::size_t value_max = 100;

Answer left_out(Control&, const Request&) {
  return refuse(Wrong::not_found,
                "This plumb is the small one for edges: stories and workflows are of the whole one, on another host");
}

// What an edge build is without: its linker leaves out what this does not give.
constexpr auto of_whole(Answer (*handle)(Control&, const Request&)) { return edge_build ? left_out : handle; }

constexpr std::array<Route, 68> table = {{
    {"GET", "/healthz", "The process answers.", get_health, Takes::nothing, true},
    {"GET", "/readyz", "The store is open and the server accepts jobs.", get_ready, Takes::nothing, true},
    {"GET", "/version", "The version of plumb.", get_version},
    {"GET", "/server.json", "Identifies this server to the page.", get_page_server, Takes::nothing, true},
    {"GET", "/v1/server", "The providers, folders and repositories that runs may use here.", get_server},
    {"GET", "/metrics", "Counters and times in Prometheus' text format.", get_metrics, Takes::nothing, false, false,
     true, true},
    {"GET", "/openapi.json", "This interface as an OpenAPI 3.1 document.", get_openapi, Takes::nothing, true},
    {"POST", "/v1/check", "Check an artifact against any contract.", post_check, Takes::json},
    {"POST", "/v1/budget/{operation}", "Budgets: tokens, windows, pressure, risk, models.", post_budget, Takes::json},

    {"POST", "/ai/artifact/generate", "Start a job.", post_job, Takes::json, false, true},
    {"GET", "/ai/artifact/user/jobs", "Jobs, newest first, by page.", get_jobs},
    {"GET", "/ai/artifact/events/stream", "Jobs as they end (server-sent events).", get_ended_jobs},
    {"GET", "/ai/artifact/status/{id}", "The state and result of a job.", get_job},
    {"GET", "/ai/artifact/{id}", "The state and result of a job.", get_job},
    {"DELETE", "/ai/artifact/{id}", "Cancel a job.", delete_job},
    {"GET", "/ai/artifact/{id}/events", "The progress of a job (server-sent events).", get_job_events},

    {"GET", "/v1/runs", "Runs, newest first, by page.", get_runs},
    {"POST", "/v1/runs", "Start a run of any pipeline.", post_run, Takes::json, false, true},
    {"GET", "/v1/runs/{id}", "The summary of a run.", get_run},
    {"DELETE", "/v1/runs/{id}", "Delete a run that has ended.", delete_run},
    {"GET", "/v1/runs/{id}/result", "The result of a run: the artifact, the items or the report.", get_run_result},
    {"GET", "/v1/runs/{id}/journal", "The journal of a run, as a file.", get_run_journal},
    {"GET", "/v1/runs/{id}/events", "The entries of a run as they are stored (server-sent events).", get_run_events},
    {"POST", "/v1/runs/{id}/cancel", "Cancel a run.", post_run_cancel, Takes::json_optional, false, true},
    {"POST", "/v1/runs/{id}/resume", "Resume a run that has stopped.", post_run_resume, Takes::json_optional, false,
     true},
    {"POST", "/v1/runs/{id}/fork", "Start a new run from the finished part of this one.", post_run_fork,
     Takes::json_optional, false, true},
    {"POST", "/v1/runs/{id}/signals/{name}", "Send a signal to a run.", post_run_signal, Takes::json_optional, false,
     true},
    {"GET", "/v1/runs/{id}/asks", "What a run asks its client, as soon as it asks.", get_run_asks},
    {"POST", "/v1/runs/{id}/asks/{ask}", "Answer what a run asks its client.", post_run_ask, Takes::json},

    {"POST", "/api/discovery/runs", "Start a discovery run.", post_discovery, Takes::json, false, true},
    {"GET", "/api/discovery/runs", "Discovery runs, newest first, by page.", get_discoveries},
    {"GET", "/api/discovery/runs/{id}", "The state and result of a discovery run.", get_discovery},
    {"GET", "/api/discovery/runs/{id}/opportunities", "The opportunities of a run, in order.", get_opportunities},
    {"GET", "/api/discovery/runs/{id}/opportunities/{opportunity_id}", "An opportunity with its whole chain.",
     get_opportunity},
    {"POST", "/api/discovery/runs/{id}/opportunities/{opportunity_id}/decide", "Decide on an opportunity.", post_decide,
     Takes::json, false, true},
    {"POST", "/api/discovery/runs/{id}/rank", "Reorder the opportunities.", post_rank, Takes::json, false, true},
    {"POST", "/api/discovery/runs/{id}/experiments", "Continue a completed run with the results of experiments.",
     post_experiments, Takes::json, false, true},
    {"POST", "/api/discovery/runs/{id}/complete", "End the review, and the run.", post_complete, Takes::json_optional,
     false, true},

    {"POST", "/api/story/projects", "Make a story from an outline.", of_whole(post_story), Takes::json, false, true},
    {"GET", "/api/story/projects", "Stories, newest first, by page.", of_whole(get_stories)},
    {"GET", "/api/story/projects/{id}", "The state of a story, phase by phase.", of_whole(get_story)},
    {"GET", "/api/story/projects/{id}/inspect", "Counts, policies, gates, play and findings.",
     of_whole(get_story_inspect)},
    {"GET", "/api/story/projects/{id}/graph", "The graph, after any phase.", of_whole(get_story_graph)},
    {"GET", "/api/story/projects/{id}/exports/{format}", "The story as Twee, HTML, JSON or a gamebook.",
     of_whole(get_story_export)},
    {"POST", "/api/story/projects/{id}/rewind", "Redo a story from before a phase, as a new run.",
     of_whole(post_story_rewind), Takes::json, false, true},

    {"POST", "/api/workflow/plans", "Create a draft, from a plan or an idea.", of_whole(post_workflow_plan),
     Takes::json, false, true},
    {"GET", "/api/workflow/plans", "Plans created as drafts, newest first, by page.", of_whole(get_workflow_plans)},
    {"GET", "/api/workflow/plans/{id}", "A plan, and whether it is still a draft.", of_whole(get_workflow_plan)},
    {"POST", "/api/workflow/plans/{id}/promote", "Promote a draft, and carry it out.", of_whole(post_workflow_promote),
     Takes::json_optional, false, true},
    {"POST", "/api/workflow/runs", "Carry out a plan.", of_whole(post_workflow_run), Takes::json, false, true},
    {"GET", "/api/workflow/runs", "Workflow runs, newest first, by page.", of_whole(get_workflow_runs)},
    {"GET", "/api/workflow/runs/{id}", "The state and result of a workflow run.", of_whole(get_workflow_run)},
    {"GET", "/api/workflow/runs/{id}/tasks", "Its tasks, with their rounds.", of_whole(get_workflow_tasks)},
    {"GET", "/api/workflow/runs/{id}/diff", "The changes of a run or of one task.", of_whole(get_workflow_diff)},
    {"POST", "/api/workflow/runs/{id}/answer", "Answer a run's question to a person.", of_whole(post_workflow_answer),
     Takes::json, false, true},
    {"POST", "/api/workflow/runs/{id}/land", "Move a branch to a run's approved work, by fast-forward.",
     of_whole(post_workflow_land), Takes::json, false, true},
    {"GET", "/api/workflow/sops", "The SOPs of a repository, as entities.", of_whole(get_workflow_sops)},
    {"GET", "/api/workflow/conventions", "The conventions of a repository.", of_whole(get_workflow_conventions)},
    {"POST", "/api/workflow/conventions/{id}/confirm", "Show a convention to reviewers from now on.",
     of_whole(post_workflow_confirm), Takes::json, false, true},
    {"POST", "/api/workflow/conventions/{id}/retire", "Stop showing a convention to reviewers.",
     of_whole(post_workflow_retire), Takes::json_optional, false, true},

    {"GET", "/v1/loops", "Loops of other agents, and the responses they call for.", get_loops, Takes::nothing, false,
     false, false, true},

    {"GET", "/v1/proxy", "Recent activity of the proxy.", get_proxy, Takes::nothing, false, false, false, true},
    {"GET", "/v1/proxy/events", "The same, live (server-sent events).", get_proxy_events, Takes::nothing, false, false,
     false, true},
    {"GET", "/v1/proxy/calls/{id}", "One of the last calls, with the findings in its answer.", get_proxy_call,
     Takes::nothing, false, false, false, true},

    {"GET", "/v1/keys", "The client keys, without their texts.", get_keys, Takes::nothing, false, false, false, true,
     false, true},
    {"POST", "/v1/keys", "Create a client key.", post_key, Takes::json, false, false, false, true, false, true},
    {"POST", "/v1/keys/revoke", "Revoke client keys.", post_revoke_keys, Takes::json, false, false, false, true, false,
     true},
    {"POST", "/v1/client-tokens", "Sign a token for one page.", post_client_token, Takes::json, false, false, false,
     true, true},
}};

bool is_value(std::string_view segment) {
  return !segment.empty() && segment.size() <= value_max && std::all_of(segment.begin(), segment.end(), [](char c) {
    return ascii::is_alphanumeric(c) || std::string_view("-_.~:").find(c) != std::string_view::npos;
  });
}

// Takes the first segment of what begins with a slash.
std::string_view take_segment(std::string_view& rest) {
  rest.remove_prefix(1);
  const std::string_view segment = rest.substr(0, rest.find('/'));
  rest.remove_prefix(segment.size());
  return segment;
}

bool fits(std::string_view pattern, std::string_view path, std::vector<std::pair<std::string, std::string>>& values) {
  values.clear();
  while (!pattern.empty() && !path.empty()) {
    const std::string_view wanted = take_segment(pattern);
    const std::string_view said = take_segment(path);
    if (wanted.front() == '{') {
      if (!is_value(said)) {
        return false;
      }
      values.emplace_back(wanted.substr(1, wanted.size() - 2), said);
    } else if (wanted != said) {
      return false;
    }
  }
  return pattern.empty() && path.empty();
}

}  // namespace

std::span<const Route> routes() { return table; }

RouteMatch find_route(std::string_view method, std::string_view path) {
  RouteMatch match;
  if (path.empty() || path.front() != '/') {
    return match;
  }
  const std::string_view wanted = method == "HEAD" ? std::string_view("GET") : method;
  for (const Route& route : table) {
    if (match.pattern.empty()) {
      if (!fits(route.pattern, path, match.values)) {
        continue;
      }
      match.pattern = route.pattern;
    } else if (route.pattern != match.pattern) {
      continue;
    }
    match.allowed += (match.allowed.empty() ? "" : ", ") + std::string(route.method);
    if (route.method == "GET") {
      match.allowed += ", HEAD";
    }
    if (route.method == wanted) {
      match.route = &route;
    }
  }
  return match;
}

}  // namespace plumb::control
