// `plumb budget OPERATION` and `plumb models list`: core/budget on the command line.
#include <unistd.h>

#include "core/json/arena.hpp"
#include "core/json/value.hpp"
#include "native/cli/budget_request.hpp"
#include "native/cli/budget_text.hpp"
#include "native/cli/command_specs.hpp"
#include "native/cli/commands.hpp"
#include "native/cli/exit_codes.hpp"
#include "native/cli/model_history.hpp"
#include "native/cli/terminal.hpp"

namespace plumb::cli {

namespace {

int written(std::string_view text, int code) {
  return write_all(STDOUT_FILENO, text)
             ? code
             : fail(Error{ErrorCode::unavailable, "cannot be written", "standard output", 0, 0});
}

// Findings on standard error, in both forms of the answer.
void tell_findings(const json::Value& answer) {
  for (const json::Value& one : answer.find("findings")->array()) {
    const std::string at(one.find("at")->str());
    const std::string line = (at.empty() ? "" : at + ": ") + std::string(one.find("message")->str());
    if (one.find("severity")->str() == "error") {
      complain(line);
    } else {
      note(line);
    }
  }
}

int tell(const Arguments& arguments, const budget::Operation& operation, const std::string& request) {
  const std::string answer = budget::answer(operation, request);
  json::Arena arena;
  const Result<json::Value> read = json::parse(answer, arena);
  PLUMB_REQUIRE(static_cast<bool>(read), "an answer is JSON");
  const bool valid = read.value().find("valid")->boolean;
  const int code = valid ? exit_clean : exit_undecided;
  if (arguments.has("--json")) {
    return written(answer + "\n", code);
  }
  tell_findings(read.value());
  return valid ? written(budget_text(operation.name, read.value(), style_for(arguments, STDOUT_FILENO)), code) : code;
}

}  // namespace

int run_budget(const Arguments& arguments) {
  const std::string_view path = arguments.command()->path;
  const budget::Operation* operation = budget::operation_named(path.substr(path.find(' ') + 1));
  PLUMB_REQUIRE(operation != nullptr, "every command of the group is an operation");
  const Result<std::string> request = budget_request(arguments, *operation);
  if (!request) {
    return fail(request.error());
  }
  return tell(arguments, *operation, request.value());
}

int run_models_list(const Arguments& arguments) {
  const budget::Operation& operation = *budget::operation_named("models");
  Result<std::string> request = budget_request(arguments, operation);
  if (!request) {
    return fail(request.error());
  }
  const Result<std::string> history = model_history(arguments);
  if (!history) {
    return fail(history.error());
  }
  std::string text = std::move(request).value();
  text.pop_back();
  text += (text.size() > 1 ? ",\"history\":" : "\"history\":") + history.value() + "}";
  return tell(arguments, operation, text);
}

}  // namespace plumb::cli
