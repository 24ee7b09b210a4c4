#include "native/proxy/breaker_set.hpp"

#include <algorithm>

namespace plumb::proxy {

std::shared_ptr<Breaker> BreakerSet::of(std::string_view model, bool passed_on) {
  const std::lock_guard lock(mutex_);
  if (const auto found = named_.find(model); found != named_.end()) {
    return found->second;
  }
  if (!passed_on) {
    return named_.emplace(model, std::make_shared<Breaker>()).first->second;
  }
  if (const auto found = passed_on_.find(model); found != passed_on_.end()) {
    used_.splice(used_.begin(), used_, found->second.used);
    return found->second.breaker;
  }
  if (passed_on_.size() >= passed_on_max) {
    const auto last = passed_on_.find(used_.back());
    used_.pop_back();
    passed_on_.erase(last);
  }
  const auto made = passed_on_.emplace(model, PassedOn{std::make_shared<Breaker>(), {}}).first;
  used_.push_front(made->first);
  made->second.used = used_.begin();
  return made->second.breaker;
}

void BreakerSet::keep(const std::vector<std::string_view>& models) {
  const std::lock_guard lock(mutex_);
  std::erase_if(named_,
                [&](const auto& one) { return std::find(models.begin(), models.end(), one.first) == models.end(); });
}

std::vector<ModelBreaker> BreakerSet::views(const BreakerSettings& settings, TimePoint now) const {
  const std::lock_guard lock(mutex_);
  std::vector<ModelBreaker> out;
  for (const auto& [model, breaker] : named_) {
    out.push_back({model, false, breaker->view(settings, now)});
  }
  for (const auto& [model, one] : passed_on_) {
    out.push_back({model, true, one.breaker->view(settings, now)});
  }
  return out;
}

BreakerView gravest(const std::vector<ModelBreaker>& views) {
  const auto rank = [](const BreakerView& view) {
    return view.state == BreakerState::open ? 2 : view.state == BreakerState::half_open ? 1 : 0;
  };
  BreakerView out;
  for (const ModelBreaker& one : views) {
    if (rank(one.view) > rank(out)) {
      out = one.view;
    }
  }
  return out;
}

}  // namespace plumb::proxy
