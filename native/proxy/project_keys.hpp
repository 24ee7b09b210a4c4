// Client keys at the control port: whose runs a key opens there.
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

// A key that is not known, revoked or expired is refused; so is one that is held to models, contracts or pages, which
// runs could not be held to. A key without a project, and what is no client key at all, is none of a project.
control::FoundKey project_of_key(std::string_view text, const KeyTable& keys, std::uint64_t now_ms);

// The keys of a file as it is now, where no proxy reads it: looked at whenever they are asked for.
class KeyBook {
 public:
  // `told`: what is wrong with the file, once; then the keys before stay. Empty: it is right again.
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
