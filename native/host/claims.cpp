#include "native/host/claims.hpp"

#include <algorithm>
#include <utility>

#include "core/json/members.hpp"
#include "core/json/writer.hpp"

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

}  // namespace

void Claims::ask(const RunRef& run, const run::Want& want, std::uint64_t number) {
  const store::ClaimWish wish = wish_of(want.request.value(), run->id);
  const bool waits = !wish.release && json::flag_of(want.request.value(), "wait");
  if (waits) {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      waiting_.push_back({run, want.key, number, wish});
      ++count_;
    }
    try_again();
    return;
  }
  turns_.post(run, reply_event(want.key, number,
                               reply_of(wish, store_.claim(wish), want.request.value().find("names") != nullptr)));
  if (wish.release) {
    try_again();
  }
}

void Claims::try_again() {
  const std::lock_guard<std::mutex> lock(mutex_);
  for (auto at = waiting_.begin(); at != waiting_.end();) {
    const RunRef run = at->run.lock();
    bool wanted = false;
    if (run != nullptr) {
      const std::lock_guard<std::mutex> its(run->mutex);
      const auto call = run->calls.find(at->key);
      wanted = !run->is_over() && call != run->calls.end() && call->second.number == at->number;
    }
    if (!wanted) {
      at = waiting_.erase(at);
      --count_;
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
    turns_.post(run, reply_event(at->key, at->number, reply_of(at->wish, claimed, true)));
    at = waiting_.erase(at);
    --count_;
  }
}

void Claims::freed() {
  if (count_ == 0) {
    return;
  }
  work_.give([this, keep = turns_.self()] { try_again(); });
}

}  // namespace plumb::host
