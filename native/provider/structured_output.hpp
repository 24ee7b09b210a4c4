// The strongest structured output that a provider offers, from a contract; and contracts by their text, each compiled
// once for all calls that carry it.
#pragma once

#include <cstddef>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/contract/contract.hpp"
#include "core/result.hpp"
#include "core/wire/model.hpp"
#include "native/provider/profile.hpp"

namespace plumb::provider {

struct StructuredOutput {
  wire::ResponseFormat format;
  Structured used = Structured::none;
  std::vector<std::string> left = {};  // with strict: keywords of the contract that the schema does not say, each once
};

// Ollama is given a tool (`tool`), or as OpenAI the enforced form (`openai-strict`) where it can be derived from the
// contract, else its whole schema; Anthropic a tool, enforced (`anthropic`) where that is asked for and can be derived;
// each no more than `strongest`. A contract that none of these can express gives JSON without a schema, with OpenAI
// nothing where the answer is no object, which is all that it takes. What a provider does not enforce is checked
// afterwards all the same.
StructuredOutput structured_output(const contract::Contract& contract, wire::Wire wire, Structured strongest);

// The mode to use where a provider answers 400 to this one: the next weaker one that is sent in another form. Nothing
// where there is none.
std::optional<Structured> weaker_output(wire::Wire wire, Structured refused);

struct KnownContract {
  contract::Contract contract;
  std::uint64_t steps = 0;  // that it took to compile
  // structured_output(), derived once.
  StructuredOutput output(wire::Wire wire, Structured strongest) const;

  explicit KnownContract(contract::Contract of, std::uint64_t took = 0) : contract(std::move(of)), steps(took) {}

 private:
  mutable std::mutex mutex_;
  mutable std::map<std::pair<wire::Wire, Structured>, StructuredOutput> outputs_;
};

// For any number of threads.
class ContractShelf {
 public:
  static constexpr std::size_t contracts_max = 64;

  // `steps`: a budget for compiling one that is not known yet.
  Result<std::shared_ptr<const KnownContract>> read(const std::string& text, text::Steps* steps = nullptr);
  bool knows(std::string_view text) const;

 private:
  mutable std::mutex mutex_;
  std::list<std::pair<std::string, std::shared_ptr<const KnownContract>>> contracts_;  // by text, last used in front
};

}  // namespace plumb::provider
