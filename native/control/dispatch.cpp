#include "native/control/dispatch.hpp"

#include <algorithm>
#include <memory>
#include <new>
#include <optional>
#include <string>

#include "core/ascii.hpp"
#include "native/base/log.hpp"
#include "native/host/contained.hpp"
#include "native/host/project_host.hpp"

namespace plumb::control {

namespace {

bool is_key(std::string_view key) {
  return key.size() <= AnsweredKeys::key_bytes_max &&
         std::all_of(key.begin(), key.end(), [](char c) { return c >= 0x20 && c < 0x7F; });
}

Answer handled(Control& control, const Route& route, const Request& request) {
  Answer answer;
  bool out_of_memory = false;
  const std::optional<std::string> broken = host::contained([&] {
    try {
      answer = route.handle(control, request);
    } catch (const std::bad_alloc&) {
      out_of_memory = true;
    }
  });
  if (out_of_memory) {
    return refuse(Wrong::out_of_memory, "Try again later, or with less.");
  }
  if (!broken) {
    return answer;
  }
  log_error(route.method, " ", route.pattern, ": ", *broken);
  return refuse(Wrong::internal, "Internal error; see the server's log.");
}

// What a project has of the server: its runs, and none of the repositories, since what is learnt in these and landed
// there is everybody's who works on them.
struct OfProject {
  host::ProjectHost host;
  Control control;

  OfProject(const Control& all, const std::string& project) : host(*all.host, project), control(all) {
    control.host = &host;
    control.project = project;
    control.proxy = {};
    control.client_keys = {};
    control.events = {};
    control.repositories.by_name.clear();
    control.trees = nullptr;
    const auto none = [](std::string_view what) {
      return Error{ErrorCode::invalid_argument,
                   std::string(what) + " are the operator's: runs of a project work on none", "", 0, 0};
    };
    control.texts.command = [none](std::string_view, std::string_view) -> Result<std::string> {
      return none("commands");
    };
    control.texts.workflow = [none](std::string_view) -> Result<std::string> { return none("repositories"); };
  }
};

// A stream of a project ends when its key is refused.
class KeptSink final : public Sink {
 public:
  KeptSink(Sink& sink, const std::function<bool()>& admitted) : sink_(sink), admitted_(admitted) {}
  bool write(std::string_view bytes) override { return admitted_() && sink_.write(bytes); }
  bool listening() override { return admitted_() && sink_.listening(); }

 private:
  Sink& sink_;
  const std::function<bool()>& admitted_;
};

Answer keyed(Control& control, const Route& route, const Request& request, const std::string& key) {
  // A project's name has no space, and no path begins with one.
  const std::string scope = std::string(route.method) + " " + request.project + " " + request.path;
  Answer before;
  switch (control.keys.begin(scope, key, *request.body, before)) {
    case AnsweredKeys::Found::answered:
      return before;
    case AnsweredKeys::Found::under_way:
      return refuse(Wrong::conflict, "The first request with this Idempotency-Key is still in progress.");
    case AnsweredKeys::Found::other_body:
      return refuse(Wrong::key_reused, "This Idempotency-Key was used with another body; use a new key.");
    case AnsweredKeys::Found::full:
      return refuse(Wrong::limit, "Too many Idempotency-Keys are remembered; send it without one, or later.");
    case AnsweredKeys::Found::fresh:
      break;
  }
  Answer answer = handled(control, route, request);
  if (answer.status < 500 && !answer.stream) {
    control.keys.end(scope, key, answer);
  } else {
    control.keys.forget(scope, key);
  }
  return answer;
}

}  // namespace

std::optional<Answer> refuse_stranger(const Access& access, const Request& request) {
  const std::string host = request.header("Host");
  if (!access.is_our_host(host)) {
    return refuse(Wrong::wrong_host, "Wrong Host header for this server; see plumb serve --host and --allow-host.");
  }
  const std::string mode = request.header("Sec-Fetch-Mode");
  const std::string aim = request.header("Sec-Fetch-Dest");
  // The user has followed a link: what comes is shown to nobody but him, and nothing is changed by it.
  if (request.method == "GET" && mode == "navigate" && (aim.empty() || aim == "document")) {
    return std::nullopt;
  }
  const std::string origin = request.header("Origin");
  if (access.allows_origin(origin)) {
    return std::nullopt;
  }
  if (!Access::is_our_origin(origin, host)) {
    return refuse(Wrong::foreign_origin, "Requests from pages of other origins are refused.");
  }
  // An image or a script of another site sends no Origin; browsers tell of it so.
  if (const std::string site = request.header("Sec-Fetch-Site");
      (site == "cross-site" || site == "same-site") && mode != "navigate") {
    return refuse(Wrong::foreign_origin, "Requests from pages of other sites are refused.");
  }
  return std::nullopt;
}

std::optional<Answer> refuse_early(const Access& access, const Route& route, Request& request) {
  const std::string authorization = request.header("Authorization");
  if (route.of_clients) {
    Access::AdmittedClient who = access.admit_client(authorization);
    if (!who.yes) {
      return refuse(Wrong::unauthorised, std::move(who.why));
    }
    request.client_key = std::move(who.key);
  } else if (!route.without_token) {
    Admitted who = access.admit(authorization);
    if (!who.yes && !(route.for_metrics && access.allows_metrics(authorization))) {
      return refuse(Wrong::unauthorised, std::move(who.why));
    }
    if (!who.project.empty() && route.of_operator) {
      return refuse(Wrong::of_operator, "This covers all projects of the server: use the server's own token.");
    }
    if (route.needs_token && !access.wants_token()) {
      return refuse(Wrong::of_operator,
                    "Client keys are managed with the server's token alone: start it with PLUMB_TOKEN set, or use "
                    "`plumb keys` on its machine.");
    }
    request.project = std::move(who.project);
    if (!request.project.empty()) {
      request.admitted = [&access, authorization] { return access.admit(authorization).yes; };
    }
  }
  if (route.keyed && !is_key(request.header("Idempotency-Key"))) {
    return refuse(Wrong::bad_request, "An Idempotency-Key has at most " + std::to_string(AnsweredKeys::key_bytes_max) +
                                          " visible ASCII characters.");
  }
  return std::nullopt;
}

Answer dispatch(Control& all, const Route& route, const Request& request) {
  const auto own = request.project.empty() ? nullptr : std::make_shared<OfProject>(all, request.project);
  Control& control = own == nullptr ? all : own->control;
  Answer answer;
  // A page of another site can send a form or text/plain without asking; it cannot send JSON.
  std::string type = ascii::lower(request.header("Content-Type"));
  type.resize(std::min(type.find(';'), type.size()));
  while (!type.empty() && type.back() == ' ') {
    type.pop_back();
  }
  const bool is_json = type == "application/json";
  if (route.takes == Takes::json && !is_json) {
    answer = refuse(Wrong::wrong_type, "The body must be sent as application/json.");
  } else if (route.takes == Takes::json_optional && !request.body->empty() && !is_json) {
    answer = refuse(Wrong::wrong_type, "The body, where there is one, must be sent as application/json.");
  } else {
    const std::string key = route.keyed ? request.header("Idempotency-Key") : std::string();
    answer = key.empty() ? handled(control, route, request) : keyed(control, route, request, key);
  }
  if (own != nullptr && answer.stream) {
    answer.stream = [own, admitted = request.admitted, stream = std::move(answer.stream)](Sink& sink) {
      KeptSink kept(sink, admitted);
      return stream(kept);
    };
  }
  write_problem(answer, request.path);
  return answer;
}

}  // namespace plumb::control
