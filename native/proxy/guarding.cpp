#include "native/proxy/guarding.hpp"

#include <utility>
#include <vector>

#include "core/json/writer.hpp"
#include "core/wire/facet.hpp"
#include "native/base/near_miss.hpp"
#include "native/proxy/call.hpp"
#include "native/proxy/canary.hpp"

namespace plumb::proxy {

namespace {

wire::Failure refused(wire::FailureClass failure_class, std::string_view code, std::string_view message) {
  wire::Failure failure = wire::make_failure(failure_class, message);
  failure.code = code;
  return failure;
}

// The contract's own memory holds it: whoever has the one has the other.
std::shared_ptr<const contract::Contract> contract_of(std::shared_ptr<const provider::KnownContract> known) {
  const contract::Contract* contract = &known->contract;
  return {std::move(known), contract};
}

guard::Mode as_guard(Mode mode) {
  switch (mode) {
    case Mode::enforce:
      return guard::Mode::enforce;
    case Mode::hold_back:
      return guard::Mode::hold_back;
    case Mode::off:
    case Mode::observe:
      break;
  }
  return guard::Mode::observe;
}

std::string names_text(const Settings& settings) {
  std::string text;
  for (const NamedContract& one : settings.guarding.contracts) {
    if (text.size() > 200) {
      return text + ", ...";
    }
    text += (text.empty() ? "" : ", ") + one.name;
  }
  return text.empty() ? "none" : text;
}

std::string near_name(const Settings& settings, std::string_view asked) {
  std::vector<std::string_view> names;
  for (const NamedContract& one : settings.guarding.contracts) {
    names.push_back(one.name);
  }
  return plumb::did_you_mean(asked, names);
}

// A contract of the client's own.
Result<std::shared_ptr<const provider::KnownContract>> read_strange(const GuardAsk& ask, const std::string& schema,
                                                                    GuardChoice& choice) {
  constexpr std::uint64_t quick_steps_max = 50'000;
  choice.strange = true;
  auto read = ask.shelf.read(schema, ask.steps.get());
  if (read) {
    choice.slow = choice.slow || read.value()->steps > quick_steps_max;
  }
  return read;
}

// The contract that the client names or sends, into `choice`.
std::optional<wire::Failure> named_contract(const GuardAsk& ask, GuardChoice& choice) {
  const wire::PlumbMember& plumb = ask.request.plumb;
  if (!plumb.schema.empty()) {
    if (!ask.caller.bound_contract.empty()) {
      return refused(wire::FailureClass::forbidden, "contract_not_allowed",
                     "this client token is for the contract '" + ask.caller.bound_contract + "' alone");
    }
    if (!ask.settings.guarding.inline_contracts) {
      return refused(wire::FailureClass::forbidden, "contract_not_allowed",
                     "this proxy takes no contracts in a request, only those that it knows by name");
    }
    const auto read = read_strange(ask, plumb.schema, choice);
    if (!read && read.error().code == ErrorCode::limit) {
      choice.own_schema = true;
      choice.contract = "inline";
      choice.options.text.reason = read.error().message;
      choice.options.text.mode = as_guard(ask.settings.guarding.named);
      return std::nullopt;
    }
    if (!read) {
      return refused(wire::FailureClass::bad_request, "invalid_contract",
                     "plumb.contract: " + read.error().message +
                         (read.error().where.empty() ? "" : " (" + read.error().where + ")"));
    }
    choice.own_schema = true;
    choice.contract = "inline";
    choice.options.text.contract = contract_of(read.value());
    choice.options.text.mode = as_guard(ask.settings.guarding.named);
    return std::nullopt;
  }
  std::string_view name = plumb.contract.empty() ? ask.header_contract : plumb.contract;
  if (name.empty()) {
    name = ask.caller.bound_contract;
  }
  if (name.empty()) {
    return std::nullopt;
  }
  if (!plumb.contract.empty() && !ask.header_contract.empty() && ask.header_contract != name) {
    return refused(wire::FailureClass::bad_request, "contract_twice",
                   "the header x-plumb-contract and the member `plumb` name different contracts");
  }
  const NamedContract* known = ask.settings.contract_named(name);
  if (known == nullptr) {
    return refused(wire::FailureClass::not_found, "contract_not_found",
                   "there is no contract '" + json::excerpt(name, 60) + "' here" + near_name(ask.settings, name) +
                       "; there are: " + names_text(ask.settings));
  }
  if (!ask.caller.may_use(name)) {
    return refused(wire::FailureClass::forbidden, "contract_not_allowed",
                   "this key may not use the contract '" + known->name + "'");
  }
  choice.contract = known->name;
  choice.hash = known->hash;
  choice.options.text.contract = contract_of(known->contract);
  choice.options.text.mode = as_guard(ask.settings.guarding.named);
  if (known->enforced_ppm) {
    choice.canary = true;
    if (!is_enforced(*known->enforced_ppm, id_of(ask.random))) {
      choice.options.text.mode = guard::Mode::observe;
    }
  }
  return std::nullopt;
}

std::optional<wire::Failure> wished_mode(const GuardAsk& ask, std::optional<guard::Mode>& mode) {
  const std::string_view said = ask.request.plumb.mode.empty() ? ask.header_mode : ask.request.plumb.mode;
  if (said.empty()) {
    return std::nullopt;
  }
  mode = guard::mode_named(said);
  if (!mode) {
    return refused(wire::FailureClass::bad_request, "mode_not_known",
                   "the mode must be observe, enforce or hold-back, not '" + json::excerpt(said, 40) + "'");
  }
  return std::nullopt;
}

// What the request's own schemas do.
void own_schemas(const GuardAsk& ask, std::optional<guard::Mode> wished, GuardChoice& choice) {
  if (!ask.settings.guarding.inline_contracts) {
    return;
  }
  const guard::CompileContract compile =
      [&](std::string_view schema, std::string_view /*name*/) -> Result<std::shared_ptr<const contract::Contract>> {
    auto read = read_strange(ask, std::string(schema), choice);
    if (!read) {
      return read.error();
    }
    return contract_of(std::move(read).value());
  };
  const Mode format = ask.caller.key.response_format.value_or(ask.settings.guarding.response_format);
  if (choice.contract.empty() && ask.request.format_at.there() && (format != Mode::off || wished)) {
    std::string written(ask.request.format_at.in(ask.body));
    if (facet_of(ask.request.wire).bare_schema && written.starts_with('{')) {
      written = R"({"type":"json_schema","schema":)" + written + "}";  // Ollama's is the schema alone, or "json"
    }
    if (guard::set_format_contract(choice.options, written, wished.value_or(as_guard(format)), compile)) {
      choice.contract = "response_format";
    }
  }
  const Mode tools = ask.caller.key.tools.value_or(ask.settings.guarding.tools);
  if (ask.request.tools_at.there() && (tools != Mode::off || wished || !choice.contract.empty())) {
    guard::add_tool_contracts(choice.options, ask.request.tools_at.in(ask.body), ask.request.wire,
                              wished.value_or(as_guard(tools)), compile);
  }
}

// A schema that cannot be used keeps every answer from being accepted: that is said before a model is paid for one.
std::optional<wire::Failure> unusable(const guard::GuardOptions& options) {
  if (options.on_error == guard::OnError::pass) {
    return std::nullopt;
  }
  for (const guard::ToolContract& one : options.tools) {
    const guard::PartContract& part = one.arguments;
    if (part.mode != guard::Mode::observe && part.contract == nullptr && !part.reason.empty()) {
      return refused(wire::FailureClass::bad_request, "invalid_tool_schema",
                     "the tool '" + json::excerpt(one.tool, 60) + "' cannot be enforced: " + part.reason +
                         "; correct its schema, or send x-plumb-mode: observe");
    }
  }
  return std::nullopt;
}

bool any_binds(const guard::GuardOptions& options) {
  if (options.text.there() && options.text.mode != guard::Mode::observe) {
    return true;
  }
  for (const guard::ToolContract& one : options.tools) {
    if (one.arguments.there() && one.arguments.mode != guard::Mode::observe) {
      return true;
    }
  }
  return false;
}

}  // namespace

bool is_long_to_choose(const GuardAsk& ask) {
  constexpr std::size_t short_bytes = 2'048;
  const auto is_long = [&](std::string_view schemas) {
    return schemas.size() > short_bytes || schemas.find("attern") != std::string_view::npos;
  };
  const std::string& own = ask.request.plumb.schema;
  if (!own.empty() && is_long(own) && !ask.shelf.knows(own)) {
    return true;
  }
  if (!ask.settings.guarding.inline_contracts) {
    return false;
  }
  return (ask.request.format_at.there() && is_long(ask.request.format_at.in(ask.body))) ||
         (ask.request.tools_at.there() && is_long(ask.request.tools_at.in(ask.body)));
}

std::optional<wire::Failure> choose_guard(const GuardAsk& ask, GuardChoice& choice) {
  const Guarding& usual = ask.settings.guarding;
  if (auto failure = named_contract(ask, choice)) {
    return failure;
  }
  std::optional<guard::Mode> wished;
  if (auto failure = wished_mode(ask, wished)) {
    return failure;
  }
  if (wished == guard::Mode::observe && !ask.caller.bound_contract.empty()) {
    return refused(wire::FailureClass::forbidden, "mode_not_allowed",
                   "this client token holds every call to its contract: the mode cannot be observe");
  }
  guard::GuardOptions& options = choice.options;
  options.edits.level = usual.edits;
  options.attempts_max = usual.attempts_max;
  options.on_error = usual.pass_on_error ? guard::OnError::pass : guard::OnError::fail;
  options.prompt = usual.repair_prompt;
  const JudgeSettings& judge = ask.settings.judge;
  options.judge = {judge.there(), judge.calls_max, judge.answer_is_evidence, judge.open_passes, judge.prompt};
  options.calls_in_parallel = ask.request.calls_in_parallel;
  options.input_tokens = ask.request.input_tokens_most;
  options.hash_seed = ask.hash_seed;
  options.steps = ask.steps;
  if (options.text.there()) {
    options.text.name = choice.contract;
    options.text.mode = wished.value_or(options.text.mode);
    choice.canary = choice.canary && !wished;
  }
  own_schemas(ask, wished, choice);
  bool tools = false;
  for (const guard::ToolContract& one : options.tools) {
    tools = tools || one.arguments.there();
  }
  choice.on = options.text.there() || tools;
  if (!choice.on) {
    if (wished) {
      return refused(wire::FailureClass::bad_request, "mode_without_contract",
                     "a mode was asked for, but the request names no contract and has no schema to judge by");
    }
    return std::nullopt;
  }
  if (const Result<bool> set = guard::set_wishes(options, ask.request.plumb); !set) {
    return refused(wire::FailureClass::bad_request, "invalid_plumb", set.error().where + ": " + set.error().message);
  }
  if (auto failure = unusable(options)) {
    return failure;
  }
  if (choice.contract.empty()) {
    choice.contract = "tools";
  }
  choice.only_observes = !any_binds(options);
  choice.mode = guard::mode_name(options.text.there()   ? options.text.mode
                                 : choice.only_observes ? guard::Mode::observe
                                                        : guard::Mode::enforce);
  if (!choice.only_observes && ask.request.choices > 1) {
    return refused(wire::FailureClass::bad_request, "one_choice",
                   "a contract can be kept in one choice only: `n` must be 1");
  }
  return std::nullopt;
}

}  // namespace plumb::proxy
