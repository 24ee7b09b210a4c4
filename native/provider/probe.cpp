#include "native/provider/probe.hpp"

#include <array>
#include <chrono>
#include <future>
#include <span>

#include "core/json/value.hpp"
#include "core/wire/facet.hpp"
#include "core/wire/failure.hpp"
#include "native/provider/transport.hpp"

namespace plumb::provider {

namespace {

constexpr std::size_t list_bytes_max = std::size_t{8} << 20;

struct Answer {
  ExchangeHead head;
  std::string body;
  ExchangeOutcome outcome;
};

Answer ask(const Settings& settings, std::uint64_t deadline_ms) {
  auto answer = std::make_shared<Answer>();
  auto over = std::make_shared<std::promise<void>>();
  std::future<void> waits = over->get_future();
  Transport transport;
  ExchangeRequest request;
  request.method = "GET";
  request.origin = settings.endpoint.base.origin;
  request.target = settings.endpoint.list_target();
  request.headers = settings.endpoint.headers(false);
  ExchangeLimits limits = settings.limits.exchange;
  limits.deadline_ms = deadline_ms;
  limits.body_bytes_max = list_bytes_max;
  transport.start(std::move(request), limits,
                  {[answer](const ExchangeHead& head) { answer->head = head; },
                   [answer](std::string_view bytes) {
                     answer->body += bytes;
                     return Flow::go_on;
                   },
                   [answer, over](ExchangeOutcome outcome) {
                     answer->outcome = std::move(outcome);
                     over->set_value();
                   }});
  waits.wait();
  return std::move(*answer);
}

// Ollama calls "qwen3" what it lists as "qwen3:latest".
bool is_named(std::string_view listed, std::string_view model) {
  return listed == model || (model.find(':') == std::string_view::npos && listed == std::string(model) + ":latest");
}

std::string_view name_in(const json::Value& one) {
  for (const std::string_view member : {"id", "name", "model"}) {
    if (const json::Value* const name = one.find(member)) {
      return name->str();
    }
  }
  return {};
}

}  // namespace

Probe probe(const Settings& settings, std::string_view model, std::uint64_t deadline_ms) {
  Probe result;
  const auto begun = std::chrono::steady_clock::now();
  const Answer answer = ask(settings, deadline_ms);
  result.took_ms = static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - begun).count());
  const std::array<std::string_view, 1> secrets = {settings.endpoint.key};
  const std::span<const std::string_view> known(secrets.data(), settings.endpoint.key.empty() ? 0 : 1);
  if (answer.outcome.end != ExchangeEnd::complete) {
    result.message = wire::safe_message(answer.outcome.message, known);
    return result;
  }
  if (answer.head.status == 404) {
    result.usable = true;
    result.message = "it is there, and has no list of models";
    return result;
  }
  if (const auto failure = wire::failure_of(answer.head.status, {}, answer.body, 0, known)) {
    result.message = failure->message;
    return result;
  }
  json::Arena arena;
  const Result<json::Value> list = json::parse(answer.body, arena);
  const json::Value* const models = !list ? nullptr : list.value().find(facet_of(settings.known->wire).list_member);
  if (models == nullptr) {
    result.message =
        "the server there is not " + std::string(settings.known->name) + ": its list of models cannot be read";
    return result;
  }
  result.usable = true;
  for (const json::Value& one : models->array()) {
    if (is_named(name_in(one), model)) {
      return result;
    }
  }
  if (facet_of(settings.known->wire).local) {
    result.usable = false;
    result.message = "the model " + std::string(model) + " is not there: ollama pull " + std::string(model);
  } else {
    result.message = "it does not list the model " + std::string(model);
  }
  return result;
}

}  // namespace plumb::provider
