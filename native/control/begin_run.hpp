// A run that a request begins: read, prepared apart from the server, and given to the host.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "native/control/control.hpp"
#include "native/control/exchange.hpp"

namespace plumb::control {

struct StartedBy {
  std::string owner;
  std::string request_key;
  std::string same_as = {};  // StartOptions::same_as
};

struct BegunRun {
  std::string id;
  bool fresh = true;              // false: a run of the same request was there already
  std::optional<Answer> refused;  // there is no run
};

// `body`: the request that the pipeline takes, as JSON.
BegunRun begin_run(Control& control, std::string_view pipeline, const std::string& body, StartedBy by);

}  // namespace plumb::control
