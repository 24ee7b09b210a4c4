// The strongest structured output that a provider offers, from a contract; and contracts by their text, each compiled
// once for all calls that carry it.
#pragma once

#include <cstddef>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

#include "core/contract/contract.hpp"
#include "core/result.hpp"
#include "core/wire/model.hpp"
#include "native/provider/profile.hpp"

namespace plumb::provider {

struct StructuredOutput {
  wire::ResponseFormat format;
  Structured used = Structured::none;
};

// OpenAI and Ollama are given the enforced form (`openai-strict`) where it can be derived from the contract, else its
// whole schema; Anthropic a tool; each no more than `strongest`. A contract that none of these can express gives JSON
// without a schema. What a provider does not enforce is checked afterwards all the same.
StructuredOutput structured_output(const contract::Contract& contract, wire::Wire wire, Structured strongest);

struct KnownContract {
  contract::Contract contract;
  // structured_output(), derived once.
  StructuredOutput output(wire::Wire wire, Structured strongest) const;

  explicit KnownContract(contract::Contract of) : contract(std::move(of)) {}

 private:
  mutable std::mutex mutex_;
  mutable std::map<std::pair<wire::Wire, Structured>, StructuredOutput> outputs_;
};

// For any number of threads.
class ContractShelf {
 public:
  static constexpr std::size_t contracts_max = 64;

  Result<std::shared_ptr<const KnownContract>> read(const std::string& text);

 private:
  std::mutex mutex_;
  std::list<std::pair<std::string, std::shared_ptr<const KnownContract>>> contracts_;  // by text, last used in front
};

}  // namespace plumb::provider
