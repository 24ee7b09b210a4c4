// Contracts by name or file, with the options and documents that all of them are read with.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/contract/contract.hpp"
#include "native/cli/arguments.hpp"

namespace plumb::cli {

// What --dialect, --assert-formats, --schema and plumb.yaml's documents say. Owns the documents' text.
class ContractReading {
 public:
  // `configured` comes from plumb.yaml; a --schema with the same URI wins. `artifacts`: of plumb.yaml too, types and
  // the files of their contracts, which go by the types' names.
  static Result<ContractReading> from(const Arguments& arguments,
                                      const std::vector<std::pair<std::string, std::string>>& configured,
                                      std::vector<std::pair<std::string, std::string>> artifacts = {});
  const std::vector<std::pair<std::string, std::string>>& artifacts() const { return artifacts_; }

  // What all contracts are read with; the documents stay with this object.
  contract::ReadOptions options() const;

  // Reads a contract's text; `source` is the file it came from, "" for a built-in. Errors name the place in it.
  Result<contract::Contract> read(std::string_view text, const std::string& source) const;

 private:
  contract::Dialect dialect_ = contract::Dialect::draft2020_12;
  bool assert_formats_ = false;
  // Text stays where it is when the object moves.
  std::vector<std::pair<std::string, std::unique_ptr<std::string>>> documents_;
  std::vector<std::pair<std::string, std::string>> artifacts_;
};

struct NamedContract {
  contract::Contract contract;
  std::string source;  // the file, or "" for a built-in
};

// A type of plumb.yaml, else a built-in's name, else a file. A name wins over a file of the same name: write ./NAME for
// the file.
Result<NamedContract> find_contract(const std::string& wanted, const ContractReading& reading);

// The contract of that name, read as the arguments and plumb.yaml say. A broken plumb.yaml hides no contract: only its
// documents are of use here.
Result<NamedContract> named_contract(const Arguments& arguments, const std::string& wanted);
// The one that the first positional argument names.
Result<NamedContract> contract_argument(const Arguments& arguments);

// "FILE:LINE:COLUMN: warning: ..." for each warning of a contract.
std::vector<std::string> warning_lines(const NamedContract& named);

constexpr std::uint64_t contract_bytes_max = std::uint64_t{64} << 20;

}  // namespace plumb::cli
