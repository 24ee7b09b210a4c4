#include "native/proxy/policy.hpp"

#include <algorithm>

#include "native/control/access.hpp"
#include "native/proxy/access_log.hpp"
#include "native/proxy/counters_file.hpp"
#include "native/proxy/key_file.hpp"
#include "native/proxy/policy_state.hpp"

namespace plumb::proxy {

namespace {

constexpr std::string_view bearer = "Bearer ";

bool contains(const std::vector<std::string>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// "Bearer KEY", the word in any case.
std::string_view bearer_token(std::string_view header) {
  if (header.size() <= bearer.size())
    return {};
  const bool same = std::equal(bearer.begin(), bearer.end(), header.begin(), [](char a, char b) {
    return a == b || (b >= 'A' && b <= 'Z' && a == b - 'A' + 'a') || (a >= 'A' && a <= 'Z' && b == a - 'A' + 'a');
  });
  if (!same)
    return {};
  header.remove_prefix(bearer.size());
  while (!header.empty() && header.front() == ' ')
    header.remove_prefix(1);
  return header;
}

wire::Failure key_failure(KeyState state, KeyForm form) {
  using wire::FailureClass;
  if (state == KeyState::revoked)
    return refusal(401, FailureClass::unauthorised, "key_revoked", "This client key has been revoked");
  if (state == KeyState::expired)
    return refusal(401, FailureClass::unauthorised, "key_expired", "This client key has expired");
  if (form == KeyForm::misspelt) {
    return refusal(401, FailureClass::unauthorised, "invalid_api_key",
                   "This client key is misspelt: its checksum does not fit. Was a part of it lost?");
  }
  if (form == KeyForm::not_ours) {
    return refusal(401, FailureClass::unauthorised, "invalid_api_key",
                   "This is no client key of this proxy: those begin with plumb_ and are made by `plumb keys create`");
  }
  return refusal(401, FailureClass::unauthorised, "invalid_api_key", "This client key is not known here");
}

CallerPtr local_caller() {
  static const CallerPtr local = std::make_shared<const Caller>();
  return local;
}

std::string lines_of(const std::vector<provider::HeaderField>& fields) {
  std::string lines;
  for (const provider::HeaderField& one : fields)
    lines.append(one.name).append(": ").append(one.value).append("\r\n");
  return lines;
}

std::optional<Error> may_listen(const Settings& settings, const KeyTable& keys, std::uint64_t now_ms) {
  if (control::is_loopback(settings.host) || keys.good(now_ms) != 0)
    return std::nullopt;
  return Error{ErrorCode::invalid_argument,
               "other machines can reach " + settings.host +
                   ", so a client key is wanted: `plumb keys create NAME` makes one (in " + settings.keys_file +
                   "); clients send it as `Authorization: Bearer KEY` or `x-api-key: KEY`",
               settings.file, 0, 0};
}

}  // namespace

std::shared_ptr<const Snapshot> PolicyState::make_snapshot(std::shared_ptr<const Settings> settings) {
  auto out = std::make_shared<Snapshot>();
  const std::lock_guard lock(mutex);
  for (const Upstream& one : settings->upstreams) {
    std::shared_ptr<UpstreamState>& state = upstreams[one.name];
    if (state == nullptr) {
      state = std::make_shared<UpstreamState>();
      state->name = one.name;
    }
    out->upstreams.push_back(state);
    out->headers.push_back({lines_of(one.endpoint.headers(false)), lines_of(one.endpoint.headers(true))});
  }
  out->settings = std::move(settings);
  return out;
}

Result<std::unique_ptr<Policy>> Policy::open(PolicyOptions options, Moment now) {
  const std::shared_ptr<const Settings> settings = options.settings;
  const Result<std::vector<ClientKey>> keys = read_keys_file(settings->keys_file);
  if (!keys)
    return keys.error();
  const Result<std::vector<Used>> counters = read_counters_file(settings->counters_file);
  if (!counters)
    return counters.error();
  auto state = std::make_shared<PolicyState>(std::move(options));
  state->keys = std::make_shared<const KeyTable>(keys.value());
  if (std::optional<Error> error = may_listen(*settings, *state->keys, now.wall_ms))
    return *error;
  state->ledger.restore(counters.value());
  state->snapshot = state->make_snapshot(settings);
  state->config_taken_ms = now.wall_ms;
  return std::unique_ptr<Policy>(new Policy(std::move(state)));
}

Policy::Policy(std::shared_ptr<PolicyState> state) : state_(std::move(state)) {}
Policy::~Policy() = default;

std::shared_ptr<const Settings> Policy::settings() const { return state_->now_used()->settings; }

Result<bool> Policy::replace(std::shared_ptr<const Settings> settings, Moment now) {
  const std::shared_ptr<const Settings> old = this->settings();
  const auto fixed = [&](std::string what) {
    return Error{ErrorCode::invalid_argument,
                 "'" + what + "' cannot be changed while the proxy runs: restart it, or take the change back",
                 settings->file, 0, 0};
  };
  if (settings->host != old->host || settings->port != old->port)
    return fixed("listen");
  if (settings->threads != old->threads)
    return fixed("threads");
  std::shared_ptr<const Snapshot> snapshot = state_->make_snapshot(settings);
  state_->cache.set(settings->cache);
  state_->idempotency.set(settings->idempotency);
  const std::lock_guard lock(state_->mutex);
  state_->snapshot = std::move(snapshot);
  state_->config_problem.clear();
  state_->config_taken_ms = now.wall_ms;
  return true;
}

std::string Policy::start_note() const {
  return state_->known_keys()->size() == 0
             ? "no client key: calls from this machine are answered without one (plumb keys create NAME makes one)"
             : "";
}

Identified Policy::identify(const Presented& presented, Moment now) {
  Identified out;
  const std::shared_ptr<const KeyTable> keys = state_->known_keys();
  const std::shared_ptr<const Settings> settings = this->settings();
  if (keys->size() == 0 && control::is_loopback(settings->host)) {
    out.caller = local_caller();
  } else {
    std::string_view token = bearer_token(presented.authorization);
    if (token.empty())
      token = presented.api_key;
    if (token.empty()) {
      out.refused = refusal(401, wire::FailureClass::unauthorised, "missing_api_key",
                            "A client key is wanted: send it as `Authorization: Bearer KEY` or `x-api-key: KEY`");
      return out;
    }
    const KeyState found = keys->find(token, now.wall_ms, out.caller);
    if (found != KeyState::good) {
      out.refused = key_failure(found, key_form(token));
      return out;
    }
  }
  const bool bound = !out.caller->key.origins.empty();
  if ((bound || !presented.origin.empty()) && !allows_origin(presented.origin, out.caller.get())) {
    out.refused = refusal(403, wire::FailureClass::forbidden, "origin_not_allowed",
                          presented.origin.empty()
                              ? "This client key is for pages of its own origins, and no Origin was sent"
                              : "Pages of this origin may not call the proxy; `origins` in plumb.yaml or of the client "
                                "key allows them");
  }
  return out;
}

Begun Policy::begin(const CallerPtr& caller, const Ask& ask, Moment now, std::uint64_t random) {
  Begun out;
  out.refused = begin_call({state_, caller, ask, now, random}, out.call);
  if (!out.refused)
    return out;
  state_->metrics.refused(out.refused->code);
  state_->live.add_refused(now);
  const std::shared_ptr<const Settings> settings = this->settings();
  if (state_->logs_calls(*settings)) {
    state_->write(
        refusal_line(ask.route, caller->id, out.refused->status, out.refused->code, now.wall_ms, settings->log));
  }
  return out;
}

void Policy::refused(std::string_view route, int status, std::string_view code, Moment now) {
  state_->metrics.refused(code);
  state_->live.add_refused(now);
  const std::shared_ptr<const Settings> settings = this->settings();
  if (state_->logs_calls(*settings))
    state_->write(refusal_line(route, "", status, code, now.wall_ms, settings->log));
}

bool Policy::allows_origin(std::string_view origin, const Caller* caller) const {
  if (origin.empty())
    return false;
  if (caller != nullptr && !caller->key.origins.empty())
    return contains(caller->key.origins, origin);
  const std::shared_ptr<const Settings> settings = this->settings();
  return contains(settings->origins, origin) || contains(settings->origins, "*") ||
         (caller == nullptr && state_->known_keys()->any_origin(origin));
}

std::vector<std::string> Policy::models(const Caller& caller) const {
  const std::shared_ptr<const Settings> settings = this->settings();
  std::vector<std::string> out;
  for (const Route& one : settings->routes) {
    if (one.name != "*" && caller.may_ask(one.name))
      out.push_back(one.name);
  }
  // Names that "*" passes on are known where a key lists them.
  for (const std::string& name : caller.key.models) {
    if (name != "*" && !contains(out, name) && settings->route_of(name) != nullptr)
      out.push_back(name);
  }
  return out;
}

void Policy::tell(std::string_view level, std::string_view event, std::string_view message) const {
  const LogKind kind = settings()->log;
  if (kind != LogKind::off)
    state_->write(event_line(level, event, message, moment_now().wall_ms, kind));
}

bool Policy::records() const { return !settings()->record_directory.empty(); }

void Policy::record(const Call& call, const Caller& caller, std::string_view route, std::string_view request,
                    std::string_view answer, Moment now) {
  if (records())
    state_->recording.push(recorded_line({call.id(), caller.id, route, request, answer}, now.wall_ms));
}

StoredReplies& Policy::cache() { return state_->cache; }
Idempotency& Policy::idempotency() { return state_->idempotency; }
std::uint64_t Policy::changes() const { return state_->live.changes(); }

}  // namespace plumb::proxy
