// Names that only one may hold, and what a host can do at all.
#include <algorithm>
#include <utility>

#include "core/json/members.hpp"
#include "core/json/writer.hpp"
#include "native/host/driver.hpp"

namespace plumb::host {

namespace {

store::ClaimWish wish_of(const json::Value& request, const std::string& run) {
  store::ClaimWish wish;
  wish.run = run;
  wish.names = json::texts_of(request, "names");
  if (wish.names.empty()) {
    wish.names.emplace_back(json::text_of(request, "name"));
  }
  wish.by = json::text_of(request, "for");
  wish.release = json::flag_of(request, "release");
  return wish;
}

// {"granted", "holder"?, "held"?: [{"name", "run", "for"?}], "released"?}: `holder` is who holds the (first) name.
// `listed`: names were asked for as a list.
run::Reply reply_of(const store::ClaimWish& wish, const Result<store::Claimed>& claimed, bool listed) {
  run::Reply reply;
  if (!claimed) {
    reply.status = run::Status::failed;
    reply.error = claimed.error().message;
    return reply;
  }
  std::string text;
  json::Writer json(text);
  json.begin_object().member_boolean("granted", claimed.value().granted);
  if (wish.release) {
    json.member_boolean("released", true);
  } else {
    json.member("holder", claimed.value().granted ? wish.run : claimed.value().held.front().run);
  }
  if (!claimed.value().held.empty() && listed) {
    json.key("held").begin_array();
    for (const store::Claimed::Holder& one : claimed.value().held) {
      json.begin_object().member("name", one.name).member("run", one.run);
      if (!one.by.empty()) {
        json.member("for", one.by);
      }
      json.end_object();
    }
    json.end_array();
  }
  json.end_object();
  reply.value = run::Data::written(std::move(text));
  return reply;
}

// Why it waits; nothing where it does not, or for another part of itself.
std::string blocked_by(const store::ClaimWish& wish, const store::Claimed& claimed) {
  const auto other = std::find_if(claimed.held.begin(), claimed.held.end(),
                                  [&](const store::Claimed::Holder& one) { return one.run != wish.run; });
  if (claimed.granted || other == claimed.held.end()) {
    return {};
  }
  const std::size_t more = claimed.held.size() - 1;
  return "it waits for '" + other->name + "'" + (more == 0 ? "" : " and " + std::to_string(more) + " more") +
         ", held by run " + other->run + " until that one has ended or lets it go ('plumb runs show " + other->run +
         "' tells what it waits for, 'plumb runs cancel " + other->run + "' ends it)";
}

Event reply_event(std::string key, std::uint64_t number, run::Reply reply) {
  Event event;
  event.what = Event::What::reply;
  event.key = std::move(key);
  event.call = number;
  event.reply = std::move(reply);
  return event;
}

}  // namespace

void Driver::claim(const RunRef& shared, const run::Want& want, std::uint64_t number) {
  const store::ClaimWish wish = wish_of(want.request.value(), shared->id);
  const bool waits = !wish.release && json::flag_of(want.request.value(), "wait");
  if (waits) {
    {
      const std::lock_guard<std::mutex> lock(claims_.mutex);
      claims_.all.push_back({shared, want.key, number, wish});
      ++claims_.count;
    }
    claim_again();
    return;
  }
  post(shared, reply_event(want.key, number,
                           reply_of(wish, store_.claim(wish), want.request.value().find("names") != nullptr)));
  if (wish.release) {
    claim_again();
  }
}

// Something may have become free.
void Driver::claim_again() {
  const std::lock_guard<std::mutex> lock(claims_.mutex);
  for (auto at = claims_.all.begin(); at != claims_.all.end();) {
    const RunRef run = at->run.lock();
    bool wanted = false;
    if (run != nullptr) {
      const std::lock_guard<std::mutex> its(run->mutex);
      const auto call = run->calls.find(at->key);
      wanted = !run->over && call != run->calls.end() && call->second.number == at->number;
    }
    if (!wanted) {
      at = claims_.all.erase(at);
      --claims_.count;
      continue;
    }
    const Result<store::Claimed> claimed = store_.claim(at->wish);
    {
      const std::lock_guard<std::mutex> its(run->mutex);
      run->blocked = claimed ? blocked_by(at->wish, claimed.value()) : std::string();
    }
    if (claimed && !claimed.value().granted) {
      ++at;
      continue;
    }
    post(run, reply_event(at->key, at->number, reply_of(at->wish, claimed, true)));
    at = claims_.all.erase(at);
    --claims_.count;
  }
}

// The same from any thread, the store's own too, which must not wait for who waits for the store.
void Driver::let_claims() {
  if (claims_.count == 0) {
    return;
  }
  enter();
  workers_.give([self = shared_from_this()] {
    self->claim_again();
    self->leave();
  });
}

std::string Driver::lacking(run::EffectKind kind) const {
  const bool own = kind == run::EffectKind::person || kind == run::EffectKind::claim;
  if (own || fulfiller_.can(kind)) {
    return {};
  }
  const run::EffectType& type = run::effect_type(kind);
  return "this host cannot " + std::string(type.capability) + " (effect '" + std::string(type.name) + "')";
}

std::optional<Error> Driver::lacking(const pipelines::Known& known) const {
  for (const run::EffectType& type : run::effect_types()) {
    if (!known.needs.has(type.kind)) {
      continue;
    }
    if (const std::string why = lacking(type.kind); !why.empty()) {
      return Error{ErrorCode::unavailable,
                   "the pipeline '" + std::string(known.pipeline.name) + "' is not begun: " + why, "", 0, 0};
    }
  }
  return std::nullopt;
}

}  // namespace plumb::host
