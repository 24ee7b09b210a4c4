#include "native/provider/structured_output.hpp"

#include <optional>

#include "core/derive/derive.hpp"
#include "core/json/value.hpp"
#include "core/json/writer.hpp"

namespace plumb::provider {

namespace {

// The schema inside of what is derived for a provider.
std::optional<wire::ResponseFormat> derived_format(const contract::Contract& contract, derive::Target target) {
  const Result<derive::Derived> derived = derive::derive(contract, target);
  if (!derived)
    return std::nullopt;
  json::Arena arena;
  const Result<json::Value> tree = json::parse(derived.value().text, arena);
  if (!tree)
    return std::nullopt;
  const bool tool = target == derive::Target::anthropic;
  const json::Value* const holder = tool ? &tree.value() : tree.value().find("json_schema");
  const json::Value* const schema = holder == nullptr ? nullptr : holder->find(tool ? "input_schema" : "schema");
  if (schema == nullptr)
    return std::nullopt;
  wire::ResponseFormat format;
  format.kind = wire::FormatKind::schema;
  format.name = contract.name();
  format.schema = json::value_text(*schema);
  format.strict = target == derive::Target::openai_strict;
  return format;
}

}  // namespace

StructuredOutput structured_output(const contract::Contract& contract, wire::Wire wire, Structured strongest) {
  if (strongest == Structured::none)
    return {};
  if (wire == wire::Wire::anthropic) {
    if (strongest >= Structured::schema) {
      if (std::optional<wire::ResponseFormat> format = derived_format(contract, derive::Target::anthropic))
        return {std::move(*format), Structured::schema};
    }
    return {};  // it has no mode that is JSON and nothing else
  }
  if (strongest == Structured::strict) {
    if (std::optional<wire::ResponseFormat> format = derived_format(contract, derive::Target::openai_strict))
      return {std::move(*format), Structured::strict};
  }
  if (strongest >= Structured::schema) {
    if (std::optional<wire::ResponseFormat> format = derived_format(contract, derive::Target::openai))
      return {std::move(*format), Structured::schema};
  }
  StructuredOutput json;
  json.format.kind = wire::FormatKind::json;
  json.used = Structured::json;
  return json;
}

StructuredOutput KnownContract::output(wire::Wire wire, Structured strongest) const {
  const std::lock_guard lock(mutex_);
  const auto found = outputs_.find({wire, strongest});
  if (found != outputs_.end())
    return found->second;
  return outputs_.emplace(std::pair{wire, strongest}, structured_output(contract, wire, strongest)).first->second;
}

Result<std::shared_ptr<const KnownContract>> ContractShelf::read(const std::string& text) {
  const std::lock_guard lock(mutex_);
  for (auto one = contracts_.begin(); one != contracts_.end(); ++one) {
    if (one->first == text) {
      contracts_.splice(contracts_.begin(), contracts_, one);
      return one->second;
    }
  }
  Result<contract::Contract> read = contract::Contract::read(text);
  if (!read)
    return read.error();
  contracts_.emplace_front(text, std::make_shared<KnownContract>(std::move(read).value()));
  if (contracts_.size() > contracts_max)
    contracts_.pop_back();
  return contracts_.front().second;
}

}  // namespace plumb::provider
