// Contract: a JSON Schema document with the Plumbline vocabulary, compiled into a program. The dialects are 2020-12,
// 2019-09 and drafts 7, 6 and 4.
//
//   Result<Contract> contract = Contract::read(text);
//   Verdict verdict = check_text(contract.value(), artifact);          // check.hpp
//
// A contract does not change after it was read. Any number of checks, on any threads, may share it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/contract/dialect.hpp"
#include "core/result.hpp"

namespace plumb::text {
class Steps;  // core/text/steps.hpp
}

namespace plumb::json {
struct Value;
}

namespace plumb::contract {

struct Program;  // core/contract/program.hpp

// A schema document that a contract may refer to by its URI. The text must stay valid while the contract is read.
struct Document {
  std::string_view uri;
  std::string_view text;
};

struct ReadOptions {
  std::string_view name;                    // shown in verdicts; default: `$id` without "plumb:", else "contract"
  std::string_view uri;                     // the base URI if the document has no absolute `$id`
  Dialect dialect = Dialect::draft2020_12;  // if the document has no `$schema`
  bool assert_formats = false;              // `format` can break; the meta-schema's format-assertion does the same
  std::vector<Document> documents;
  text::Steps* steps = nullptr;  // a budget of work; when it is used up, the error is ErrorCode::limit
};

// What an author should know about a contract that is accepted, such as a misspelt keyword or an escape of the old
// syntax.
enum class WarningKind : std::uint8_t { unknown_keyword, repeated, old_escape, other };

struct Warning {
  WarningKind kind = WarningKind::other;
  std::string message;
  std::string meant;  // the known keyword that an unknown one resembles
  std::string at;     // JSON Pointer into the contract
  std::size_t line = 0;
  std::size_t column = 0;
};

class Contract {
 public:
  // Reads and compiles a contract. An Error says what is wrong, and where: a JSON Pointer, with line and column.
  static Result<Contract> read(std::string_view text, const ReadOptions& options = {});

  const std::string& name() const;
  const std::string& title() const;
  const std::string& hash() const;  // "sha256:" and 64 hexadecimal digits
  const std::vector<Warning>& warnings() const;
  const std::vector<std::string>& context_read() const;  // the context pointers that the contract reads, sorted
  const std::string& text() const;                       // as it was read
  // The text as a JSON value, with the keywords of the vocabulary without their prefix. `schema_location` of findings
  // points into it. It lives as long as the contract.
  const json::Value& tree() const;
  const Program& program() const { return *program_; }
  std::shared_ptr<const Program> shared_program() const { return program_; }

 private:
  explicit Contract(std::shared_ptr<const Program> program) : program_(std::move(program)) {}
  std::shared_ptr<const Program> program_;
};

// The built-in contracts, core/contracts/NAME.json, in the order of their names.
struct BuiltIn {
  std::string_view name;
  std::string_view text;
};
const std::vector<BuiltIn>& built_in_contracts();
// nullptr if there is no contract with this name.
const BuiltIn* built_in_contract(std::string_view name);

}  // namespace plumb::contract
