// What `proxy:` says about contracts.
#include <algorithm>

#include "core/ascii.hpp"
#include "core/contract/contract.hpp"
#include "native/config/configured_contracts.hpp"
#include "native/config/prompt_folder.hpp"
#include "native/proxy/canary.hpp"
#include "native/proxy/settings_reader.hpp"

namespace plumb::proxy {

namespace {

constexpr std::size_t contracts_max = 1'000;

// Letters, digits and -_.: a contract is named in a header.
bool is_contract_name(std::string_view name) {
  return !name.empty() && name.size() <= 100 && std::all_of(name.begin(), name.end(), [](char c) {
    return ascii::is_alphanumeric(c) || std::string_view("-_.").find(c) != std::string_view::npos;
  });
}

Mode mode_of(std::string_view name) {
  for (const Mode mode : {Mode::observe, Mode::enforce, Mode::hold_back}) {
    if (name == mode_name(mode)) {
      return mode;
    }
  }
  return Mode::off;
}

}  // namespace

// `enforce: 10%` of a contract; the rest of its calls is observed.
void SettingsReader::canary(const YAML::Node& node, std::optional<std::uint32_t>& into) {
  std::string share;
  text_of(node, "enforce", share);
  if (error || !node["enforce"]) {
    return;
  }
  into = read_percent(share);
  if (!into) {
    wrong(node["enforce"],
          "'enforce: " + share + "': must be a share of the calls from 0% to 100%, such as 10% or 0.5%");
  } else if (settings.guarding.named == Mode::observe) {
    wrong(node["enforce"], "'enforce' has no effect with 'mode: observe': set 'mode' to enforce or hold-back");
  }
}

// `name: NAME|FILE`, or a map with `contract: NAME|FILE` and `enforce`; nothing is the built-in contract of that name.
void SettingsReader::contract(const std::string& name, const YAML::Node& node) {
  if (error) {
    return;
  }
  if (!is_contract_name(name)) {
    wrong(node, "'" + name + "' cannot be the name of a contract: use letters, digits and - _ .");
    return;
  }
  std::string said = name;
  std::optional<std::uint32_t> enforced_ppm;
  if (node.IsMap()) {
    if (!map(node, name, "proxy.contracts.NAME")) {
      return;
    }
    text_of(node, "contract", said);
    canary(node, enforced_ppm);
  } else if (!node.IsNull()) {
    keep(text(node, name, said));
  }
  if (error) {
    return;
  }
  const Result<plumb::ConfiguredContracts> contracts = plumb::ConfiguredContracts::of(input.config);
  if (!contracts) {
    error = contracts.error();
    return;
  }
  Result<plumb::ConfiguredContract> found = contracts.value().find(said, name);
  if (!found) {
    wrong(node, found.error().message);
    return;
  }
  plumb::ConfiguredContract& known = found.value();
  if (!known.path.empty()) {
    settings.files.push_back(known.path);
  }
  std::string hash = known.contract->contract.hash();
  settings.guarding.contracts.push_back(
      {name, std::move(known.contract), std::move(known.text), std::move(hash), enforced_ppm});
}

// A user's own text of a prompt; nothing where it is the built-in one.
std::shared_ptr<const pipelines::Prompt> SettingsReader::prompt(std::string_view name) {
  if (error || input.config.prompts.empty()) {
    return nullptr;
  }
  const plumb::PromptSource source{input.config.prompts, "plumb.yaml"};
  settings.files.push_back(source.directory + "/" + std::string(name) + ".md");
  const std::string from = plumb::prompt_file(source, name);
  if (from == "built in") {
    return nullptr;
  }
  const Result<std::string> text = plumb::prompt_text(source, name);
  if (!text) {
    error = text.error();
    return nullptr;
  }
  Result<pipelines::Prompt> prompt =
      pipelines::read_prompt(name, text.value(), from, pipelines::prompt_variables(name));
  if (!prompt) {
    error = prompt.error();
    return nullptr;
  }
  return std::make_shared<const pipelines::Prompt>(std::move(prompt).value());
}

// `judge: PROVIDER/MODEL`, or a map with `to` or `targets`.
void SettingsReader::judge(const YAML::Node& proxy) {
  const YAML::Node node = proxy["judge"];
  if (!node || error) {
    return;
  }
  JudgeSettings& into = settings.judge;
  into.route.name = "judge";
  if (!node.IsMap()) {
    target(node, into.route.targets);
  } else {
    if (!map(node, "judge", "proxy.judge")) {
      return;
    }
    if (node["to"].IsDefined() == node["targets"].IsDefined()) {
      wrong(node, "'judge' needs 'to: PROVIDER/MODEL' or 'targets', one of them");
      return;
    }
    if (node["to"]) {
      target(node["to"], into.route.targets);
    }
    targets(node, "targets", into.route.targets);
    targets(node, "fallbacks", into.route.fallbacks);
    number(node, "deadline_ms", 100, 3'600'000, into.deadline_ms);
    std::uint64_t calls = into.calls_max;
    number(node, "calls", 1, 20, calls);
    into.calls_max = static_cast<unsigned>(calls);
    number(node, "max_output_tokens", 1, 1'000'000, into.output_tokens_max);
    if (const auto said = choice(node, "evidence", {"conversation", "any"})) {
      into.answer_is_evidence = *said == "any";
    }
    if (const auto said = choice(node, "on_unverified", {"pass", "fail"})) {
      into.open_passes = *said == "pass";
    }
  }
  for (const auto* list : {&into.route.targets, &into.route.fallbacks}) {
    for (const Target& one : *list) {
      if (!error && one.model.empty()) {
        wrong(node, "'judge' needs a model of its own: PROVIDER/MODEL, not '" + one.name + "'");
      }
    }
  }
  into.prompt = prompt("guard-judge");
}

void SettingsReader::guarding(const YAML::Node& proxy) {
  Guarding& into = settings.guarding;
  const std::vector<std::string_view> modes = {"observe", "enforce", "hold-back"};
  const std::vector<std::string_view> or_off = {"off", "observe", "enforce", "hold-back"};
  if (const auto said = choice(proxy, "mode", modes)) {
    into.named = mode_of(*said);
  }
  if (const auto said = choice(proxy, "response_format", or_off)) {
    into.response_format = mode_of(*said);
  }
  if (const auto said = choice(proxy, "tools", or_off)) {
    into.tools = mode_of(*said);
  }
  if (const auto said = choice(proxy, "edits", {"none", "certain", "guess"})) {
    into.edits = contract::edit_level_named(*said);
  }
  std::uint64_t attempts = into.attempts_max;
  number(proxy, "attempts", 0, 10, attempts);
  into.attempts_max = static_cast<unsigned>(attempts);
  if (const auto said = choice(proxy, "on_error", {"fail", "pass"})) {
    into.pass_on_error = *said == "pass";
  }
  flag(proxy, "own_contracts", into.inline_contracts);
  into.repair_prompt = prompt("guard-repair");
  judge(proxy);
  if (error) {
    return;
  }
  for (const auto& [uri, path] : input.config.documents) {
    settings.files.push_back(path);
  }
  const YAML::Node contracts = proxy["contracts"];
  if (!contracts) {
    for (const contract::BuiltIn& one : contract::built_in_contracts()) {
      contract(std::string(one.name), YAML::Node(YAML::NodeType::Null));
    }
    return;
  }
  if (!contracts.IsMap() || contracts.size() > contracts_max) {
    wrong(contracts,
          "'contracts' must be a map from the name that clients say to a built-in contract or a file, such "
          "as 'contracts: {quiz: quiz, brief: contracts/brief.json}', not " +
              plumb::yaml_kind(contracts));
    return;
  }
  for (const auto& member : contracts) {
    const std::string name = member.first.IsScalar() ? member.first.Scalar() : std::string();
    if (settings.contract_named(name) != nullptr) {
      wrong(member.first, "the contract '" + name + "' is there twice");
    }
    contract(name, member.second);
  }
}

}  // namespace plumb::proxy
