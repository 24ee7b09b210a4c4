#include "core/derive/derive.hpp"

#include "core/ascii.hpp"
#include "core/derive/draft.hpp"
#include "core/derive/wording.hpp"
#include "core/json/writer.hpp"

namespace plumb::derive {

const TargetName* target_named(std::string_view name) {
  for (const TargetName& one : target_names) {
    if (one.name == name) {
      return &one;
    }
  }
  return nullptr;
}

std::string_view name_of(Target target) {
  for (const TargetName& one : target_names) {
    if (one.target == target) {
      return one.name;
    }
  }
  return {};
}

void Draft::narrow(std::string_view kind, std::string_view schema_location, std::string_view words) {
  for (const Narrowing& one : narrows) {
    if (one.kind == kind && one.schema_location == schema_location) {
      return;
    }
  }
  narrows.push_back({std::string(kind), std::string(schema_location), std::string(words)});
}

void Draft::fail(ErrorCode code, std::string_view schema_location, std::string message) {
  if (!failed) {
    failed = true;
    error = {code, std::move(message), std::string(schema_location), 0, 0};
  }
}

bool Draft::within(std::uint32_t depth, std::string_view schema_location) {
  if (depth > limits.depth_max) {
    fail(ErrorCode::limit, schema_location,
         "what is described is nested more than " + std::to_string(limits.depth_max) + " deep");
  }
  if (text.size() > limits.output_bytes_max) {
    fail(ErrorCode::limit, schema_location, "the target's text is larger than 1 MB");
  }
  return !failed;
}

void narrow_implied(Draft& draft, const Form& form, std::string_view schema_location) {
  const bool objects = (form.types & contract::type_object) != 0;
  const bool arrays = (form.types & contract::type_array) != 0;
  const std::string what = objects && arrays ? "an object or an array" : objects ? "an object" : "an array";
  draft.narrow(other_types, schema_location,
               "Only " + what + " is allowed here; the contract says no type, so that it allows other values too.");
}

void narrow_other_members(Draft& draft, std::string_view schema_location) {
  draft.narrow(other_members, schema_location, "Only the members that the contract names are allowed here.");
}

std::string plain_name(std::string_view name) {
  constexpr std::size_t length_max = 64;
  std::string out;
  for (char c : name.substr(0, length_max)) {
    const bool plain = ascii::is_word(c) || c == '-';
    out += plain ? c : '_';
  }
  return out.empty() ? std::string("contract") : out;
}

namespace {

void write_forms(Draft& draft, const Forms& forms, Target target) {
  if (target == Target::openai_strict) {
    write_openai_strict(draft, forms);
  } else if (target == Target::anthropic) {
    write_anthropic(draft, forms);
  } else if (target == Target::gemini) {
    write_gemini(draft, forms);
  } else if (target == Target::gbnf) {
    write_gbnf(draft, forms);
  } else if (target == Target::typescript) {
    write_typescript(draft, forms);
  } else if (target == Target::zod) {
    write_zod(draft, forms);
  } else if (target == Target::pydantic) {
    write_pydantic(draft, forms);
  } else {
    for (SchemaId id = 0; id < draft.graph.size(); ++id) {  // words bind nobody
      draft.graph.leave_all(id);
    }
    if (target == Target::prompt) {
      write_prompt(draft, forms);
    } else {
      write_page(draft, forms, target == Target::html);
    }
  }
}

}  // namespace

Result<Derived> derive(const contract::Contract& contract, Target target, const Limits& limits) {
  SchemaGraph graph(contract);
  if (graph.size() > limits.forms_max) {
    return Error{ErrorCode::limit, "the contract has more than " + std::to_string(limits.forms_max) + " schema objects",
                 graph.location(limits.forms_max), 0, 0};
  }
  Draft draft{contract, graph, limits};
  if (target == Target::openai) {
    write_openai(draft);
  } else if (target == Target::json_schema) {
    write_json_schema(draft);
  } else {
    const Result<Forms> forms = read_forms(graph, limits);
    if (!forms) {
      return forms.error();
    }
    write_forms(draft, forms.value(), target);
  }
  draft.within(0, "");
  if (draft.failed) {
    return draft.error;
  }
  Result<Residual> residual = read_residual(graph, contract, name_of(target), limits);
  if (!residual) {
    return residual.error();
  }
  Derived out;
  out.target = target;
  out.tokens = text::estimate_tokens(draft.text);
  out.text = std::move(draft.text);
  out.residual = std::move(residual.value().rules);
  out.contract = std::move(residual.value().contract);
  out.narrows = std::move(draft.narrows);
  return out;
}

std::string derived_json(const contract::Contract& contract, const Derived& derived, unsigned indent) {
  std::string out;
  json::Writer json(out, indent);
  json.begin_object();
  json.member("target", name_of(derived.target));
  json.member("contract", contract.name()).member("hash", contract.hash());
  json.member("text", derived.text);
  json.key("tokens").begin_object();
  json.member_uint("likely", derived.tokens.likely).member_uint("safe", derived.tokens.safe).end_object();
  json.key("residual").begin_array();
  for (const ResidualRule& rule : derived.residual) {
    json.begin_object().member("keyword", rule.keyword).member("schemaLocation", rule.schema_location);
    json.member("sentence", rule.sentence).end_object();
  }
  json.end_array();
  json.member("residualContract", derived.contract);
  json.key("narrows").begin_array();
  for (const Narrowing& one : derived.narrows) {
    json.begin_object().member("kind", one.kind).member("schemaLocation", one.schema_location);
    json.member("sentence", one.sentence).end_object();
  }
  json.end_array().end_object();
  return out;
}

}  // namespace plumb::derive
