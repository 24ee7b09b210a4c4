// What the routes of workflows read of a request.
#pragma once

#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "native/control/control.hpp"
#include "native/control/exchange.hpp"
#include "native/workflow/repositories.hpp"

namespace plumb::control {

inline constexpr std::size_t said_bytes_max = 16'000;  // of one text

// A body whose members are all texts; none is needed. Other members are refused by name.
struct SaidTexts {
  std::map<std::string, std::string, std::less<>> texts;
  std::optional<Answer> refused;
  // Empty where it is absent.
  const std::string& text(std::string_view name) const;
};
SaidTexts said_texts(const Request& request, std::initializer_list<std::string_view> names);

// The repository of this name, or the only one where none is named.
struct AskedRepository {
  const workflow::Repository* repository = nullptr;
  std::optional<Answer> refused;
};
AskedRepository asked_repository(Control& control, std::string_view name);

}  // namespace plumb::control
