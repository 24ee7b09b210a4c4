// Reads the request of a budget operation, member by member, and reports its faults.
//
// Every fault is a finding with a JSON Pointer, so that one answer reports all of them: a number below 0, a fraction,
// a count above tokens_max, text in place of a number, an unknown member (with the most similar known one), a list
// that is too long. Reading continues after a finding. A member that could not be read counts as absent, and so does
// `null`.
//
// An amount of tokens is a number, or a text whose tokens are estimated: {"system": 2000, "task": "Fix the ..."}.
// Budgets use the safe estimate.
//
//   Fields fields(request, value, "");
//   plan.task = fields.amount("task").tokens;
//   fields.done();                        // the other members are findings
//   if (!request.valid()) return;
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/budget/profile.hpp"
#include "core/budget/tokens_of.hpp"
#include "core/json/value.hpp"
#include "core/json/writer.hpp"
#include "core/result.hpp"
#include "core/text/tokens.hpp"

namespace plumb::budget {

constexpr std::size_t findings_max = 100;  // further ones are only counted
constexpr std::size_t items_max = 10'000;  // in one list

struct Finding {
  std::string rule;
  bool error = true;  // otherwise a warning
  std::string at;     // JSON Pointer
  std::string message;
};

struct Request {
  text::Encoding encoding = text::Encoding::unknown;
  std::string model;                 // as the request names it
  std::vector<ModelProfile> models;  // those that the request describes
  std::vector<Finding> findings;
  std::size_t findings_more = 0;
  std::size_t errors = 0;

  bool valid() const { return errors == 0; }
  void find(std::string_view rule, std::string at, std::string message, bool error = true);
};
void write_findings(json::Writer& json, const Request& request);

struct Amount {
  Tokens tokens = 0;  // the safe estimate
  Tokens likely = 0;
  bool given = false;
  std::string_view text;  // if the amount was a text
  bool is_text = false;
};

class Fields {
 public:
  // If `value` is not an object, there is a finding and no members.
  Fields(Request& request, const json::Value& value, std::string at);

  // Returns the member and notes that it is known. nullptr if it is absent or null.
  const json::Value* take(std::string_view key);
  std::optional<std::uint64_t> whole(std::string_view key, std::uint64_t max = tokens_max);
  std::uint64_t whole(std::string_view key, std::uint64_t max, std::uint64_t otherwise);
  Amount amount(std::string_view key);
  // A percentage from 0 to `max_percent`, with at most two decimals.
  std::optional<Share> share(std::string_view key, std::uint32_t max_percent = 100);
  std::optional<std::string_view> text(std::string_view key);
  bool flag(std::string_view key);
  std::span<const json::Value> list(std::string_view key);
  std::vector<std::string> texts(std::string_view key);  // a list of texts
  // The index in `names`; -1 if it is absent or not among them.
  int choice(std::string_view key, std::span<const std::string_view> names);

  bool has(std::string_view key) const;
  void required(std::string_view key, std::string_view what);
  std::string place(std::string_view key) const;
  const std::string& at() const { return at_; }
  Request& request() { return request_; }
  void done();

 private:
  void wrong(std::string_view rule, std::string_view key, std::string message);

  Request& request_;
  const json::Value& value_;
  std::string at_;
  std::vector<std::string_view> known_;
};

// Reads one amount at any place.
Amount read_amount(Request& request, const json::Value& value, const std::string& at);

std::string item_place(const std::string& at, std::size_t index);

// The profile that a request is about: `profile`, or the model with the given name, among `models` and the built-in
// ones. `window` replaces its context window. An unknown model, or a contradictory profile, is a finding.
ContextProfile read_profile(Fields& fields);
// Reads the members of a profile from `fields`. Contradictions are findings, and errors if `refused`.
ContextProfile read_context(Fields& fields, bool refused);
void read_models(Request& request, Fields& fields);
// Reads `model`, `encoding` and `models`.
void read_shared(Request& request, Fields& fields);
// Reads a registry, which is a list of models. The error names the first member that is wrong.
Result<std::vector<ModelProfile>> read_registry(const json::Value& models);
// The window of this model, for input and output together, as the operation `window` gives it: from the registry, or
// built in.
std::optional<Tokens> window_of(std::span<const ModelProfile> models, std::string_view said);
// The request's models, then the built-in ones that it does not describe.
std::vector<ModelProfile> all_models(const Request& request);

}  // namespace plumb::budget
