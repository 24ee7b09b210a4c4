// Contracts as plumb.yaml names them for what it serves: a built-in one by its name, a type of `artifacts`, or a file
// relative to plumb.yaml, read with the documents that plumb.yaml lists. Nothing is fetched.
//
//   Result<ConfiguredContracts> contracts = ConfiguredContracts::of(config);
//   Result<ConfiguredContract> brief = contracts.value().find("contracts/brief.json", "brief");
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/contract/contract.hpp"
#include "core/result.hpp"
#include "native/config/config_file.hpp"
#include "native/provider/structured_output.hpp"

namespace plumb {

struct ConfiguredContract {
  std::shared_ptr<const provider::KnownContract> contract;
  std::string text;
  std::string path;  // of the file; empty for a built-in one
};

class ConfiguredContracts {
 public:
  // Reads the documents that contracts refer to.
  static Result<ConfiguredContracts> of(const ConfigFile& config);
  // `name` is what verdicts call it.
  Result<ConfiguredContract> find(const std::string& said, const std::string& name) const;

 private:
  std::string directory_;
  std::vector<std::pair<std::string, std::string>> types_;      // and the files of their contracts
  std::vector<std::pair<std::string, std::string>> documents_;  // by URI
};

}  // namespace plumb
