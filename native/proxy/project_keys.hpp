// Client keys at the control port: which project's runs a key opens.
//
//   KeyBook book("client-keys.json", [](std::string_view problem) { ... });
//   access.set_keys([&book](std::string_view text) { return project_of_key(text, *book.keys(), now_ms); });
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "native/base/file_mark.hpp"
#include "native/control/access.hpp"
#include "native/proxy/client_keys.hpp"

namespace plumb::proxy {

// An unknown, revoked or expired key is refused. So is a key limited to models, contracts or pages, because runs could
// not be limited to them. A key without a project, or a text that is not a client key, belongs to no project.
control::FoundKey project_of_key(std::string_view text, const KeyTable& keys, std::uint64_t now_ms);

// The current keys of a file that no proxy reads; checked whenever they are asked for.
class KeyBook {
 public:
  // `told` is called once with a problem of the file, and then the previous keys stay; with an empty text when it is
  // right again.
  KeyBook(std::string file, std::function<void(std::string_view problem)> told);

  std::shared_ptr<const KeyTable> keys();  // from any thread; never null

 private:
  const std::string file_;
  const std::function<void(std::string_view problem)> told_;
  std::mutex mutex_;
  FileMark mark_;
  std::optional<std::chrono::steady_clock::time_point> blank_since_;
  bool wrong_ = false;
  std::shared_ptr<const KeyTable> keys_;
};

}  // namespace plumb::proxy
