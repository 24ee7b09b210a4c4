// What the control port can do with the client keys of this host. The keys belong to the proxy, or to the file that a
// proxy would read.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "core/json/value.hpp"
#include "core/result.hpp"

namespace plumb::control {

// All of them, or none. Each result is the JSON to answer with: docs/http.md. From any thread.
struct KeysView {
  std::function<Result<std::string>(const json::Value& wanted)> create;
  std::function<Result<std::string>()> list;
  std::function<Result<std::string>(const std::vector<std::string>& keys)> revoke;

  // A client token for one page. `client_key`: of whoever asks; empty: the operator. Empty: no proxy runs here.
  std::function<Result<std::string>(const json::Value& wanted, std::string_view client_key)> token;

  explicit operator bool() const { return create != nullptr; }
};

}  // namespace plumb::control
