#include "native/proxy/policy.hpp"

#include <unistd.h>

#include <algorithm>

#include "core/ascii.hpp"
#include "native/base/file_bytes.hpp"
#include "native/control/access.hpp"
#include "native/proxy/access_log.hpp"
#include "native/proxy/address.hpp"
#include "native/proxy/counters_file.hpp"
#include "native/proxy/key_file.hpp"
#include "native/proxy/mapped_counts.hpp"
#include "native/proxy/policy_state.hpp"
#include "native/proxy/utc.hpp"

namespace plumb::proxy {

namespace {

constexpr std::string_view bearer = "Bearer ";

bool contains(const std::vector<std::string>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// "Bearer KEY", the word in any case.
std::string_view bearer_token(std::string_view header) {
  if (header.size() <= bearer.size()) {
    return {};
  }
  const bool same = std::equal(bearer.begin(), bearer.end(), header.begin(),
                               [](char a, char b) { return ascii::lower(a) == ascii::lower(b); });
  if (!same) {
    return {};
  }
  header.remove_prefix(bearer.size());
  while (!header.empty() && header.front() == ' ') {
    header.remove_prefix(1);
  }
  return header;
}

wire::Failure key_failure(KeyState state, KeyForm form) {
  using wire::FailureClass;
  if (state == KeyState::revoked) {
    return refusal(401, FailureClass::unauthorised, "key_revoked", "This client key has been revoked");
  }
  if (state == KeyState::expired) {
    return refusal(401, FailureClass::unauthorised, "key_expired", "This client key has expired");
  }
  if (form == KeyForm::misspelt) {
    return refusal(401, FailureClass::unauthorised, "invalid_api_key",
                   "This client key is misspelt: its checksum does not fit. Was a part of it lost?");
  }
  if (form == KeyForm::not_ours) {
    return refusal(
        401, FailureClass::unauthorised, "invalid_api_key",
        "This is not a client key of this proxy: those begin with plumb_ and are made by `plumb keys create`");
  }
  return refusal(401, FailureClass::unauthorised, "invalid_api_key", "This client key is not known here");
}

CallerPtr local_caller() {
  static const CallerPtr local = std::make_shared<const Caller>();
  return local;
}

std::string lines_of(const std::vector<provider::HeaderField>& fields) {
  std::string lines;
  for (const provider::HeaderField& one : fields) {
    lines.append(one.name).append(": ").append(one.value).append("\r\n");
  }
  return lines;
}

// Why nobody is answered; nothing where somebody is.
std::string nobody_answered(const Settings& settings, const KeyTable& keys,
                            const Result<std::vector<ClientKey>>& read) {
  if (keys.keyless() || keys.size() != 0) {
    return {};
  }
  const std::string what = !read                                             ? read.error().message
                           : ::access(settings.keys_file.c_str(), F_OK) != 0 ? std::string("is not there")
                                                                             : std::string("has no key in it");
  return settings.keys_file + " " + what + ": every call is refused until there is a client key again (`plumb keys " +
         "create NAME` makes one; `keys: none` in plumb.yaml answers this machine without one)";
}

// The models that an upstream is asked for by name.
std::vector<std::string_view> models_of(const Settings& settings, std::size_t upstream) {
  std::vector<std::string_view> out;
  const auto add = [&](const Route& route) {
    for (const auto* targets : {&route.targets, &route.fallbacks}) {
      for (const Target& one : *targets) {
        if (one.upstream == upstream && !one.model.empty()) {
          out.push_back(one.model);
        }
      }
    }
  };
  std::for_each(settings.routes.begin(), settings.routes.end(), add);
  add(settings.judge.route);
  return out;
}

std::string mapped_counts_file(const Settings& settings) { return settings.counters_file + ".live"; }

// What is known is written at once, since the mapped file beside it begins anew.
void publish_counts(PolicyState& state, const Settings& settings, const std::vector<Used>& counts, TimePoint now) {
  if (settings.counters_file.empty()) {
    return;
  }
  const std::string text = counters_text(counts, now.wall_ms / day_ms);
  const Result<bool> written = plumb::write_file(settings.counters_file, text, 0600);
  Result<std::unique_ptr<MappedCounts>> mapped = written ? MappedCounts::create(mapped_counts_file(settings))
                                                         : Result<std::unique_ptr<MappedCounts>>(written.error());
  if (mapped) {
    state.ledger.publish_to(std::move(mapped).value());
  } else {
    state.write(event_line(
        "warning", "counters",
        "a kill would lose the usage of its last second: " + mapped.error().where + " " + mapped.error().message,
        now.wall_ms, settings.log));
  }
}

std::optional<Error> may_listen(const Settings& settings, const KeyTable& keys, std::uint64_t now_ms) {
  if (control::is_loopback(settings.host) || keys.good(now_ms) != 0) {
    return std::nullopt;
  }
  return Error{ErrorCode::invalid_argument,
               "other machines can reach " + settings.host +
                   ", so a client key is required: `plumb keys create NAME` makes one (in " + settings.keys_file +
                   "); clients send it as `Authorization: Bearer KEY` or `x-api-key: KEY`",
               settings.file, 0, 0};
}

}  // namespace

std::string sentence(const Error& error) {
  std::string out = error.where;
  if (error.line != 0) {
    out += ":" + std::to_string(error.line) + ":" + std::to_string(error.column);
  }
  return out.empty() ? error.message : out + ": " + error.message;
}

Result<bool> PolicyState::take_keys(const Settings& settings) {
  const std::shared_ptr<const KeyTable> had = known_keys();
  bool blank = false;
  const Result<std::vector<ClientKey>> read = read_keys_file(settings.keys_file, &blank);
  // An editor empties the file before it writes it: only what is still empty at the next look has lost its keys.
  keys_emptied = blank && had != nullptr && had->size() != 0 && !keys_emptied;
  if (keys_emptied) {
    return false;
  }
  const bool mistaken = !read && read.error().code != ErrorCode::unavailable;
  if (mistaken && had == nullptr) {
    return read.error();
  }
  const bool never = settings.keys_file.empty() ||
                     (!settings.keys_wanted && !keys_were_made(settings.keys_file) && (!had || had->keyless()));
  const bool keyless = read && read.value().empty() && never && control::is_loopback(settings.host);
  auto table = std::make_shared<const KeyTable>(
      mistaken ? had->closed() : KeyTable(read ? read.value() : std::vector<ClientKey>(), keyless));
  std::string problem =
      mistaken ? "refused, the old keys stay: " + sentence(read.error()) : nobody_answered(settings, *table, read);
  const std::lock_guard lock(mutex);
  keys = std::move(table);
  const bool changed = problem != keys_problem;
  keys_problem = std::move(problem);
  return changed;
}

std::string_view presented_key(std::string_view authorization, std::string_view api_key) {
  const std::string_view token = bearer_token(authorization);
  return token.empty() ? api_key : token;
}

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
    out->headers.push_back(
        {lines_of(one.endpoint.headers(false)), lines_of(one.endpoint.headers(true)), Secret(one.endpoint.key)});
  }
  for (std::size_t i = 0; i < settings->upstreams.size(); ++i) {
    out->upstreams[i]->breakers.keep(models_of(*settings, i));
  }
  trusts_proxies = !settings->trusted_proxies.empty();
  records = !settings->record_directory.empty();
  out->settings = std::move(settings);
  return out;
}

Result<std::unique_ptr<Policy>> Policy::open(PolicyOptions options, TimePoint now) {
  const std::shared_ptr<const Settings> settings = options.settings;
  Result<std::vector<Used>> counters = read_counters_file(settings->counters_file);
  if (!counters) {
    return counters.error();
  }
  // Without the file of counters its neighbour counts nothing: who takes that away begins at 0.
  if (::access(settings->counters_file.c_str(), F_OK) == 0) {
    counters = later_of(std::move(counters).value(), read_mapped_counts(mapped_counts_file(*settings)));
  }
  if (std::optional<Error> problem = Recording::problem_of(settings->record_directory)) {
    return *problem;
  }
  auto state = std::make_shared<PolicyState>(std::move(options));
  if (const Result<bool> taken = state->take_keys(*settings); !taken) {
    return taken.error();
  }
  if (std::optional<Error> error = may_listen(*settings, *state->keys, now.wall_ms)) {
    return *error;
  }
  state->ledger.restore(counters.value());
  publish_counts(*state, *settings, counters.value(), now);
  state->snapshot = state->make_snapshot(settings);
  state->config_taken_ms = now.wall_ms;
  std::unique_ptr<Policy> policy(new Policy(std::move(state)));
  if (const std::string problem = policy->state_->keys_problem; !problem.empty()) {
    policy->tell("error", "keys", problem);
  }
  return policy;
}

Policy::Policy(std::shared_ptr<PolicyState> state) : state_(std::move(state)) {}
Policy::~Policy() = default;

std::shared_ptr<const Settings> Policy::settings() const { return state_->now_used()->settings; }

Result<bool> Policy::replace(std::shared_ptr<const Settings> settings, TimePoint now) {
  const std::shared_ptr<const Settings> old = this->settings();
  const auto fixed = [&](const std::string& what) {
    return Error{ErrorCode::invalid_argument,
                 "'" + what + "' cannot be changed while the proxy runs: restart it, or take the change back",
                 settings->file, 0, 0};
  };
  if (settings->host != old->host || settings->port != old->port) {
    return fixed("listen");
  }
  if (settings->threads != old->threads) {
    return fixed("threads");
  }
  // The mapped file beside it is the one of the old path, and what is at the new one may be another proxy's.
  if (settings->counters_file != old->counters_file) {
    return fixed("counters");
  }
  if (settings->share_at != old->share_at) {
    return fixed("share");
  }
  if (std::optional<Error> problem = Recording::problem_of(settings->record_directory)) {
    return *problem;
  }
  std::shared_ptr<const Snapshot> snapshot = state_->make_snapshot(settings);
  state_->idempotency.set(settings->idempotency);
  state_->responses.set(settings->responses);
  const std::lock_guard lock(state_->mutex);
  state_->snapshot = std::move(snapshot);
  state_->config_problem.clear();
  state_->config_taken_ms = now.wall_ms;
  return true;
}

std::string Policy::start_note() const {
  if (state_->known_keys()->keyless()) {
    return "no client key: calls from this machine are answered without one (plumb keys create NAME makes one)";
  }
  const std::lock_guard lock(state_->mutex);
  return state_->keys_problem;
}

std::shared_ptr<const KeyTable> Policy::keys() const { return state_->known_keys(); }

Identified Policy::identify(const Presented& presented, TimePoint now) {
  Identified out;
  const std::shared_ptr<const KeyTable> keys = state_->known_keys();
  if (const std::string_view token = presented_key(presented.authorization, presented.api_key);
      ClientTokens::is_token(token)) {
    return identify_token(token, presented, now);
  }
  if (keys->keyless()) {
    if (presented.forwarded) {
      out.refused = refusal(401, wire::FailureClass::unauthorised, "missing_api_key",
                            "This call came through another proxy (its head says for whom), and without client keys "
                            "only this machine is answered: `plumb keys create NAME` makes one");
      return out;
    }
    out.caller = local_caller();
  } else {
    const std::string_view token = presented_key(presented.authorization, presented.api_key);
    if (token.empty()) {
      out.refused = refusal(401, wire::FailureClass::unauthorised, "missing_api_key",
                            "A client key is required: send it as `Authorization: Bearer KEY` or `x-api-key: KEY`");
      return out;
    }
    if (keys->size() == 0) {
      out.refused = refusal(401, wire::FailureClass::unauthorised, "no_client_keys",
                            "This proxy wants client keys and has none at present; its log says why");
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

Begun Policy::begin(const CallerPtr& caller, const Ask& ask, TimePoint now, std::uint64_t random) {
  Begun out;
  out.refused = begin_call({state_, caller, ask, now, random}, out);
  if (out.refused) {
    refused({id_of(random), ask.client, caller->id, ask.route, out.refused->status, out.refused->code}, now);
  }
  return out;
}

void Policy::refused(const Refusal& refusal, TimePoint now) {
  state_->metrics.refused(refusal.code);
  state_->live.add_refused(now);
  const std::shared_ptr<const Settings> settings = this->settings();
  if (state_->logs_calls(*settings)) {
    state_->write(refusal_line(refusal, now.wall_ms, settings->log));
  }
}

std::string Policy::client_of(std::string_view address, std::string_view forwarded_for) const {
  if (!state_->trusts_proxies) {
    return std::string(address);
  }
  return std::string(first_untrusted(settings()->trusted_proxies, address, forwarded_for));
}

void Policy::set_stopping() { state_->stopping = true; }
bool Policy::stopping() const { return state_->stopping; }
bool Policy::refuses_all(TimePoint now) const {
  const std::shared_ptr<const KeyTable> keys = state_->known_keys();
  return !keys->keyless() && keys->good(now.wall_ms) == 0;
}

bool Policy::allows_origin(std::string_view origin, const Caller* caller) const {
  if (origin.empty()) {
    return false;
  }
  if (caller != nullptr && !caller->key.origins.empty()) {
    return contains(caller->key.origins, origin);
  }
  const std::shared_ptr<const Settings> settings = this->settings();
  return contains(settings->origins, origin) || contains(settings->origins, "*") ||
         (caller == nullptr && state_->known_keys()->any_origin(origin));
}

std::vector<std::string> Policy::models(const Caller& caller) const {
  const std::shared_ptr<const Settings> settings = this->settings();
  std::vector<std::string> out;
  for (const Route& one : settings->routes) {
    if (one.name != "*" && caller.may_ask(one.name)) {
      out.push_back(one.name);
    }
  }
  // Names that "*" passes on are known where a key lists them.
  for (const std::string& name : caller.key.models) {
    if (name != "*" && !contains(out, name) && settings->route_of(name) != nullptr) {
      out.push_back(name);
    }
  }
  return out;
}

void Policy::tell(std::string_view level, std::string_view event, std::string_view message) const {
  const LogKind kind = settings()->log;
  if (kind != LogKind::off) {
    state_->write(event_line(level, event, message, moment_now().wall_ms, kind));
  }
}

bool Policy::records() const { return state_->records; }

void Policy::record(const Call& call, const Caller& caller, std::string_view route, std::string_view request,
                    std::string_view answer, TimePoint now) {
  if (records()) {
    state_->recording.push(recorded_line({call.id(), caller.id, route, request, answer}, now.wall_ms));
  }
}

Idempotency& Policy::idempotency() { return state_->idempotency; }
ResponseBook& Policy::responses() { return state_->responses; }
std::uint64_t Policy::changes() const { return state_->live.changes(); }

}  // namespace plumb::proxy
