// What a budget operation is asked, read member by member, and what is wrong with it.
//
// Everything wrong is a finding with its JSON Pointer, so that one answer tells it all: a number below 0, a fraction, a
// count beyond tokens_max, text where a number belongs, a member that no operation knows (with the near miss), a list
// that is too long. Reading goes on after a finding; what could not be read counts as absent. `null` is absent.
//
// An amount of tokens is a number, or a text that is estimated: {"system": 2000, "task": "Fix the ..."}; budgets use
// the safe estimate.
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

constexpr std::size_t findings_max = 100;  // further ones are counted
constexpr std::size_t items_max = 10'000;  // of one list

struct Finding {
  std::string rule;
  bool error = true;  // else a warning
  std::string at;     // JSON Pointer
  std::string message;
};

struct Request {
  text::Encoding encoding = text::Encoding::unknown;
  std::string model;                 // as it was named
  std::vector<ModelProfile> models;  // described in the request
  std::vector<Finding> findings;
  std::size_t findings_more = 0;
  std::size_t errors = 0;

  bool valid() const { return errors == 0; }
  void find(std::string_view rule, std::string at, std::string message, bool error = true);
};
void write_findings(json::Writer& json, const Request& request);

struct Amount {
  Tokens tokens = 0;  // safe
  Tokens likely = 0;
  bool given = false;
  std::string_view text;  // where it was one
  bool is_text = false;
};

class Fields {
 public:
  // What is no object is a finding, and has no members.
  Fields(Request& request, const json::Value& value, std::string at);

  // The member, known from now on; nullptr where it is absent or null.
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
  // One of `names`; -1 where it is absent or another.
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

// One amount, wherever it is.
Amount read_amount(Request& request, const json::Value& value, const std::string& at);

std::string item_place(const std::string& at, std::size_t index);

// The profile that a request is about: `profile`, else the model by name among `models` and the built-in ones; `window`
// takes the place of its context window. An unknown model, or a profile against itself, is a finding.
ContextProfile read_profile(Fields& fields);
// Members of a profile that are in `fields`; contradictions are findings, errors where `refused`.
ContextProfile read_context(Fields& fields, bool refused);
void read_models(Request& request, Fields& fields);
// `model`, `encoding` and `models`.
void read_shared(Request& request, Fields& fields);
// A registry, by itself: a list of models. An error names the first member that is wrong.
Result<std::vector<ModelProfile>> read_registry(const json::Value& models);
// What a call of this model has, input and output together, as `window` answers it: of a registry, else built in.
std::optional<Tokens> window_of(std::span<const ModelProfile> models, std::string_view said);
// Built-in ones, in the place of which a request may put its own.
std::vector<ModelProfile> all_models(const Request& request);

}  // namespace plumb::budget
