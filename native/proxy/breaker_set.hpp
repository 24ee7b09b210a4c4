// BreakerSet: the breakers of one upstream, one per model. If one model keeps failing, the upstream's other models are
// still called.
//
//   std::shared_ptr<Breaker> breaker = set.of(model, passed_on);     // created on first use
//
// Breakers of models in the settings are kept. Of names that clients choose ("*" passes them on), the last
// `passed_on_max` are kept. For any number of threads.
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
  // Keeps the breakers of these models, and drops those of models that only older settings had.
  void keep(const std::vector<std::string_view>& models);

  std::vector<ModelBreaker> views(const BreakerSettings& settings, TimePoint now) const;

 private:
  struct PassedOn {
    std::shared_ptr<Breaker> breaker;
    std::list<std::string_view>::iterator used;  // position in used_
  };
  mutable std::mutex mutex_;
  std::map<std::string, std::shared_ptr<Breaker>, std::less<>> named_;
  std::map<std::string, PassedOn, std::less<>> passed_on_;
  std::list<std::string_view> used_;  // keys of passed_on_, most recently used first
};

// The most serious state: open, else half-open.
BreakerView gravest(const std::vector<ModelBreaker>& views);

}  // namespace plumb::proxy
