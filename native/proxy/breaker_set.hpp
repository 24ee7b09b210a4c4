// BreakerSet: the breakers of one upstream, one for each model that it is asked for: a model that keeps failing is left
// alone, and the upstream's other models are not.
//
//   std::shared_ptr<Breaker> breaker = set.of(model, passed_on);     // made when it is first wanted
//
// Models that the settings name stay. Of names that clients choose ("*" passes them on) the last `passed_on_max` are
// kept. For any number of threads.
#pragma once

#include <functional>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "native/proxy/breaker.hpp"

namespace plumb::proxy {

struct ModelBreaker {
  std::string model;
  bool passed_on = false;
  BreakerView view;
};

class BreakerSet {
 public:
  static constexpr std::size_t passed_on_max = 256;

  std::shared_ptr<Breaker> of(std::string_view model, bool passed_on);
  // Those of the settings' models, and none of models that were in older settings alone.
  void keep(const std::vector<std::string_view>& models);

  std::vector<ModelBreaker> views(const BreakerSettings& settings, TimePoint now) const;

 private:
  struct PassedOn {
    std::shared_ptr<Breaker> breaker;
    std::list<std::string_view>::iterator used;  // in used_
  };
  mutable std::mutex mutex_;
  std::map<std::string, std::shared_ptr<Breaker>, std::less<>> named_;
  std::map<std::string, PassedOn, std::less<>> passed_on_;
  std::list<std::string_view> used_;  // keys of passed_on_, the one used last in front
};

// The state that tells most of several: open, else half-open.
BreakerView gravest(const std::vector<ModelBreaker>& views);

}  // namespace plumb::proxy
