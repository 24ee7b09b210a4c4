#include "native/control/counted_fulfiller.hpp"

#include <charconv>
#include <chrono>

namespace plumb::control {

namespace {

std::uint64_t count_of(const json::Value* usage, std::string_view name) {
  const json::Value* said = usage == nullptr ? nullptr : usage->find(name);
  std::uint64_t count = 0;
  if (said != nullptr && said->is(json::Kind::number)) {
    std::from_chars(said->str().data(), said->str().data() + said->str().size(), count);
  }
  return count;
}

void count_tokens(Metrics& metrics, const run::Reply& reply) {
  const json::Value& value = reply.value.value();
  const json::Value* usage = value.find("usage");
  if (usage == nullptr || !usage->is(json::Kind::object)) {
    return;
  }
  const json::Value* provider = value.find("provider");
  const json::Value* model = value.find("model");
  const json::Value* estimated = usage->find("estimated");
  metrics.tokens(provider == nullptr ? "" : provider->str(), model == nullptr ? "" : model->str(),
                 count_of(usage, "input_tokens"), count_of(usage, "output_tokens"),
                 estimated != nullptr && estimated->boolean);
}

}  // namespace

void CountedFulfiller::begin(host::EffectCall call, std::function<void(run::Reply)> done) {
  const auto started = std::chrono::steady_clock::now();
  const run::EffectKind kind = call.kind;
  inner_.begin(std::move(call), [this, started, kind, done = std::move(done)](run::Reply reply) {
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - started;
    metrics_.call(run::effect_type(kind).name, run::status_name(reply.status), took.count());
    if (kind == run::EffectKind::model) {
      count_tokens(metrics_, reply);
    }
    done(std::move(reply));
  });
}

}  // namespace plumb::control
