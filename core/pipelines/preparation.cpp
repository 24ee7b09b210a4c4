#include "core/pipelines/preparation.hpp"

#include <algorithm>
#include <utility>

#include "core/budget/request.hpp"
#include "core/json/arena.hpp"
#include "core/json/sha256.hpp"
#include "core/json/writer.hpp"
#include "core/pipelines/pipeline_contracts.hpp"
#include "core/text/suggest.hpp"

namespace plumb::pipelines {

namespace {

Error no_such(std::string_view what, std::string_view name) {
  Error error;
  error.code = ErrorCode::not_found;
  error.message = "there is no " + std::string(what) + " of this name";
  error.where = name;
  return error;
}

}  // namespace

Error wrong_request(std::string message, std::string where) {
  Error error;
  error.code = ErrorCode::invalid_argument;
  error.message = std::move(message);
  error.where = std::move(where);
  return error;
}

std::string did_you_mean(std::string_view word, std::span<const std::string_view> known) {
  const std::optional<std::size_t> near = text::nearest(word, known);
  return near ? "; did you mean '" + std::string(known[*near]) + "'?" : std::string();
}

Result<bool> only_members(const json::Value& object, std::span<const std::string_view> known, std::string_view where,
                          std::string_view noun) {
  if (!object.is(json::Kind::object)) {
    return wrong_request(
        where.empty() ? "a request is a JSON object" : "`" + std::string(where.substr(1)) + "` is an object",
        std::string(where));
  }
  for (const json::Member& member : object.object()) {
    if (std::find(known.begin(), known.end(), member.key) == known.end()) {
      return wrong_request("there is no " + std::string(noun) + " '" + json::excerpt(member.key, 60) + "'" +
                               did_you_mean(member.key, known),
                           std::string(where) + "/" + std::string(member.key));
    }
  }
  return true;
}

Result<std::string> contract_text(const Texts& texts, std::string_view name) {
  if (texts.contract) {
    Result<std::string> own = texts.contract(name);
    if (own || own.error().code != ErrorCode::not_found) {
      return own;
    }
  }
  if (const contract::BuiltIn* built_in = known_contract(name)) {
    return std::string(built_in->text);
  }
  return no_such("contract", name);
}

Result<std::string> prompt_text(const Texts& texts, std::string_view name) {
  if (texts.prompt) {
    Result<std::string> own = texts.prompt(name);
    if (own || own.error().code != ErrorCode::not_found) {
      return own;
    }
  }
  if (const BuiltInPrompt* built_in = built_in_prompt(name)) {
    return std::string(built_in->text);
  }
  return no_such("prompt", name);
}

Result<Prompt> pin_prompt_as(run::Pins& pins, const Texts& texts, std::string_view name, std::string_view as,
                             PromptAnswer answer) {
  const Result<std::string> text = prompt_text(texts, name);
  if (!text) {
    return text.error();
  }
  const std::string file = texts.prompt_file ? texts.prompt_file(name) : std::string(name);
  Result<Prompt> prompt = read_prompt(name, text.value(), file, prompt_variables(name));
  if (!prompt) {
    return prompt;
  }
  const std::string& contract = prompt.value().answer;
  if (contract.empty() && answer == PromptAnswer::must) {
    return wrong_request("the prompt needs `answer`, the contract of what it is answered with", std::string(name));
  }
  if (!contract.empty()) {
    if (const Result<contract::Contract> read = contract::Contract::read(contract); !read) {
      Error error = read.error();
      error.where = std::string(name) + " answer " + error.where;
      return error;
    }
    pins.emplace_back("contract-" + std::string(as), run::Data::written(contract));
  }
  pins.emplace_back("prompt-" + std::string(as), run::Data::string(text.value()));
  return prompt;
}

Result<bool> pin_prompt(run::Pins& pins, const Texts& texts, std::string_view prefix, std::string_view name) {
  const Result<Prompt> pinned = pin_prompt_as(pins, texts, std::string(prefix) + "-" + std::string(name), name);
  return pinned ? Result<bool>(true) : Result<bool>(pinned.error());
}

std::string fingerprint_of(std::string_view kind, std::string_view input, const run::Pins& pins) {
  json::Sha256 hash;
  hash.update(kind);
  hash.update(input);
  for (const auto& [name, text] : pins) {
    hash.update(text.text());
  }
  return hash.hex();
}

Result<std::uint64_t> window_of(const Texts& texts, std::string_view model) {
  std::vector<budget::ModelProfile> models;
  if (!texts.models.empty()) {
    json::Arena arena;
    const Result<json::Value> list = json::parse(texts.models, arena);
    Result<std::vector<budget::ModelProfile>> read = list ? budget::read_registry(list.value()) : list.error();
    if (!read) {
      Error error = read.error();
      error.where = "the registry of models " + error.where;
      return error;
    }
    models = std::move(read).value();
  }
  return budget::window_of(models, model).value_or(0);
}

}  // namespace plumb::pipelines
