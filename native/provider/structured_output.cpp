#include "native/provider/structured_output.hpp"

#include <algorithm>
#include <optional>

#include "core/contract/program.hpp"
#include "core/derive/open_place.hpp"
#include "core/json/value.hpp"
#include "core/json/writer.hpp"
#include "core/text/steps.hpp"

namespace plumb::provider {

namespace {

// The schema inside of what is derived for a provider.
std::optional<wire::ResponseFormat> derived_format(const contract::Contract& contract, derive::Target target,
                                                   wire::Wire wire, std::vector<std::string>* left = nullptr) {
  const Result<derive::Derived> derived = derive::derive(contract, target);
  // A model that is held to less than an open place takes cannot answer what it is asked.
  if (!derived || derive::narrows_open_place(derived.value())) {
    return std::nullopt;
  }
  json::Arena arena;
  const Result<json::Value> tree = json::parse(derived.value().text, arena);
  if (!tree) {
    return std::nullopt;
  }
  const bool tool = target == derive::Target::anthropic;
  const json::Value* const holder = tool ? &tree.value() : tree.value().find("json_schema");
  const json::Value* const schema = holder == nullptr ? nullptr : holder->find(tool ? "input_schema" : "schema");
  if (schema == nullptr) {
    return std::nullopt;
  }
  wire::ResponseFormat format;
  format.kind = wire::FormatKind::schema;
  format.name = contract.name();
  format.schema = json::value_text(*schema);
  format.strict = target == derive::Target::openai_strict || tool;
  for (const derive::ResidualRule& rule : derived.value().residual) {
    if (left != nullptr && std::find(left->begin(), left->end(), rule.keyword) == left->end()) {
      left->push_back(rule.keyword);
    }
  }
  // OpenAI's interface takes only schemas that say `type: object` at the top, strict or not. Where an object is meant
  // without a word it is added; what is something else is asked for in the prompt alone.
  if (target == derive::Target::openai && wire == wire::Wire::openai) {
    const json::Value* const type = schema->find("type");
    if (type != nullptr) {
      return type->str() == "object" ? std::optional(std::move(format)) : std::nullopt;
    }
    if (schema->find("properties") == nullptr) {
      return std::nullopt;
    }
    format.schema = R"({"type":"object",)" + format.schema.substr(1);
  }
  return format;
}

// The input of a tool that Anthropic or Ollama shows to the model: an object, without branches at the top, which
// Anthropic refuses there.
std::optional<wire::ResponseFormat> tool_input(const contract::Contract& contract) {
  std::optional<wire::ResponseFormat> format = derived_format(contract, derive::Target::openai, wire::Wire::anthropic);
  json::Arena arena;
  const Result<json::Value> schema = json::parse(format ? format->schema : "", arena);
  if (!schema) {
    return std::nullopt;
  }
  std::string text;
  json::Writer json(text);
  json.begin_object().member("type", "object");
  for (const json::Member& member : schema.value().object()) {
    if (member.key != "type" && member.key != "anyOf" && member.key != "oneOf" && member.key != "allOf") {
      json.key(member.key).value(member.value);
    }
  }
  json.end_object();
  format->schema = std::move(text);
  return format;
}

// Whether an object may be what the contract describes.
bool takes_object(const contract::Contract& contract) {
  return (contract.program().root->types & contract::type_object) != 0;
}

}  // namespace

StructuredOutput structured_output(const contract::Contract& contract, wire::Wire wire, Structured strongest) {
  if (strongest == Structured::none) {
    return {};
  }
  if (wire == wire::Wire::anthropic) {
    std::vector<std::string> left;
    if (strongest == Structured::strict) {
      if (std::optional<wire::ResponseFormat> format =
              derived_format(contract, derive::Target::anthropic, wire, &left)) {
        return {std::move(*format), Structured::strict, std::move(left)};
      }
    }
    if (strongest >= Structured::schema) {
      std::optional<wire::ResponseFormat> format = takes_object(contract) ? tool_input(contract) : std::nullopt;
      if (format) {
        return {std::move(*format), Structured::schema};
      }
    }
    return {};  // it has no mode that is JSON and nothing else
  }
  if (strongest == Structured::tool) {
    std::optional<wire::ResponseFormat> format = takes_object(contract) ? tool_input(contract) : std::nullopt;
    if (wire == wire::Wire::ollama && format) {
      format->as_tool = true;
      return {std::move(*format), Structured::tool};
    }
  }
  if (strongest >= Structured::strict) {
    std::vector<std::string> left;
    if (std::optional<wire::ResponseFormat> format =
            derived_format(contract, derive::Target::openai_strict, wire, &left)) {
      return {std::move(*format), Structured::strict, std::move(left)};
    }
  }
  if (strongest >= Structured::schema) {
    if (std::optional<wire::ResponseFormat> format = derived_format(contract, derive::Target::openai, wire)) {
      return {std::move(*format), Structured::schema};
    }
  }
  // JSON mode answers with an object, too.
  if (wire == wire::Wire::openai && !takes_object(contract)) {
    return {};
  }
  StructuredOutput json;
  json.format.kind = wire::FormatKind::json;
  json.used = Structured::json;
  return json;
}

std::optional<Structured> weaker_output(wire::Wire wire, Structured refused) {
  if (refused == Structured::none) {
    return std::nullopt;
  }
  if (wire == wire::Wire::anthropic) {
    return refused == Structured::strict ? Structured::schema : Structured::none;
  }
  return refused == Structured::tool   ? Structured::strict
         : refused == Structured::json ? Structured::none
                                       : Structured::json;
}

StructuredOutput KnownContract::output(wire::Wire wire, Structured strongest) const {
  const std::lock_guard lock(mutex_);
  const auto found = outputs_.find({wire, strongest});
  if (found != outputs_.end()) {
    return found->second;
  }
  return outputs_.emplace(std::pair{wire, strongest}, structured_output(contract, wire, strongest)).first->second;
}

bool ContractShelf::knows(std::string_view text) const {
  const std::lock_guard lock(mutex_);
  return std::any_of(contracts_.begin(), contracts_.end(), [&](const auto& one) { return one.first == text; });
}

// Compiled without the lock: whoever sends a contract that takes long holds nobody else up.
Result<std::shared_ptr<const KnownContract>> ContractShelf::read(const std::string& text, text::Steps* steps) {
  const auto known = [&]() -> std::shared_ptr<const KnownContract> {
    for (auto one = contracts_.begin(); one != contracts_.end(); ++one) {
      if (one->first == text) {
        contracts_.splice(contracts_.begin(), contracts_, one);
        return one->second;
      }
    }
    return nullptr;
  };
  {
    const std::lock_guard lock(mutex_);
    if (auto found = known()) {
      return found;
    }
  }
  const std::uint64_t before = steps == nullptr ? 0 : steps->used();
  contract::ReadOptions options;
  options.steps = steps;
  Result<contract::Contract> read = contract::Contract::read(text, options);
  if (!read) {
    return read.error();
  }
  auto made =
      std::make_shared<const KnownContract>(std::move(read).value(), steps == nullptr ? 0 : steps->used() - before);
  const std::lock_guard lock(mutex_);
  if (auto found = known()) {
    return found;
  }
  contracts_.emplace_front(text, made);
  if (contracts_.size() > contracts_max) {
    contracts_.pop_back();
  }
  return made;
}

}  // namespace plumb::provider
