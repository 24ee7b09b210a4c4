// A run that is handed over to the server which has the store: begun there, where it would do the same (providers,
// contracts, prompts: by fingerprint), and followed by its journal. PLUMB_TOKEN is sent where it is set.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>

#include "core/result.hpp"
#include "core/run/journal.hpp"

namespace plumb::cli {

class ServerRun {
 public:
  // `address`: "http://127.0.0.1:8787". The error says why the server does not take it.
  static Result<ServerRun> begin(const std::string& address, std::string_view pipeline, const std::string& request,
                                 const std::string& fingerprint);
  const std::string& id() const { return id_; }

  Result<run::Journal> journal();
  // Why it does not go on there; empty: it does.
  Result<std::string> problem();
  Result<bool> cancel(std::string_view why);

 private:
  ServerRun(std::string address, std::string id) : address_(std::move(address)), id_(std::move(id)) {}
  std::string address_;
  std::string id_;
};

}  // namespace plumb::cli
