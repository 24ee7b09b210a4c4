// A fulfiller over a scripted provider, and what it told and answered.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "native/host/fulfil.hpp"
#include "native/provider/model_fulfiller.hpp"
#include "tests/native/upstream.hpp"

namespace plumb::test {

// Never to be seen in any output.
inline constexpr const char* secret_key = "sk-test-0123456789abcdefSECRET";

struct Told {
  std::string what;
  nlohmann::json data;
};

struct Asked {
  std::string key;
  Coming<run::Reply> reply;
  Coming<Told> told;

  run::Status status() { return reply.get().status; }
  nlohmann::json value() { return nlohmann::json::parse(reply.get().value.text()); }
  std::string error() { return reply.get().error; }
  std::vector<nlohmann::json> all_told(const std::string& what) const;
};

struct HostSetup {
  std::string provider = "openai";
  std::string base;
  std::string model = "scripted";
  std::vector<std::pair<std::string, std::string>> members;  // of the provider's map in plumb.yaml
  std::string record;
  provider::TransportOptions transport = {};
};

class Host {
 public:
  explicit Host(const HostSetup& setup);

  // `pins`: name -> JSON text. The request's members besides phase and messages come from `more`.
  Asked ask(const std::string& say, const nlohmann::json& more = nlohmann::json::object(),
            std::uint64_t deadline_ms = 0, const std::map<std::string, std::string>& pins = {});
  Asked ask_request(const nlohmann::json& request, std::uint64_t deadline_ms = 0,
                    const std::map<std::string, std::string>& pins = {});
  void stop(const Asked& asked) { fulfiller->stop("r1", asked.key); }

  std::unique_ptr<host::Fulfiller> fulfiller;
  Coming<std::string> problems;

 private:
  std::size_t asked_ = 0;
};

}  // namespace plumb::test
