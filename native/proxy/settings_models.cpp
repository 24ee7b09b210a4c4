// `models` and `prices` of `proxy:`.
#include <algorithm>

#include "core/wire/facet.hpp"
#include "native/base/near_miss.hpp"
#include "native/proxy/settings_reader.hpp"

namespace plumb::proxy {

namespace {

constexpr std::size_t models_max = 1'000;
constexpr std::size_t targets_max = 20;
constexpr unsigned price_digits = 6;                           // of a dollar
constexpr std::uint64_t price_micro_usd_max = 10'000'000'000;  // for a million tokens

bool is_printable(std::string_view text) {
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return static_cast<unsigned char>(c) > 0x20 && c != 0x7F; });
}

bool says_calls_max(const provider::ConfiguredProviders& said, std::string_view name) {
  for (const provider::ConfiguredProviders::Entry& entry : said.entries) {
    if (entry.name == name) {
      return std::any_of(entry.members.begin(), entry.members.end(),
                         [](const provider::SourcedMember& member) { return member.first == "calls_max"; });
    }
  }
  return false;
}

bool has_money(const Limits& limits) { return limits.nano_usd_per_minute != 0 || limits.nano_usd_per_day != 0; }

}  // namespace

void SettingsReader::prices(const YAML::Node& proxy) {
  const YAML::Node node = proxy["prices"];
  if (!node || error) {
    return;
  }
  if (!node.IsMap()) {
    wrong(node, "'prices' must be a map from PROVIDER/MODEL to {input, output}, not " + plumb::yaml_kind(node));
    return;
  }
  for (const auto& member : node) {
    const std::string name = member.first.Scalar();
    if (!map(member.second, name, "proxy.prices.MODEL")) {
      return;
    }
    Price price;
    price.known = true;
    const auto read = [&](const char* key, std::uint64_t& into) {
      std::string said;
      text_of(member.second, key, said);
      const std::optional<std::uint64_t> value = read_decimal(said, price_digits);
      if (!error && !said.empty() && (!value || *value > price_micro_usd_max)) {
        wrong(member.second[key],
              "'" + std::string(key) + ": " + said + "': must be dollars for a million tokens, such as 2.50");
      }
      into = value.value_or(into);
    };
    read("input", price.input_micro_usd);
    read("output", price.output_micro_usd);
    price.cached_micro_usd = price.input_micro_usd;
    read("cached", price.cached_micro_usd);
    if (!error && (!member.second["input"] || !member.second["output"])) {
      wrong(member.second, "the price of '" + name + "' needs 'input' and 'output', dollars for a million tokens");
    }
    settings.prices.emplace_back(name, price);
  }
}

// The index of a provider among the upstreams, read when it is first named.
std::size_t SettingsReader::upstream_named(const YAML::Node& said, const std::string& name) {
  for (std::size_t i = 0; i < settings.upstreams.size(); ++i) {
    if (settings.upstreams[i].name == name) {
      return i;
    }
  }
  const std::vector<std::string> names = provider::provider_names(input.config.providers);
  if (std::find(names.begin(), names.end(), name) == names.end()) {
    const std::vector<std::string_view> views(names.begin(), names.end());
    wrong(said, "there is no provider '" + name + "'" + plumb::did_you_mean(name, views) + "; providers are " +
                    plumb::listed(views));
    return 0;
  }
  Result<provider::Settings> read =
      provider::read_settings(name, input.config.providers, input.variables, input.read_file);
  if (!read) {
    keep(read.error());
    return 0;
  }
  provider::Settings& found = read.value();
  if (found.known->source != provider::Source::network) {
    wrong(said, "'" + name + "' is built in and cannot be called through the proxy; name a provider with an address");
    return 0;
  }
  if (!found.problem.empty()) {
    wrong(said, found.problem);
    return 0;
  }
  Upstream upstream;
  upstream.name = name;
  upstream.endpoint = std::move(found.endpoint);
  upstream.exchange = found.limits.exchange;
  upstream.completion_tokens = found.completion_tokens;
  upstream.calls_max = says_calls_max(input.config.providers, name) ? found.calls_max : 0;
  settings.upstreams.push_back(std::move(upstream));
  return settings.upstreams.size() - 1;
}

// "openai/gpt-4o", "openai", or {to: ..., weight: 3}.
void SettingsReader::target(const YAML::Node& node, std::vector<Target>& into) {
  Target out;
  std::string said;
  std::uint64_t weight = 1;
  const YAML::Node to = node.IsMap() ? node["to"] : node;
  if (node.IsMap()) {
    if (!map(node, "a target", "proxy.models.NAME.targets[]")) {
      return;
    }
    if (!to) {
      wrong(node, "this target has no 'to': give it PROVIDER/MODEL");
      return;
    }
    number(node, "weight", 1, 1'000'000, weight);
  }
  keep(text(to, "to", said));
  if (error) {
    return;
  }
  const std::size_t slash = said.find('/');
  const std::string provider_name = said.substr(0, slash);
  out.model = slash == std::string::npos ? "" : said.substr(slash + 1);
  if ((slash != std::string::npos && out.model.empty()) || !is_printable(said)) {
    wrong(to, "'" + said + "': must be PROVIDER/MODEL, or PROVIDER to pass the name on");
    return;
  }
  out.name = said;
  out.weight = static_cast<std::uint32_t>(weight);
  out.upstream = upstream_named(to, provider_name);
  if (error) {
    return;
  }
  // A model on one's own machine costs nothing unless a price is set.
  out.price.known = facet_of(settings.upstreams[out.upstream].endpoint.wire).local;
  for (const std::string& name : {provider_name, said}) {
    for (const auto& [priced, price] : settings.prices) {
      if (priced == name) {
        out.price = price;
      }
    }
  }
  into.push_back(std::move(out));
}

void SettingsReader::targets(const YAML::Node& node, const char* key, std::vector<Target>& into) {
  const YAML::Node list = node[key];
  if (!list || error) {
    return;
  }
  if (!list.IsSequence() || list.size() == 0 || list.size() > targets_max) {
    wrong(list, "'" + std::string(key) + "' must be a list of 1 to " + std::to_string(targets_max) +
                    " targets, each PROVIDER/MODEL or {to: PROVIDER/MODEL, weight: N}");
    return;
  }
  for (const YAML::Node& one : list) {
    target(one, into);
  }
}

void SettingsReader::route(const std::string& name, const YAML::Node& node) {
  Route out;
  out.name = name;
  if (node.IsMap()) {
    if (!map(node, name, "proxy.models.NAME")) {
      return;
    }
    if (node["to"].IsDefined() == node["targets"].IsDefined()) {
      wrong(node, "the model '" + name + "' needs 'to: PROVIDER/MODEL' or 'targets', one of them");
      return;
    }
    if (node["to"]) {
      target(node["to"], out.targets);
    }
    targets(node, "targets", out.targets);
    targets(node, "fallbacks", out.fallbacks);
    limits(node, "limits", out.limits);
    number(node, "max_output_tokens", 1, 10'000'000, out.output_tokens_max);
  } else {
    target(node, out.targets);
  }
  settings.routes.push_back(std::move(out));
}

// Nobody says which models there are: every name goes to the provider that is chosen for pipelines.
void SettingsReader::usual_route(const YAML::Node& proxy) {
  for (const auto& [key, said] : input.config.providers.choices) {
    const std::string name = said.text.substr(0, said.text.find('/'));
    if (key == "default" && name != "extract" && name != "replay") {
      route("*", YAML::Node(name));
      return;
    }
  }
  wrong(proxy,
        "'proxy' has no 'models': say which names clients may ask for, such as 'models: {fast: "
        "ollama/qwen3:8b}', or '\"*\": ollama' to pass all names on");
}

void SettingsReader::models(const YAML::Node& proxy) {
  const YAML::Node node = proxy["models"];
  if (error) {
    return;
  }
  if (!node) {
    usual_route(proxy);
  } else if (!node.IsMap() || node.size() == 0 || node.size() > models_max) {
    wrong(node, "'models' must be a map of 1 to 1,000 names, each with PROVIDER/MODEL or a map with 'targets', not " +
                    plumb::yaml_kind(node));
  } else {
    for (const auto& member : node) {
      const std::string name = member.first.IsScalar() ? member.first.Scalar() : std::string();
      if (!error && (name.empty() || name.size() > 200 || !is_printable(name))) {
        wrong(member.first, "the name of a model must be a text of at most 200 bytes, without blanks");
      }
      if (!error && std::any_of(settings.routes.begin(), settings.routes.end(),
                                [&](const Route& other) { return other.name == name; })) {
        wrong(member.first, "the model '" + name + "' is there twice");
      }
      route(name, member.second);
    }
  }
}

// `passthrough: PROVIDER`.
void SettingsReader::through(const YAML::Node& proxy) {
  settings.through.name = "passthrough";
  if (error || !proxy["passthrough"]) {
    return;
  }
  target(proxy["passthrough"], settings.through.targets);
  if (!error && !settings.through.targets.front().model.empty()) {
    wrong(proxy["passthrough"], "'passthrough' takes a provider alone, without a model");
  }
}

// A limit of cost that counts nothing would never be reached.
void SettingsReader::costs_are_known(const YAML::Node& proxy) {
  const auto check = [&](const Route& one) {
    for (const auto* list : {&one.targets, &one.fallbacks}) {
      for (const Target& to : *list) {
        if (!to.price.known && !to.model.empty()) {
          wrong(proxy["prices"] ? proxy["prices"] : proxy,
                "there is a limit of cost, and no price for '" + to.name + "': add 'prices: {" + to.name +
                    ": {input: 2.50, output: 10}}', dollars for a million tokens");
        }
      }
    }
  };
  const bool of_projects = std::any_of(settings.projects.begin(), settings.projects.end(),
                                       [](const auto& one) { return has_money(one.second); });
  const bool everywhere = has_money(settings.all) || has_money(settings.each_key) || of_projects;
  bool any = everywhere;
  for (const Route& one : settings.routes) {
    any = any || has_money(one.limits);
    if (everywhere || has_money(one.limits)) {
      check(one);
    }
  }
  if (any) {
    check(settings.judge.route);
  }
}

}  // namespace plumb::proxy
