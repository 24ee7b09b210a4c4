#include "native/proxy/settings.hpp"

namespace plumb::proxy {

std::string_view mode_name(Mode mode) {
  constexpr std::string_view names[] = {"off", "observe", "enforce", "hold-back"};
  return names[static_cast<std::uint8_t>(mode)];
}

const Route* Settings::route_of(std::string_view model) const {
  const Route* rest = nullptr;
  for (const Route& route : routes) {
    if (route.name == model) {
      return &route;
    }
    if (route.name == "*") {
      rest = &route;
    }
  }
  return rest;
}

Price Settings::price_of(const Target& target, std::string_view model) const {
  if (!target.model.empty()) {
    return target.price;
  }
  const std::string& provider = upstreams[target.upstream].name;
  for (const auto& [name, price] : prices) {
    if (name.size() == provider.size() + 1 + model.size() && name.starts_with(provider) &&
        name[provider.size()] == '/' && name.compare(provider.size() + 1, model.size(), model) == 0) {
      return price;
    }
  }
  return target.price;
}

const NamedContract* Settings::contract_named(std::string_view name) const {
  for (const NamedContract& contract : guarding.contracts) {
    if (contract.name == name) {
      return &contract;
    }
  }
  return nullptr;
}

}  // namespace plumb::proxy
