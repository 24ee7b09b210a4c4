#include "native/control/check_request.hpp"

#include <algorithm>
#include <vector>

#include "core/contract/check.hpp"
#include "core/contract/contract.hpp"
#include "core/contract/render.hpp"
#include "core/json/value.hpp"
#include "core/json/writer.hpp"
#include "core/repair/check.hpp"
#include "core/text/suggest.hpp"

namespace plumb::control {

namespace {

Answer bad_body(std::string message) { return refuse(Wrong::bad_request, std::move(message)); }

// The text of a value as it is in the body.
std::string_view slice(std::string_view body, const json::Value& value) {
  return body.substr(static_cast<std::size_t>(value.from), static_cast<std::size_t>(value.to - value.from));
}

}  // namespace

Answer check_request(std::string_view body, std::uint64_t hash_seed, text::Steps* steps, const KnownContract* known) {
  json::Arena arena;
  const Result<json::Value> read = json::parse(body, arena);
  if (!read) {
    Error error = read.error();
    error.message = "the body must be one JSON object: " + error.message +
                    " (put an artifact that may be invalid JSON into \"text\", as a string)";
    return refuse(Wrong::bad_request, error);
  }
  const json::Value& root = read.value();
  if (!root.is(json::Kind::object)) {
    return bad_body("the body must be a JSON object with \"contract\" and \"artifact\" or \"text\"");
  }
  const std::vector<std::string_view> members = {"contract", "artifact", "text", "context", "assertFormats", "edits"};
  for (const json::Member& member : root.object()) {
    if (std::find(members.begin(), members.end(), member.key) != members.end()) {
      continue;
    }
    const auto near = text::nearest(member.key, members);
    return bad_body("unknown member \"" + json::excerpt(member.key, 60) + "\"" +
                    (near ? " (did you mean \"" + std::string(members[*near]) + "\"?)" : std::string()) +
                    "; known are contract, artifact, text, context, assertFormats, edits");
  }

  const json::Value* contract_said = root.find("contract");
  const json::Value* artifact = root.find("artifact");
  const json::Value* text = root.find("text");
  const json::Value* context = root.find("context");
  const json::Value* formats = root.find("assertFormats");
  if (contract_said == nullptr) {
    return bad_body("\"contract\" is missing: the name of a built-in contract, or a contract");
  }
  if ((artifact == nullptr) == (text == nullptr)) {
    return bad_body("one of \"artifact\" and \"text\" is required");
  }
  if (text != nullptr && !text->is(json::Kind::string)) {
    return bad_body("\"text\" must be a string");
  }
  if (formats != nullptr && !formats->is(json::Kind::boolean)) {
    return bad_body("\"assertFormats\" must be true or false");
  }

  std::string_view contract_text;
  if (known != nullptr) {
    contract_text = known->text;
  } else if (contract_said->is(json::Kind::string)) {
    const contract::BuiltIn* built_in = contract::built_in_contract(contract_said->str());
    if (built_in == nullptr) {
      std::string names;
      for (const contract::BuiltIn& one : contract::built_in_contracts()) {
        names += (names.empty() ? "" : ", ") + std::string(one.name);
      }
      return refuse(Wrong::not_found, "no built-in contract is called '" + json::excerpt(contract_said->str(), 60) +
                                          "'; there are " + names);
    }
    contract_text = built_in->text;
  } else if (contract_said->is(json::Kind::object) || contract_said->is(json::Kind::boolean)) {
    contract_text = slice(body, *contract_said);
  } else {
    return bad_body("\"contract\" must be a name or a JSON Schema");
  }

  contract::ReadOptions options;
  options.name = known == nullptr ? std::string_view() : known->name;
  options.assert_formats = formats != nullptr && formats->boolean;
  options.steps = steps;
  const Result<contract::Contract> contract = contract::Contract::read(contract_text, options);
  if (!contract) {
    return refuse(Wrong::not_processable, contract.error());
  }

  contract::CheckOptions check_options;
  if (context != nullptr) {
    check_options.context = slice(body, *context);
  }
  check_options.hash_seed = hash_seed;
  check_options.steps = steps;
  repair::EditOptions edits;
  if (const json::Value* said = root.find("edits")) {
    const Result<bool> known_edits = repair::read_edit_options(*said, edits);
    if (!known_edits) {
      return refuse(Wrong::bad_request, known_edits.error());
    }
  }
  edits.keep_text = edits.level != contract::EditLevel::none;
  repair::Check check(contract.value(), check_options, edits);
  if (check.context_error() != nullptr) {
    return refuse(Wrong::bad_request, *check.context_error());
  }
  std::string verdict = contract::verdict_json(check.whole(artifact != nullptr ? slice(body, *artifact) : text->str()));
  if (check.mended()) {
    // The edited text goes beside the members that every verdict has.
    verdict.pop_back();
    verdict += ",\"text\":";
    json::append_string(verdict, check.text());
    verdict += '}';
  }
  return json_answer(200, std::move(verdict));
}

}  // namespace plumb::control
