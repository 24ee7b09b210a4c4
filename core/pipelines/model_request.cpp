#include "core/pipelines/model_request.hpp"

#include <algorithm>
#include <utility>

#include "core/budget/profile.hpp"
#include "core/derive/derive.hpp"
#include "core/json/arena.hpp"
#include "core/json/excerpt.hpp"
#include "core/pipelines/pipeline_contracts.hpp"
#include "core/repair/check.hpp"
#include "core/text/suggest.hpp"

namespace plumb::pipelines {

namespace {

constexpr std::uint64_t output_tokens_usual = 2'000;

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

Prompt pinned(const run::Run& run, std::string_view name) {
  Result<Prompt> read = read_prompt(name, run.pin(name).value().str(), name, {});
  PLUMB_REQUIRE(static_cast<bool>(read), "a run is pinned to prompts that were read before");
  return std::move(read).value();
}

run::Data model_request(const run::Run& run, const ModelRequest& what) {
  const Prompt prompt = pinned(run, what.prompt);
  const std::string_view shaped = what.shape_of.empty() ? what.contract : what.shape_of;
  Result<derive::Derived> shape = derive::derive(run.contract(shaped), derive::Target::prompt);
  std::string variables;
  json::Writer writer(variables);
  writer.begin_object().member("data_rule", data_rule());
  writer.member("shape", shape ? shape.value().text : "Answer with one JSON value and nothing else.");
  if (what.variables) {
    what.variables(writer);
  }
  writer.end_object();
  json::Arena arena;
  const Result<json::Value> values = json::parse(variables, arena);
  PLUMB_REQUIRE(static_cast<bool>(values), "variables are written as JSON");
  std::string out;
  json::Writer json(out);
  json.begin_object().member("phase", what.phase).key("messages").raw(messages_json(prompt, values.value()));
  json.member("contract", what.contract).member("early_stop", "degenerate");
  if (!prompt.temperature.empty()) {
    json.key("temperature").raw(prompt.temperature);
  }
  const std::uint64_t usual = prompt.output_tokens_max > 0 ? prompt.output_tokens_max : output_tokens_usual;
  json.member_uint("output_tokens_max", std::max(usual, what.output_tokens_min));
  json.key("task").begin_object();
  if (what.task) {
    what.task(json);
  }
  json.end_object().end_object();
  return run::Data::written(std::move(out));
}

std::string strict_json(const contract::Contract& contract, std::string_view text) {
  repair::EditOptions edits;
  edits.level = contract::EditLevel::certain;
  edits.keep_text = true;
  repair::Check check(contract, {}, edits);
  (void)check.whole(text);
  std::string out = check.mended() ? check.text() : std::string(text);
  json::Arena arena;
  return json::parse(out, arena) ? out : std::string();
}

Result<std::string> text_of_contract(const Texts& texts, std::string_view name) {
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

Result<bool> pin_prompt(run::Pins& pins, const Texts& texts, std::string_view prefix, std::string_view name) {
  const std::string full = std::string(prefix) + "-" + std::string(name);
  Result<std::string> text = no_such("prompt", full);
  if (texts.prompt) {
    text = texts.prompt(full);
  }
  if (!text && text.error().code == ErrorCode::not_found) {
    if (const BuiltInPrompt* built_in = built_in_prompt(full)) {
      text = std::string(built_in->text);
    }
  }
  if (!text) {
    return text.error();
  }
  Result<Prompt> prompt =
      read_prompt(full, text.value(), texts.prompt_file ? texts.prompt_file(full) : full, prompt_variables(full));
  if (!prompt) {
    return prompt.error();
  }
  if (!prompt.value().answer.empty()) {
    const Result<contract::Contract> answer = contract::Contract::read(prompt.value().answer);
    if (!answer) {
      Error error = answer.error();
      error.where = full + " answer " + error.where;
      return error;
    }
    pins.emplace_back("contract-" + std::string(name), run::Data::written(prompt.value().answer));
  }
  pins.emplace_back("prompt-" + std::string(name), run::Data::string(text.value()));
  return true;
}

Result<bool> only_members(const json::Value& request, std::span<const std::string_view> known) {
  if (!request.is(json::Kind::object)) {
    return wrong_request("a request is a JSON object", "");
  }
  for (const json::Member& member : request.object()) {
    if (std::find(known.begin(), known.end(), member.key) == known.end()) {
      const std::optional<std::size_t> near = text::nearest(member.key, known);
      return wrong_request("there is no member '" + json::excerpt(member.key, 60) + "'" +
                               (near ? "; did you mean '" + std::string(known[*near]) + "'?" : std::string()),
                           "/" + std::string(member.key));
    }
  }
  return true;
}

std::uint64_t window_of(std::string_view model) {
  const budget::BuiltInModel* known = budget::built_in_model(model);
  if (known == nullptr && model.find('/') != std::string_view::npos) {
    known = budget::built_in_model(model.substr(model.find('/') + 1));
  }
  return known == nullptr ? 0 : known->context_window;
}

}  // namespace plumb::pipelines
