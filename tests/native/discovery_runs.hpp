// Runs of the discovery pipeline with authored answers, for recordings and the kill matrix: tests/cases/discovery.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "core/pipelines/pipelines.hpp"
#include "native/host/fulfil.hpp"

namespace plumb::test {

// The answers of tests/cases/discovery/answers.json, by task and who is asked. Where there are several, the one that
// the prompt is about is found by its opportunity, else by how often it was asked.
class AuthoredDiscovery {
 public:
  AuthoredDiscovery();
  run::Reply reply(const run::EffectKind kind, const run::Data& request);

 private:
  std::string text_for(const json::Value& request);
  run::Data answers_;
  std::string talks_;
};

// The same as a Fulfiller.
std::unique_ptr<host::Fulfiller> discovery_fulfiller();
pipelines::Prepared prepared_discovery(bool review);

}  // namespace plumb::test
