#include "native/cli/server_run.hpp"

#include <cstdlib>
#include <future>
#include <utility>

#include "core/json/arena.hpp"
#include "core/json/members.hpp"
#include "core/json/writer.hpp"
#include "core/run/journal_file.hpp"
#include "native/provider/transport.hpp"

namespace plumb::cli {

namespace {

struct Answered {
  int status = 0;
  std::string body;
};

Result<Answered> ask(const std::string& address, const char* method, const std::string& target, std::string body) {
  const Result<provider::BaseUrl> base = provider::read_base_url(address);
  if (!base) {
    return base.error();
  }
  provider::ExchangeRequest request;
  request.origin = base.value().origin;
  request.method = method;
  request.target = target;
  request.body = std::move(body);
  if (!request.body.empty()) {
    request.headers.push_back({"content-type", "application/json"});
  }
  const char* token = std::getenv("PLUMB_TOKEN");
  if (token != nullptr && *token != '\0') {
    request.headers.push_back({"authorization", std::string("Bearer ") + token});
  }
  Answered answer;
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
  return Error{answer.status == 409 ? ErrorCode::invalid_argument : ErrorCode::unavailable,
               detail.empty() ? "answered with status " + std::to_string(answer.status) : std::string(detail), address,
               0, 0};
}

}  // namespace

Result<ServerRun> ServerRun::begin(const std::string& address, std::string_view pipeline, const std::string& request,
                                   const std::string& fingerprint) {
  std::string body;
  json::Writer json(body);
  json.begin_object().member("pipeline", pipeline).member("same_as", fingerprint).key("request").raw(request);
  json.end_object();
  const Result<Answered> answer = ask(address, "POST", "/v1/runs", std::move(body));
  if (!answer) {
    return answer.error();
  }
  json::Arena arena;
  const Result<json::Value> read = json::parse(answer.value().body, arena);
  const std::string_view id = read ? json::text_of(read.value(), "id") : std::string_view();
  if (id.empty()) {
    return Error{ErrorCode::unavailable, "does not answer as a server of plumb", address, 0, 0};
  }
  return ServerRun(address, std::string(id));
}

Result<run::Journal> ServerRun::journal() {
  const Result<Answered> answer = ask(address_, "GET", "/v1/runs/" + id_ + "/journal", {});
  if (!answer) {
    return answer.error();
  }
  const Result<run::JournalFile> file = run::JournalFile::read(answer.value().body);
  return file ? file.value().journal() : Result<run::Journal>(file.error());
}

Result<std::string> ServerRun::problem() {
  const Result<Answered> answer = ask(address_, "GET", "/v1/runs/" + id_, {});
  if (!answer) {
    return answer.error();
  }
  json::Arena arena;
  const Result<json::Value> read = json::parse(answer.value().body, arena);
  return read ? std::string(json::text_of(read.value(), "problem")) : std::string();
}

Result<bool> ServerRun::cancel(std::string_view why) {
  std::string body;
  json::Writer(body).begin_object().member("why", why).end_object();
  const Result<Answered> answer = ask(address_, "POST", "/v1/runs/" + id_ + "/cancel", std::move(body));
  return answer ? Result<bool>(true) : Result<bool>(answer.error());
}

}  // namespace plumb::cli
