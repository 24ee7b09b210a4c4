#include "native/host/routes.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace plumb::host {

bool Routes::can_answer_for_client() const {
  const Fulfiller* models = by_kind_[static_cast<std::size_t>(run::EffectKind::model)];
  return models != nullptr && models->can_answer_for_client();
}

void Routes::begin(EffectCall call, std::function<void(run::Reply)> done) {
  if (Fulfiller* fulfiller = by_kind_[static_cast<std::size_t>(call.kind)]) {
    fulfiller->begin(std::move(call), std::move(done));
    return;
  }
  const run::EffectType& type = run::effect_type(call.kind);
  run::Reply reply;
  reply.status = run::Status::failed;
  reply.error = "this host cannot " + std::string(type.capability) + " (effect '" + std::string(type.name) + "')";
  // Never from inside begin(): who called it may hold what `done` needs.
  refusals_.give([reply = std::move(reply), done = std::move(done)] { done(reply); });
}

void Routes::stop(std::string_view run, std::string_view key) {
  // A key names one effect of a run; whoever does not have it has nothing to stop.
  std::vector<Fulfiller*> told;
  for (Fulfiller* fulfiller : by_kind_) {
    if (fulfiller != nullptr && std::find(told.begin(), told.end(), fulfiller) == told.end()) {
      told.push_back(fulfiller);
      fulfiller->stop(run, key);
    }
  }
}

}  // namespace plumb::host
