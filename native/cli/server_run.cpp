#include "native/cli/server_run.hpp"

#include <utility>

#include "core/json/arena.hpp"
#include "core/json/members.hpp"
#include "core/json/writer.hpp"
#include "core/run/journal_file.hpp"
#include "native/cli/server_ask.hpp"

namespace plumb::cli {

Result<ServerRun> ServerRun::begin(const std::string& address, std::string_view pipeline, const std::string& request,
                                   const std::string& fingerprint) {
  std::string body;
  json::Writer json(body);
  json.begin_object().member("pipeline", pipeline).member("same_as", fingerprint).key("request").raw(request);
  json.end_object();
  const Result<ServerAnswer> answer = ask_server(address, "POST", "/v1/runs", std::move(body));
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
  const Result<ServerAnswer> answer = ask_server(address_, "GET", "/v1/runs/" + id_ + "/journal", {});
  if (!answer) {
    return answer.error();
  }
  const Result<run::JournalFile> file = run::JournalFile::read(answer.value().body);
  return file ? file.value().journal() : Result<run::Journal>(file.error());
}

Result<std::string> ServerRun::problem() {
  const Result<ServerAnswer> answer = ask_server(address_, "GET", "/v1/runs/" + id_, {});
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
  const Result<ServerAnswer> answer = ask_server(address_, "POST", "/v1/runs/" + id_ + "/cancel", std::move(body));
  return answer ? Result<bool>(true) : Result<bool>(answer.error());
}

}  // namespace plumb::cli
