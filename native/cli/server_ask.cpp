#include "native/cli/server_ask.hpp"

#include <cstdlib>
#include <future>
#include <utility>

#include "core/json/arena.hpp"
#include "core/json/members.hpp"
#include "native/provider/transport.hpp"

namespace plumb::cli {

Result<ServerAnswer> ask_server(const std::string& address, const char* method, const std::string& target,
                                std::string body) {
  const Result<provider::BaseUrl> base = provider::read_base_url(address);
  if (!base) {
    return base.error();
  }
  provider::ExchangeRequest request;
  request.origin = base.value().origin;
  request.method = method;
  request.target = base.value().path + target;
  request.body = std::move(body);
  if (!request.body.empty()) {
    request.headers.push_back({"content-type", "application/json"});
  }
  const char* token = std::getenv("PLUMB_TOKEN");
  if (token != nullptr && *token != '\0') {
    request.headers.push_back({"authorization", std::string("Bearer ") + token});
  }
  ServerAnswer answer;
  std::promise<provider::ExchangeOutcome> ended;
  provider::Transport transport;
  transport.start(std::move(request), {},
                  {[&](const provider::ExchangeHead& head) { answer.status = head.status; },
                   [&](std::string_view bytes) {
                     answer.body.append(bytes);
                     return provider::Flow::go_on;
                   },
                   [&](provider::ExchangeOutcome outcome) { ended.set_value(std::move(outcome)); }});
  const provider::ExchangeOutcome outcome = ended.get_future().get();
  if (outcome.end != provider::ExchangeEnd::complete) {
    return Error{ErrorCode::unavailable, outcome.message, address, 0, 0};
  }
  if (answer.status < 400) {
    return answer;
  }
  json::Arena arena;
  const Result<json::Value> problem = json::parse(answer.body, arena);
  const std::string_view detail = problem ? json::text_of(problem.value(), "detail") : std::string_view();
  std::string message = detail.empty() ? "answered with status " + std::to_string(answer.status) : std::string(detail);
  if (answer.status == 401) {
    message += token == nullptr || *token == '\0' ? " Set PLUMB_TOKEN to it." : " PLUMB_TOKEN is another one.";
  }
  const bool of_request = answer.status == 400 || answer.status == 409 || answer.status == 422;
  return Error{of_request ? ErrorCode::invalid_argument : ErrorCode::unavailable, std::move(message), address, 0, 0};
}

}  // namespace plumb::cli
