#include "tests/native/provider_host.hpp"

#include <doctest/doctest.h>

namespace plumb::test {

std::vector<nlohmann::json> Asked::all_told(const std::string& what) const {
  std::vector<nlohmann::json> out;
  for (const Told& one : told.all()) {
    if (one.what == what)
      out.push_back(one.data);
  }
  return out;
}

Host::Host(const HostSetup& setup) {
  using namespace provider;
  const bool network = setup.provider != "extract" && setup.provider != "replay";
  ChoiceInput input;
  input.by_flag = {{"", setup.model.empty() ? setup.provider : setup.provider + "/" + setup.model}};
  input.variables = {{"TEST_KEY", secret_key}};
  if (network) {
    ConfiguredProviders::Entry entry;
    entry.name = setup.provider;
    entry.place = {setup.provider, "plumb.yaml", 2, 3};
    entry.members = {{"base_url", {setup.base, "plumb.yaml", 3, 5}}, {"key_env", {"TEST_KEY", "plumb.yaml", 4, 5}}};
    for (const auto& [name, text] : setup.members)
      entry.members.emplace_back(name, SourcedText{text, "plumb.yaml", 5, 5});
    input.config.entries.push_back(entry);
  }
  Result<std::vector<Choice>> choices = choose(input);
  REQUIRE_MESSAGE(choices, choices.error().message);
  Result<Settings> settings = read_settings(setup.provider, input.config, input.variables, [](const std::string&) {
    return Result<std::string>(Error{ErrorCode::not_found, "no files here", "", 0, 0});
  });
  REQUIRE_MESSAGE(settings, settings.error().message);
  settings.value().limits.backoff_ms = 20;
  FulfillerOptions options;
  options.choices = choices.value();
  options.settings = {settings.value()};
  options.record = setup.record;
  options.transport = setup.transport;
  options.problem = [all = problems](std::string_view text) mutable { all.set(std::string(text)); };
  Result<std::unique_ptr<host::Fulfiller>> made = make_model_fulfiller(std::move(options));
  REQUIRE_MESSAGE(made, made.error().message);
  fulfiller = std::move(made).value();
}

Asked Host::ask(const std::string& say, const nlohmann::json& more, std::uint64_t deadline_ms,
                const std::map<std::string, std::string>& pins) {
  nlohmann::json request = {{"phase", "generate"}, {"messages", {{{"role", "user"}, {"content", "say: " + say}}}}};
  if (!more.is_null())
    request.update(more);
  return ask_request(request, deadline_ms, pins);
}

Asked Host::ask_request(const nlohmann::json& request, std::uint64_t deadline_ms,
                        const std::map<std::string, std::string>& pins) {
  Asked asked;
  asked.key = "write:" + std::to_string(asked_++);
  host::EffectCall call;
  call.run = "r1";
  call.key = asked.key;
  call.request = run::Data::written(request.dump());
  call.deadline_ms = deadline_ms;
  auto kept = std::make_shared<std::map<std::string, run::Data>>();
  for (const auto& [name, text] : pins)
    kept->emplace(name, run::Data::written(text));
  call.pin = [kept](std::string_view name) -> const run::Data* {
    const auto found = kept->find(std::string(name));
    return found == kept->end() ? nullptr : &found->second;
  };
  call.told = [told = asked.told](std::string_view what, std::string json) mutable {
    told.set({std::string(what), nlohmann::json::parse(json)});
  };
  fulfiller->begin(std::move(call), [reply = asked.reply](run::Reply got) mutable { reply.set(std::move(got)); });
  return asked;
}

}  // namespace plumb::test
